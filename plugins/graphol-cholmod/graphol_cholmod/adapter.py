"""scikit-sparse 0.4 and 0.5 behind one face."""

from typing import Any

import numpy as np

import graphol
from graphol.linalg.fill import Fill, ordered_fill


def symbolic(A: Any, most: float) -> Any:
    """The ordering and the size of the factor of A (CSC), nothing numeric yet."""
    from sksparse import cholmod

    return (After if hasattr(cholmod, "CholeskyFactor") else Before)(cholmod, A, most)


class Face:
    """What the two have in common: an error in one line."""

    def __init__(self, module: Any) -> None:
        self.errors = tuple(
            error for error in vars(module).values()
            if isinstance(error, type) and issubclass(error, Exception)
            and not issubclass(error, Warning)
        )  # fmt: skip

    def factorise(self, A: Any) -> None:
        """The numeric phase; an InputError where A is not positive definite, or memory ends."""
        try:
            self._factorise(A)
        except (*self.errors, MemoryError) as reason:
            text = " ".join(str(reason).split()) or type(reason).__name__
            raise graphol.InputError(
                f"cholmod: {text}; are the weights absurdly small? use solver approx-chol"
            ) from None


class Before(Face):
    """scikit-sparse 0.4."""

    def __init__(self, module: Any, A: Any, most: float) -> None:
        super().__init__(module)
        self.factor = module.analyze(A)
        self.fill: Fill = ordered_fill(A, self.factor.P(), most)

    def _factorise(self, A: Any) -> None:
        self.factor.cholesky_inplace(A)

    def solve(self, B: Any) -> Any:
        """X with A X = B."""
        return self.factor(B)

    def logdet(self) -> float:
        """log det A."""
        return float(self.factor.logdet())

    def updated(self, C: Any, sign: int) -> "Before":
        """The factor of A + C C' or A - C C'."""
        new = object.__new__(Before)
        new.errors, new.fill, new.factor = self.errors, self.fill, self.factor.copy()
        new.factor.update_inplace(C, subtract=sign < 0)
        return new


class After(Face):
    """scikit-sparse 0.5 and later."""

    def __init__(self, module: Any, A: Any, most: float) -> None:
        super().__init__(module)
        self.factor = module.CholeskyFactor(A, order="default")
        counts = np.asarray(self.factor.colcount, dtype=float)
        self.fill: Fill = Fill(int(counts.sum()), float(counts @ counts))

    def _factorise(self, A: Any) -> None:
        self.factor.factorize(A)

    def solve(self, B: Any) -> Any:
        """X with A X = B."""
        import warnings

        with warnings.catch_warnings():  # "nearly singular": the residual is checked by us
            warnings.simplefilter("ignore")
            return self.factor.solve(B)

    def logdet(self) -> float:
        """log det A, of L L' or L D L'."""
        L, D = self.factor.L.diagonal(), self.factor.D.diagonal()
        return float(2 * np.log(np.abs(L)).sum() + np.log(D).sum())

    def updated(self, C: Any, sign: int) -> "After":
        """The factor of A + C C' or A - C C'."""
        new = object.__new__(After)
        new.errors, new.fill, new.factor = self.errors, self.fill, self.factor.copy()
        (new.factor.update if sign > 0 else new.factor.downdate)(C)
        return new
