"""Goemans-Williamson growth of a prize-collecting Steiner forest, compiled.

Clusters grow at unit speed; an edge is tight when the moats on its two sides add up to its cost.
Half-edge h is position h of the adjacency (CSR), so a node's half-edges lie side by side. Each has
a threshold, the moat on its own side at which the edge is looked at; the two thresholds of an edge
always add up to its cost, so none becomes tight unseen. A cluster keeps its half-edges in a pairing
heap with lazy shifts (a cluster that slept wakes up with one addition), and a binary heap holds the
next event of every active cluster. Ties go to the lower number, so the outcome does not depend on
the shape of any heap.
"""

from __future__ import annotations

from numba import njit

from graphol.projections._workspace import EPOCH, MERGES, QUEUE

NEAR = 1e-10  # of the cost: an edge with less left is tight
ROUNDING = 1e-14  # of the time, for what the sums of moats lose
TINY = 1e-300  # costs below this are 0: there is no arithmetic left for them


@njit(cache=True, nogil=True)
def _before(node, a, b):  # type: ignore[no-untyped-def]
    """Is the event of cluster a before that of b?"""
    return node[a].event < node[b].event or (node[a].event == node[b].event and a < b)


@njit(cache=True, nogil=True)
def _raise(node, queue, i):  # type: ignore[no-untyped-def]
    c = queue[i]
    while i > 0:
        j = (i - 1) >> 1
        if not _before(node, c, queue[j]):
            break
        queue[i] = queue[j]
        node[queue[i]].place = i
        i = j
    queue[i] = c
    node[c].place = i


@njit(cache=True, nogil=True)
def _lower(node, queue, i, count):  # type: ignore[no-untyped-def]
    c = queue[i]
    while True:
        j = 2 * i + 1
        if j >= count:
            break
        if j + 1 < count and _before(node, queue[j + 1], queue[j]):
            j += 1
        if not _before(node, queue[j], c):
            break
        queue[i] = queue[j]
        node[queue[i]].place = i
        i = j
    queue[i] = c
    node[c].place = i


@njit(cache=True, nogil=True)
def _next(half, node, c):  # type: ignore[no-untyped-def]
    """When cluster c falls asleep or looks at an edge."""
    top = node[c].top
    if top >= 0 and half[top].key < node[c].death:
        return half[top].key
    return node[c].death


@njit(cache=True, nogil=True)
def _reschedule(half, node, queue, c, count):  # type: ignore[no-untyped-def]
    """Cluster c is in the queue and its next event has changed."""
    when = _next(half, node, c)
    old = node[c].event
    node[c].event = when
    if when < old:
        _raise(node, queue, node[c].place)
    elif when > old:
        _lower(node, queue, node[c].place, count)


@njit(cache=True, nogil=True)
def _leave(node, queue, counts, c):  # type: ignore[no-untyped-def]
    """Take cluster c out of the queue."""
    last = counts[QUEUE] - 1
    counts[QUEUE] = last
    i = node[c].place
    if i != last:
        moved = queue[last]
        queue[i] = moved
        node[moved].place = i
        if _before(node, moved, c):
            _raise(node, queue, i)
        else:
            _lower(node, queue, i, last)


@njit(cache=True, nogil=True)
def _meld(half, a, b):  # type: ignore[no-untyped-def]
    """One heap from two, either of which may be empty (-1)."""
    if a < 0:
        return b
    if b < 0:
        return a
    if half[b].key < half[a].key or (half[b].key == half[a].key and b < a):
        a, b = b, a
    half[b].key -= half[a].shift
    half[b].shift -= half[a].shift
    first = half[a].child
    half[b].after = first
    if first >= 0:
        half[first].before = b
    half[b].before = a
    half[a].child = b
    return a


