"""One ridge model per class against the rest, each updated on its own mistakes.

OLLGC and SSLGC share this; SSLGC asks for some labels only.
"""

from __future__ import annotations

import numpy as np

from graphol.api import Instance, Prediction, Reveal, Vector
from graphol.learners.inverse import PerClass


def say(state: PerClass, instance: Instance, query: bool = True) -> Prediction:
    """The class whose model scores highest, or the sign of the only model (that of 0 is +1)."""
    f = state.scores(instance.x)
    if len(f) == 1:
        return Prediction(1 if f[0] >= 0 else -1, f, query)
    return Prediction(int(np.argmax(f)), f, query)


def asking(state: PerClass, instance: Instance, kappa: float) -> Vector:
    """Which models are unsure: x'A_new⁻¹x > t^-kappa, A_new having x added, t from 1; (M,)."""
    r = state.leverages(instance.x)
    return np.asarray(r / (1 + r) > (instance.t + 1.0) ** -kappa)


def correct(state: PerClass, instance: Instance, reveal: Reveal, models: Vector) -> int:
    """Those of the models whose sign was wrong learn the right one; how many."""
    assert reveal.label is not None
    f = state.scores(instance.x)
    told = int(reveal.label)
    y = np.array([told]) if len(f) == 1 else np.where(np.arange(len(f)) == told, 1, -1)
    wrong = np.flatnonzero(models & ((f >= 0) != (y > 0)))
    for k in wrong:
        u = state.P[k] @ instance.x
        state.absorb(int(k), u, 1 / (1 + float(instance.x @ u)), float(y[k] - f[k]))
    return len(wrong)
