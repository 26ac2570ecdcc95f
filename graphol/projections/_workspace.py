"""The arrays that a Steiner forest is grown and pruned in.

Arrays are used again in every call. A node counts as initialised when its ``epoch`` is that of the
call; what nobody touches costs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NONE, SIMPLE, GW, STRONG = 0, 1, 2, 3

HALF = np.dtype(
    [
        ("key", "f8"),  # time it is looked at, less what heap ancestors have still to pass down
        ("shift", "f8"),  # to be added to everything below it
        ("threshold", "f8"),
        ("child", "i4"),
        ("after", "i4"),  # next sibling
        ("before", "i4"),  # sibling on the left, or the parent
        ("owner", "i4"),  # near end
        ("head", "i4"),  # far end
        ("twin", "i4"),  # the other half
        ("edge", "i4"),
    ],
    align=True,
)
NODE = np.dtype(
    [
        ("moat", "f8"),  # finished moats are sums of these up to the root of the union-find
        ("parent", "i4"),
        ("epoch", "i4"),
        # of the cluster, where the node is a root
        ("size", "i4"),
        ("top", "i4"),  # its first half-edge, or -1
        ("start", "f8"),  # when its moat began to grow, or when it fell asleep
        ("death", "f8"),  # when its prizes are used up
        ("event", "f8"),  # what happens to it next
        ("place", "i4"),  # in the queue of events
        ("cluster", "i4"),  # in the merge tree
        ("active", "?"),
        ("rooted", "?"),
        ("attached", "?"),  # have its half-edges thresholds?
        # strong pruning
        ("degree", "i4"),
        ("first", "i4"),
        ("value", "f8"),
    ],
    align=True,
)
MERGE = np.dtype([("left", "i4"), ("right", "i4"), ("joint", "i4"), ("sleeper", "i4")])
TREE = np.dtype([("up", "i4"), ("needed", "?"), ("alive", "?")], align=True)


class Work(NamedTuple):
    """Everything a call needs; n nodes, m edges.

    Leaf i of the merge tree is node i, cluster n + k is the k-th merge: of ``left`` and ``right``,
    by the half-edge ``joint``; ``sleeper`` is the one of them that was asleep, or -1.
    """

    indptr: Any  # (n + 1,)
    half: Any  # (2 m,)
    node: Any  # (n,)
    tree: Any  # (2 n,)
    merge: Any  # (n,)
    queue: Any  # active clusters, a binary heap by next event, (n,)
    order: Any  # (n,)
    nodes: Any  # the answer, (n,)
    edges: Any  # (n,)
    counts: Any  # (5,)


EPOCH, NODES, EDGES, QUEUE, MERGES = 0, 1, 2, 3, 4
