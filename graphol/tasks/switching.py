"""Games in which nodes have a sign that depends on a hidden context as well."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs
import numpy as np

from graphol.api import Features, Integers, Learner, Matrix, Problem, State, Stream, Target
from graphol.errors import InputError
from graphol.graph import Graph
from graphol.latent import Clique
from graphol.tasks.schedules import Schedule

Shows = Literal["own", "segment", "labeling"]
"""What is shown as context: the schedule's own (round or task); the stretch between two switches;
the labeling that holds. The last two are what nobody knows, for learners to be held against."""


def _connected(graph: Graph, latent: Graph | Features | None, name: str) -> None:
    if graph.n_components > 1:
        raise InputError(
            f"{name}: the graph has {graph.n_components} components, and labelings are predicted "
            "on a connected one; --component largest keeps one"
        )
    if isinstance(latent, Graph) and latent.n_components > 1:
        raise InputError(
            f"{name}: the latent graph {latent.name} has {latent.n_components} components; join "
            "them, since nothing says how near contexts of two components are"
        )


def _hash(array: Integers) -> str:
    """Sixteen hex digits of the content."""
    digest = hashlib.sha256(repr(array.shape).encode())
    digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()[:16]


def _of_latent(latent: Graph | Features | None) -> dict[str, str]:
    return {"latent_hash": latent.hash} if isinstance(latent, Graph) else {}


def _rows(features: Features | None) -> Matrix | None:
    return None if features is None else features.rows


def _problem(
    graph: Graph,
    features: Features | None,
    latent: Graph | Features | None,
    n_contexts: int,
    rng: np.random.Generator,
) -> Problem:
    """The graphs are known; labelings and who has which are not."""
    rows = _rows(features)
    return Problem(
        target="signs", n_classes=None, dim=0 if rows is None else rows.shape[1], rng=rng,
        graph=graph.unlabelled, features=features,
        latent=None if isinstance(latent, Graph) else latent, n_contexts=n_contexts,
    )  # fmt: skip


@attrs.frozen(eq=False)
class SwitchTask:
    """Predict the sign of a node under whichever of K labelings holds.

    ``labelings[k, i]`` is the sign of node i under labeling k, and the ``schedule`` says when which
    one holds; nodes are drawn evenly. Every order of play draws nodes and schedule anew. ``shows``
    is what the learner sees as context. ``latent`` is a graph over the schedule's contexts, or its
    kernel, in place of the schedule's own; ``latent_features`` are those of the graph.
    """

    graph: Graph
    labelings: Integers  # (K, n)
    schedule: Schedule
    name: str
    shows: Shows = "own"
    latent: Graph | Features | None = None
    features: Features | None = None
    latent_features: Features | None = None
    target: Target = "signs"

    def __attrs_post_init__(self) -> None:
        K, n = self.labelings.shape
        if n != self.graph.n or not np.isin(self.labelings, (-1, 1)).all():
            raise InputError(f"{self.name}: labelings must be -1 or +1 for {self.graph.n} nodes")
        if K < 2:
            raise InputError(f"{self.name}: a switching game has at least 2 labelings, got {K}")
        _connected(self.graph, self.latent, self.name)
        if isinstance(self.latent, Graph) and self.latent.n < self.schedule.n_contexts:
            raise InputError(
                f"{self.name}: {self.schedule.n_contexts} contexts, but the latent graph "
                f"{self.latent.name} has {self.latent.n} vertices; give a larger one"
            )

    @property
    def hashes(self) -> dict[str, str]:
        """Of what the game is made of beside the graph, by the names that results give them."""
        return {"labelings_hash": _hash(self.labelings), **_of_latent(self.latent)}

    def embedded(self, embed: Callable[[Graph], Features]) -> SwitchTask:
        """This task with ``embed(graph)`` as the nodes' features, and so for a latent graph."""
        latent = embed(self.latent) if isinstance(self.latent, Graph) else None
        return attrs.evolve(self, features=embed(self.graph), latent_features=latent)

    def problem(self, rng: np.random.Generator) -> Problem:
        """The graphs are known; labelings and who has which are not."""
        if self.shows == "own":
            latent = self.latent_features or self.latent or self.schedule.latent
            n_contexts = self.schedule.n_contexts
        else:
            K = len(self.labelings)
            n_contexts = K if self.shows == "labeling" else self.schedule.rounds
            latent = Clique(vertices=max(n_contexts, 2))
        return _problem(self.graph, self.features, latent, n_contexts, rng)

    def stream(self, rng: np.random.Generator) -> Stream:
        """Nodes and schedule, drawn by ``rng``."""
        own, active = self.schedule.draw(len(self.labelings), rng)
        node = rng.integers(self.graph.n, size=len(active))
        switched = np.flatnonzero(np.diff(active)) + 1
        segment = np.searchsorted(switched, np.arange(len(active)), side="right")
        return Stream(
            truth=self.labelings[active, node],
            node=node,
            row=node,
            rows=_rows(self.features),
            context={"own": own, "segment": segment, "labeling": active}[self.shows],
            active=active,
            marks=switched if self.schedule.over_time else None,
        )

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """Nothing beside the error rate."""
        return {}


@attrs.frozen(eq=False)
class SequenceTask:
    """Predict given signs of given nodes in given contexts, in their order.

    Nobody needs to know which labelings are behind them. ``latent`` is a graph over the contexts,
    or its kernel; ``latent_features`` are those of the graph.
    """

    graph: Graph
    nodes: Integers
    contexts: Integers
    truth: Integers
    name: str
    latent: Graph | Features
    n_contexts: int
    features: Features | None = None
    latent_features: Features | None = None
    target: Target = "signs"

    def __attrs_post_init__(self) -> None:
        if not len(self.nodes) == len(self.contexts) == len(self.truth) > 0:
            raise InputError(f"{self.name}: nodes, contexts and signs must be equally many, > 0")
        if not np.isin(self.truth, (-1, 1)).all():
            raise InputError(f"{self.name}: signs must be -1 or +1")
        for column, count, what in (
            (self.nodes, self.graph.n, "node"),
            (self.contexts, self.n_contexts, "latent vertex"),
        ):
            out = column[(column < 0) | (column >= count)]
            if len(out):
                raise InputError(
                    f"{self.name}: {what} {out[0]} is out of range, there are 0 to {count - 1}"
                )
        _connected(self.graph, self.latent, self.name)

    @property
    def hashes(self) -> dict[str, str]:
        """Of what the game is made of beside the graph, by the names that results give them."""
        rounds = np.stack([self.nodes, self.contexts, self.truth])
        return {"sequence_hash": _hash(rounds), **_of_latent(self.latent)}

    def embedded(self, embed: Callable[[Graph], Features]) -> SequenceTask:
        """This task with ``embed(graph)`` as the nodes' features, and so for a latent graph."""
        latent = embed(self.latent) if isinstance(self.latent, Graph) else None
        return attrs.evolve(self, features=embed(self.graph), latent_features=latent)

    def problem(self, rng: np.random.Generator) -> Problem:
        """The graphs are known; the rounds come one at a time."""
        latent = self.latent_features or self.latent
        return _problem(self.graph, self.features, latent, self.n_contexts, rng)

    def stream(self, rng: np.random.Generator) -> Stream:
        """The rounds as they are given."""
        return Stream(
            truth=self.truth, node=self.nodes, row=self.nodes, rows=_rows(self.features),
            context=self.contexts,
        )  # fmt: skip

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """Nothing beside the error rate."""
        return {}
