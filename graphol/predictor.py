"""Asking and telling outside a simulation: a learner inside somebody's own service."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, npz, seeding
from graphol.api import (
    NO_VECTOR,
    Appendable,
    Derived,
    Embedding,
    Features,
    Growing,
    Instance,
    Learner,
    Prediction,
    Problem,
    Reveal,
    Vector,
)
from graphol.arena import embed, embedding_for, noticed
from graphol.embeddings.rows import RowFeatures
from graphol.errors import GrapholError, InputError, UsageError, near
from graphol.graph import Graph
from graphol.matching import check_fit
from graphol.params import describe
from graphol.registry import registry

SEEDING = 2
"""In a saved predictor: its embedding draws as a simulation's does; those before have no mark."""


@attrs.frozen(eq=False)
class Ticket:
    """A question that was answered and waits for its truth."""

    number: int
    node: Hashable
    label: str | int
    """The class that was predicted, as the user named it."""
    scores: Vector | None
    query: bool
    """Would the learner pay to know the truth?"""


class Predictor:
    """The same machinery as a simulation, one question at a time.

    Answers come back in any order and with any delay, by ticket; node ids and class names are the
    user's own. Resuming a saved predictor is bit-identical to not having stopped. A class that was
    never named before may be told where the learner can grow.

    Parameters
    ----------
    learner
        A learner, or its name with parameters (``"molg-b:b=20"``).
    graph
        The graph whose nodes will be asked.
    classes
        The classes known so far, at least two, as texts or as whole numbers; by default the
        graph's own.
    embedding
        How nodes become vectors; by default as in a simulation.
    seed
        For whatever is random: the embedding is that of a simulation with this seed, and the
        learner draws as in its repeat 0.

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
        embedding: str | Embedding | None = None,
        seed: int = 0,
    ) -> None:
        self.learner: Learner = registry().make("learner", learner)
        self.graph = graph
        self.classes: list[str | int] = [*(graph.label_names if classes is None else classes)]
        self.embedding = embedding_for(self.learner, embedding)
        self.seed = seed
        kinds = {type(name) for name in self.classes}
        if isinstance(classes, str) or not (kinds == {str} or kinds == {int}):
            raise UsageError(
                f"classes must be a list of texts or a list of whole numbers, got {classes!r}"
            )
        if len(self.classes) < 2 or len(set(self.classes)) < len(self.classes):
            raise UsageError(
                f"a predictor starts with at least 2 distinct classes, got {self.classes}; "
                'give some as classes=["a", "b"]'
            )
        self._begin(None if self.embedding is None else embed(self.embedding, graph, seed))

    def _begin(self, features: Features | None) -> None:
        self.features = features
        self.asked = 0
        self.waiting: dict[int, tuple[int, Prediction]] = {}
        rows = self._rows = None if features is None else features.rows
        problem = Problem(
            target="classes",
            n_classes=len(self.classes),
            dim=0 if rows is None else rows.shape[1],
            rng=seeding.learner(self.seed),
            graph=self.graph.unlabelled,
            features=features,
        )
        check_fit("classes", "a predictor", problem, self.learner)
        self.state = self.learner.start(problem)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was repaired in the graph and what is odd about it, as in a simulation."""
        return (
            *self.graph.notes,
            *noticed(self.graph.unlabelled, self.features, "graph.largest_component()"),
        )

    def _instance(self, number: int, row: int) -> Instance:
        rows = self._rows
        return Instance(number, row, NO_VECTOR if rows is None else rows[row])

    def ask(self, node: Hashable) -> Ticket:
        """Predict the class of a node, by the user's own id for it."""
        row = self.graph.index(node)
        number = self.asked
        prediction = self.learner.predict(self.state, self._instance(number, row))
        self.asked += 1
        self.waiting[number] = (row, prediction)
        label = self.classes[int(prediction.label)]
        return Ticket(number, node, label, prediction.scores, prediction.query)

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
        class, an array goes to the learner as it is.
        """
        number = ticket.number if isinstance(ticket, Ticket) else ticket
        if number not in self.waiting:
            raise UsageError(f"ticket {number} is unknown here, or was told already")
        if label is not None:
            answer["label"] = label
        if correct is not None:
            answer["correct"] = correct
        key, value = answer.popitem() if len(answer) == 1 else ("", None)
        if ("bit" if key == "correct" else key) not in self.learner.learns_from:
            wanted = ["correct" if kind == "bit" else kind for kind in self.learner.learns_from]
            raise UsageError(
                f"{self.learner.name} is told {' or '.join(f'{kind}=...' for kind in wanted)} and "
                f"nothing else, got {key or ', '.join(answer) or 'nothing'}"
            )
        reveal = self._reveal(key, value)
        row, prediction = self.waiting.pop(number)
        return self.learner.update(self.state, self._instance(number, row), prediction, reveal)

    def _reveal(self, key: str, value: Any) -> Reveal:
        if key == "label":
            return Reveal(label=self._class(value))
        if key == "correct":
            if not isinstance(value, bool | np.bool_):
                raise UsageError(f"correct must be True or False, got {value!r}")
            return Reveal(correct=bool(value))
        if isinstance(value, list | tuple | set | frozenset):
            named = [self._class(name) for name in value]  # which may grow
            value = np.isin(np.arange(len(self.classes)), named)
        told = np.asarray(value)
        if told.dtype.kind not in "biuf":
            raise UsageError(f"{key} must be a list of classes, or numbers, got {value!r}")
        return Reveal(answer=told, kind=key)

    def forget(self, ticket: Ticket | int) -> None:
        """Give up on a ticket: its truth will never be known."""
        number = ticket.number if isinstance(ticket, Ticket) else ticket
        if self.waiting.pop(number, None) is None:
            raise UsageError(f"ticket {number} is unknown here, or was told already")

    def _class(self, name: str | int) -> int:
        kind = type(self.classes[0])
        if type(name) is not kind:
            raise UsageError(f"the classes are of type {kind.__name__}, got {name!r}")
        if name not in self.classes:
            if not isinstance(self.learner, Growing):
                raise UsageError(
                    f"{self.learner.name} cannot learn the new class {name!r}; "
                    f"{near(str(name), map(str, self.classes))}"
                )
            self.state = self.learner.grow(self.state, len(self.classes) + 1)
            self.classes.append(name)
        return self.classes.index(name)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Everything in one npz, written whole or not at all; nothing is pickled."""
        state = {k: v for k, v in self.state._asdict().items() if not isinstance(v, Derived)}
        state |= {k: v.values for k, v in state.items() if isinstance(v, Appendable)}
        arrays = {f"state_{k}": v for k, v in state.items() if isinstance(v, np.ndarray)}
        scalars = {k: v for k, v in state.items() if not isinstance(v, np.ndarray)}
        S = self.graph.adjacency
        arrays |= {"indptr": S.indptr, "indices": S.indices, "data": S.data}
        arrays |= node_ids.members(self.graph.ids, self.graph.name)
        if self._rows is not None:
            arrays["rows"] = self._rows
        for number, (_, prediction) in self.waiting.items():
            if prediction.scores is not None:
                arrays[f"scores_{number}"] = prediction.scores
        meta = {
            "schema": npz.SCHEMA,
            "learner": describe(self.learner),
            "embedding": self.embedding and describe(self.embedding),
            "seed": self.seed,
            "seeding": SEEDING,
            "classes": self.classes,
            "name": self.graph.name,
            "asked": self.asked,
            "scalars": scalars,
            "waiting": [[n, row, p.label, p.query] for n, (row, p) in self.waiting.items()],
        }
        npz.write(Path(path), arrays, meta, force=force)

    @classmethod
    def load(cls, path: str | Path) -> Predictor:
        """The predictor as it was when saved."""
        arrays, meta = npz.read(Path(path), "saved predictor")
        if "waiting" not in meta:
            raise InputError(f"{path} is not a saved predictor")
        try:
            return cls._restored(path, arrays, meta)
        except GrapholError:
            raise
        except Exception as reason:  # whatever comes of bytes that are not ours
            text = " ".join(f"{type(reason).__name__}: {reason}".split())
            raise InputError(f"{path} is damaged ({text}); save it anew") from None

    @classmethod
    def _restored(cls, path: str | Path, arrays: npz.Members, meta: dict[str, Any]) -> Predictor:
        from scipy.sparse import csr_array

        ids = tuple(meta.get("ids", ())) or node_ids.read(arrays, str(path))  # as once written
        n = len(ids)
        adjacency = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(n, n))
        adjacency.check_format(full_check=True)
        self = cls.__new__(cls)
        self.learner = registry().restore("learner", meta["learner"])
        described = meta["embedding"]
        self.embedding = described and registry().restore("embedding", described)
        self.graph = Graph(adjacency, ids=ids, name=meta["name"])
        self.classes, self.seed = meta["classes"], meta["seed"]
        if "rows" in arrays:
            if len(arrays["rows"]) != n:
                raise ValueError(f"{len(arrays['rows'])} rows for {n} nodes")
            self._begin(RowFeatures(arrays["rows"]))
        elif self.embedding is None:
            self._begin(None)
        elif meta.get("seeding") == SEEDING:
            self._begin(embed(self.embedding, self.graph, self.seed))
        else:
            self._begin(self.embedding.embed(self.graph, seeding.embedding_of_old(self.seed)))
        stored = {k.removeprefix("state_"): v for k, v in arrays.items() if k.startswith("state_")}
        odd = (stored.keys() | meta["scalars"].keys()) - set(self.state._fields)
        if odd:
            raise InputError(
                f"{path}: {self.learner.name} of this version has no {min(odd)!r} in its state; "
                "read it with the version of graphol that wrote it"
            )
        for name, fresh in self.state._asdict().items():
            if isinstance(fresh, np.ndarray | Appendable):  # a seed is not in all of version 1
                _check_entry(name, fresh, stored[name])
        growing = {k for k, v in self.state._asdict().items() if isinstance(v, Appendable)}
        stored |= {k: Appendable(stored[k]) for k in growing & stored.keys()}
        self.state = self.state._replace(**stored, **meta["scalars"])
        self.asked = int(meta["asked"])
        for number, row, label, query in meta["waiting"]:
            if not (0 <= row < n and 0 <= label < len(self.classes)):
                raise ValueError(f"ticket {number} is about node {row} and class {label}")
            scores = arrays.get(f"scores_{number}")
            self.waiting[number] = (row, Prediction(label, scores, query))
        return self


def _check_entry(name: str, fresh: Any, theirs: NDArray[Any]) -> None:
    """Is what was stored of a state of the form that the learner starts with?"""
    growing = isinstance(fresh, Appendable)
    ours = fresh.values if growing else fresh
    if theirs.dtype.kind != ours.dtype.kind or theirs.shape[growing:] != ours.shape[growing:]:
        raise ValueError(f"{name} is {theirs.dtype} of shape {theirs.shape}")
    if theirs.dtype.kind == "f" and np.isnan(theirs).any():
        raise ValueError(f"{name} has entries that are no numbers")
