"""What the neighbours of a node say, all of them at once.

Compiled rules call the functions of the same names in :mod:`graphol.compiled.around`, which take
one neighbour after the other. Sums here are running sums, so that both give the same, bit by bit.
"""

from __future__ import annotations

import numpy as np

from graphol.standins import compiled_as


def _beside(edges, i):
    here = slice(edges.indptr[i], edges.indptr[i + 1])
    return edges.indices[here], edges.weight[here]


def _summed(rows):
    """The sum of the rows (m, K), added up in their order."""
    return np.cumsum(rows, axis=0)[-1] if len(rows) else 0.0


@compiled_as("graphol.compiled.around:labels_around")
def labels_around(edges, told, i, found, ruled):
    """Fill found (K,) with the weight of labelled neighbours of node i, by their classes.

    Fill ruled (K,) with that of neighbours of which all that is known is one class that they are
    not. Are there others, with several such classes?
    """
    nodes, w = _beside(edges, i)
    label = told.label[nodes]
    known = label >= 0
    found[:] = np.bincount(label[known], weights=w[known], minlength=len(found))
    not_ = told.not_[nodes] & ~known[:, None]
    count = not_.sum(axis=1)
    one = count == 1
    ruled[:] = np.bincount(not_[one].argmax(axis=1), weights=w[one], minlength=len(ruled))
    return bool((count > 1).any())


@compiled_as("graphol.compiled.around:add_rows")
def add_rows(edges, i, by, M, z):
    """Fill z (K,) with the sum of w_ij / by times row j of M over the neighbours j of node i."""
    nodes, w = _beside(edges, i)
    z[:] = _summed((w / by)[:, None] * M[nodes])


@compiled_as("graphol.compiled.around:add_shares")
def add_shares(edges, i, N, m):
    """Fill m (K,) with the sum of w_ij times the shares in row j of N; rows of zeros have none."""
    nodes, w = _beside(edges, i)
    rows = N[nodes]
    total = np.zeros(len(nodes))
    for k in range(len(m)):
        total += rows[:, k]
    by = np.divide(w, total, out=np.zeros(len(nodes)), where=total > 0)
    m[:] = _summed(by[:, None] * rows)


@compiled_as("graphol.compiled.around:change_label")
def change_label(edges, i, N, y, by, least):
    """Add w_ij times ``by`` to N[j, y] of all neighbours; what is not above ``least`` becomes 0."""
    nodes, w = _beside(edges, i)
    left = N[nodes, y] + by * w
    N[nodes, y] = np.where(left > least, left, 0.0)


@compiled_as("graphol.compiled.around:any_above")
def any_above(edges, i, G, least):
    """Is an entry of a neighbour's row of G above this?"""
    return bool((G[_beside(edges, i)[0]] > least).any())


@compiled_as("graphol.compiled.around:all_weight")
def all_weight(edges, i):
    """The weight of all edges of node i."""
    w = _beside(edges, i)[1]
    return float(np.cumsum(w)[-1]) if len(w) else 0.0


@compiled_as("graphol.compiled.around:adagrad")
def adagrad(edges, i, by, gradient, step, W, G):
    """One step of AdaGrad for the rows of the neighbours, whose features are w_ij / by."""
    nodes, w = _beside(edges, i)
    along = np.outer(w / by, gradient)
    squares = G[nodes] + along * along
    G[nodes] = squares
    W[nodes] += step * along / np.sqrt(squares)
