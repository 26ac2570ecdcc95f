"""A Steiner forest, compiled: grown, then pruned: simple, Goemans-Williamson or strong."""

from __future__ import annotations

import numpy as np

from graphol.jit import kept, kernel
from graphol.projections._growth import find, grow
from graphol.projections._workspace import ACTIVE, EDGES, GW, MERGES, NODES, NONE, STRONG


@kernel
def _need(tree, u):  # type: ignore[no-untyped-def]
    """Every cluster around node u is needed."""
    while u >= 0 and not tree[u].needed:
        tree[u].needed = True
        u = tree[u].up


@kernel
def keep(ws, root, pruning):  # type: ignore[no-untyped-def]
    """From the merge tree down: which edges and nodes stay."""
    edge, tree, merge, nodes, edges = ws.edge, ws.tree, ws.merge, ws.nodes, ws.edges
    n, merges = len(ws.node), ws.counts[MERGES]
    found = links = 0
    for k in range(merges):
        tree[n + k].alive = pruning == NONE and tree[n + k].up < 0
    for i in range(ws.counts[ACTIVE]):
        c = ws.node[ws.active[i]].cluster
        tree[c].alive = True
        if c < n:
            nodes[found] = c
            found += 1
    if root >= 0:
        c = ws.node[find(ws.node, root)[0]].cluster
        tree[c].alive = True
        if c < n:
            nodes[found] = c
            found += 1
    for k in range(merges - 1, -1, -1):
        a, b, e, sleeper = merge[k].left, merge[k].right, merge[k].joint, merge[k].sleeper
        both = tree[n + k].alive
        tree[a].alive = tree[b].alive = both
        if both:
            if pruning == GW and sleeper >= 0 and not tree[sleeper].needed:
                tree[sleeper].alive = False
            else:
                edges[links] = e
                links += 1
                if pruning == GW:
                    _need(tree, edge[e].u)
                    _need(tree, edge[e].v)
            if a < n and tree[a].alive:
                nodes[found] = a
                found += 1
            if b < n and tree[b].alive:
                nodes[found] = b
                found += 1
    ws.counts[NODES] = found
    ws.counts[EDGES] = links


@kernel
def _worth(ws, begin, end, prizes):  # type: ignore[no-untyped-def]
    """value[v] = prize of v and of every branch below it that is worth its edge.

    Nodes order[begin:end] are a tree, parents first; branch[v].cost is that of the edge to its
    parent.
    """
    for i in range(begin, end):
        ws.branch[ws.order[i]].value = prizes[ws.order[i]]
    for i in range(end - 1, begin, -1):
        v = ws.order[i]
        gain = ws.branch[v].value - ws.branch[v].cost
        if gain > 0.0:
            ws.branch[ws.branch[v].parent].value += gain


@kernel
def _lay_out(ws, ends, links, scale, begin, source):  # type: ignore[no-untyped-def]
    """Nodes of the tree around ``source`` into order[begin:], parents first; where it ends."""
    ws.order[begin] = source
    ws.branch[source].parent = -1
    ws.branch[source].cost = 0.0
    end = begin + 1
    i = begin
    while i < end:
        v = ws.order[i]
        for j in range(ws.branch[v].first, ws.branch[v].first + ws.branch[v].degree):
            w = ends[j]
            if w != ws.branch[v].parent:
                ws.branch[w].parent = v
                ws.branch[w].cost = scale * ws.edge[links[j]].cost
                ws.branch[w].link = links[j]
                ws.order[end] = w
                end += 1
        i += 1
    return end


@kept
def prune_strongly(ws, prizes, scale, root):  # type: ignore[no-untyped-def]
    """In every tree keep the subtree with the largest prizes minus costs."""
    nodes, edges = ws.counts[NODES], ws.counts[EDGES]
    members = ws.nodes[:nodes].copy()
    tree = ws.edges[:edges].copy()
    for v in members:
        ws.branch[v].degree = 0
        ws.tree[v].alive = False  # seen
    for e in tree:
        ws.branch[ws.edge[e].u].degree += 1
        ws.branch[ws.edge[e].v].degree += 1
    total = 0
    for v in members:
        ws.branch[v].first = total
        total += ws.branch[v].degree
        ws.branch[v].degree = 0
    ends = np.empty(total, np.int64)
    links = np.empty(total, np.int64)
    for e in tree:
        for u, v in ((ws.edge[e].u, ws.edge[e].v), (ws.edge[e].v, ws.edge[e].u)):
            ends[ws.branch[u].first + ws.branch[u].degree] = v
            links[ws.branch[u].first + ws.branch[u].degree] = e
            ws.branch[u].degree += 1
    ws.counts[NODES] = ws.counts[EDGES] = 0
    for source in members:
        if ws.tree[source].alive:
            continue
        end = _lay_out(ws, ends, links, scale, 0, source)
        _worth(ws, 0, end, prizes)
        best, most = -1, -np.inf
        for i in range(end):  # value[v] becomes what the best tree through v is worth
            v = ws.order[i]
            ws.tree[v].alive = True
            if i > 0:
                cost = ws.branch[v].cost
                p = ws.branch[v].parent
                elsewhere = ws.branch[p].value - max(0.0, ws.branch[v].value - cost) - cost
                if elsewhere > 0.0:
                    ws.branch[v].value += elsewhere
            if v == root:
                best, most = v, np.inf
            elif ws.branch[v].value > most:
                best, most = v, ws.branch[v].value
        end = _lay_out(ws, ends, links, scale, 0, best)
        _worth(ws, 0, end, prizes)
        for i in range(end):
            v = ws.order[i]
            kept = i == 0
            if (
                i > 0
                and ws.tree[ws.branch[v].parent].needed
                and ws.branch[v].value > ws.branch[v].cost
            ):
                kept = True
                ws.edges[ws.counts[EDGES]] = ws.branch[v].link
                ws.counts[EDGES] += 1
            ws.tree[v].needed = kept
            if kept:
                ws.nodes[ws.counts[NODES]] = v
                ws.counts[NODES] += 1


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
