"""How far the nodes of a connected graph are from its first one."""

from __future__ import annotations

import numpy as np

from graphol.jit import kept


@kept
def depth(indptr, indices):  # type: ignore[no-untyped-def]
    """Steps from node 0 to the node furthest from it, in the graph of a CSR matrix."""
    n = len(indptr) - 1
    steps = np.full(n, -1, np.int64)
    queue = np.empty(n, np.int64)
    queue[0], steps[0], head, tail = 0, 0, 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if steps[j] < 0:
                steps[j] = steps[i] + 1
                queue[tail] = j
                tail += 1
    return steps[queue[tail - 1]]
