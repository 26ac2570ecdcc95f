"""Several layers as one graph, each with the weight that a few labels give it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Feedback, Fits, Given, GivesAway, Learner, Tells, Weighs
from graphol.bases.layered import feature_titles, layer_names, weights_of_layers
from graphol.errors import GrapholError, InputError, UsageError, near, shown
from graphol.graph import Graph
from graphol.layers.vertices import eliminated, is_feature, with_vertices
from graphol.matching import check_fit
from graphol.tasks import NodeTask
from graphol.tasks.splits import on_split

NEGLIGIBLE = 1e-12
"""Layers that weigh no more than this, relative to the heaviest, are left out."""
CAP = 1.0
"""How many times as heavy as those of the heaviest graph a feature's edges may be. A feature that
happens to be pure among a few labels is likeliest with a weight without bound, which makes all its
nodes one."""
FUSER = "multi-mrf"
"""Who weighs the layers, unless somebody else is named."""


class Weighed(NamedTuple):
    """A layer and what became of it."""

    layer: str
    kind: str
    """``graph`` or ``feature``."""
    hash: str
    """Of its edges and weights; of a feature, of its values."""
    edges: int
    learned: float
    """The weight that the learner gives it."""
    weight: float
    """The weight that it has in the fused graph."""
    share: float
    """Of the weight of all edges in the fused graph; 0 for a layer that is left out."""


@attrs.frozen(eq=False)
class Fused:
    """The weighted sum of layers, and how it came about."""

    graph: Graph
    """With the labels and the features of the task."""
    layers: tuple[Weighed, ...]
    given: Given
    """The labels that it cost."""

    @property
    def weights(self) -> dict[str, float]:
        """Weight by name of the layer."""
        return {each.layer: each.weight for each in self.layers}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A table of the layers, the heaviest share first."""
        return [each._asdict() for each in sorted(self.layers, key=lambda each: -each.share)]

    @property
    def spent(self) -> int:
        """How many labels it cost, those that chose included."""
        return len(self.given.nodes) + len(self.given.validation_nodes)


def fuse(
    task: NodeTask,
    learner: Learner,
    given: Given,
    rng: np.random.Generator,
    *,
    eliminate: bool = False,
    cap: float = CAP,
) -> Fused:
    """Let a learner weigh the layers of a task by some labels, and add them up.

    Layers are the task's graphs and, if the learner weighs them, its features: each is a vertex
    more in the fused graph, called ``('feature', NAME)``, without a label.

    Parameters
    ----------
    task
        Graphs over the same nodes, with or without features.
    learner
        Who can be fitted and weighs layers.
    given
        The labels to be spent.
    rng
        For the learner.
    eliminate
        Are the vertices of features taken out again? Every pair of nodes with a feature in common
        is then joined.
    cap
        How many times as heavy as those of the heaviest graph the edges of a feature may be, in the
        mean; > 0, and infinity for weights as they were learned.
    """
    check_fuser(learner)
    if not cap > 0:
        raise UsageError(f"cap must be > 0, got {cap}")
    problem = task.problem(rng)
    check_fit(task.target, task.name, problem, learner)
    whole = task.graph
    notes = _missing_classes(whole, given)
    state = learner.start(problem)
    assert isinstance(learner, Fits) and isinstance(learner, Weighs)
    learner.fit(state, given)
    learned = _checked(weights_of_layers(learner, state), learner, task)
    if isinstance(learner, Tells):
        notes += tuple(f"{learner.name}: {note}" for note in learner.tells(state))
    weights = _capped(learned, task, cap)
    graph, layers = _sum(task, weights)
    layers = tuple(each._replace(learned=learned.get(each.layer, 0.0)) for each in layers)
    left = len(whole.feature_names) - sum(
        each.kind == "feature" and each.share > 0 for each in layers
    )
    if left:
        notes += (f"{left} of {len(whole.feature_names)} feature(s) have no weight: left out",)
    held = sum(weights[name] < learned[name] for name in weights)
    if held:
        notes += (f"{held} feature(s) are held at {cap:g} times the edges of the heaviest graph",)
    if eliminate:
        graph = eliminated(graph, is_feature(graph))
    return Fused(graph.noted(*notes), layers, given)


def check_fuser(learner: Learner) -> None:
    """Refuse who cannot weigh layers, before anything is computed."""
    if not isinstance(learner, Weighs) or not isinstance(learner, Fits):
        raise UsageError(
            f"{learner.name} gives layers no weights of their own; take one that does, {FUSER}"
        )


def _missing_classes(graph: Graph, given: Given) -> tuple[str, ...]:
    """Classes of which no label is given; a single one tells nothing."""
    assert graph.labels is not None
    there = np.unique(given.labels)
    if len(there) < 2:
        raise InputError(
            f"{graph.name}: {len(given.labels)} label(s) of {len(there)} class(es) are given, and "
            "weights are learnt from 2 classes or more; give more labels"
        )
    missing = np.setdiff1d(np.unique(graph.labels[graph.labels >= 0]), there)
    names = ", ".join(graph.label_names[k] for k in missing)
    return (f"no label of class {names} is given, so it has no say",) if len(missing) else ()


