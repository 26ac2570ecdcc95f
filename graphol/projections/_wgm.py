"""Searches for the price of edges at which a Steiner forest has the wanted size, compiled.

Both leave the forest's nodes in ``ws.nodes`` and return how many there are, the price, and how many
forests were grown.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from graphol.projections._steiner import solve
from graphol.projections._workspace import NODES

MOST = 20  # forests per search, as published
FIRST = 1.05  # the warm bracket's first width; squared at every step
CLOSE = 1.01  # a bracket narrower than this is not split


@njit(cache=True, nogil=True)
def _restore(ws, kept, size):  # type: ignore[no-untyped-def]
    ws.nodes[:size] = kept[:size]
    ws.counts[NODES] = size


@njit(cache=True, nogil=True)
def published(ws, edge_u, edge_v, prizes, costs, least, g, pruning, low, high, first):  # type: ignore[no-untyped-def]
    """Doubling from ``first`` until not too large, then bisection down to price 0.

    A miss returns the forest at the upper end of the last bracket, which is smaller than ``low``.
    """
    kept = np.empty(len(prizes), np.int64)
    below, above = 0.0, first
    calls = 0
    size = 0
    while True:
        calls += 1
        size = solve(ws, edge_u, edge_v, prizes, costs, above, least, g, -1, pruning, True)
        if size <= high or calls >= MOST:
            break
        above *= 2.0
    if size >= low:
        return size, above, calls
    stored = size
    kept[:size] = ws.nodes[:size]
    while calls < MOST:
        calls += 1
        middle = (below + above) / 2.0
        size = solve(ws, edge_u, edge_v, prizes, costs, middle, least, g, -1, pruning, True)
        if low <= size <= high:
            return size, middle, calls
        if size > high:
            below = middle
        else:
            above = middle
            stored = size
            kept[:size] = ws.nodes[:size]
    _restore(ws, kept, stored)
    return stored, above, calls


@njit(cache=True, nogil=True)
def warm(ws, edge_u, edge_v, prizes, costs, least, g, pruning, low, high, first):  # type: ignore[no-untyped-def]
    """A bracket around ``first`` that widens ever faster, then geometric bisection.

    A miss returns the forest at the upper end of the last bracket, or if none was small enough the
    last one.
    """
    kept = np.empty(len(prizes), np.int64)
    below, above = 0.0, np.inf
    width, price = FIRST, first
    stored, at = -1, first
    calls = 0
    size = 0
    while calls < MOST:
        calls += 1
        size = solve(ws, edge_u, edge_v, prizes, costs, price, least, g, -1, pruning, True)
        if low <= size <= high:
            return size, price, calls
        if size > high:
            below = price
        else:
            above = price
            stored, at = size, price
            kept[:size] = ws.nodes[:size]
        if above == np.inf or below == 0.0:
            price = price * width if above == np.inf else price / width
            width = min(width * width, 1e6)
            if not 0.0 < price < np.inf:
                break
        elif above <= CLOSE * below:
            break
        else:
            price = np.sqrt(below * above)
    if stored < 0:
        return size, price, calls
    _restore(ws, kept, stored)
    return stored, at, calls
