"""What both MOLG learners share: rounds of weight 1 / (1 - r), which must be finite."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Problem, Vector
from graphol.bases.inverse import DTYPE
from graphol.errors import UsageError
from graphol.params import param


@attrs.frozen(slots=False, kw_only=True)
class Adaptive:
    """Added to a second-order base: r = x'A⁻¹x must be below 1, which b > max ||x||² ensures.

    Parameters
    ----------
    b
        Ridge; must be > max ||x||², which keeps r < 1.
    phi
        How unsure is unsure: 0 updates on mistakes only.
    precision
        ``single`` halves memory and time of the matrix products; good for one pass over the data.
    """

    name: ClassVar[str]
    b: float = param(10.0, above=0)
    phi: float = param(10.0, least=0)
    precision: str = param("double", choices=tuple(DTYPE))

    def start(self, problem: Problem) -> Any:
        """As the base has it; a ridge that is too small for the rows is refused.

        Without all rows at hand (a stream that is not transductive) :meth:`broken` still names
        the first round that breaks it.
        """
        rows = None if problem.features is None else problem.features.rows
        if rows is not None:
            largest = float(np.einsum("ij,ij->i", rows, rows).max())
            if self.b <= largest:
                raise UsageError(
                    f"{self.name}: b must be > max ||x||² = {largest:.6g} of this embedding, got "
                    f"{self.b:g}; try -p b={_above(largest):g}, or rows of unit length"
                )
        return super().start(problem)  # type: ignore[misc]

    def broken(self, t: int, x: Vector) -> UsageError:
        """A leverage of 1 or more."""
        return UsageError(
            f"{self.name}: x'A⁻¹x is not below 1 in round {t}; b = {self.b:g} must be > "
            f"max ||x||², and this x has ||x||² = {float(x @ x):.6g}"
        )


def _above(value: float) -> float:
    """A round number safely above ``value``: 1, 2 or 5 times a power of ten, at least 1.5 times."""
    decade = 10.0 ** np.floor(np.log10(value))
    return next(float(k * decade) for k in (2, 5, 10, 20) if k * decade >= 1.5 * value)