@njit(cache=True, nogil=True)
def _pop(half, a):  # type: ignore[no-untyped-def]
    """The heap below its first half-edge a, which is taken out."""
    down = half[a].shift
    pairs, c = -1, half[a].child
    while c >= 0:  # meld in pairs, remembered from the last to the first
        follow = half[c].after
        half[c].key += down
        half[c].shift += down
        half[c].after = -1
        half[c].before = -1
        if follow >= 0:
            rest = half[follow].after
            half[follow].key += down
            half[follow].shift += down
            half[follow].after = -1
            half[follow].before = -1
            c = _meld(half, c, follow)
        else:
            rest = -1
        half[c].after = pairs
        pairs = c
        c = rest
    top = -1
    while pairs >= 0:
        follow = half[pairs].after
        half[pairs].after = -1
        top = _meld(half, top, pairs)
        pairs = follow
    half[a].child = -1
    half[a].shift = 0.0
    return top


@njit(cache=True, nogil=True)
def _hasten(half, top, h, was, now):  # type: ignore[no-untyped-def]
    """Lower the time of h, somewhere in the heap ``top``, from ``was`` to ``now``."""
    if h == top:
        half[h].key = now
        return top
    before, after = half[h].before, half[h].after
    if half[before].child == h:
        half[before].child = after
    else:
        half[before].after = after
    if after >= 0:
        half[after].before = before
    half[h].after = -1
    half[h].before = -1
    half[h].shift += was - half[h].key  # what its ancestors had not passed down yet
    half[h].key = now
    return _meld(half, top, h)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _plant(ws, u, moat, start, death):  # type: ignore[no-untyped-def]
    """Node u as a cluster of its own, without half-edges."""
    node = ws.node
    node[u].epoch = ws.counts[EPOCH]
    node[u].parent = u
    node[u].moat = moat
    node[u].size = 1
    node[u].start = start
    node[u].death = death
    node[u].cluster = u
    node[u].top = -1
    node[u].active = True
    node[u].rooted = False
    node[u].attached = False
    ws.tree[u].up = -1
    ws.tree[u].needed = False


@njit(cache=True, nogil=True)
def _attach(ws, u, c, late, prizes, costs, scale):  # type: ignore[no-untyped-def]
    """Put node u's half-edges that leave cluster c into its heap, ``late`` after their threshold.

    The first of an edge's two halves to come here sets both thresholds: half-way, unless one end
    is too poor to come that far and the other is not, or one end is asleep for good.
    """
    half, node, epoch = ws.half, ws.node, ws.counts[EPOCH]
    top = node[c].top
    for h in range(ws.indptr[u], ws.indptr[u + 1]):
        v = half[h].head
        cost = scale * costs[half[h].edge]
        if node[v].epoch != epoch:
            threshold = half[h].threshold if node[u].attached else cost - prizes[v]
        else:
            d, _ = find(node, v)
            if d == c:
                continue
            if node[u].attached:
                threshold = half[h].threshold
            elif node[v].attached:
                threshold = cost - half[half[h].twin].threshold
            elif node[d].rooted:
                threshold = cost
            else:
                middle = 0.5 * cost
                mine, other = prizes[u], prizes[v]
                if mine < middle <= other:
                    threshold = mine
                elif other < middle <= mine:
                    threshold = cost - other
                else:
                    threshold = middle
        half[h].threshold = threshold
        half[h].key = threshold + late
        half[h].shift = 0.0
        half[h].child = -1
        half[h].after = -1
        half[h].before = -1
        top = _meld(half, top, h)
    node[u].attached = True
    node[c].top = top


@njit(cache=True, nogil=True)
def _sleep(node, c, t):  # type: ignore[no-untyped-def]
    """Cluster c has used up its prizes at time t."""
    node[c].moat += t - node[c].start
    node[c].active = False
    node[c].start = t


@njit(cache=True, nogil=True)
def _record(ws, c, d, h, sleeper):  # type: ignore[no-untyped-def]
    """The merge of clusters c and d along half-edge h, in the merge tree; its number."""
    tree, merge, counts = ws.tree, ws.merge, ws.counts
    k = counts[MERGES]
    counts[MERGES] = k + 1
    number = len(ws.node) + k
    one, two = ws.node[c].cluster, ws.node[d].cluster
    merge[k].left = one
    merge[k].right = two
    merge[k].joint = h
    merge[k].sleeper = two if sleeper else -1
    tree[one].up = number
    tree[two].up = number
    tree[number].up = -1
    tree[number].needed = False
    return number


