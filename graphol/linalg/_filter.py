"""One step of the Chebyshev recurrence on a block of vectors, for some rows."""

from __future__ import annotations

import numpy as np

from graphol.jit import kept


@kept
def step(indptr, indices, data, lo, hi, X, Y, scale, shift, keep):  # type: ignore[no-untyped-def]
    """Y <- scale (A - shift I) X - keep Y in rows lo..hi-1, for A in CSR form, X and Y (n, b).

    A row of Y is read and written only here, so rows can be shared out among threads, and what
    comes out does not depend on how.
    """
    b = X.shape[1]
    sums = np.empty(b, X.dtype)
    for i in range(lo, hi):
        for c in range(b):
            sums[c] = -shift * X[i, c]
        for e in range(indptr[i], indptr[i + 1]):
            j, w = indices[e], data[e]
            for c in range(b):
                sums[c] += w * X[j, c]
        for c in range(b):
            Y[i, c] = scale * sums[c] - keep * Y[i, c]
