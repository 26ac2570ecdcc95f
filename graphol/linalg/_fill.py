"""Kernels that count the entries of a sparse Cholesky factor without computing it."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.jit import kept


@kept
def count(indptr: Any, indices: Any, order: Any, most: Any) -> Any:
    """Entries of each column of the factor, diagonal included, nodes eliminated in this order.

    Row i of the factor is the subtree of the elimination tree that is spanned by the neighbours of
    i that went before it: walk up from each of them until the walk meets an earlier one. Takes as
    many steps as there are entries; stops at ``most`` of them. Second result: their number so far.
    """
    n = len(order)
    place = np.empty(n, np.int64)
    for p in range(n):
        place[order[p]] = p
    parent, seen = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    counts = np.ones(n, np.int64)
    total = n
    for i in range(n):
        seen[i] = i
        v = order[i]
        for e in range(indptr[v], indptr[v + 1]):
            j = place[indices[e]]
            while j < i and seen[j] != i:
                if parent[j] == -1:
                    parent[j] = i
                counts[j] += 1
                total += 1
                seen[j] = i
                j = parent[j]
        if total > most:
            break
    return counts, total


@kept
def _file(v: Any, degree: Any, first: Any, before: Any, behind: Any) -> None:
    """Put node v at the front of the bucket of its degree."""
    top = first[degree[v]]
    before[v], behind[v] = -1, top
    if top != -1:
        before[top] = v
    first[degree[v]] = v


@kept
def _take(v: Any, degree: Any, first: Any, before: Any, behind: Any) -> None:
    """Take node v out of its bucket."""
    if before[v] == -1:
        first[degree[v]] = behind[v]
    else:
        behind[before[v]] = behind[v]
    if behind[v] != -1:
        before[behind[v]] = before[v]


@kept
def eliminate(indptr: Any, indices: Any, most: Any, work: Any) -> Any:
    """Approximate minimum degree elimination: (non-zeros of the factor, sum of squared counts).

    The quotient graph: a node that has gone is an element, which stands for the clique of its
    neighbours. A node's list holds its elements first (``elements[i]`` of them), then those
    neighbours that no element covers. Degrees are upper bounds; the counts are exact for the order
    taken. Stops when there are more than ``most`` non-zeros, or (-1) after ``work`` steps; after a
    sixth of them already if less than a twelfth of the nodes has gone, for the later ones are
    dearer.
    """
    sixth = work * 5 / 6
    n = len(indptr) - 1
    GONE, NODE, ELEMENT = 0, 1, 2
    state = np.full(n, NODE, np.int8)
    begin, length = np.zeros(n, np.int64), np.zeros(n, np.int64)
    elements = np.zeros(n, np.int64)
    lists = np.empty(len(indices) + len(indices) // 4 + n + 16, np.int32)
    used = 0
    for i in range(n):
        begin[i] = used
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] != i:
                lists[used] = indices[e]
                used += 1
        length[i] = used - begin[i]
    first = np.full(n + 1, -1, np.int64)
    before, behind = np.empty(n, np.int64), np.empty(n, np.int64)
    degree = length.copy()
    for i in range(n):
        _file(i, degree, first, before, behind)
    mark = np.full(n, -1, np.int64)  # in the clique of this step
    outside = np.zeros(n, np.int64)  # base + number of an element's nodes outside the clique
    base, least, left = np.int64(1), 0, n
    fill, flops = np.int64(0), 0.0
    while left > 0 and fill <= most:
        while first[least] == -1:
            least += 1
        p = first[least]
        _take(p, degree, first, before, behind)
        room = min(np.int64(left), degree[p] + 1)
        if used + room > len(lists):  # make room: keep the living lists only
            alive = 0
            for i in range(n):
                if state[i] != GONE:
                    alive += length[i]
            fresh = np.empty(2 * alive + room + n, np.int32)
            used = 0
            for i in range(n):
                if state[i] != GONE:
                    fresh[used : used + length[i]] = lists[begin[i] : begin[i] + length[i]]
                    begin[i] = used
                    used += length[i]
            lists = fresh
        start = used  # the clique: neighbours of p
        mark[p] = p
        for e in range(begin[p], begin[p] + length[p]):
            o = lists[e]
            if e < begin[p] + elements[p]:
                if state[o] == ELEMENT:
                    work -= length[o]
                    for q in range(begin[o], begin[o] + length[o]):
                        j = lists[q]
                        if state[j] == NODE and mark[j] != p:
                            mark[j] = p
                            lists[used] = j
                            used += 1
                    state[o] = GONE
            elif state[o] == NODE and mark[o] != p:
                mark[o] = p
                lists[used] = o
                used += 1
        size = used - start
        state[p], begin[p], length[p] = ELEMENT, start, size
        left -= 1
        fill += 1 + size
        flops += (1.0 + size) ** 2

        for a in range(start, used):
            i = lists[a]
            _take(i, degree, first, before, behind)
            work -= 1 + length[i]
            for e in range(begin[i], begin[i] + elements[i]):
                o = lists[e]
                if state[o] == ELEMENT:
                    if outside[o] < base:
                        outside[o] = base + length[o]
                    outside[o] -= 1
        mass = 0
        for a in range(start, used):
            i = lists[a]
            here = begin[i]
            put, d = here, 0
            for e in range(here, here + elements[i]):
                o = lists[e]
                if state[o] == ELEMENT:
                    if outside[o] > base:
                        d += outside[o] - base
                        lists[put] = o
                        put += 1
                    else:
                        state[o] = GONE  # its clique is part of this one
            middle = put
            for e in range(here + elements[i], here + length[i]):
                j = lists[e]
                if state[j] == NODE and mark[j] != p:
                    lists[put] = j
                    put += 1
                    d += 1
            if d == 0:  # its neighbours are those of p: it may go at once
                state[i] = GONE
                mass += 1
                left -= 1
                fill += 1 + size - mass
                flops += (1.0 + size - mass) ** 2
                continue
            lists[put] = lists[middle]
            lists[middle] = lists[here]
            lists[here] = p
            elements[i] = middle - here + 1
            length[i] = put - here + 1
            degree[i] = min(degree[i], np.int64(d))
        put = start
        for a in range(start, used):
            i = lists[a]
            if state[i] == NODE:
                lists[put] = i
                put += 1
        used = put
        length[p] = put - start
        if length[p] == 0:
            state[p] = GONE
        for a in range(start, put):
            i = lists[a]
            degree[i] = min(degree[i] + length[p] - 1, np.int64(left - 1))
            _file(i, degree, first, before, behind)
            least = min(least, degree[i])
        base += n + 1
        if work < sixth:
            if 12 * (n - left) < n:
                return np.int64(-1), 0.0
            sixth = 0.0
        if work < 0:
            return np.int64(-1), 0.0
    return fill, flops
