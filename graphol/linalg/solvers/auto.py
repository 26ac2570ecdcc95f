"""The solver that chooses a solver."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Estimates
from graphol.errors import InputError
from graphol.linalg.pcg import NotConverged
from graphol.linalg.shape import Shape
from graphol.linalg.system import LaplacianSystem
from graphol.params import param

Matrix = NDArray[np.float64]


@attrs.define(eq=False)
class Chosen:
    """The prepared solver that was chosen, and the others in case it gives up."""

    A: Any
    ranking: list[Any]
    """Solvers, the best first."""
    explain: str
    """Why, in a sentence with numbers."""
    prepared: Any = attrs.field(init=False)
    choice: str = attrs.field(init=False)
    """The name of the solver in use."""

    def __attrs_post_init__(self) -> None:
        self._prepare()

    @property
    def iterations(self) -> int:
        """Of the last solve; 0 for a direct solver."""
        return int(self.prepared.iterations)

    @property
    def residual(self) -> float:
        """Largest relative residual of the last solve."""
        return float(self.prepared.residual)

    def solve(self, B: Matrix) -> Matrix:
        """X with A X = B; see :class:`graphol.api.PreparedSolver`."""
        while True:
            try:
                X: Matrix = self.prepared.solve(B)
            except NotConverged as reason:
                self._next(reason)
                self._prepare()
            else:
                return X

    def _prepare(self) -> None:
        while True:
            self.choice = self.ranking[0].name
            try:
                self.prepared = self.ranking[0].prepare(self.A)
            except (InputError, MemoryError) as reason:
                self._next(reason)
            else:
                return

    def _next(self, reason: BaseException) -> None:
        """The next best; the reason stands if there is none."""
        if len(self.ranking) == 1:
            raise reason
        failed, *self.ranking = self.ranking
        why = " ".join(str(reason).split()) or "not enough memory"
        self.explain += f"; {failed.name} gave up ({why}), so {self.ranking[0].name}"


@attrs.frozen
class Auto:
    r"""Chooses among all solvers that are installed, and tries the next one if one gives up.

    Every solver that :class:`graphol.api.Estimates` is asked how long it would take
    (:class:`graphol.linalg.shape.Shape`), plugins included: ``cholmod`` takes part where
    graphol-cholmod is installed. What they ask about:

    - the size of the graph and the number of right-hand sides;
    - how fast plain conjugate gradients converge, from 20 iterations;
    - the fill-in of an exact factor, from a symbolic elimination, where a direct solver could pay
      at all.

    The prepared solver says what was chosen (``choice``) and why (``explain``). A solver that
    refuses, runs out of memory or reaches its iteration cap is replaced by the next best.

    Parameters
    ----------
    columns
        Right-hand sides that will be solved for, >= 1; more can be, at the chosen solver's cost.
    tol
        Relative residual that iterative solvers must reach, > 0 and < 1.

    Examples
    --------
    >>> prepared = Auto(columns=64).prepare([[1.0, -1.0], [-1.0, 1.0]])
    >>> prepared.solve(np.array([1.0, -1.0])).round(6)
    array([ 0.5, -0.5])
    """

    name: ClassVar[str] = "auto"
    columns: int = param(1, least=1)
    tol: float = param(1e-8, above=0, below=1)

    def prepare(self, A: Any) -> Chosen:
        """Choose for A, a graph's Laplacian plus a non-negative diagonal, and prepare."""
        system = LaplacianSystem.of(A)
        shape = Shape(system, self.columns, self.tol)
        times = {cls.name: (cls.seconds(shape), cls) for cls in self._known() if not _direct(cls)}
        best = min((seconds for seconds, _ in times.values()), default=math.inf)
        direct = [cls for cls in self._known() if _direct(cls)]
        counted = best > 2e-6 * shape.nnz  # else counting takes longer than it can save
        if counted or not math.isfinite(best):
            shape.most = min(shape.most, max(best, 1e-2) / (1e-9 * (30 + self.columns)))
            shape.work = 0.15 * max(best, 1e-2) / 1e-8
            times |= {cls.name: (cls.seconds(shape), cls) for cls in direct}
        ranking = sorted(times.values(), key=lambda pair: pair[0])
        solvers = [
            cls(tol=self.tol) if "tol" in attrs.fields_dict(cls) else cls()
            for seconds, cls in ranking
        ]
        return Chosen(system, solvers, self._why(shape, ranking, counted))

    @staticmethod
    def _known() -> list[Any]:
        from graphol.registry import registry

        offers = registry().offers("solver")
        return [found[0].cls for found in offers.values() if issubclass(found[0].cls, Estimates)]

    def _why(self, shape: Shape, ranking: list[Any], counted: bool) -> str:
        (_, first), *rest = ranking
        others = ", ".join(f"{cls.name} {_time(seconds)}" for seconds, cls in rest)
        facts = [f"cg would need about {shape.cg_iterations:.0f} iterations"]
        if counted and math.isfinite(shape.fill.nonzeros):
            facts.append(
                f"an exact factor has {shape.fill.nonzeros:.1e} non-zeros "
                f"({shape.fill.nonzeros / shape.n:.0f} per row)"
            )
        elif counted:
            facts.append("an exact factor is too large")
        else:
            facts.append("too few right-hand sides for an exact factor")
        return (
            f"{first.name}: {_time(ranking[0][0])} expected for {self.columns} right-hand side(s) "
            f"of {shape.n} rows, {others}; {', '.join(facts)}"
        )


def _direct(cls: Any) -> bool:
    return "tol" not in attrs.fields_dict(cls)


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if math.isfinite(seconds) else "never"
