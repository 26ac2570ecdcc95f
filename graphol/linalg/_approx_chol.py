"""Kernels of the approximate Cholesky factorisation; see :mod:`graphol.linalg.approx_chol`.

Edges live in linked lists, one per node. An edge is two half-edges, each knowing the other: the
half-edge h in the list of node v has ``end[h]`` = the other node, ``weight[h]`` (0: dead),
``after[h]`` = the next one in the list, ``twin[h]`` = the same edge in the other node's list.
Eliminating a node of degree k frees k edges and samples k - 1, which reuse the freed ones: memory
never grows. Nodes wait in buckets by degree, doubly linked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64

from graphol.jit import kept

NONE = -1


@kept
def _uniform(state: Any) -> Any:
    """The next number in [0, 1) of splitmix64."""
    state[0] += uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return ((z ^ (z >> uint64(31))) >> uint64(11)) * (1.0 / 9007199254740992.0)


@kept
def _file(v: Any, degree: Any, first: Any, before: Any, behind: Any) -> None:
    """Put node v at the front of its bucket."""
    d = min(degree[v], len(first) - 1)
    top = first[d]
    before[v], behind[v] = NONE, top
    if top != NONE:
        before[top] = v
    first[d] = v


@kept
def _take(v: Any, degree: Any, first: Any, before: Any, behind: Any) -> None:
    """Take node v out of its bucket."""
    if before[v] == NONE:
        first[min(degree[v], len(first) - 1)] = behind[v]
    else:
        behind[before[v]] = behind[v]
    if behind[v] != NONE:
        before[behind[v]] = before[v]


@kept
def _shift(v: Any, by: Any, degree: Any, first: Any, before: Any, behind: Any) -> None:
    """The degree of node v has changed; the ground, the last node, waits in no bucket."""
    if v < len(before):
        _take(v, degree, first, before, behind)
        degree[v] += by
        _file(v, degree, first, before, behind)


@kept
def eliminate(indptr: Any, indices: Any, weights: Any, seed: Any) -> Any:
    """Eliminate the nodes 0 .. n-1 of a graph on n + 1 nodes, sampling the fill-in.

    CSR arrays of the symmetric weights, sorted, in. Out come the order (n,), the column pointers
    (n+1,), and for column p, the p-th node to go: its neighbours at that time, their shares of its
    degree (sum 1), and the degree D[p]; 0 and no neighbours for the last node of a component.
    """
    n, m = len(indptr) - 2, len(indices)
    end, weight = indices.copy(), weights.copy()
    after, twin = np.empty(m, np.int32), np.empty(m, np.int32)
    head = np.full(n + 1, NONE, np.int32)
    cursor = indptr[:-1].copy()
    for i in range(n + 1):  # in rows sorted by node, the twins of a row's half-edges come in order
        for h in range(indptr[i], indptr[i + 1]):
            after[h] = h + 1 if h + 1 < indptr[i + 1] else NONE
            twin[h] = cursor[indices[h]]
            cursor[indices[h]] += 1
        if indptr[i] < indptr[i + 1]:
            head[i] = indptr[i]

    degree = np.empty(n + 1, np.int64)  # copies of an edge are counted as several
    first = np.full(n + 2, NONE, np.int32)  # larger degrees share the last bucket
    before, behind = np.full(n, NONE, np.int32), np.full(n, NONE, np.int32)
    for i in range(n + 1):
        degree[i] = indptr[i + 1] - indptr[i]
        if i < n:
            _file(i, degree, first, before, behind)

    order, start, D = np.empty(n, np.int32), np.zeros(n + 1, np.int64), np.zeros(n)
    rows, share = np.empty(max(m, 16), np.int32), np.empty(max(m, 16))
    place = np.full(n + 1, NONE, np.int32)  # of a neighbour in ``near``
    near = np.empty(64, np.int32)  # half-edges of the node that goes, copies merged
    suffix = np.empty(65)  # suffix[i] = sum of the weights from the i-th on
    state = np.full(1, seed, np.uint64)
    least, filled = 0, 0
    for p in range(n):
        while first[least] == NONE:
            least += 1
        v = first[least]
        _take(v, degree, first, before, behind)
        order[p] = v
        k = 0
        h = head[v]
        while h != NONE:
            if weight[h] > 0:
                j = end[h]
                if place[j] == NONE:
                    if k == len(near):
                        near = np.append(near, np.empty(k, np.int32))
                        suffix = np.empty(2 * k + 1)
                    place[j] = k
                    near[k] = h
                    k += 1
                else:
                    weight[near[place[j]]] += weight[h]
                    weight[twin[h]] = 0.0
                    _shift(j, -1, degree, first, before, behind)
                    least = min(least, degree[j])
            h = after[h]
        for i in range(k):
            place[end[near[i]]] = NONE
        ranked = near[:k][np.argsort(weight[near[:k]], kind="mergesort")]
        suffix[k] = 0.0
        for i in range(k - 1, -1, -1):
            suffix[i] = suffix[i + 1] + weight[ranked[i]]
        D[p] = suffix[0]

        if filled + k > len(rows):
            rows = np.append(rows, np.empty(len(rows) + k, np.int32))
            share = np.append(share, np.empty(len(share) + k))
        for i in range(k):
            rows[filled + i] = end[ranked[i]]
            share[filled + i] = weight[ranked[i]] / D[p]
        filled += k
        start[p + 1] = filled

        for i in range(k):
            h = ranked[i]
            j = end[h]
            if i == k - 1:  # nobody is left to be joined with
                weight[twin[h]] = 0.0
                _shift(j, -1, degree, first, before, behind)
                least = min(least, degree[j])
                break
            r = _uniform(state) * suffix[i + 1]
            low, high = i + 1, k - 1  # the last one with suffix > r
            while low < high:
                middle = (low + high + 1) // 2
                if suffix[middle] > r:
                    low = middle
                else:
                    high = middle - 1
            q = end[ranked[low]]
            joined = weight[h] * (suffix[i + 1] / D[p])
            end[twin[h]] = q  # the halves of (v, j) become those of (q, j)
            weight[twin[h]] = joined
            weight[h] = joined
            after[h] = head[q]
            head[q] = h
            _shift(q, 1, degree, first, before, behind)
    return order, start, rows[:filled], share[:filled], D


@kept
def rearrange(order: Any, start: Any, rows: Any, share: Any, D: Any) -> Any:
    """The same columns without the ground's rows, in an order that keeps to one place for long.

    Any order will do in which a node comes before its neighbours of column p. A stack of nodes that
    are ready takes those next that were touched last: they are still in the cache.
    """
    n = len(order)
    column = np.empty(n, np.int64)
    waiting = np.zeros(n, np.int64)  # for so many columns that have this row
    kept = 0
    for p in range(n):
        column[order[p]] = p
        for e in range(start[p], start[p + 1]):
            if rows[e] < n:
                waiting[rows[e]] += 1
                kept += 1
    new_order, new_D = np.empty(n, np.uint32), np.empty(n)
    new_start = np.zeros(n + 1, np.int64)
    new_rows, new_share = np.empty(kept, np.uint32), np.empty(kept)
    stack = np.empty(n, np.int64)
    done, filled = 0, 0
    for first in range(n):
        if waiting[first] != 0:
            continue
        stack[0] = first
        waiting[first] = NONE
        height = 1
        while height > 0:
            height -= 1
            v = stack[height]
            p = column[v]
            new_order[done], new_D[done] = v, D[p]
            for e in range(start[p], start[p + 1]):
                j = rows[e]
                if j == n:
                    continue
                new_rows[filled], new_share[filled] = j, share[e]
                filled += 1
                waiting[j] -= 1
                if waiting[j] == 0:
                    waiting[j] = NONE
                    stack[height] = j
                    height += 1
            done += 1
            new_start[done] = filled
    return new_order, new_start, new_rows, new_share, new_D


@kept
def substitute(order: Any, start: Any, rows: Any, share: Any, D: Any, R: Any, Z: Any) -> None:
    """Z (n, k) = the factorised matrix's inverse times R (n, k).

    Forward: a node hands its value on to its neighbours by their shares. Backward: it becomes the
    mean of its neighbours, by shares, plus its own value / D.
    """
    n, k = R.shape
    Z[:] = R
    if k == 1:
        z = Z.reshape(n)
        for p in range(n):
            own = z[order[p]]
            for e in range(start[p], start[p + 1]):
                z[rows[e]] += share[e] * own
        for p in range(n - 1, -1, -1):
            mean = z[order[p]] / D[p] if D[p] > 0 else 0.0
            for e in range(start[p], start[p + 1]):
                mean += share[e] * z[rows[e]]
            z[order[p]] = mean
        return
    for p in range(n):
        mine = Z[order[p]]
        for e in range(start[p], start[p + 1]):
            s, theirs = share[e], Z[rows[e]]
            for c in range(k):
                theirs[c] += s * mine[c]
    for p in range(n - 1, -1, -1):
        inverse = 1 / D[p] if D[p] > 0 else 0.0
        mine = Z[order[p]]
        for c in range(k):
            mine[c] *= inverse
        for e in range(start[p], start[p + 1]):
            s, theirs = share[e], Z[rows[e]]
            for c in range(k):
                mine[c] += s * theirs[c]