@njit(cache=True, nogil=True)
def _absorb(ws, c, v, h, now, prizes, costs, scale):  # type: ignore[no-untyped-def]
    """Node v, which slept on its own and was not initialised, joins the active cluster c."""
    node = ws.node
    _plant(ws, v, 0.0, 0.0, 0.0)
    node[c].cluster = _record(ws, c, v, h, True)
    node[c].moat += now - node[c].start  # as _join does it, to the last bit
    node[c].death = now + (node[c].death - now)
    node[c].start = now
    node[c].size += 1
    node[v].parent = c
    node[v].moat = prizes[v] - node[c].moat
    _attach(ws, v, c, now - prizes[v], prizes, costs, scale)


@njit(cache=True, nogil=True)
def _join(ws, c, d, h, t, prizes, costs, scale):  # type: ignore[no-untyped-def]
    """Merge the active cluster c with d along half-edge h at time t."""
    half, node, queue, counts = ws.half, ws.node, ws.queue, ws.counts
    rooted, awake = node[d].rooted, node[d].active
    number = _record(ws, c, d, h, not awake and not rooted)
    node[c].moat += t - node[c].start
    surplus = node[c].death - t
    if awake:
        node[d].moat += t - node[d].start
        surplus += node[d].death - t
    late = t - node[d].start
    alone = not awake and not rooted and node[d].size == 1
    if alone:  # its few half-edges go into c's heap one by one, which loses no digits
        node[d].top = -1
    elif not awake and not rooted and node[d].top >= 0:
        half[node[d].top].key += late
        half[node[d].top].shift += late
    big, small = c, d
    if node[d].size > node[c].size:
        big, small = d, c
    if awake:
        _leave(node, queue, counts, small)
    elif rooted:
        _leave(node, queue, counts, c)
    elif big == d:  # d takes c's place in the queue
        i = node[c].place
        queue[i] = d
        node[d].place = i
        node[d].event = node[c].event
    node[big].top = -1 if rooted else _meld(half, node[c].top, node[d].top)
    node[small].parent = big
    node[small].moat -= node[big].moat
    node[big].size += node[small].size
    node[big].cluster = number
    node[big].rooted = rooted
    node[big].active = not rooted
    node[big].start = t
    node[big].death = t + surplus
    if alone:
        _attach(ws, d, big, late, prizes, costs, scale)
    if not rooted:
        node[big].event = _next(half, node, big)
        _raise(node, queue, node[big].place)
        _lower(node, queue, node[big].place, counts[QUEUE])


