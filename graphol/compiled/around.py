"""What the neighbours of a node say, neighbour by neighbour.

The same sums in the same order as in :mod:`graphol.bases.around`, which takes whole arrays.
"""

from __future__ import annotations

import numpy as np

from graphol.jit import kernel


@kernel
def labels_around(edges, told, i, found, ruled):
    """See :func:`graphol.bases.around.labels_around`."""
    found[:] = 0.0
    ruled[:] = 0.0
    several = False
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        j = edges.indices[e]
        if told.label[j] >= 0:
            found[told.label[j]] += edges.weight[e]
            continue
        count, last = 0, 0
        for k in range(len(found)):
            if told.not_[j, k]:
                count, last = count + 1, k
        if count == 1:
            ruled[last] += edges.weight[e]
        elif count > 1:
            several = True
    return several


@kernel
def add_rows(edges, i, by, M, z):
    """See :func:`graphol.bases.around.add_rows`."""
    z[:] = 0.0
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        j, x = edges.indices[e], edges.weight[e] / by
        for k in range(len(z)):
            z[k] += x * M[j, k]


@kernel
def add_shares(edges, i, N, m):
    """See :func:`graphol.bases.around.add_shares`."""
    m[:] = 0.0
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        j, total = edges.indices[e], 0.0
        for k in range(len(m)):
            total += N[j, k]
        if total > 0.0:
            by = edges.weight[e] / total
            for k in range(len(m)):
                m[k] += by * N[j, k]


@kernel
def change_label(edges, i, N, y, by, least):
    """See :func:`graphol.bases.around.change_label`."""
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        left = N[edges.indices[e], y] + by * edges.weight[e]
        N[edges.indices[e], y] = left if left > least else 0.0


@kernel
def any_above(edges, i, G, least):
    """See :func:`graphol.bases.around.any_above`."""
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        for k in range(G.shape[1]):
            if G[edges.indices[e], k] > least:
                return True
    return False


@kernel
def all_weight(edges, i):
    """See :func:`graphol.bases.around.all_weight`."""
    total = 0.0
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        total += edges.weight[e]
    return total


@kernel
def adagrad(edges, i, by, gradient, step, W, G):
    """See :func:`graphol.bases.around.adagrad`."""
    for e in range(edges.indptr[i], edges.indptr[i + 1]):
        j, x = edges.indices[e], edges.weight[e] / by
        for k in range(len(gradient)):
            along = x * gradient[k]
            G[j, k] += along * along
            W[j, k] += step * along / np.sqrt(G[j, k])
