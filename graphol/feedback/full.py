"""The truth, after every round."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Instance, Prediction, Reveal, Shown


@attrs.frozen
class Full:
    """The true label after every round.

    The classical game: whatever was predicted, :math:`y_t` is shown.

    Examples
    --------
    >>> Full().reveal(Instance(t=0), 2, Prediction(1), np.random.default_rng(0)).label
    2

    References
    ----------
    Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning, 1988.
    """

    name: ClassVar[str] = "full"
    on_request: ClassVar[bool] = False
    reveals: ClassVar[Shown] = "label"

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The label."""
        return Reveal(label=truth)

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Every round."""
        return np.ones(rounds, dtype=bool)

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
