"""Goemans-Williamson growth of a prize-collecting Steiner forest, compiled.

Active clusters grow moats at unit speed; an edge is tight when the moats on its two sides add up to
its cost. Between two active clusters what is left of it shrinks at speed 2, between an active and a
sleeping one at speed 1. One heap (:mod:`graphol.projections._events`) holds when to look at an edge
again at its present speed. A cluster that falls asleep makes that time too early, which costs one
more look; one that wakes up would make it too late, so a sleeping cluster has a list of the edges
that wait for it, and wakes them with it. A look that is not the last leaves at most half of what
was left, or puts the edge on a sleeper's list; grids, random graphs and hubs needed 2 to 3 looks
per edge.
"""

from __future__ import annotations

import numpy as np

from graphol.jit import kernel
from graphol.projections._events import append, arrange, pop, push, sweep
from graphol.projections._workspace import ACTIVE, EPOCH, EVENTS, MERGES

NEAR = 1e-10  # of the cost: an edge with less left is tight
ROUNDING = 1e-14  # of the time, for what the sums of moats lose
LAST = 2**31 - 1  # epoch; what is initialised is then forgotten
TINY = 1e-300  # costs below this are 0: there is no arithmetic left for them


@kernel
def find(node, u):  # type: ignore[no-untyped-def]
    """Root of u's cluster, and the moats around u that are finished."""
    total = 0.0
    while True:
        p = node[u].parent
        if p == u:
            return u, total + node[u].moat
        q = node[p].parent
        if q == p:
            return p, total + node[u].moat + node[p].moat
        node[u].moat += node[p].moat
        node[u].parent = q
        total += node[u].moat
        u = q


@kernel
def _plant(ws, u, moat, start, death, active):  # type: ignore[no-untyped-def]
    """Node u as a cluster of its own."""
    node = ws.node
    node[u].epoch = ws.counts[EPOCH]
    node[u].parent = u
    node[u].moat = moat
    node[u].size = 1
    node[u].start = start
    node[u].death = death
    node[u].cluster = u
    node[u].watch = -1
    node[u].active = active
    node[u].rooted = False
    ws.tree[u].up = -1
    ws.tree[u].needed = False


@kernel
def _enlist(ws, c):  # type: ignore[no-untyped-def]
    """Cluster c is active."""
    i = ws.counts[ACTIVE]
    ws.counts[ACTIVE] = i + 1
    ws.active[i] = c
    ws.node[c].place = i
    ws.node[c].active = True


@kernel
def _dismiss(ws, c):  # type: ignore[no-untyped-def]
    """Cluster c is not active any more."""
    i, last = ws.node[c].place, ws.counts[ACTIVE] - 1
    ws.counts[ACTIVE] = last
    ws.active[i] = ws.active[last]
    ws.node[ws.active[i]].place = i
    ws.node[c].active = False


@kernel
def _wait(node, follow, h, c):  # type: ignore[no-untyped-def]
    """Half-edge h is to be looked at when cluster c wakes up."""
    if follow[h] == -2:
        follow[h] = node[c].watch
        node[c].watch = h


@kernel
def _record(ws, c, d, e, sleeper):  # type: ignore[no-untyped-def]
    """The merge of clusters c and d along edge e, in the merge tree; its number."""
    tree, merge, counts = ws.tree, ws.merge, ws.counts
    k = counts[MERGES]
    counts[MERGES] = k + 1
    number = len(ws.node) + k
    one, two = ws.node[c].cluster, ws.node[d].cluster
    merge[k].left = one
    merge[k].right = two
    merge[k].joint = e
    merge[k].sleeper = two if sleeper else -1
    tree[one].up = number
    tree[two].up = number
    tree[number].up = -1
    tree[number].needed = False
    return number


