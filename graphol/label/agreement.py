"""Who agrees with whom: every two annotators on the nodes that both labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any


def kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa of what two said of the same things; None where chance explains everything.

    >>> kappa([(0, 0), (1, 1), (0, 1), (1, 1)])
    0.5
    """
    n = len(pairs)
    if not n:
        return None
    agreed = sum(a == b for a, b in pairs) / n
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(ones[k] * others[k] for k in ones) / n**2
    return None if chance == 1 else (agreed - chance) / (1 - chance)


def pairwise(votes: Mapping[int, Mapping[str, int]]) -> list[dict[str, Any]]:
    """One row for every two annotators with a node in common; votes are by row, then by annotator.

    >>> pairwise({0: {"ann": 1, "bob": 1}, 1: {"ann": 0, "bob": 1}, 2: {"ann": 0}})
    [{'annotator': 'ann', 'other': 'bob', 'nodes': 2, 'agreement': 0.5, 'kappa': 0.0}]
    """
    shared: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for said in votes.values():
        for one, other in combinations(sorted(said), 2):
            shared.setdefault((one, other), []).append((said[one], said[other]))
    return [
        {
            "annotator": one,
            "other": other,
            "nodes": len(pairs),
            "agreement": sum(a == b for a, b in pairs) / len(pairs),
            "kappa": kappa(pairs),
        }
        for (one, other), pairs in sorted(shared.items())
    ]
