"""Mean ranks over data sets, and how far apart they must be: the test of Nemenyi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import ArrayLike

from graphol.api import Vector


@attrs.frozen
class Ranking:
    """Players that were all measured on the same data sets."""

    players: tuple[str, ...]
    """The best first."""
    mean_ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    critical: float | None
    """Mean ranks that are further apart differ; None with fewer than 2 data sets or players."""
    left_out: tuple[str, ...] = ()
    """Players that were not measured on all of them."""

    @property
    def groups(self) -> list[tuple[int, int]]:
        """First and last of the longest stretches of players that do not differ."""
        if self.critical is None:
            return []
        found: list[tuple[int, int]] = []
        for i, low in enumerate(self.mean_ranks):
            j = max(j for j, high in enumerate(self.mean_ranks) if high - low <= self.critical)
            if j > i and not (found and found[-1][1] >= j):
                found.append((i, j))
        return found


def rank(errors: Mapping[str, Mapping[str, float]], alpha: float = 0.05) -> Ranking | None:
    """Rank players by their errors: of each player, by data set.

    Who was not measured wherever somebody was is left out. Ties share the mean of their ranks.

    >>> found = rank({"a": {"x": 0.1, "y": 0.2}, "b": {"x": 0.3, "y": 0.2}, "c": {"x": 0.0}})
    >>> found.players, found.mean_ranks, found.left_out
    (('a', 'b'), (1.25, 1.75), ('c',))
    """
    datasets = sorted({name for per in errors.values() for name in per})
    ranked = sorted(player for player, per in errors.items() if len(per) == len(datasets))
    if not ranked or not datasets:
        return None
    table = np.array([[errors[player][name] for player in ranked] for name in datasets])
    means = np.array([tied_ranks(row) for row in table]).mean(axis=0)
    order = sorted(range(len(ranked)), key=lambda i: (means[i], ranked[i]))
    return Ranking(
        tuple(ranked[i] for i in order),
        tuple(float(means[i]) for i in order),
        tuple(datasets),
        critical_difference(len(ranked), len(datasets), alpha),
        tuple(sorted(errors.keys() - set(ranked))),
    )


def tied_ranks(values: ArrayLike) -> Vector:
    """1 for the smallest and so on; equal ones share the mean of their ranks.

    >>> tied_ranks([0.2, 0.1, 0.2]).tolist()
    [2.5, 1.0, 2.5]
    """
    numbers = np.asarray(values, dtype=np.float64)
    below = (numbers[:, None] > numbers).sum(axis=1)
    equal = (numbers[:, None] == numbers).sum(axis=1)
    found: Vector = below + (equal + 1) / 2
    return found


def critical_difference(players: int, datasets: int, alpha: float = 0.05) -> float | None:
    """How far apart mean ranks of so many players over so many data sets must be to differ.

    None with fewer than 2 players or data sets.

    References
    ----------
    Demšar. Statistical comparisons of classifiers over multiple data sets. JMLR, 2006.

    >>> round(critical_difference(4, 14, 0.1), 3)
    1.118
    """
    if players < 2 or datasets < 2:
        return None
    return quantile(players, alpha) * float(np.sqrt(players * (players + 1) / (6 * datasets)))


@lru_cache(maxsize=64)
def quantile(players: int, alpha: float) -> float:
    """Of the studentized range, infinitely many degrees of freedom, over the square root of 2."""
    from scipy.stats import studentized_range  # takes a second to import

    return float(studentized_range.ppf(1 - alpha, players, np.inf) / np.sqrt(2))


def mean_where_all(errors: Sequence[Mapping[object, float]]) -> list[float] | None:
    """Of each its mean over the games that all have; None if there are none.

    >>> mean_where_all([{1: 0.5, 2: 0.1}, {1: 0.3}])
    [0.5, 0.3]
    """
    if not errors:
        return None
    common = set.intersection(*(set(each) for each in errors))
    if not common:
        return None
    return [float(np.mean([each[key] for key in sorted(common, key=str)])) for each in errors]
