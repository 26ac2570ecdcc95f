"""Which nodes to ask about next: the order that the command line and the page have in common."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Embedding, Integers, Matrix, Reasons, Situation, Strategy, Vector
from graphol.arena import Watcher
from graphol.errors import GrapholError, UsageError
from graphol.formats.labels import labelled_by
from graphol.graph import Graph
from graphol.label.batches import batch, neighbourhoods
from graphol.label.predicting import predict
from graphol.registry import registry
from graphol.tasks.layers import summed
from graphol.tickets import is_whole

UNSURE = 0.5
"""Between the two likeliest classes, the difference below which a learner is called unsure."""
MANY = 0.9
"""Of all nodes, the share that have fewer neighbours without a label than one on whom many hang."""


class Suggestion(NamedTuple):
    """A node to ask about."""

    row: int
    worth: float
    """What the strategy values it at, less what it has in common with those before it."""
    reason: str


@attrs.frozen(eq=False)
class Suggested:
    """The nodes to ask about, best first, and who says so."""

    graph: Graph
    suggestions: tuple[Suggestion, ...]
    classes: tuple[str, ...]
    labels: int
    """How many are known."""
    strategy: str
    learner: str | None
    """Who says what the nodes are; None with fewer than two classes, of which there is no guess."""
    probabilities: Matrix
    """(n, K)"""

    def rows(self) -> list[dict[str, Any]]:
        """A row per node: its id, its worth, what it is taken for and how surely, and why."""
        found = []
        for place, (row, worth, reason) in enumerate(self.suggestions, start=1):
            p = self.probabilities[row]
            guess = None if self.learner is None else self.classes[int(p.argmax())]
            found.append(
                {
                    "rank": place, "node": self.graph.ids[row], "worth": worth, "guess": guess,
                    "probability": None if guess is None else float(p.max()), "reason": reason,
                }
            )  # fmt: skip
        return found


def suggest(
    graph: Graph | Sequence[Graph],
    given: Mapping[Hashable, str] | Integers | None = None,
    *,
    count: int = 10,
    strategy: str | Strategy = "uncertainty",
    classes: Sequence[str] | None = None,
    learner: Any = None,
    embedding: str | Embedding | None = None,
    leave_out: Sequence[Hashable] = (),
    seed: int = 0,
    watcher: Watcher | None = None,
) -> Suggested:
    """The nodes whose labels would help most.

    With labels of fewer than two classes nobody can be unsure between them, and nodes are spread
    over the graph, those first that have many to tell.

    Parameters
    ----------
    graph, given, classes, learner, embedding
        As in :func:`graphol.predict`; no label need be known.
    count
        How many nodes.
    strategy
        Who says what a node is worth.
    leave_out
        Ids of nodes that are not to be suggested.
    seed
        For whatever is drawn.
    watcher
        Is told how far it is.

    Examples
    --------
    >>> star = Graph.from_edges("aaaabb", "bcdefg")
    >>> [row["node"] for row in suggest(star, {"c": "tea"}, count=2).rows()]
    ['a', 'b']
    """
    if not (is_whole(count) and count >= 1):
        raise UsageError(f"count must be a whole number >= 1, got {count!r}")
    if not (is_whole(seed) and seed >= 0):
        raise UsageError(f"seed must be a whole number >= 0, got {seed!r}")
    chosen: Strategy = registry().make("strategy", strategy)
    graphs = (graph,) if isinstance(graph, Graph) else tuple(graph)
    first = graphs[0]
    if isinstance(given, Mapping):
        first = labelled_by(first.unlabelled, given, "given")
    elif given is not None:
        first = first.labelled(given, classes or ())
    graphs = (first, *graphs[1:])
    whole = first if len(graphs) == 1 else summed(graphs, first.name)
    labels = np.full(whole.n, -1) if first.labels is None else first.labels
    names = first.label_names
    if len(np.unique(labels[labels >= 0])) < 2:
        reached = np.zeros(whole.n, dtype=bool)
        p, who = np.full((whole.n, max(len(names), 2)), 1 / max(len(names), 2)), None
    else:
        found = predict(graphs, learner=learner, embedding=embedding, seed=seed, watcher=watcher)
        p, reached, who = found.probabilities, found.known, found.learner
    out = np.zeros(whole.n, dtype=bool)
    out[[whole.index(node) for node in leave_out]] = True
    ranked = rank(
        whole, labels, p, reached, chosen, np.random.default_rng(seed), count, classes=names,
        leave_out=out,
    )  # fmt: skip
    return Suggested(whole, tuple(ranked), names, int((labels >= 0).sum()), chosen.name, who, p)


def rank(
    graph: Graph,
    labels: Integers,
    probabilities: Matrix,
    known: NDArray[np.bool_],
    strategy: Strategy,
    rng: np.random.Generator,
    count: int,
    *,
    classes: Sequence[str] = (),
    rows: Matrix | None = None,
    leave_out: NDArray[np.bool_] | None = None,
) -> list[Suggestion]:
    """The nodes to ask about, best first; fewer than ``count`` if no more are without a label.

    Parameters
    ----------
    graph, labels, probabilities, known, rows
        As in a :class:`graphol.api.Situation`; where nothing is known all classes count alike,
        whatever the probabilities say.
    strategy
        Who says what each node is worth.
    rng
        For the strategy, and to choose among nodes that are worth the same.
    count
        How many.
    classes
        What the classes are called, for the reasons.
    leave_out
        (n,) nodes that are not to be suggested although they have no label.
    """
    p = np.where(known[:, None], probabilities, 1 / max(probabilities.shape[1], 1))
    situation = Situation(graph.unlabelled, labels, p, known, rows)
    open_ = labels < 0 if leave_out is None else (labels < 0) & ~leave_out
    values = valued(strategy, situation, rng)
    words = _Words(situation, strategy, [*map(str, classes)])
    around = neighbourhoods(situation.graph) if strategy.spreads else None
    chosen = batch(values, open_, weight_around(situation), rng, count, around)
    return [Suggestion(row, worth, words(row)) for row, worth in chosen]


def valued(strategy: Strategy, situation: Situation, rng: np.random.Generator) -> Vector:
    """What the strategy says, if it is a finite number for every node."""
    found = np.asarray(strategy.values(situation, rng), dtype=np.float64)
    if found.shape != (situation.graph.n,) or not np.isfinite(found).all():
        raise GrapholError(
            f"{strategy.name}: its values must be {situation.graph.n} finite numbers, one per node"
        )
    return found


def weight_around(situation: Situation) -> Vector:
    """The weight of every node's edges to nodes without a label, (n,)."""
    return np.asarray(situation.graph.adjacency @ (situation.labels < 0).astype(float))