def _checked(weights: dict[str, float], learner: Learner, task: NodeTask) -> dict[str, float]:
    names = layer_names(task.graphs)
    known = {*names, *_feature_columns(task.graph, names)}
    for name in weights:
        if name not in known:
            raise GrapholError(
                f"{learner.name} weighs {shown(name)}, which is no layer and no feature of "
                f"{task.name}; {near(name, known)}"
            )
    if not any(weights.values()):
        raise InputError(
            f"{task.name}: {learner.name} gives no layer any weight, so nothing is left; give more "
            "labels, or other parameters"
        )
    return weights


def _capped(weights: Mapping[str, float], task: NodeTask, cap: float) -> dict[str, float]:
    """Edges of features no heavier, in the mean, than so many times those of the heaviest graph."""
    names, whole = layer_names(task.graphs), task.graph
    heavy = [
        weights.get(name, 0.0) * float(graph.adjacency.data.mean())
        for name, graph in zip(names, task.graphs, strict=True)
    ]
    most = cap * max(heavy)
    if not most:  # no graph to be held against
        return dict(weights)
    held = dict(weights)
    for name, j in _columns(whole, weights, names).items():
        values = whole.features[:, [j]].data
        if len(values) and values.mean() > 0:
            held[name] = min(weights[name], most / float(values.mean()))
    return held


def _sum(task: NodeTask, weights: Mapping[str, float]) -> tuple[Graph, tuple[Weighed, ...]]:
    """The weighted sum; a learner that does not mention a layer gives it no weight."""
    from scipy.sparse import block_array, csr_array, diags_array

    whole, names = task.graph, layer_names(task.graphs)
    column = _columns(whole, weights, names)
    heaviest = max(weights.values())
    X: Any = whole.features
    found: list[Weighed] = []
    A = csr_array(whole.adjacency.shape)
    for name, graph in zip(names, task.graphs, strict=True):
        weight = weights.get(name, 0.0)
        used = weight if weight > NEGLIGIBLE * heaviest else 0.0
        if used:
            A = A + used * graph.adjacency
        total = used * float(graph.adjacency.sum()) / 2
        found.append(Weighed(name, "graph", graph.bare.hash, graph.n_edges, weight, weight, total))
    stars: list[tuple[str, int, float]] = []
    for name, j in column.items():
        weight, values = weights[name], X[:, [j]]
        used = weight if weight > NEGLIGIBLE * heaviest else 0.0
        if values.nnz and values.data.min() < 0:
            raise InputError(f"{task.name}: feature {name} has values below 0, so it is no star")
        if used and values.nnz:
            stars.append((name, j, used))
        total = used * float(values.sum())
        found.append(
            Weighed(name, "feature", _digest(values), int(values.nnz), weight, weight, total)
        )
    every = sum(each.share for each in found)
    if not every:
        raise InputError(f"{task.name}: the layers that have a weight have no edges")
    graph = whole
    if stars:
        graph = with_vertices(whole, [whole.feature_names[j] for _, j, _ in stars])
        scale = diags_array(np.array([used for _, _, used in stars]))
        B = X[:, [j for _, j, _ in stars]] @ scale
        A = block_array([[A, B], [B.T, None]], format="csr")
    layers = tuple(each._replace(share=each.share / every) for each in found)
    return attrs.evolve(graph, adjacency=A, name=f"{task.name} fused"), layers


def _columns(whole: Graph, weights: Mapping[str, float], names: list[str]) -> dict[str, int]:
    """The columns of the features that are weighed, by what the learner calls them."""
    known = _feature_columns(whole, names)
    return {name: known[name] for name in weights if name not in names}


def _feature_columns(whole: Graph, names: list[str]) -> dict[str, int]:
    """Columns by their names, apart from those of layers, and with the word feature before them."""
    known = {name: j for j, name in enumerate(feature_titles(whole.feature_names, names))}
    return {f"feature {name}": j for name, j in known.items()} | known


def _digest(values: Any) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(values.indptr, dtype="<i8").tobytes())
    digest.update(values.data.astype("<f8").tobytes())
    return digest.hexdigest()[:16]


@attrs.define(eq=False)
class Fusing:
    """The fused graph of every repeat: its first labels, in its order of play; the last is kept."""

    task: NodeTask
    learner: Learner
    feedback: Feedback
    labels: int
    seed: int
    held_out: bool = False
    _last: tuple[int, Fused] | None = None

    def __call__(self, repeat: int) -> Fused:
        """Of this repeat."""
        last = self._last
        if last is None or last[0] != repeat:
            last = self._last = repeat, self._fuse(repeat)
        return last[1]

    def same(self, other: Fusing) -> bool:
        """Would the other one give the same?"""
        return self.task is other.task and self._recipe == other._recipe

    @property
    def _recipe(self) -> tuple[Any, ...]:
        return self.learner, self.feedback, self.labels, self.seed, self.held_out

    def _fuse(self, repeat: int) -> Fused:
        order, learner, *_ = seeding.game(self.seed, repeat, held_out=self.held_out).spawn(4)
        game, rules = on_split(self.task, self.feedback, order)
        stream = game.stream(order)
        if isinstance(rules, GivesAway):
            there = int(np.count_nonzero(rules.given(len(stream))))
            if there < self.labels:
                raise UsageError(
                    f"fuse spends {self.labels} labels and {rules.name} gives {there} away; spend "
                    f"{there} or fewer, or give more"
                )
        first = stream.first(self.labels)
        return fuse(self.task, self.learner, Given(first.node, first.truth), learner)

    def task_of(self, repeat: int) -> NodeTask:
        """The same nodes, asked in the same order, on the fused graph."""
        return attrs.evolve(self.task, graphs=(self(repeat).graph,), features=None)
