"""Several comparisons at once: p values corrected for their number, and what follows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

WIN, TIE, LOSS = "win", "tie", "loss"
"""Of one against another: the corrected p is below the level, or it is not."""


@overload
def holm(ps: Sequence[float]) -> list[float]: ...
@overload
def holm(ps: Sequence[float | None]) -> list[float | None]: ...
def holm(ps: Sequence[float] | Sequence[float | None]) -> list[float] | list[float | None]:
    """The same p values, each corrected for their number by Holm's method.

    The i-th smallest of m is multiplied by m - i + 1, and none gets less than a smaller one. None,
    where nothing was tested, stays None and does not count.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    tested = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    most = 0.0
    for rank, (p, i) in enumerate(tested):
        most = max(most, min(1.0, (len(tested) - rank) * p))
        adjusted[i] = most
    return adjusted


def verdict(difference: float, adjusted: float | None, level: float = 0.05) -> str | None:
    """Of who errs so much more than another: win, tie or loss; None where nothing was tested.

    >>> verdict(-0.02, 0.01), verdict(0.02, 0.01), verdict(-0.02, 0.2), verdict(-0.02, None)
    ('win', 'loss', 'tie', None)
    """
    if adjusted is None:
        return None
    if adjusted >= level or difference == 0:
        return TIE
    return WIN if difference < 0 else LOSS