class _Words:
    """Why a node was chosen, in words."""

    def __init__(self, situation: Situation, strategy: Strategy, classes: Sequence[str]) -> None:
        self.situation, self.strategy, self.classes = situation, strategy, classes
        S = situation.graph.adjacency
        open_so_far = np.append(0, np.cumsum((situation.labels < 0)[S.indices]))
        waiting = open_so_far[S.indptr[1:]] - open_so_far[S.indptr[:-1]]
        self.waiting = waiting
        self.apart = len(np.unique(situation.labels[situation.labels >= 0])) > 1
        self.many = max(float(np.quantile(waiting, MANY)), 2.0)

    def __call__(self, node: int) -> str:
        own = self.strategy
        said = own.reason(self.situation, node) if isinstance(own, Reasons) else ""
        return said or self._seen(node)

    def _seen(self, node: int) -> str:
        """What can be seen of it, whoever chose it."""
        situation, found = self.situation, []
        p = situation.probabilities[node]
        first, *others = np.argsort(-p, kind="stable")
        if not situation.known[node]:
            found.append("no label reaches it" if self.apart else "nothing tells classes apart yet")
        elif others and p[first] - p[others[0]] < UNSURE:
            found.append(f"unsure between {self._name(first)} and {self._name(others[0])}")
        if self.waiting[node] >= self.many:
            found.append(f"{self.waiting[node]} neighbours without a label")
        if not found:
            found.append(f"most likely {self._name(first)}, {p[first]:.0%}")
        return ", ".join(found)

    def _name(self, k: int) -> str:
        return self.classes[k] if k < len(self.classes) else f"class {k}"