@njit(cache=True, nogil=True)
def _begin(ws, prizes, costs, scale, least, g, root, lazy):  # type: ignore[no-untyped-def]
    """Everything up to the time ``least`` / 2, when the first edges are tight.

    By then the nodes with smaller prizes sleep, each on its own. The cheapest edges between the
    others are tight all at once, and merged here without any heap.
    """
    half, node, queue, counts = ws.half, ws.node, ws.queue, ws.counts
    counts[EPOCH] += 1
    counts[MERGES] = 0
    now = 0.5 * scale * least
    count = 0
    for u in range(len(prizes)):
        if prizes[u] > 0.0 and prizes[u] >= now and u != root:
            ws.order[count] = u
            count += 1
    if root >= 0:
        _plant(ws, root, 0.0, 0.0, 0.0)
        node[root].active = False
        node[root].rooted = True
    elif count <= g:
        _largest(ws, prizes, g)
        return
    for i in range(count):
        u = ws.order[i]
        _plant(ws, u, now, now, prizes[u])
    active = count
    for i in range(count):
        u = ws.order[i]
        for h in range(ws.indptr[u], ws.indptr[u + 1]):
            v = half[h].head
            if v < u or costs[half[h].edge] != least or node[v].epoch != counts[EPOCH]:
                continue
            if v == root or active <= g:
                continue
            c, _ = find(node, u)
            d, _ = find(node, v)
            if c == d:
                continue
            if node[d].size > node[c].size:
                c, d = d, c
            number = _record(ws, c, d, h, False)
            node[d].parent = c
            node[d].moat -= node[c].moat
            node[c].size += node[d].size
            node[c].death += node[d].death - now
            node[c].cluster = number
            active -= 1
    roots = 0
    for i in range(count):
        u = ws.order[i]
        if node[u].parent == u:
            queue[roots] = u
            node[u].place = roots
            roots += 1
    counts[QUEUE] = roots
    if roots <= g:
        return
    if not lazy:
        for u in range(len(prizes)):
            if node[u].epoch != counts[EPOCH]:
                _plant(ws, u, prizes[u], prizes[u], prizes[u])
                _attach(ws, u, u, 0.0, prizes, costs, scale)
                node[u].active = False
    for i in range(count):
        u = ws.order[i]
        c, _ = find(node, u)
        _attach(ws, u, c, 0.0, prizes, costs, scale)
    for i in range(roots):
        node[queue[i]].event = _next(half, node, queue[i])
    for i in range(roots // 2 - 1, -1, -1):
        _lower(node, queue, i, roots)


@njit(cache=True, nogil=True)
def grow(ws, prizes, costs, scale, least, g, root, lazy):  # type: ignore[no-untyped-def]
    """Grow moats until at most g clusters are active (with a root: until none is)."""
    half, node, queue, counts = ws.half, ws.node, ws.queue, ws.counts
    if root >= 0:
        g = 0
    _begin(ws, prizes, costs, scale, least, g, root, lazy)
    epoch = counts[EPOCH]
    now = 0.0
    while counts[QUEUE] > g:
        c = queue[0]
        now = max(now, node[c].event)
        h = node[c].top
        if h < 0 or half[h].key >= node[c].death:
            _sleep(node, c, node[c].death)
            _leave(node, queue, counts, c)
            continue
        node[c].top = _pop(half, h)
        v = half[h].head
        cost = scale * costs[half[h].edge]
        near = NEAR * cost + ROUNDING * now + TINY
        fresh = node[v].epoch != epoch
        d, other = -1, prizes[v]
        if not fresh:
            d, other = find(node, v)
            if d == c:
                _reschedule(half, node, queue, c, counts[QUEUE])
                continue
            if node[d].active:
                other += now - node[d].start
        _, mine = find(node, half[h].owner)
        mine += now - node[c].start
        left = cost - mine - other
        if left <= near:
            if fresh:
                _absorb(ws, c, v, h, now, prizes, costs, scale)
                _reschedule(half, node, queue, c, counts[QUEUE])
            else:
                _join(ws, c, d, h, now, prizes, costs, scale)
            continue
        w = half[h].twin
        if not fresh and node[d].active:  # they meet in the middle
            was = now + (half[w].threshold - other)
            half[h].threshold = mine + 0.5 * left
            half[w].threshold = cost - half[h].threshold
            half[h].key = now + 0.5 * left
            node[d].top = _hasten(half, node[d].top, w, was, now + 0.5 * left)
            _reschedule(half, node, queue, d, counts[QUEUE])
        else:
            if not fresh and not node[d].rooted:  # to be looked at as soon as it wakes up
                was = node[d].start + (half[w].threshold - other)
                node[d].top = _hasten(half, node[d].top, w, was, node[d].start)
                half[w].threshold = other
            half[h].threshold = cost - other
            half[h].key = now + left
        node[c].top = _meld(half, node[c].top, h)
        _reschedule(half, node, queue, c, counts[QUEUE])


@njit(cache=True, nogil=True)
def _largest(ws, prizes, g):  # type: ignore[no-untyped-def]
    """The g largest prizes above 0, the later one of two equal, as clusters of one node."""
    counts = ws.counts
    count = 0
    for u in range(len(prizes)):
        if prizes[u] > 0.0:
            ws.node[u].event = prizes[u]
            if count < g:
                ws.queue[count] = u
                count += 1
                _raise(ws.node, ws.queue, count - 1)
            elif _before(ws.node, ws.queue[0], u):
                ws.queue[0] = u
                _lower(ws.node, ws.queue, 0, count)
    counts[QUEUE] = count
    for i in range(count):
        u = ws.queue[i]
        ws.node[u].epoch = counts[EPOCH]
        ws.node[u].cluster = u
