"""A slow twin of the Steiner forest and its optimum by trying everything, written for the eye."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from graphol.api import Integers, Vector

Answer = tuple[list[int], list[int]]
"""Nodes and edges, ascending."""


class _Cluster:
    def __init__(self, nodes: frozenset[int], left: float, active: bool) -> None:
        self.nodes, self.left, self.active = nodes, left, active


def steiner_forest(
    prizes: Vector, edges: Integers, costs: Vector, g: int, root: int | None, pruning: str
) -> Answer:
    """Goemans-Williamson, event by event: all edges are looked at in every step."""
    n = len(prizes)
    moat = [0.0] * n
    clusters = [_Cluster(frozenset({v}), prizes[v], prizes[v] > 0 and v != root) for v in range(n)]
    merged: list[tuple[int, frozenset[int] | None]] = []  # edge, and the side that was asleep

    def of(v: int) -> _Cluster:
        return next(c for c in clusters if v in c.nodes)

    while sum(c.active for c in clusters) > (0 if root is not None else g):
        asleep = min(c.left for c in clusters if c.active)
        tight, which = float("inf"), -1
        for e, (u, v) in enumerate(edges):
            growing = of(u).active + of(v).active
            if of(u) is not of(v) and growing:
                time = max(costs[e] - moat[u] - moat[v], 0.0) / growing
                if time < tight:
                    tight, which = time, e
        step = min(asleep, tight)
        for c in clusters:
            if c.active:
                c.left -= step
                for v in c.nodes:
                    moat[v] += step
        if asleep <= tight:
            next(c for c in clusters if c.active and c.left <= 0).active = False
            continue
        one, two = of(edges[which][0]), of(edges[which][1])
        has_root = root in one.nodes | two.nodes
        sleeper = None
        if not has_root and not (one.active and two.active):
            sleeper = (two if one.active else one).nodes
        merged.append((which, sleeper))
        clusters = [c for c in clusters if c is not one and c is not two]
        left = (one.left if one.active else 0.0) + (two.left if two.active else 0.0)
        clusters.append(_Cluster(one.nodes | two.nodes, left, not has_root))

    if pruning == "none":
        kept = [e for e, _ in merged]
        nodes = {int(v) for e in kept for v in edges[e]}
        nodes |= {v for c in clusters if c.active or root in c.nodes for v in c.nodes}
        return sorted(nodes), sorted(kept)
    good = {v for c in clusters if c.active or root in c.nodes for v in c.nodes}
    trees = [(e, sleeper) for e, sleeper in merged if edges[e][0] in good]
    if pruning == "gw":
        return _without_pendant_sleepers(good, trees, edges)
    return sorted(good), sorted(e for e, _ in trees)


def _without_pendant_sleepers(
    good: set[int], trees: list[tuple[int, frozenset[int] | None]], edges: Integers
) -> Answer:
    """Backwards: a sleeper that no kept edge touches goes, with all that is in it."""
    kept: list[int] = []
    for e, sleeper in reversed(trees):
        if edges[e][0] not in good or edges[e][1] not in good:
            continue
        touched = {int(v) for k in kept for v in edges[k]}
        if sleeper is not None and not touched & sleeper:
            good = good - sleeper
        else:
            kept.append(e)
    return sorted(good), sorted(kept)


def spanning_forests(
    n: int, edges: Integers, costs: Vector, g: int
) -> Iterator[tuple[frozenset[int], float]]:
    """Every set of nodes that at most g trees can span, with the cost of the cheapest trees."""
    order = sorted(range(len(edges)), key=lambda e: costs[e])
    for size in range(n + 1):
        for nodes in combinations(range(n), size):
            inside = frozenset(nodes)
            label = {v: v for v in nodes}
            paid: list[float] = []
            for e in order:
                u, v = (int(end) for end in edges[e])
                if u in inside and v in inside and label[u] != label[v]:
                    paid.append(float(costs[e]))
                    old, new = label[u], label[v]
                    label = {w: new if name == old else name for w, name in label.items()}
            pieces = len(set(label.values()))
            if pieces <= g:  # with room for more pieces the dearest edges are saved
                yield inside, sum(paid[: len(paid) - (g - pieces)] if g > pieces else paid)


def best_forest(prizes: Vector, edges: Integers, costs: Vector, g: int, root: int | None) -> float:
    """The smallest cost plus prizes left out, over all forests."""
    total = float(sum(prizes))
    return min(
        cost + total - float(sum(prizes[v] for v in nodes))
        for nodes, cost in spanning_forests(len(prizes), edges, costs, g)
        if root is None or root in nodes
    )
