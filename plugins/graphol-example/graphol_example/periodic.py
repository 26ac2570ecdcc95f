"""A label now and then, by the clock."""

from typing import ClassVar

import attrs
import numpy as np

from graphol import NOTHING, Instance, Prediction, Reveal, param


@attrs.frozen
class Periodic:
    """The label in every k-th round, nothing in between.

    Rounds 0, k, 2k, ... are answered. All rounds count in the error rate.

    Parameters
    ----------
    every
        The period k.
    """

    name: ClassVar[str] = "periodic"
    reveals: ClassVar[str] = "label"
    on_request: ClassVar[bool] = False

    every: int = param(10, least=1)

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The label, if it is time."""
        return Reveal(label=truth) if instance.t % self.every == 0 else NOTHING

    def answered(self, rounds: int, rng: np.random.Generator) -> np.ndarray:
        """The same for a whole stream, so that compiled learners stay compiled."""
        return np.arange(rounds) % self.every == 0

    def scored(self, rounds: int) -> np.ndarray:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
