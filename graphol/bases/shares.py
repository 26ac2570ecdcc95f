"""Probabilities of classes, made of scores that are none.

Only classes that were seen have a share: so a class that is new changes no share of the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphol.api import Matrix, Vector


def centred(F: Matrix, seen: NDArray[np.bool_]) -> Matrix:
    """Each row less its mean over the classes that were seen, (n, K); 0 at the others."""
    count = np.maximum(seen.sum(axis=-1, keepdims=True), 1)
    mean = np.where(seen, F, 0.0).sum(axis=-1, keepdims=True) / count
    return np.where(seen, F - mean, 0.0)


def usual_lead(F: Matrix) -> float:
    """The mean over the rows of their largest entry: what centred scores are measured in."""
    return float(F.max(axis=1).mean()) if len(F) else 0.0


def shares(z: Vector, seen: NDArray[np.bool_]) -> Vector:
    r"""Probabilities :math:`\propto S^{2 z_k}` of the S classes that were seen, (K,).

    z is 1 for the usual leader. The power of S, for S classes have to be told apart: chosen on
    citation and social graphs, 3 to 18 classes, for the least logarithmic loss.

    >>> shares(np.array([1.0, 0.0, 5.0]), np.array([True, True, False])).tolist()
    [0.8, 0.2, 0.0]
    """
    p = np.zeros(len(z))
    if seen.any():
        power = 2.0 * np.log(seen.sum()) * z[seen]
        p[seen] = np.exp(power - power.max())
        p /= p.sum()
    return p


def frequencies(counts: Vector) -> Vector:
    """How often each class was seen, as shares of all; all 0 before the first label."""
    return np.asarray(counts / max(counts.sum(), 1.0), dtype=np.float64)
