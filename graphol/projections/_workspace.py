"""The arrays that a Steiner forest is grown and pruned in.

Arrays are used again in every call. A node counts as initialised when its ``epoch`` is that of the
call; what nobody touches costs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.api import Integers, Vector

NONE, SIMPLE, GW, STRONG = 0, 1, 2, 3

EDGE = np.dtype([("u", "i4"), ("v", "i4"), ("cost", "f8")])
NODE = np.dtype(
    [
        ("moat", "f8"),  # finished moats are sums of these up to the root of the union-find
        ("start", "f8"),  # of a root's cluster: when its moat began to grow, or fell asleep
        ("death", "f8"),  # when its prizes are used up
        ("parent", "i4"),
        ("size", "i4"),
        ("watch", "i4"),  # the first half-edge to look at when it wakes up, or -1
        ("place", "i4"),  # in the list of active clusters
        ("cluster", "i4"),  # in the merge tree
        ("epoch", "i4"),
        ("active", "?"),
        ("rooted", "?"),
    ],
    align=True,
)  # 56 bytes: at most two cache lines
EVENT = np.dtype([("time", "f8"), ("what", "i8")])
MERGE = np.dtype([("left", "i4"), ("right", "i4"), ("joint", "i4"), ("sleeper", "i4")])
TREE = np.dtype([("up", "i4"), ("needed", "?"), ("alive", "?")], align=True)
BRANCH = np.dtype(
    [
        ("value", "f8"),  # its prize and what the branches below it are worth
        ("cost", "f8"),  # of the edge to its parent
        ("parent", "i4"),
        ("link", "i4"),  # the edge to its parent
        ("first", "i4"),
        ("degree", "i4"),
    ]
)


class Work(NamedTuple):
    """Everything a call needs; n nodes, m edges.

    Half-edge 2e is edge e seen from its end u, 2e + 1 from v. Leaf i of the merge tree is node i,
    cluster n + k is the k-th merge: of ``left`` and ``right``, by the edge ``joint``; ``sleeper``
    is the one of them that was asleep, or -1.
    """

    indptr: Any  # (n + 1,)
    incident: Any  # edges of every node, (2 m,)
    edge: Any  # (m,)
    when: Any  # when the edge is looked at next, or infinity, (m,)
    follow: Any  # next half-edge on a watch list, -1 at its end, -2 if on none, (2 m,)
    node: Any  # (n,)
    active: Any  # roots of active clusters, (n,)
    events: Any  # a heap with four children each, (3 n + 3 m,)
    tree: Any  # (2 n,)
    merge: Any  # (n,)
    branch: Any  # strong pruning, (n,)
    prizes: Any  # (n,)
    order: Any  # (n,)
    kept: Any  # nodes of a forest that may be wanted again, (n,)
    nodes: Any  # the answer, (n,)
    edges: Any  # (n,)
    counts: Any  # (6,)


EPOCH, NODES, EDGES, ACTIVE, EVENTS, MERGES = 0, 1, 2, 3, 4, 5


def workspace(n: int, edges: Integers, costs: Vector) -> Work:
    """Room for a graph with these edges, (m, 2)."""
    m = len(edges)
    near_end = np.concatenate([edges[:, 0], edges[:, 1]])
    far_end = np.concatenate([edges[:, 1], edges[:, 0]])
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(near_end, minlength=n), out=starts[1:])
    edge = np.zeros(m, dtype=EDGE)
    edge["u"], edge["v"], edge["cost"] = edges[:, 0], edges[:, 1], costs
    return Work(
        indptr=starts,
        incident=(np.lexsort((far_end, near_end)) % max(m, 1)).astype(np.int32),
        edge=edge,
        when=np.zeros(m),
        follow=np.zeros(2 * m, dtype=np.int32),
        node=np.zeros(n, dtype=NODE),
        active=np.zeros(n, dtype=np.int32),
        events=np.zeros(3 * (n + m), dtype=EVENT),
        tree=np.zeros(2 * n, dtype=TREE),
        merge=np.zeros(n, dtype=MERGE),
        branch=np.zeros(n, dtype=BRANCH),
        prizes=np.zeros(n),
        order=np.zeros(n, dtype=np.int64),
        kept=np.zeros(n, dtype=np.int64),
        nodes=np.zeros(n, dtype=np.int64),
        edges=np.zeros(n, dtype=np.int64),
        counts=np.zeros(6, dtype=np.int64),
    )
