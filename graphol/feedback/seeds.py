"""The first labels are given, the rest never."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import NOTHING, Instance, Prediction, Reveal, Shown
from graphol.params import param


@attrs.frozen
class Seeds:
    """The true label in the first rounds, then nothing; only the later rounds are scored.

    Batch semi-supervised learning as an online game: the first ``count`` nodes are the labelled
    seeds, all others are predicted without ever learning the truth. A learner that can be fitted
    (``label-propagation``) gets the seeds in one go and is not asked for them.

    Parameters
    ----------
    count
        Number of labelled seeds, >= 1.

    Examples
    --------
    >>> seeds = Seeds(count=2)
    >>> seeds.answered(4, np.random.default_rng(0))
    array([ True,  True, False, False])
    >>> seeds.scored(4)
    array([False, False,  True,  True])

    References
    ----------
    Zhu, Ghahramani, Lafferty. Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML, 2003.
    """

    name: ClassVar[str] = "seeds"
    on_request: ClassVar[bool] = False
    reveals: ClassVar[Shown] = "label"
    count: int = param(100, least=1)

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The label of a seed, else nothing."""
        return Reveal(label=truth) if instance.t < self.count else NOTHING

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """The seeds."""
        return np.arange(rounds) < self.count

    def given(self, rounds: int) -> NDArray[np.bool_]:
        """The seeds, to learners that can be fitted."""
        return np.arange(rounds) < self.count

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """The rounds after the seeds."""
        return np.arange(rounds) >= self.count
