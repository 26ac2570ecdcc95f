"""The truth, now and then, by chance."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import NOTHING, Instance, Prediction, Reveal, Shown
from graphol.params import param


@attrs.frozen
class RandomQuery:
    """The true label with probability p in each round, whatever the learner wants.

    The control for selective sampling: as many labels, chosen by a coin. One random number is drawn
    per round, also for p = 0 and p = 1, so that streams with different p share their coins: the
    rounds answered for a small p are among those for a larger one.

    Parameters
    ----------
    p
        Probability that the label is shown, from 0 to 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> RandomQuery(p=0.5).answered(6, rng)
    array([False,  True,  True,  True, False, False])

    References
    ----------
    Cesa-Bianchi, Lugosi, Stoltz. Minimizing regret with label efficient prediction. IEEE Trans.
    Inform. Theory, 2005.
    """

    name: ClassVar[str] = "random-query"
    on_request: ClassVar[bool] = False
    reveals: ClassVar[Shown] = "label"
    p: float = param(0.1, least=0, most=1)

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The label with probability p, else nothing."""
        return Reveal(label=truth) if rng.random() < self.p else NOTHING

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """A coin per round."""
        return rng.random(rounds) < self.p

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
