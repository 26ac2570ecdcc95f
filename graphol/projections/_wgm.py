"""The weighted graph model, compiled: a Steiner forest of the wanted size, found by its price.

Searches leave the forest's nodes in ``ws.nodes`` and return how many there are, the price, and how
many forests were grown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.jit import kept, kernel
from graphol.projections._pruning import solve
from graphol.projections._workspace import GW, NODES

MOST = 20  # forests per search, as published
FIRST = 1.05  # the warm bracket's first width; squared at every step
CLOSE = 1.03  # a bracket narrower than this is not split,
SMOOTH = 1.005  # or narrower than this, if its ends' sizes differ by less than
JUMP = 1.5  # this factor, so that there may be something in between
LOWEST = 1e-12  # of the mean prize: a price below it is as good as 0
SAFE = 1e70  # entries between this and its inverse have squares that can be added


class Band(NamedTuple):
    """What is searched for, and how."""

    least: float
    """The smallest cost of an edge."""
    g: int
    low: int
    high: int
    exact: bool


class Search(NamedTuple):
    """A workspace and what is searched for in it."""

    work: Any
    band: Band


@kept
def _restore(ws, size):  # type: ignore[no-untyped-def]
    ws.nodes[:size] = ws.kept[:size]
    ws.counts[NODES] = size


@kept
def published(ws, band, first):  # type: ignore[no-untyped-def]
    """Doubling from ``first`` until not too large, then bisection down to price 0.

    A miss returns the forest at the upper end of the last bracket, which is smaller than ``low``.
    The authors do not foresee prizes so uneven that doubling takes longer; then it goes on with a
    price at which no edge is worth it, and bisects from the last one.
    """
    below, above, most = 0.0, first, MOST
    calls = 1
    size = solve(ws, ws.prizes, above, band.least, band.g, -1, GW, True)
    while size > band.high:
        if calls < MOST:
            above *= 2.0
        else:
            below, above = above, 4.0 * np.max(ws.prizes) / band.least
            most = calls + MOST
        calls += 1
        size = solve(ws, ws.prizes, above, band.least, band.g, -1, GW, True)
    if size >= band.low:
        return size, above, calls
    stored = size
    ws.kept[:size] = ws.nodes[:size]
    while calls < most:
        calls += 1
        middle = (below + above) / 2.0
        size = solve(ws, ws.prizes, middle, band.least, band.g, -1, GW, True)
        if band.low <= size <= band.high:
            return size, middle, calls
        if size > band.high:
            below = middle
        else:
            above = middle
            stored = size
            ws.kept[:size] = ws.nodes[:size]
    _restore(ws, stored)
    return stored, above, calls


@kept
def _between(band, below, large, above, small):  # type: ignore[no-untyped-def]
    """Where in the bracket the wanted size is, if sizes were a power of the price."""
    wanted = 0.5 * (band.low + band.high)
    part = np.log(large / wanted) / np.log(large / max(small, 1))
    return below * (above / below) ** min(max(part, 0.1), 0.9)


@kept
def warm(ws, band, first, lowest):  # type: ignore[no-untyped-def]
    """A bracket around ``first`` that widens ever faster, then interpolation and bisection.

    A miss returns the forest at the upper end of the last bracket. Sizes jump: where they do, a
    narrow bracket is not split further. Price 0 comes back where no price gives enough nodes, so
    that nobody begins there the next time.
    """
    below, above = 0.0, np.inf
    width, price = FIRST, first
    large, small = -1, -1
    calls, again = 0, 0  # again: how often in a row the same end was moved
    while calls < MOST or small < 0:
        calls += 1
        size = solve(ws, ws.prizes, price, band.least, band.g, -1, GW, True)
        if band.low <= size <= band.high:
            return size, price, calls
        if size > band.high:
            below, large = price, size
            again = max(again, 0) + 1
        else:
            above, small = price, size
            again = min(again, 0) - 1
            ws.kept[:size] = ws.nodes[:size]
        if small < 0:
            price *= width
            width = min(width * width, 1e6)
        elif large < 0:
            price /= width
            width = min(width * width, 1e6)
            if price < lowest:
                break
        elif above <= (SMOOTH if large <= JUMP * small else CLOSE) * below:
            break
        elif abs(again) > 1:
            price = np.sqrt(below * above)
        else:
            price = _between(band, below, large, above, small)
    _restore(ws, small)
    return small, above if large >= 0 else 0.0, calls


@kernel
def _is_structured(ws, v, band):  # type: ignore[no-untyped-def]
    """Is the vector its own projection? Its nodes are then ws.nodes[:k]; k, or -1 if it is not."""
    size = 0
    for u in range(len(v)):
        if v[u] != 0.0:
            if size == band.high:
                return -1
            ws.nodes[size] = u
            ws.tree[u].alive = False  # seen
            size += 1
    pieces = 0
    for i in range(size):
        if ws.tree[ws.nodes[i]].alive:
            continue
        pieces += 1
        if pieces > band.g:
            return -1
        ws.order[0] = ws.nodes[i]
        ws.tree[ws.nodes[i]].alive = True
        begin, end = 0, 1
        while begin < end:
            u = ws.order[begin]
            begin += 1
            for j in range(ws.indptr[u], ws.indptr[u + 1]):
                e = ws.incident[j]
                w = ws.edge[e].u + ws.edge[e].v - u
                if v[w] != 0.0 and not ws.tree[w].alive:
                    ws.tree[w].alive = True
                    ws.order[end] = w
                    end += 1
    return size


@kept
def _published_start(prizes, band):  # type: ignore[no-untyped-def]
    """Twice a small prize; where that is 0 twice the largest."""
    ascending = np.sort(prizes)
    for size in (band.high, band.low):
        if ascending[size - 1] > 0.0:
            return 2.0 * ascending[size - 1]
    return 2.0 * ascending[-1]


@kept
def _guess(prizes, band):  # type: ignore[no-untyped-def]
    """Where to begin: as published for a large part of the graph, the s-th largest for a small."""
    ascending = np.sort(prizes)
    return max(2.0 * ascending[band.high - 1], ascending[len(prizes) - band.low])


@kept
def project(ws, band, v, memory, out):  # type: ignore[no-untyped-def]
    """``out`` is v on the nodes ws.nodes[:k] and 0 elsewhere; k, and how many forests were grown.

    ``memory[0]`` is where the last search ended, 0 at first. k is -1 if v is not finite.
    """
    n, largest = len(v), 0.0
    for i in range(n):
        out[i] = 0.0
        if not np.isfinite(v[i]):
            return -1, 0
        largest = max(largest, abs(v[i]))
    size = _is_structured(ws, v, band)
    if size >= 0:
        for i in range(size):
            out[ws.nodes[i]] = v[ws.nodes[i]]
        return size, 0
    unit = 1.0 if 1.0 / SAFE < largest < SAFE else largest  # so that no square is lost
    total = 0.0
    for i in range(n):
        ws.prizes[i] = (v[i] / unit) ** 2
        total += ws.prizes[i]
    mean = total / n
    if band.exact:
        size, price, forests = published(ws, band, _published_start(ws.prizes, band))
    else:
        first = memory[0] * mean
        if not first > 0.0:
            first = _guess(ws.prizes, band) or mean
        size, price, forests = warm(ws, band, first, LOWEST * mean)
    memory[0] = price / mean
    for i in range(size):
        out[ws.nodes[i]] = v[ws.nodes[i]]
    return size, forests


def compiled(v, search, memory, out):  # type: ignore[no-untyped-def]
    """As :class:`graphol.api.CompiledProjection` has it."""
    size, _ = project(search.work, search.band, v, memory, out)
    return size
