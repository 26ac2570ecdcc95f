"""Playing by upper confidence bounds and learning the played class by ridge regression.

OSLG-Bandit and Confidit share this; they differ in where A starts and how wide the bounds are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.api import Instance, Integers, Matrix, Played, Prediction, Reveal
from graphol.learners.inverse import PerClass


def play_upper_bound(state: PerClass, instance: Instance, width: float) -> Prediction:
    """argmax_k f_k + width sqrt(r_k); ties go to the lowest k."""
    r = state.leverages(instance.x)  # rounding may leave -1e-17 where x is spent
    scores = state.scores(instance.x) + width * np.sqrt(np.maximum(r, 0))
    return Prediction(int(np.argmax(scores)), scores)


def absorb_bit(state: PerClass, instance: Instance, prediction: Prediction, reveal: Reveal) -> int:
    """The played class learns +1 if it was right and -1 if it was wrong, with weight a = 1."""
    k = int(prediction.label)
    u = state.P[k] @ instance.x
    told = 1.0 if reveal.right(prediction) else -1.0
    gain = 1 / (1 + float(instance.x @ u))
    state.absorb(k, u, gain, told - float(state.W[k] @ instance.x))
    return 1


def stream_upper_bound(
    state: PerClass, X: Matrix, row: Integers, told: Integers, answered: NDArray[np.bool_],
    width: float, out: Played,
) -> None:  # fmt: skip
    """The whole stream, compiled, in look-ahead blocks."""
    from graphol.learners import _per_class

    params = np.array([width])
    _per_class.play_upper_bound(*state, X, row, told, answered, params, out.predicted, out.updates)
