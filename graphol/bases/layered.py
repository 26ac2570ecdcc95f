"""Layers with weights as one system: what learners on several graphs share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from graphol.api import Derived, LinearSolver, Problem, State, Vector
from graphol.bases.propagation import Propagation
from graphol.errors import GrapholError, UsageError, shown
from graphol.graph import Graph
from graphol.layers.edges import Layers


def read_weights(owner: str, text: str) -> list[float]:
    """Weights joined by ``+``, as in ``1+0.5``.

    >>> read_weights("multi-mrf", "1+0.5")
    [1.0, 0.5]
    """
    try:
        found = [float(each) for each in text.split("+")]
    except ValueError:
        found = [math.nan]
    fine = all(math.isfinite(w) and w >= 0 for w in found) and max(found) > 0
    if not fine:
        raise UsageError(
            f"{owner}: weights must be numbers >= 0 joined by +, such as 1+0.5, and not all 0, "
            f"got {shown(text)}"
        )
    return found


def spread_weights(owner: str, text: str, graphs: Sequence[Graph], more: int = 0) -> Vector:
    """One weight per layer, and ``more`` beside them; a single one is for all."""
    found = read_weights(owner, text)
    k = len(graphs) + more
    if len(found) == 1:
        return np.full(k, found[0])
    if len(found) != k:
        names = ", ".join(graph.name for graph in graphs)
        stars = " and the stars" if more else ""
        raise UsageError(
            f"{owner}: weights={text} has {len(found)} weights for {k}: {names}{stars}; "
            "give one for each, or a single one for all"
        )
    return np.array(found)


def weights_of_layers(learner: Any, state: State) -> dict[str, float]:
    """What a learner says that every layer weighs, checked: a plugin may have written it."""
    found: Any = learner.layer_weights(state)
    if not isinstance(found, Mapping):
        kind = type(found).__name__
        raise GrapholError(
            f"{learner.name}: layer_weights must map names of layers to numbers, got {kind}"
        )
    weights: dict[str, float] = {}
    for layer, weight in found.items():
        if not (isinstance(weight, Real) and 0 <= float(weight) < math.inf):
            raise GrapholError(
                f"{learner.name}: layer {shown(layer)} weighs {weight!r}, and not >= 0"
            )
        weights[str(layer)] = float(weight)
    return weights


def layer_names(graphs: Sequence[Graph]) -> list[str]:
    """The graphs' names, with a number where two are called the same."""
    names: list[str] = []
    for graph in graphs:
        times = sum(each.name == graph.name for each in graphs[: len(names)])
        names.append(f"{graph.name} ({times + 1})" if times else graph.name)
    return names


def feature_titles(names: Sequence[str], layers: Sequence[str]) -> tuple[str, ...]:
    """What features are called among layers: as ever, unless a layer is called so.

    >>> feature_titles(["tea", "knn"], ["cites.csv", "knn"])
    ('tea', 'feature knn')
    """
    taken, titles = {*names, *layers}, []
    for name in names:
        title = name
        while title in layers or (title != name and title in taken):
            title = f"feature {title}"
        taken.add(title)
        titles.append(title)
    return tuple(titles)


def on_layers(
    layers: Layers, weights: Vector, solver: LinearSolver, noise: float, eps: float
) -> Propagation:
    """The system of the weighted sum; layers of weight 0 connect nothing."""
    kept = weights > 0
    named = dict(zip(layers.names, weights.tolist(), strict=True))
    layers, weights = layers.only(kept), weights[kept]
    _, components = np.unique(layers.components(weights)[: layers.n], return_inverse=True)
    L = layers.laplacian(weights)
    return Propagation(L, components.astype(np.int64), solver, noise, eps, named)


class Fusion(Derived):
    """The system for any weights of graphs and features; the last one stays prepared."""

    def __init__(self, problem: Problem, solver: LinearSolver, noise: float, eps: float) -> None:
        assert problem.graph is not None
        self.graphs, self.names = problem.graphs, layer_names(problem.graphs)
        self.X: Any = problem.graph.features  # csr (n, m), or None
        self.feature_names = feature_titles(problem.graph.feature_names, self.names) or None
        self.solver, self.noise, self.eps = solver, noise, eps
        self.told: list[str] = []
        """How the weights of the last fit were found."""
        self._weights: tuple[Vector, Vector] | None = None

    @property
    def n_features(self) -> int:
        """Columns, 0 where nodes have no features."""
        return 0 if self.X is None else int(self.X.shape[1])

    def layers(self, columns: Any) -> Layers:
        """The graphs and the stars of these columns."""
        X = self.X if len(columns) else None
        return Layers.of(self.graphs, X, columns, self.names, self.feature_names)

    def at(self, graphs: Vector, features: Vector) -> Propagation:
        """The system with these weights, (g,) and (m,)."""
        last = self._weights
        if last is None or not all(map(np.array_equal, last, (graphs, features))):
            layers = self.layers(np.flatnonzero(features > 0))
            weights = np.concatenate([graphs, features[layers.feature[len(graphs) :]]])
            self._system = on_layers(layers, weights, self.solver, self.noise, self.eps)
            self._weights = graphs.copy(), features.copy()
        return self._system
