"""What of a grown Steiner forest stays, compiled: simple, Goemans-Williamson and strong pruning."""

from __future__ import annotations

import numpy as np
from numba import njit

from graphol.projections._growth import find
from graphol.projections._workspace import EDGES, GW, MERGES, NODES, NONE, QUEUE


@njit(cache=True, nogil=True)
def _need(ws, u):  # type: ignore[no-untyped-def]
    """Every cluster around node u is needed."""
    while u >= 0 and not ws.tree[u].needed:
        ws.tree[u].needed = True
        u = ws.tree[u].up


@njit(cache=True, nogil=True)
def keep(ws, root, pruning):  # type: ignore[no-untyped-def]
    """From the merge tree down: which edges and nodes stay."""
    n = len(ws.node)
    merges = ws.counts[MERGES]
    nodes = edges = 0
    for k in range(merges):
        ws.tree[n + k].alive = pruning == NONE and ws.tree[n + k].up < 0
    for i in range(ws.counts[QUEUE]):
        c = ws.node[ws.queue[i]].cluster
        ws.tree[c].alive = True
        if c < n:
            ws.nodes[nodes] = c
            nodes += 1
    if root >= 0:
        c = ws.node[find(ws.node, root)[0]].cluster
        ws.tree[c].alive = True
        if c < n:
            ws.nodes[nodes] = c
            nodes += 1
    for k in range(merges - 1, -1, -1):
        a, b, h, sleeper = (
            ws.merge[k].left,
            ws.merge[k].right,
            ws.merge[k].joint,
            ws.merge[k].sleeper,
        )
        both = ws.tree[n + k].alive
        ws.tree[a].alive = ws.tree[b].alive = both
        if both:
            if pruning == GW and sleeper >= 0 and not ws.tree[sleeper].needed:
                ws.tree[sleeper].alive = False
            else:
                ws.edges[edges] = ws.half[h].edge
                edges += 1
                if pruning == GW:
                    _need(ws, ws.half[h].owner)
                    _need(ws, ws.half[h].head)
            if a < n and ws.tree[a].alive:
                ws.nodes[nodes] = a
                nodes += 1
            if b < n and ws.tree[b].alive:
                ws.nodes[nodes] = b
                nodes += 1
    ws.counts[NODES] = nodes
    ws.counts[EDGES] = edges


@njit(cache=True, nogil=True)
def _worth(ws, begin, end, prizes):  # type: ignore[no-untyped-def]
    """value[v] = prize of v and of every branch below it that is worth its edge.

    Nodes order[begin:end] are a tree, parents first; node[v].event is the cost of the edge to its
    parent.
    """
    for i in range(begin, end):
        ws.node[ws.order[i]].value = prizes[ws.order[i]]
    for i in range(end - 1, begin, -1):
        v = ws.order[i]
        gain = ws.node[v].value - ws.node[v].event
        if gain > 0.0:
            ws.node[ws.node[v].parent].value += gain


@njit(cache=True, nogil=True)
def _lay_out(ws, ends, links, costs, scale, begin, source):  # type: ignore[no-untyped-def]
    """Nodes of the tree around ``source`` into order[begin:], parents first; where it ends."""
    ws.order[begin] = source
    ws.node[source].parent = -1
    ws.node[source].event = 0.0
    end = begin + 1
    i = begin
    while i < end:
        v = ws.order[i]
        for j in range(ws.node[v].first, ws.node[v].first + ws.node[v].degree):
            w = ends[j]
            if w != ws.node[v].parent:
                ws.node[w].parent = v
                ws.node[w].event = scale * costs[links[j]]
                ws.node[w].place = links[j]
                ws.order[end] = w
                end += 1
        i += 1
    return end


@njit(cache=True, nogil=True)
def prune_strongly(ws, edge_u, edge_v, prizes, costs, scale, root):  # type: ignore[no-untyped-def]
    """In every tree keep the subtree with the largest prizes minus costs."""
    nodes, edges = ws.counts[NODES], ws.counts[EDGES]
    members = ws.nodes[:nodes].copy()
    tree = ws.edges[:edges].copy()
    for v in members:
        ws.node[v].degree = 0
        ws.tree[v].alive = False  # seen
    for e in tree:
        ws.node[edge_u[e]].degree += 1
        ws.node[edge_v[e]].degree += 1
    total = 0
    for v in members:
        ws.node[v].first = total
        total += ws.node[v].degree
        ws.node[v].degree = 0
    ends = np.empty(total, np.int64)
    links = np.empty(total, np.int64)
    for e in tree:
        for u, v in ((edge_u[e], edge_v[e]), (edge_v[e], edge_u[e])):
            ends[ws.node[u].first + ws.node[u].degree] = v
            links[ws.node[u].first + ws.node[u].degree] = e
            ws.node[u].degree += 1
    ws.counts[NODES] = ws.counts[EDGES] = 0
    for source in members:
        if ws.tree[source].alive:
            continue
        end = _lay_out(ws, ends, links, costs, scale, 0, source)
        _worth(ws, 0, end, prizes)
        best, most = -1, -np.inf
        for i in range(end):  # value[v] becomes what the best tree through v is worth
            v = ws.order[i]
            ws.tree[v].alive = True
            if i > 0:
                cost = ws.node[v].event
                p = ws.node[v].parent
                elsewhere = ws.node[p].value - max(0.0, ws.node[v].value - cost) - cost
                if elsewhere > 0.0:
                    ws.node[v].value += elsewhere
            if v == root:
                best, most = v, np.inf
            elif ws.node[v].value > most:
                best, most = v, ws.node[v].value
        end = _lay_out(ws, ends, links, costs, scale, 0, best)
        _worth(ws, 0, end, prizes)
        for i in range(end):
            v = ws.order[i]
            kept = i == 0
            if i > 0 and ws.tree[ws.node[v].parent].needed and ws.node[v].value > ws.node[v].event:
                kept = True
                ws.edges[ws.counts[EDGES]] = ws.node[v].place
                ws.counts[EDGES] += 1
            ws.tree[v].needed = kept
            if kept:
                ws.nodes[ws.counts[NODES]] = v
                ws.counts[NODES] += 1
