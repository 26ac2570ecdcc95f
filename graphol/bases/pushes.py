"""Local pushes: linear systems on a graph, kept solved while their right-hand sides change.

All systems here are A x = b with A = diag(a) - S, where S are weights of the edges scaled such that
no eigenvalue is above 1, and a >= 1. Solutions are kept together with what is missing of them, the
residual r = b - A x. A push at node j makes r_j zero: x_j grows by r_j / a_j, and the residual of
every neighbour i by s_ij times that. Pushes go on, first come first served, until no residual is
above its node's limit.

The functions are plain Python, and numba compiles the same lines for streams. All numbers in them
are of the arrays' own precision, so that both give the same, bit by bit.

Residuals of a node stand in one row behind its limit and 1 / a: a push visits neighbours at random
places of the memory, where time goes, and so finds all that it needs in one place. The limit is
negative while a node waits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.standins import compiled_as

OPEN, OTHER, NOT, SAME = 0, 1, 2, 3
"""What is known of a node and a class: nothing; it is another; it is not this one; it is."""


@compiled_as("graphol.compiled.prefetch:prefetch")
def soon(array, i):
    """Row i is going to be changed: compiled, the processor fetches it meanwhile."""


class Web(NamedTuple):
    """The graph as pushes see it, n nodes and m entries; floats are of one precision."""

    indptr: Any  # (n + 1,)
    indices: Any  # (m,), int32: half of what a visit reads
    weight: Any  # (m,), S
    limit: Any  # (n,), of a residual
    source: Any  # (n,), what a label puts into b
    target: Any  # (4,), by what is known: what multiplies the source
    stiff: Any  # (4,), and the diagonal a
    soft: Any  # (4,), 1 / a


HEAD = 2
"""Entries of a row before its residuals."""
FAR = 2**18
"""Residuals so many are not all near the processor: it is told beforehand where a push goes."""
SPAN = 1e12
"""Scales of nodes are kept within this factor of 1 either way: single precision has no more."""


def web_of(graph, q, dtype, *, limit, source, target, stiff):
    """The graph scaled to S = Q^-1/2 W Q^-1/2, q (n,) > 0, for pushes in this precision."""
    W = graph.adjacency
    root = np.sqrt(q)
    rows = np.repeat(np.arange(graph.n), np.diff(W.indptr))
    return Web(
        indptr=W.indptr.astype(np.int64),
        indices=W.indices.astype(np.int32),
        weight=(W.data / root[rows] / root[W.indices]).astype(dtype),
        limit=np.clip(limit, 0, SPAN).astype(dtype),
        source=np.clip(source, 1 / SPAN, SPAN).astype(dtype),
        target=np.asarray(target, dtype),
        stiff=np.asarray(stiff, dtype),
        soft=(1 / np.asarray(stiff)).astype(dtype),
    )


def spread(web, z, F, r, queue, waiting):
    """Push from the nodes queue[:waiting] on until all residuals are within their limits.

    F (n, K) and r (n, HEAD + K) change in place; z (n, K) says what is known. Of a node only those
    classes are pushed whose residual is too large. Answers how many neighbours were visited.
    """
    n, K = F.shape
    indptr, indices, weight, softs = web.indptr, web.indices, web.weight, web.soft
    chosen, step = np.empty(K, np.int64), np.empty(K, F.dtype)
    head, visits, far = 0, 0, r.size > FAR
    while waiting > 0:
        j = queue[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        begin, end = indptr[j], indptr[j + 1]
        if far:
            for e in range(begin, end):
                soon(r, indices[e])
        if far and waiting > 0:
            soon(F, queue[head])
            soon(indices, indptr[queue[head]])
            soon(weight, indptr[queue[head]])
        limit, soft = -r[j, 0], r[j, 1]
        r[j, 0] = limit
        count = 0
        for k in range(K):
            left = r[j, k + HEAD]
            if abs(left) > limit:
                left *= soft if soft > 0.0 else softs[z[j, k]]
                chosen[count] = k + HEAD
                step[count] = left
                F[j, k] += left
                r[j, k + HEAD] = 0.0
                count += 1
        visits += end - begin
        for e in range(begin, end):
            i, w = indices[e], weight[e]
            limit = r[i, 0]
            above = False
            for c in range(count):
                k = chosen[c]
                left = r[i, k] + w * step[c]
                r[i, k] = left
                if abs(left) > limit:
                    above = True
            if above and limit > 0.0:
                r[i, 0] = -limit
                at = head + waiting
                queue[at if at < n else at - n] = i
                waiting += 1
    return visits


def tell(web, z, F, r, i, k, known, queue, waiting):
    """Something else is known of node i and class k; it joins the queue if that is much.

    Answers how many wait now. When all of a node's classes are told, :func:`agree` is to follow.
    """
    before = z[i, k]
    z[i, k] = known
    gain = web.source[i] * (web.target[known] - web.target[before])
    left = r[i, k + HEAD] + gain - (web.stiff[known] - web.stiff[before]) * F[i, k]
    r[i, k + HEAD] = left
    if r[i, 0] > 0.0 and abs(left) > r[i, 0]:
        r[i, 0] = -r[i, 0]
        queue[waiting] = i
        waiting += 1
    return waiting


def agree(web, z, r, i):
    """Note 1 / a of node i if all classes have the same, else 0: then z says it."""
    first = web.soft[z[i, 0]]
    for k in range(1, z.shape[1]):
        if web.soft[z[i, k]] != first:
            r[i, 1] = 0.0
            return
    r[i, 1] = first


def column(web, s, weight, y, F, r, queue, touched):
    """Add column s of the inverse to F[:, y], up to what stays below the limits.

    It starts from the source of s and is taken times ``weight``. r (n, 2) holds limits and
    residuals, zero before and after: what was not pushed is thrown away. Answers how many
    neighbours were visited.
    """
    n = len(r)
    indptr, indices, entry, far = web.indptr, web.indices, web.weight, r.size > FAR
    r[s, 0], r[s, 1] = -r[s, 0], web.source[s]
    queue[0] = touched[0] = s
    head, waiting, seen, visits = 0, 1, 1, 0
    while waiting > 0:
        j = queue[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        step = r[j, 1]  # the diagonal is 1
        r[j, 0] = -r[j, 0]
        r[j, 1] = 0.0
        F[j, y] += weight * step
        begin, end = indptr[j], indptr[j + 1]
        visits += end - begin
        if far:
            for e in range(begin, end):
                soon(r, indices[e])
        for e in range(begin, end):
            i = indices[e]
            left = r[i, 1]
            if left == 0.0:
                if seen < n:
                    touched[seen] = i
                seen += 1
            left += entry[e] * step
            r[i, 1] = left
            if left > r[i, 0] > 0.0:
                r[i, 0] = -r[i, 0]
                at = head + waiting
                queue[at if at < n else at - n] = i
                waiting += 1
    if seen > n:
        r[:, 1] = 0.0
    else:
        for e in range(seen):
            r[touched[e], 1] = 0.0
    return visits
