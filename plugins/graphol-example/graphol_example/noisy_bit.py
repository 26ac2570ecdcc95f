"""Right or wrong, said by somebody who errs."""

from typing import ClassVar

import attrs
import numpy as np

from graphol import Instance, Prediction, Problem, Reveal, Script, param


@attrs.frozen
class NoisyBit:
    """One bit after every round, was the prediction right?, and the bit is wrong now and then.

    A user clicks by mistake, or forgets to: with probability p the bit is turned round, whatever
    was predicted. With p = 0 it is bandit feedback.

    Parameters
    ----------
    p
        Probability of a wrong bit, >= 0 and < 1.
    """

    name: ClassVar[str] = "noisy-bit"
    reveals: ClassVar[str] = "bit"
    on_request: ClassVar[bool] = False

    p: float = param(0.1, least=0, below=1)

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The bit, or its opposite."""
        flipped = rng.random() < self.p
        return Reveal(correct=(prediction.label == truth) != flipped)

    def answered(self, rounds: int, rng: np.random.Generator) -> None:
        """Every round is answered, but not always with the truth, so no mask says it all."""

    def script(self, problem: Problem, truth: np.ndarray, rng: np.random.Generator) -> Script:
        """The same for a whole stream, so that compiled learners stay compiled."""
        flipped = rng.random(len(truth)) < self.p
        return Script(answered=np.ones(len(truth), dtype=bool), flipped=flipped)

    def scored(self, rounds: int) -> np.ndarray:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
