"""The one condition under which MOLG's adaptive step is finite."""

from __future__ import annotations

import numpy as np

from graphol.api import Problem, Vector
from graphol.errors import UsageError


def refuse_small_ridge(name: str, b: float, problem: Problem) -> None:
    """Before round 1: b > max ||x||², so that r = x'A⁻¹x < 1 in every round.

    Without all rows at hand (a stream that is not transductive) :func:`leverage_of_one` still
    names the first round that breaks it.
    """
    rows = None if problem.features is None else problem.features.rows
    if rows is None:
        return
    largest = float(np.einsum("ij,ij->i", rows, rows).max())
    if b <= largest:
        raise UsageError(
            f"{name}: b must be > max ||x||² = {largest:.6g} of this embedding, got {b:g}; "
            f"try -p b={_above(largest):g}, or rows of unit length"
        )


def leverage_of_one(name: str, b: float, t: int, x: Vector) -> UsageError:
    """In any round: r = x'A⁻¹x must be below 1."""
    return UsageError(
        f"{name}: x'A⁻¹x is not below 1 in round {t}; b = {b:g} must be > max ||x||², "
        f"and this x has ||x||² = {float(x @ x):.6g}"
    )


def _above(value: float) -> float:
    """A round number safely above ``value``: 1, 2 or 5 times a power of ten, at least 1.5 times."""
    decade = 10.0 ** np.floor(np.log10(value))
    return next(float(k * decade) for k in (2, 5, 10, 20) if k * decade >= 1.5 * value)
