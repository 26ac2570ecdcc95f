"""Choose by labels that are not learnt from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from graphol.api import Integers, Matrix

T = TypeVar("T")

LEAST = 1e-12
"""A smaller probability counts as this one."""


def best(tried: Iterable[tuple[T, Matrix]], labels: Integers, count: int = 1) -> list[T]:
    """The candidates that are right most often; among equals the likeliest, then the first.

    Each comes with what it says of the nodes that choose, rows of scores >= 0, (|V|, K).

    >>> sure, unsure = np.array([[0.9, 0.1]]), np.array([[0.6, 0.4]])
    >>> best([("wrong", 1 - sure), ("unsure", unsure), ("sure", sure)], np.array([0]), count=2)
    ['sure', 'unsure']
    """
    found: list[tuple[tuple[float, float], T]] = []
    for candidate, scores in tried:
        right = float(np.mean(scores.argmax(axis=1) == labels))
        total = np.maximum(scores.sum(axis=1), LEAST)
        share = scores[np.arange(len(labels)), labels] / total
        rank = (-right, -float(np.mean(np.log(np.maximum(share, LEAST)))))
        found = sorted([*found, (rank, candidate)], key=lambda each: each[0])[:count]
    return [candidate for _, candidate in found]
