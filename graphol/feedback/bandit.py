"""One bit: right or wrong."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Instance, Prediction, Reveal, Shown


@attrs.frozen
class Bandit:
    r"""One bit after every round: was the prediction right?

    Shows :math:`[\hat y_t = y_t]` and nothing else, like a user who clicks or does not. With two
    classes that is as good as the label; with K classes a mistake leaves K - 1 candidates.

    Examples
    --------
    >>> Bandit().reveal(Instance(t=0), 2, Prediction(1), np.random.default_rng(0)).correct
    False

    References
    ----------
    Kakade, Shalev-Shwartz, Tewari. Efficient bandit algorithms for online multiclass prediction.
    ICML, 2008.
    """

    name: ClassVar[str] = "bandit"
    on_request: ClassVar[bool] = False
    reveals: ClassVar[Shown] = "bit"

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The bit."""
        return Reveal(correct=bool(prediction.label == truth))

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Every round."""
        return np.ones(rounds, dtype=bool)

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
