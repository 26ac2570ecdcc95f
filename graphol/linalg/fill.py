"""How large would a sparse Cholesky factor be? Counted before anything is factorised."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

LARGEST_FILL = 1e8
"""Counting stops at so many non-zeros, unless more are allowed: 0.8 GB, for any direct solver."""


class Fill(NamedTuple):
    """What a Cholesky factorisation would cost."""

    nonzeros: float
    """Of one triangle, diagonal included."""
    flops: float
    """Sum of the squares of the column counts: multiplications and additions."""


def fill_in(A: Any, most: float = LARGEST_FILL, work: float = math.inf) -> Fill:
    """The Cholesky factor of the symmetric CSR array A under an approximate minimum-degree order.

    Eliminates node after node in the quotient graph, where the clique that a node leaves behind is
    one element and not all its edges. Exact for its own order, which is within some per cent of
    those of SuperLU and CHOLMOD (AMD). If there are more than ``most`` non-zeros it stops there and
    returns what it has counted; after ``work`` steps, or when a sixth of them show that they will
    not do, it gives up, and the factor is infinite. Takes 0.2 s for a million edges of a grid,
    seconds where the fill-in is hopeless.

    >>> from scipy.sparse import diags_array
    >>> fill_in(diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(5, 5)).tocsr())
    Fill(nonzeros=9, flops=17.0)

    References
    ----------
    Amestoy, Davis, Duff. An approximate minimum degree ordering algorithm. SIAM J. Matrix Anal.
    Appl., 1996.

    Deviation: nodes with equal neighbours are found only when they can be eliminated at once, not
    merged earlier.
    """
    from graphol.linalg._fill import eliminate

    nonzeros, flops = eliminate(
        A.indptr.astype(np.int64), A.indices.astype(np.int32), float(most), float(work)
    )
    return Fill(nonzeros, flops) if nonzeros >= 0 else Fill(math.inf, math.inf)


def predicted_fill(A: Any, enough: float = 0) -> float:
    """Non-zeros of the Cholesky factor; beyond ``enough`` and 1e8 only that there are more.

    >>> from scipy.sparse import diags_array
    >>> predicted_fill(diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(5, 5)).tocsr())
    9
    """
    n = int(A.shape[0])
    if n * (n + 1) // 2 <= enough:
        return n * (n + 1) // 2
    return fill_in(A, max(enough, LARGEST_FILL)).nonzeros


def ordered_fill(A: Any, order: Any, most: float = LARGEST_FILL) -> Fill:
    """The same for a given order of elimination, (n,); a solver's own."""
    from graphol.linalg._fill import count

    counts, total = count(
        A.indptr.astype(np.int64), A.indices.astype(np.int32), order.astype(np.int64), float(most)
    )
    return Fill(int(total), float(np.sum(counts.astype(float) ** 2)))
