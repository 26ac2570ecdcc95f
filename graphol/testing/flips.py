"""A protocol that lies now and then, for checks."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Instance, Prediction, Problem, Reveal, Script, Shown
from graphol.params import param


@attrs.frozen
class FlippedBits:
    """One bit after every round, which is wrong with probability p.

    Parameters
    ----------
    p
        Probability of a wrong bit, from 0 to 1.
    """

    name: ClassVar[str] = "flipped-bits"
    on_request: ClassVar[bool] = False
    reveals: ClassVar[Shown] = "bit"
    p: float = param(0.3, least=0, most=1)

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The bit, or its opposite."""
        return Reveal(correct=(prediction.label == truth) != (rng.random() < self.p))

    def answered(self, rounds: int, rng: np.random.Generator) -> None:
        """Every round, but not with the truth."""

    def script(self, problem: Problem, truth: NDArray[Any], rng: np.random.Generator) -> Script:
        """A coin per round."""
        flipped = rng.random(len(truth)) < self.p
        return Script(np.ones(len(truth), dtype=bool), flipped=flipped)

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
