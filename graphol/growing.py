"""A predictor whose graph grows: nodes and edges join it, and what was told is told again."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Embedding, Features, Learner, Problem, State
from graphol.arena import embed
from graphol.contexts import MOST_CONTEXTS, Contexts
from graphol.embeddings.features import NodeFeatures
from graphol.embeddings.rows import RowFeatures
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.joining import joined, rows_by_neighbours
from graphol.matching import check_fit
from graphol.replaying import Replay, knows_rows_alone
from graphol.tickets import Tickets
from graphol.told import Told
from graphol.vocabulary import ClassNames, Name


@attrs.frozen
class Growth:
    """What adding nodes, or a refit, did."""

    nodes: int = 0
    """How many joined."""
    edges: int = 0
    """How many joined."""
    waiting: int = 0
    """Nodes whose vectors are made of their neighbours', until the next refit."""
    refitted: bool = False
    """Was the graph embedded anew, and the learner begun anew on it?"""
    replayed: int | None = None
    """Answers that a learner which begins anew was told again; None if it goes on as it was."""


class GrowingGraph:
    """What a :class:`graphol.Predictor` does when its graph grows.

    One lock more is held by whoever adds nodes or refits; the other, for which those wait who ask
    and tell, only while something new takes the place of the old.
    """

    learner: Learner
    graph: Graph
    embedding: Embedding | None
    features: Features | None
    contexts: Contexts
    vocabulary: ClassNames
    state: State
    seed: int
    told: Told | None
    """What was told so far; None if it is not kept."""
    waiting: Tickets
    refit_after: float | None
    _fitted: tuple[int, int]  # nodes and edges when it was embedded
    _refits: list[int]  # how often, on how many nodes and after how many answers the last time
    _lock: threading.RLock
    _growing: threading.RLock

    @property
    def classes(self) -> list[Name]:
        """The names of the classes known so far, or of the two signs."""
        return self.vocabulary.names

    def _embedded(self, graph: Graph) -> Features | None:
        return None if self.embedding is None else embed(self.embedding, graph, self.seed)

    def _problem(self, graph: Graph, features: Features | None, classes: int) -> Problem:
        rows = None if features is None else features.rows
        problem = Problem(
            target=self.vocabulary.target,
            n_classes=None if self.vocabulary.n_classes is None else classes,
            dim=0 if rows is None else rows.shape[1],
            rng=seeding.learner(self.seed),
            graph=graph.unlabelled,
            features=features,
            latent=self.contexts.features,
            n_contexts=self.contexts.count,
        )
        check_fit(problem.target, "a predictor", problem, self.learner)
        return problem

    def add_nodes(
        self,
        source: Sequence[Hashable] = (),
        target: Sequence[Hashable] = (),
        weight: Iterable[float] | None = None,
        *,
        ids: Iterable[Hashable] = (),
        features: Any = None,
        refit: bool | None = None,
    ) -> Growth:
        """Nodes ``ids`` join the graph, with edges to old ones, to each other, or none.

        Edges are given as to :meth:`graphol.Graph.from_edges`, and may also be between old nodes.
        All is refused, and nothing changed, if an id is there already, an edge names a node that is
        neither old nor among ``ids``, or joins two that are joined with another weight.

        A learner that knows nodes by their vectors alone goes on as it was: new nodes get the mean
        of their neighbours' vectors. All others begin anew on the larger graph and are told again
        what they were told. Open tickets stay open.

        Parameters
        ----------
        source, target, weight
            The edges, each once; weights are 1 by default.
        ids
            The new nodes, in the order of their rows, isolated ones too.
        features
            Their node features, dense or sparse, one row each, where the graph has some.
        refit
            True: :meth:`refit` as well. False: not now. None: if nodes or edges have grown by more
            than ``refit_after`` since the last time.
        """
        with self._growing:
            before, known = self.graph, self.features
            graph = joined(before, source, target, weight, ids=ids, features=features)
            nodes, edges = graph.n - before.n, graph.n_edges - before.n_edges
            if not (nodes or edges):
                return Growth(waiting=self._waiting(graph), refitted=False)
            graph.index(graph.ids[0])  # makes the index, before anybody waits for it
            stale = isinstance(known, RowFeatures) and not isinstance(self.embedding, NodeFeatures)
            due = stale and (self._due(graph) if refit is None else refit)
            if due:
                found = self._embedded(graph)
            elif stale:
                assert isinstance(known, RowFeatures)
                rows, joins = known.rows, np.arange(before.n) >= self._fitted[0]
                more = rows_by_neighbours(graph, rows, joins & ~rows.any(axis=1))
                found = RowFeatures(more, known.facts)
            else:
                found = self._embedded(graph)
            if not due and self._goes_on(known, found):
                with self._lock:
                    self._put(graph, found)
                    if not stale:
                        self._fitted = graph.n, graph.n_edges
                return Growth(nodes, edges, self._waiting(graph))
            replayed = self._begin_anew(graph, found, fitted=due or not stale)
            return Growth(nodes, edges, self._waiting(graph), due, replayed)

    def refit(self) -> Growth:
        """Embed the graph as it is now, begin anew and learn all answers once more, in order.

        Others may ask and tell meanwhile, by what was learnt before; what they tell is learnt too.
        """
        with self._growing:
            found = self.features if self._fitted == self._size else self._embedded(self.graph)
            replayed = self._begin_anew(self.graph, found, fitted=True)
            return Growth(refitted=True, replayed=replayed)

    @property
    def _size(self) -> tuple[int, int]:
        return self.graph.n, self.graph.n_edges

    def _waiting(self, graph: Graph) -> int:
        return graph.n - self._fitted[0] if isinstance(self.features, RowFeatures) else 0

    def _due(self, graph: Graph) -> bool:
        """Has it grown by so much that it is to be embedded anew, and can that be done?"""
        if self.refit_after is None or self.told is None:
            return False
        nodes, edges = self._fitted
        most = 1 + self.refit_after
        return graph.n > most * nodes or graph.n_edges > most * edges

    def _goes_on(self, before: Features | None, now: Features | None) -> bool:
        """Is the state right for the nodes that join, too?"""
        if (before is None) != (now is None):
            return False
        if before is not None and now is not None:
            old, new = before.rows, now.rows
            if old is None or new is None or not np.array_equal(old, new[: len(old)]):
                return False
        with self._lock:
            problem = self._problem(self.graph, before, len(self.classes))
            return knows_rows_alone(self.learner, problem, copy.copy(self.state))

    def _put(self, graph: Graph, features: Features | None) -> None:
        self.graph, self.features = graph, features
        self._rows = None if features is None else features.rows

    def _begin_anew(self, graph: Graph, features: Features | None, *, fitted: bool) -> int:
        """A state on this graph that was told the same; how many answers that were."""
        told = self.told
        if told is None:
            raise UsageError(
                f"{self.learner.name} would have to begin anew and learn all answers once more, "
                "but this predictor does not keep them: it was made with remember=False, or by an "
                "earlier version"
            )
        state = self.learner.start(self._problem(graph, features, told.begun))
        replay = Replay(self.learner, state, None if features is None else features.rows, told)
        replay.upto(len(told))
        with self._lock:
            replay.upto(len(told))  # what was told meanwhile
            replay.grow(len(self.classes))
            self._put(graph, features)
            self.state = replay.state
            if fitted:
                self._fitted = self._size
                self._refits = [self._refits[0] + 1, graph.n, len(told)]
            return len(told)

    def _growth_record(self, model_only: bool) -> dict[str, Any]:
        """What a file says of it, as plain data."""
        waiting = self._waiting(self.graph)
        if model_only and self._fitted != self._size and self.features is not None and waiting:
            raise UsageError(
                f"{waiting} node(s) joined since the graph was embedded, and no embedding gives "
                "their vectors; refit() first, or save it whole, without model_only"
            )
        return {
            "fitted": [*self._fitted],
            "refits": [*self._refits],
            "refit_after": self.refit_after,
            "told": None if self.told is None else self.told.meta(),
        }

    def _take_up(self, record: Mapping[str, Any]) -> None:
        """What a file says of it; a ValueError says what is wrong there."""
        if record["fitted"] is not None:
            fitted, refits = _counts(record["fitted"], 2), _counts(record["refits"], 3)
            if fitted[0] > self.graph.n or fitted[1] > self.graph.n_edges:
                raise ValueError("the graph has shrunk")
            self._fitted, self._refits = (fitted[0], fitted[1]), refits
        if self.told is not None:
            contexts = MOST_CONTEXTS if self.contexts.count is None else self.contexts.count
            self.told.check(
                self.graph.n, self.waiting.asked, contexts, self.vocabulary.numbers,
                len(self.classes),
            )  # fmt: skip

    def _growth_notes(self) -> list[str]:
        """What became of nodes that joined."""
        times, nodes, answers = self._refits
        waiting, notes = self._waiting(self.graph), []
        if times:
            notes.append(
                f"refitted {times} time(s), last on {nodes} nodes after {answers} answer(s)"
            )
        if waiting:
            notes.append(
                f"{waiting} node(s) joined since the graph was embedded: their vectors are made of "
                "their neighbours' until refit()"
            )
        return notes


def _counts(values: Any, length: int) -> list[int]:
    if not (isinstance(values, list) and len(values) == length):
        raise ValueError("the growth of the graph is no list of counts")
    if not all(type(value) is int and 0 <= value < 2**62 for value in values):
        raise ValueError("the growth of the graph is no list of counts")
    return values


def checked_refit_after(value: Any) -> float | None:
    """The share by which a graph grows before it is embedded anew; None: never by itself."""
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0 <= value < math.inf):
        raise UsageError(f"refit_after must be a number >= 0, or None, got {value!r}")
    return float(value)