@kernel
def _look(edge, node, when, follow, events, counts, e, now, prizes, scale):  # type: ignore[no-untyped-def]
    """Say when to look at edge e again; or, if it is tight, its two clusters, an active one first.

    An end that is not initialised sleeps on its own and has used up its prize; it comes back as
    the node itself.
    """
    epoch = counts[EPOCH]
    u, v = edge[e].u, edge[e].v
    cost = scale * edge[e].cost
    c, mine, d, other = u, prizes[u], v, prizes[v]
    known, met = node[u].epoch == epoch, node[v].epoch == epoch
    if known:
        c, mine = find(node, u)
    if met:
        d, other = find(node, v)
    if c == d:
        return -1, -1
    growing, coming = known and node[c].active, met and node[d].active
    if growing:
        mine += now - node[c].start
    if coming:
        other += now - node[d].start
    left = cost - mine - other
    if (growing or coming) and left <= NEAR * cost + ROUNDING * now + TINY:
        return (c, d) if growing else (d, c)
    if growing and coming:
        time = now + 0.5 * left
    else:
        time = now + left if growing or coming else np.inf
        if known and not growing and not node[c].rooted:
            _wait(node, follow, 2 * e, c)
        if met and not coming and not node[d].rooted:
            _wait(node, follow, 2 * e + 1, d)
    if time < when[e]:
        when[e] = time
        push(events, counts, time, len(node) + e)
    return -1, -1


@kernel
def _rouse(edge, node, when, follow, events, counts, e, now, prizes, scale):  # type: ignore[no-untyped-def]
    """Look at an edge that waited; if it is tight, that is the next event."""
    c, _ = _look(edge, node, when, follow, events, counts, e, now, prizes, scale)
    if c >= 0 and now < when[e]:
        when[e] = now
        push(events, counts, now, len(node) + e)


@kernel
def _wake(ws, d, fresh, h, now, prizes, scale):  # type: ignore[no-untyped-def]
    """Edges that waited for cluster d: those of the list from h on, or all of a fresh node's."""
    edge, node, when, follow, events = ws.edge, ws.node, ws.when, ws.follow, ws.events
    if fresh:
        for i in range(ws.indptr[d], ws.indptr[d + 1]):
            _rouse(edge, node, when, follow, events, ws.counts, ws.incident[i], now, prizes, scale)
    while h >= 0:
        after = follow[h]
        follow[h] = -2
        _rouse(edge, node, when, follow, events, ws.counts, h >> 1, now, prizes, scale)
        h = after


@kernel
def _join(ws, c, d, e, now, prizes, scale):  # type: ignore[no-untyped-def]
    """Merge the active cluster c with d along edge e."""
    node = ws.node
    fresh = node[d].epoch != ws.counts[EPOCH]
    if fresh:
        _plant(ws, d, prizes[d], prizes[d], 0.0, False)
    rooted, awake, waiting = node[d].rooted, node[d].active, node[d].watch
    number = _record(ws, c, d, e, not awake and not rooted)
    node[c].moat += now - node[c].start
    surplus = node[c].death - now
    if awake:
        node[d].moat += now - node[d].start
        surplus += node[d].death - now
    big, small = c, d
    if node[d].size > node[c].size:
        big, small = d, c
    if awake or rooted:
        _dismiss(ws, small if awake else c)
    node[small].parent = big
    node[small].moat -= node[big].moat
    node[big].size += node[small].size
    node[big].cluster = number
    node[big].rooted = rooted
    node[big].start = now
    node[big].death = now + surplus
    node[big].watch = -1
    if rooted:
        return
    if big == d and not awake:
        _dismiss(ws, c)
        _enlist(ws, d)
        push(ws.events, ws.counts, node[d].death, d)
    if not awake:
        _wake(ws, d, fresh, waiting, now, prizes, scale)


