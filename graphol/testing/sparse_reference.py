"""Slow twins of the learners of sparse linear models: every gradient is kept, nothing is updated.

Each is a function of all gradients so far (rows of G, the intercept last) and of the weights
before; :func:`weights` plays a stream with one of them, :func:`twin_of` finds a learner's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from graphol.api import BoundProjection, Integers, Learner, Matrix, Vector
from graphol.graph import Graph
from graphol.projections.groups import partition

Step = Callable[[Matrix, Vector], Vector]


def twin_of(learner: Learner, graph: Graph) -> Step:
    """The twin of a learner of ours, with its parameters bound to the graph."""
    kind: Any = type(learner)
    values = {f.name: getattr(learner, f.name) for f in attrs.fields(kind)}
    if "blocks" in values:
        values["group"] = partition(values.pop("blocks"), graph, graph.n)
    if "projection" in values:
        s, tail = values.pop("s"), values.pop("projection")
        tail = tail if s is None else attrs.evolve(tail, s=s)
        values |= {"head": values["head"].bind(graph, graph.n), "tail": tail.bind(graph, graph.n)}
    step: Step = globals()[learner.name.replace("-", "_")](**values)
    return step


def weights(X: Matrix, y: Vector, target: str, step: Step) -> Matrix:
    """The weights before round 1 and after every round, (T + 1, p + 1)."""
    W = [np.zeros(X.shape[1] + 1)]
    G: list[Vector] = []
    for x, label in zip(X, y, strict=True):
        z = np.append(x, 1.0)
        s = float(W[-1] @ z)
        if target == "real":
            G.append((s - label) * z)
        else:
            G.append(-label * z / (1 + math.exp(label * s)))
        W.append(step(np.array(G), W[-1]))
    return np.array(W)


def graphda(head: BoundProjection, tail: BoundProjection, gamma: float) -> Step:
    """The tail of a step along the head of the mean gradient."""

    def step(G: Matrix, w: Vector) -> Vector:
        t, mean = len(G), G.mean(axis=0)
        moved = -math.sqrt(t) / gamma * head(mean[:-1])[0]
        return np.append(tail(moved)[0], -math.sqrt(t) / gamma * mean[-1])

    return step


def da_iht(s: int, gamma: float) -> Step:
    """The s largest entries of a step along the mean gradient."""

    def step(G: Matrix, w: Vector) -> Vector:
        moved = -math.sqrt(len(G)) / gamma * G.mean(axis=0)
        return np.append(_largest(moved[:-1], s), moved[-1])

    return step


def l1_rda(lam: float, gamma: float, rho: float) -> Step:
    """Entry by entry, as equation 30 of Xiao (2010)."""

    def step(G: Matrix, w: Vector) -> Vector:
        t, mean = len(G), G.mean(axis=0)
        level = lam + gamma * rho / math.sqrt(t)
        return np.array([
            -math.sqrt(t) / gamma * (g if i == len(mean) - 1 else _shrunk(g, level))
            for i, g in enumerate(mean)
        ])  # fmt: skip

    return step


def da_gl(lam: float, gamma: float, group: Integers) -> Step:
    """Group by group, as equation 10 of Yang et al. (2010)."""
    return _by_groups(lam, 0.0, gamma, group)


def da_sgl(lam: float, gamma: float, group: Integers) -> Step:
    """Group by group and entry by entry, as equation 11 of Yang et al. (2010)."""
    return _by_groups(lam, lam, gamma, group)


def _by_groups(lam: float, entry_lam: float, gamma: float, group: Integers) -> Step:

    def step(G: Matrix, w: Vector) -> Vector:
        t, mean = len(G), G.mean(axis=0)
        new = np.zeros(len(mean))
        new[-1] = -math.sqrt(t) / gamma * mean[-1]
        for k in set(group.tolist()):
            members = [i for i in range(len(group)) if group[i] == k]
            c = {i: _shrunk(mean[i], entry_lam) for i in members}
            length = math.sqrt(sum(v * v for v in c.values()))
            if length > lam * math.sqrt(len(members)):
                for i in members:
                    left = 1 - lam * math.sqrt(len(members)) / length
                    new[i] = -math.sqrt(t) / gamma * left * c[i]
        return new

    return step


def adagrad(lam: float, eta: float, epsilon: float) -> Step:
    """Composite mirror descent in its dual-averaging form, entry by entry."""

    def step(G: Matrix, w: Vector) -> Vector:
        t = len(G)
        new = []
        for i in range(G.shape[1]):
            mean = math.fsum(G[:, i]) / t
            level = 0.0 if i == G.shape[1] - 1 else lam
            size = epsilon + math.sqrt(math.fsum(G[:, i] ** 2))
            new.append(-eta * t * _shrunk(mean, level) / size)
        return np.array(new)

    return step


def adam(alpha: float, beta1: float, beta2: float, epsilon: float) -> Step:
    """Moments as weighted sums over all gradients."""

    def step(G: Matrix, w: Vector) -> Vector:
        t = len(G)
        age = np.arange(t)[::-1, None]
        m = ((1 - beta1) * beta1**age * G).sum(axis=0) / (1 - beta1**t)
        v = ((1 - beta2) * beta2**age * G**2).sum(axis=0) / (1 - beta2**t)
        return np.asarray(w - alpha * m / (np.sqrt(v) + epsilon))

    return step


def stoiht(s: int, eta: float) -> Step:
    """The s largest entries after a step along the last gradient."""

    def step(G: Matrix, w: Vector) -> Vector:
        moved = w - eta / math.sqrt(len(G)) * G[-1]
        return np.append(_largest(moved[:-1], s), moved[-1])

    return step


def graph_stoiht(head: BoundProjection, tail: BoundProjection, eta: float) -> Step:
    """The tail of a step along the head of the last gradient; the intercept stays 0."""

    def step(G: Matrix, w: Vector) -> Vector:
        moved = w[:-1] - eta / math.sqrt(len(G)) * head(G[-1][:-1])[0]
        return np.append(tail(moved)[0], 0.0)

    return step


def _shrunk(g: float, by: float) -> float:
    return math.copysign(max(abs(g) - by, 0.0), g)


def _largest(v: Vector, s: int) -> Vector:
    kept = sorted(range(len(v)), key=lambda i: (-abs(v[i]), i))[:s]
    return np.array([v[i] if i in kept else 0.0 for i in range(len(v))])
