"""Asking and telling outside a simulation: a learner inside somebody's own service."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphol import npz, saved, seeding
from graphol.api import NO_VECTOR, Embedding, Features, Growing, Instance, Learner, Matrix, Reveal
from graphol.arena import embedding_for, noticed
from graphol.contexts import Contexts, Named, Numbered, checked_latent
from graphol.errors import GrapholError, InputError, UsageError, in_one_line, near
from graphol.graph import Graph
from graphol.growing import GrowingGraph, checked_refit_after
from graphol.params import describe
from graphol.past import Past
from graphol.registry import registry
from graphol.states import parts, plain
from graphol.tickets import Ticket, Tickets, is_whole
from graphol.told import Told
from graphol.vocabulary import KINDS, vocabulary

SEEDING = 2
"""In a saved predictor: its embedding draws as a simulation's does; those before have no mark."""


class Predictor(GrowingGraph):
    """The same machinery as a simulation, one question at a time.

    Answers come back in any order and with any delay, by ticket; node ids and class names are the
    user's own. Resuming a saved predictor is bit-identical to not having stopped. A class that was
    never named before may be told where the learner can grow, and nodes may join the graph.

    Any number of threads may ask, tell, forget and save at once: one lock is held while a learner
    predicts or learns, so no ticket is numbered twice and no file has half an update.

    Parameters
    ----------
    learner
        A learner, or its name with parameters (``"molg-b:b=20"``).
    graph
        The graph whose nodes will be asked.
    classes
        The classes known so far, at least two, as texts or as whole numbers; by default the
        graph's own. Of signs, the names of -1 and of +1; by default these numbers themselves.
    target
        What is predicted: ``"classes"`` or ``"signs"``; by default classes where the learner plays
        them.
    latent
        How near contexts are to each other: :class:`graphol.Clique`, :class:`graphol.Line` or
        :class:`graphol.SupportTree`, whose contexts are 0, 1, ...; or a graph over them, whose node
        ids are the contexts and which is embedded as the observed one is. None: nobody knows, nor
        how many there are.
    embedding
        How nodes become vectors; by default as in a simulation.
    seed
        For whatever is random: the embedding is that of a simulation with this seed, and the
        learner draws as in its repeat 0.
    max_age
        Seconds after which an open ticket expires, > 0, the time between save and load included; by
        default never.
    max_open
        How many tickets may be open at once, >= 1, before the oldest expires; by default any
        number. Each takes some hundred bytes.
    remember
        Is every answer kept, 34 to 68 bytes each? Without them nothing can be learnt once more on a
        graph that has grown.
    refit_after
        By which share of its nodes, or edges, a graph may grow before :meth:`add_nodes` embeds it
        anew and learns all answers once more, >= 0; None: it never does so by itself.

    Examples
    --------
    >>> graph = Graph.from_edges(["ann", "bob", "cyd", "dan"], ["bob", "cyd", "dan", "ann"])
    >>> predictor = Predictor("molg-f", graph, classes=["cat", "dog"])
    >>> ticket = predictor.ask("bob")
    >>> predictor.tell(ticket, label="dog")
    2
    >>> predictor.ask("bob").label
    'dog'
    """

    def __init__(
        self,
        learner: str | Learner,
        graph: Graph,
        *,
        classes: Sequence[str] | Sequence[int] | None = None,
        target: str | None = None,
        latent: Graph | Features | None = None,
        embedding: str | Embedding | None = None,
        seed: int = 0,
        max_age: float | None = None,
        max_open: int | None = None,
        remember: bool = True,
        refit_after: float | None = 0.1,
    ) -> None:
        if not isinstance(graph, Graph):
            raise UsageError(f"a predictor needs a graphol.Graph, got {type(graph).__name__}")
        if not (is_whole(seed) and seed >= 0):
            raise UsageError(f"seed must be a whole number >= 0, got {seed!r}")
        self.learner: Learner = registry().make("learner", learner)
        self.graph = graph
        if target is None:
            target = "classes" if "classes" in self.learner.targets else "signs"
        self.vocabulary = vocabulary(target, classes, graph)
        self.embedding = embedding_for(self.learner, embedding)
        self.seed = int(seed)
        self.waiting = Tickets(max_age, max_open)
        self.refit_after = checked_refit_after(refit_after)
        if not isinstance(remember, bool):
            raise UsageError(f"remember must be True or False, got {remember!r}")
        self.told = Told(len(self.classes)) if remember else None
        self.past = Past()
        known = checked_latent(latent)
        over = isinstance(known, Graph)
        contexts = Named(known, self._embedded(known)) if over else Numbered(known)
        self._begin(self._embedded(graph), contexts)

    def _begin(self, features: Features | None, contexts: Contexts) -> None:
        self._lock, self._growing = threading.RLock(), threading.RLock()
        self.contexts = contexts
        self._put(self.graph, features)
        self._fitted, self._refits = self._size, [0, 0, 0]
        self.state = self.learner.start(self._problem(self.graph, features, len(self.classes)))

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            locks = ("_lock", "_growing")
            return {name: value for name, value in vars(self).items() if name not in locks}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values, _lock=threading.RLock(), _growing=threading.RLock())
        self.waiting.renew()

    def __copy__(self) -> Predictor:
        """One that goes on by itself: updates change a state in place."""
        return copy.deepcopy(self)

    @property
    def asked(self) -> int:
        """How many tickets were handed out."""
        return self.waiting.asked

    @property
    def expired(self) -> int:
        """How many tickets were given up for their age or number."""
        return self.waiting.expired

    @property
    def notes(self) -> tuple[str, ...]:
        """What was repaired in the graph and what is odd about it, as in a simulation."""
        return (
            *self.graph.notes,
            *noticed(self.graph.unlabelled, self.features, "graph.largest_component()"),
            *self._growth_notes(),
        )

    def _instance(self, number: int, row: int, context: int) -> Instance:
        rows = self._rows
        return Instance(number, row, NO_VECTOR if rows is None else rows[row], context)

    def ask(self, node: Hashable, context: Hashable = None) -> Ticket:
        """Predict the class, or sign, of a node, by the user's own id for it.

        A context is a node id of the latent graph, if there is one, and else a whole number from 0.
        """
        row = self.graph.index(node)
        at = -1 if context is None else self.contexts.number(context)
        with self._lock:
            instance = self._instance(self.waiting.asked, row, at)
            prediction = self.learner.predict(self.state, instance)
            label = self.vocabulary.name(prediction.label)
            if label is None:
                raise GrapholError(
                    f"{self.learner.name} predicted {prediction.label}, which is not one of the "
                    f"{self.vocabulary.described}; its update may have overflowed"
                )
            number = self.waiting.add(row, prediction, at)
            query, mark = bool(prediction.query), self.waiting.mark
            known = bool(prediction.known)
        return Ticket(number, node, label, prediction.scores, query, mark, context, known)

    def predict_proba(self, nodes: Iterable[Hashable] | None = None) -> Matrix:
        """The probability of every class, or sign, at these nodes, by default all; rows sum to 1.

        Columns are in the order of ``classes``. How much scores count is fitted to the latest 500
        labels that were told, each with the scores that were given before it was; with few of them
        it stays near what it is without any. A node on which nothing bears gets the shares of the
        classes told. No ticket is handed out, and nothing is learnt.
        """
        with self._lock:
            graph = self.graph
            rows = range(graph.n) if nodes is None else [graph.index(node) for node in nodes]
            t = self.waiting.asked
            said = [self.learner.predict(self.state, self._instance(t, i, -1)) for i in rows]
            return self.past.probabilities(said, self.vocabulary.numbers)

    def tell(
        self,
        ticket: Ticket | int,
        *,
        label: str | int | None = None,
        correct: bool | None = None,
        **answer: Any,
    ) -> int:
        """Reveal the truth, or whether the prediction was right; how many class models changed.

        A learner that learns from answers of another kind is told them by the name of that kind, as
        in ``tell(ticket, candidates=["cat", "dog"])``: a list of classes is a row with one bit per
        class, an array goes to the learner as it is. A ticket of another predictor is refused; of a
        bare number nobody can say whose it is. An answer that is refused leaves the ticket open.
        """
        if label is not None:
            answer["label"] = label
        if correct is not None:
            answer["correct"] = correct
        key, value = next(iter(answer.items())) if len(answer) == 1 else ("", None)
        with self._lock:
            number = self.waiting.find(ticket)
            if ("bit" if key == "correct" else key) not in self.learner.learns_from:
                wanted = ["correct" if kind == "bit" else kind for kind in self.learner.learns_from]
                raise UsageError(
                    f"{self.learner.name} is told {' or '.join(f'{kind}=...' for kind in wanted)} "
                    f"and nothing else, got {', '.join(answer) or 'nothing'}"
                )
            reveal = self._reveal(key, value)
            asked = self.waiting[number]
            instance = self._instance(number, asked.row, asked.context)
            changed = self.learner.update(self.state, instance, asked.prediction, reveal)
            self.waiting.close(number)
            if self.told is not None:
                self.told.add(number, asked, reveal, len(self.classes))
            if reveal.label is not None:
                self.past.add(asked.prediction, reveal.label, self.vocabulary.numbers)
        return changed

    def _reveal(self, key: str, value: Any) -> Reveal:
        if key == "label":
            return Reveal(label=self._classes(value)[0])
        if key == "correct":
            if not isinstance(value, bool | np.bool_):
                raise UsageError(f"correct must be True or False, got {value!r}")
            return Reveal(correct=bool(value))
        if isinstance(value, list | tuple | set | frozenset):
            named = self._classes(*value)  # which may grow
            value = np.isin(self.vocabulary.numbers, named)
        told = np.asarray(value)
        if told.dtype.kind not in "biuf":
            raise UsageError(f"{key} must be a list of classes, or numbers, got {value!r}")
        return Reveal(answer=told, kind=key)

    def forget(self, ticket: Ticket | int) -> None:
        """Give up on a ticket: its truth will never be known."""
        with self._lock:
            self.waiting.close(self.waiting.find(ticket))

    def _classes(self, *names: Any) -> list[int]:
        """Their numbers; the learner grows for new ones, once all are known to be good."""
        plain = self.vocabulary.plain(names)
        for name in sorted(set(plain) - set(self.classes)):
            if self.vocabulary.n_classes is None:
                raise UsageError(
                    f"a sign is {self.classes[0]!r} or {self.classes[1]!r}, got {name!r}"
                )
            if not isinstance(self.learner, Growing):
                raise UsageError(
                    f"{self.learner.name} cannot learn the new class {name!r}; "
                    f"{near(str(name), map(str, self.classes))}"
                )
            self.state = self.learner.grow(self.state, len(self.classes) + 1)
            self.classes.append(name)
        return self.vocabulary.known(plain)

    def save(self, path: str | Path, *, force: bool = False, model_only: bool = False) -> None:
        """Everything in one npz, written whole or not at all; nothing is pickled.

        With ``model_only`` the graph, a latent one too, and their vectors are left out: the file is
        as large as what was learnt and the open tickets, and :meth:`load` needs the graph. Other
        threads wait while the state is copied, not while it is written.
        """
        path = _checked_path(path)
        with self._lock:
            state = {path: plain(part) for path, part in parts(self.state).items()}
            arrays = {f"state_{k}": v.copy() for k, v in state.items() if isinstance(v, np.ndarray)}
            scalars = {k: v for k, v in state.items() if not isinstance(v, np.ndarray)}
            arrays |= self.waiting.columns() | self.past.columns()
            meta: dict[str, Any] = {"tickets": self.waiting.meta(), "classes": [*self.classes]}
            arrays |= {} if self.told is None else self.told.columns()
            meta["growth"] = self._growth_record(model_only)
            graph, features = self.graph, self.features
        members, record = saved.graph_kept(graph, features, model_only=model_only)
        over_contexts, latent = saved.latent_kept(self.contexts, model_only=model_only)
        arrays |= members | over_contexts
        meta |= record | {
            "schema": saved.SCHEMA,
            "learner": describe(self.learner),
            "target": self.vocabulary.target,
            "latent": latent,
            "embedding": self.embedding and describe(self.embedding),
            "seed": self.seed,
            "seeding": SEEDING,
            "scalars": scalars,
        }
        npz.write(path, arrays, meta, force=force)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        graph: Graph | None = None,
        latent: Graph | None = None,
        learner: str | Learner | None = None,
    ) -> Predictor:
        """The predictor as it was when saved, its open tickets and their age included.

        A file that was saved with ``model_only`` needs the graph, and the latent graph if there was
        one, which are embedded as before; with another graph, or an embedding that gives other
        vectors, it is refused. A learner that no plugin offers is given as it was to the predictor
        that was saved.
        """
        path = _checked_path(path)
        arrays, meta = npz.read(path, "saved predictor", saved.SCHEMAS)
        if "tickets" not in meta and "waiting" not in meta:
            raise InputError(f"{path} is not a saved predictor")
        if "indptr" not in arrays and "graph" in meta and graph is None:
            raise UsageError(
                f"{path} was saved without its graph; give it, Predictor.load(path, graph=...)"
            )
        for name, value in (("graph", graph), ("latent", latent)):
            if not (value is None or isinstance(value, Graph)):
                raise UsageError(f"{name} must be a graphol.Graph, got {type(value).__name__}")
        given = None if learner is None else registry().make("learner", learner)
        try:
            return cls._restored(path, arrays, meta, graph, latent, given)
        except GrapholError:
            raise
        except Exception as reason:  # whatever comes of bytes that are not ours
            raise InputError(f"{path} is damaged ({in_one_line(reason)}); save it anew") from None

    @classmethod
    def _restored(
        cls,
        path: Path,
        arrays: npz.Members,
        meta: dict[str, Any],
        graph: Graph | None,
        latent: Graph | None,
        learner: Learner | None,
    ) -> Predictor:
        meta = saved.brought_up_to_date(arrays, meta)
        saved.check_record(arrays, meta)
        self = cls.__new__(cls)
        if learner is not None and describe(learner) != meta["learner"]:
            raise UsageError(f"{path} is of the learner {meta['learner']}, not {describe(learner)}")
        self.learner = learner or registry().restore("learner", meta["learner"])
        described = meta["embedding"]
        self.embedding = described and registry().restore("embedding", described)
        self.graph = saved.graph_of(path, arrays, meta, graph)
        self.vocabulary, self.seed = KINDS[meta["target"]](meta["classes"]), meta["seed"]
        self.past = Past.read(arrays, len(meta["classes"]))
        read = Tickets.read if "tickets" in meta else Tickets.read_list
        self.waiting = read(arrays, meta.get("tickets", meta))
        seeded = seeding.embedding if meta.get("seeding") == SEEDING else seeding.embedding_of_old

        def embedded(graph: Graph) -> Features | None:
            rng, embedding = seeded(self.seed), self.embedding
            return None if embedding is None else embedding.embed(graph, rng)

        growth = meta["growth"]
        self.told = Told.read(arrays, growth["told"]) if growth["told"] is not None else None
        self.refit_after = growth["refit_after"]
        features = saved.features_of(path, arrays, meta, self.graph, embedded)
        self._begin(features, saved.contexts_of(path, arrays, meta["latent"], latent, embedded))
        stored = {k.removeprefix("state_"): v for k, v in arrays.items() if k.startswith("state_")}
        odd = (stored.keys() | meta["scalars"].keys()) - parts(self.state).keys()
        if odd:
            raise InputError(
                f"{path}: {self.learner.name} of this version has no {min(odd)!r} in its state; "
                "read it with the version of graphol that wrote it"
            )
        n, count = self.graph.n, self.contexts.count
        self.state = saved.restored(self.learner, self.state, arrays, meta["scalars"], n)
        saved.check_tickets(self.waiting, n, count, self.vocabulary.numbers)
        self._take_up(growth)
        return self


def _checked_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise UsageError(f"the path of a saved predictor is a text or a Path, got {path!r}")
    if "\0" in str(path):
        raise UsageError(f"the path of a saved predictor cannot have a zero byte, got {path!r}")
    return Path(path)
