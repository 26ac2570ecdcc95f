"""Which parameters: grids, and the choice among candidates on shuffles that never score."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import attrs
import numpy as np

from graphol.api import Embedding, Learner
from graphol.arena import Arena, Watcher
from graphol.plan import Plan
from graphol.runner import simulate_by
from graphol.simulation import Simulation

T = TypeVar("T")


def combinations(grid: Mapping[str, Sequence[T]]) -> Iterator[dict[str, T]]:
    """All combinations of the grid's values; of an empty grid the empty one.

    >>> list(combinations({"b": (1, 10), "phi": (5,)}))
    [{'b': 1, 'phi': 5}, {'b': 10, 'phi': 5}]
    """
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def tune(
    candidates: Sequence[Learner],
    arena: Arena,
    plan: Plan,
    shuffles: int,
    *,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
) -> Learner:
    """The candidate that does best on ``shuffles`` held-out shuffles; see :func:`choose`."""
    if len(candidates) == 1:
        return candidates[0]
    held_out = attrs.evolve(plan, repeats=shuffles, held_out=True)
    return candidates[
        choose(simulate_by(held_out, candidates, arena, embedding=embedding, watcher=watcher))
    ]


def choose(rehearsals: Sequence[Simulation]) -> int:
    """Fewest updates among those within one standard error of the lowest error.

    The one-standard-error rule: what a few held-out shuffles cannot tell apart is decided by cost.
    Equally many updates (a learner that updates always, or on mistakes alone) leave the lowest
    error.
    """
    errors = [played.error_rate_mean for played in rehearsals]
    best = int(np.argmin(errors))
    shuffles = len(rehearsals[best].error_rates)
    limit = errors[best] + rehearsals[best].error_rate_std / np.sqrt(shuffles)
    good = [i for i, error in enumerate(errors) if error <= limit]
    updates = [float(played.updates.mean()) for played in rehearsals]
    return min(good, key=lambda i: (updates[i], errors[i]))
