"""The truth, when the learner asks for it."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import NOTHING, Instance, Prediction, Reveal, Shown


@attrs.frozen
class Selective:
    """The true label in the rounds in which the learner asks for it.

    The learner sets ``prediction.query`` before it knows the answer; labels cost, so the number of
    queries is reported beside the error rate, which counts every round. A learner that never sets
    ``query`` to False plays the full-information game.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Selective().reveal(Instance(t=0), 2, Prediction(1, query=True), rng).label
    2
    >>> Selective().reveal(Instance(t=1), 2, Prediction(1, query=False), rng) == NOTHING
    True

    References
    ----------
    Cesa-Bianchi, Gentile, Zaniboni. Worst-case analysis of selective sampling for linear
    classification. JMLR, 2006.
    """

    name: ClassVar[str] = "selective"
    on_request: ClassVar[bool] = True
    reveals: ClassVar[Shown] = "label"

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The label if it was asked for, else nothing."""
        return Reveal(label=truth) if prediction.query else NOTHING

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """All of them, on request."""
        return np.ones(rounds, dtype=bool)

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