@kernel
def _begin(ws, prizes, scale, least, g, root, lazy):  # type: ignore[no-untyped-def]
    """Everything up to the time ``least`` / 2, when the first edges are tight.

    By then the nodes with smaller prizes sleep, each on its own. The cheapest edges between the
    others are tight all at once, and merged here without any heap.
    """
    edge, node, counts = ws.edge, ws.node, ws.counts
    if counts[EPOCH] == LAST:
        counts[EPOCH] = 0
        for u in range(len(node)):
            node[u].epoch = 0
    counts[EPOCH] += 1
    counts[MERGES] = counts[ACTIVE] = counts[EVENTS] = 0
    n, epoch = len(node), counts[EPOCH]
    now = 0.5 * scale * least
    count = 0
    for u in range(n):
        if prizes[u] > 0.0 and prizes[u] >= now and u != root:
            ws.order[count] = u
            count += 1
    if root >= 0:
        _plant(ws, root, 0.0, 0.0, 0.0, False)
        node[root].rooted = True
    elif count <= g:
        _largest(ws, prizes, g)
        return
    for i in range(count):
        u = ws.order[i]
        _plant(ws, u, now, now, prizes[u], True)
    apart = count
    for i in range(count):
        u = ws.order[i]
        for j in range(ws.indptr[u], ws.indptr[u + 1]):
            e = ws.incident[j]
            v = edge[e].u + edge[e].v - u
            if v < u or edge[e].cost != least or node[v].epoch != epoch:
                continue
            if v == root or apart <= g:
                continue
            c, _ = find(node, u)
            d, _ = find(node, v)
            if c == d:
                continue
            if node[d].size > node[c].size:
                c, d = d, c
            number = _record(ws, c, d, e, False)
            node[d].parent = c
            node[d].moat -= node[c].moat
            node[c].size += node[d].size
            node[c].death += node[d].death - now
            node[c].cluster = number
            node[d].active = False
            apart -= 1
    for i in range(count):
        u = ws.order[i]
        if node[u].parent == u:
            _enlist(ws, u)
            append(ws.events, counts, node[u].death, u)
    if apart <= g:
        return
    ws.when[:] = np.inf
    ws.follow[:] = -2
    if not lazy:
        for u in range(n):
            if node[u].epoch != epoch:
                _plant(ws, u, prizes[u], prizes[u], prizes[u], False)
        for e in range(len(edge)):
            for u, h in ((edge[e].u, 2 * e), (edge[e].v, 2 * e + 1)):
                if u != root and node[u].size == 1 and not node[u].active and node[u].parent == u:
                    _wait(node, ws.follow, h, u)
    for i in range(count):
        u = ws.order[i]
        c, _ = find(node, u)
        for j in range(ws.indptr[u], ws.indptr[u + 1]):
            e = ws.incident[j]
            v = edge[e].u + edge[e].v - u
            cost = scale * edge[e].cost
            if node[v].epoch != epoch:
                ws.when[e] = cost - prizes[v]
            else:
                d, other = find(node, v)
                if c == d or (node[d].active and v < u):
                    continue
                ws.when[e] = 0.5 * cost if node[d].active else cost - other
            append(ws.events, counts, ws.when[e], n + e)
    arrange(ws.events, counts)


@kernel
def grow(ws, prizes, scale, least, g, root, lazy):  # type: ignore[no-untyped-def]
    """Grow moats until at most g clusters are active (with a root: until none is)."""
    edge, node, when, follow, events = ws.edge, ws.node, ws.when, ws.follow, ws.events
    counts, n = ws.counts, len(node)
    if root >= 0:
        g = 0
    _begin(ws, prizes, scale, least, g, root, lazy)
    full = len(events) - n - len(edge)  # an event leads to fewer new ones than this leaves room for
    now = 0.0
    while counts[ACTIVE] > g:
        if counts[EVENTS] > full:
            sweep(ws)
        time, what = pop(events, counts)
        now = max(now, time)
        if what < n:
            if node[what].parent != what or not node[what].active:
                continue
            if node[what].death > time:  # it has merged since and has more to spend
                push(events, counts, node[what].death, what)
                continue
            node[what].moat += node[what].death - node[what].start
            node[what].start = node[what].death
            _dismiss(ws, what)
            continue
        e = what - n
        if when[e] != time:
            continue
        when[e] = np.inf
        c, d = _look(edge, node, when, follow, events, counts, e, now, prizes, scale)
        if c >= 0:
            _join(ws, c, d, e, now, prizes, scale)


@kernel
def _largest(ws, prizes, g):  # type: ignore[no-untyped-def]
    """The g largest prizes above 0, the later one of two equal, as clusters of one node."""
    events, counts = ws.events, ws.counts
    for u in range(len(prizes)):
        if prizes[u] > 0.0:
            if counts[EVENTS] < g:
                push(events, counts, prizes[u], u)
            elif events[0].time <= prizes[u]:
                pop(events, counts)
                push(events, counts, prizes[u], u)
    for i in range(counts[EVENTS]):
        u = events[i].what
        _plant(ws, u, 0.0, 0.0, 0.0, True)
        _enlist(ws, u)
