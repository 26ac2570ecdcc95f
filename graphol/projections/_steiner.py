"""A prize-collecting Steiner forest: grown, then pruned; compiled."""

from __future__ import annotations

from graphol.jit import kept
from graphol.projections._growth import grow
from graphol.projections._pruning import keep, prune_strongly
from graphol.projections._workspace import NODES, STRONG


@kept
def solve(ws, prizes, scale, least, g, root, pruning, lazy):  # type: ignore[no-untyped-def]
    """The forest, in ws.nodes[:k] and ws.edges[:l], for costs times ``scale``; k.

    ``least`` is the smallest cost; ``lazy`` is False to initialise every node at once.
    """
    grow(ws, prizes, scale, least, g, root, lazy)
    keep(ws, root, pruning)
    if pruning == STRONG:
        prune_strongly(ws, prizes, scale, root)
    return ws.counts[NODES]
