"""Can a learner stop at any time, with questions open, and go on?"""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol.answers import answers
from graphol.api import NOTHING, Instance, Learner, Prediction, Problem, Reveal, State
from graphol.predictor import Predictor
from graphol.registry import registry
from graphol.states import parts, rebuilt
from graphol.testing.games import blocks, game_for
from graphol.testing.states import same

ROUNDS, SAVES, OPEN = 60, 20, 7
"""Rounds that are played, how many of them end with a save, and how many wait for their answer."""

EMBEDDINGS = {"rows": "spectral:dim=6", "gram": "kernel"}


def saves_with_open_tickets(learner: Learner) -> None:
    """A service may be stopped at any time: saved with questions open, it goes on bit for bit.

    At 20 random rounds all is written to a file and read again, while some answers are still to
    come, and come in any order.
    """
    rng = np.random.default_rng(11)
    saves = set(rng.choice(ROUNDS, SAVES, replace=False).tolist())
    kind: Any = _Service if "classes" in learner.targets else _Model
    steady, resumed, waiting = kind(learner), kind(learner), []
    for t in range(ROUNDS):
        waiting.append(t)
        one, two = steady.ask(t), resumed.ask(t)
        assert one.label == two.label and bool(one.query) == bool(two.query), f"round {t}: {two}"
        assert np.array_equal(_numbers(one), _numbers(two), equal_nan=True), f"round {t}: scores"
        if len(waiting) > OPEN:
            told = waiting.pop(int(rng.integers(len(waiting))))
            assert steady.tell(told) == resumed.tell(told), f"round {t}: updates"
        if t in saves:
            resumed = resumed.saved()
            assert same(steady.state, resumed.state), f"round {t}: another state than was saved"


def _numbers(prediction: Any) -> Any:
    return np.array([] if prediction.scores is None else prediction.scores)


class _Service:
    """A predictor, asked about the nodes of a small graph."""

    def __init__(self, learner: Learner) -> None:
        graph = blocks()
        assert graph.labels is not None
        self.nodes = np.random.default_rng(3).integers(0, graph.n, size=ROUNDS)
        self.truth = graph.labels[self.nodes].tolist()
        self.predictor = Predictor(learner, graph, embedding=EMBEDDINGS.get(learner.needs))
        rng = np.random.default_rng(4)
        problem = Problem("classes", graph.n_classes, dim=0, rng=rng, graph=graph)
        self.shown = answers(registry().make("feedback", learner.feedback), problem, ROUNDS)
        self.told: dict[int, Reveal] = {}

    @property
    def state(self) -> State:
        return self.predictor.state

    def ask(self, t: int) -> Any:
        graph = self.predictor.graph
        ticket = self.predictor.ask(graph.ids[self.nodes[t]])
        label = graph.label_names.index(str(ticket.label))
        said = Prediction(label, ticket.scores, ticket.query)
        self.told[t] = self.shown(Instance(t, int(self.nodes[t])), self.truth[t], said)
        return ticket

    def tell(self, t: int) -> int:
        reveal = self.told.pop(t)
        if reveal is NOTHING:
            self.predictor.forget(t)
            return 0
        if reveal.label is not None:
            return self.predictor.tell(t, label=self.predictor.classes[int(reveal.label)])
        if reveal.correct is not None:
            return self.predictor.tell(t, correct=reveal.correct)
        return self.predictor.tell(t, **{reveal.kind: reveal.answer})

    def saved(self) -> _Service:
        other = copy.copy(self)
        learner, graph = self.predictor.learner, self.predictor.graph
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "saved.npz"
            self.predictor.save(path)
            other.predictor = Predictor.load(path, graph=graph, learner=learner)
        return other


class _Model:
    """A learner of signs or numbers, without a predictor: what a service would have to keep."""

    def __init__(self, learner: Learner) -> None:
        task = game_for(learner)
        self.learner, self.stream = learner, task.stream(np.random.default_rng(3))
        self.problem = task.problem(np.random.default_rng(5))
        self.start = attrs.evolve(self.problem, rng=np.random.default_rng(6))
        self.state = learner.start(self.start)
        self.open: dict[int, Prediction] = {}

    def ask(self, t: int) -> Prediction:
        self.open[t] = self.learner.predict(self.state, self.stream.instance(t))
        return self.open[t]

    def tell(self, t: int) -> int:
        prediction, reveal = self.open.pop(t), Reveal(label=self.stream.truth[t].item())
        return self.learner.update(self.state, self.stream.instance(t), prediction, reveal)

    def saved(self) -> _Model:
        other = copy.copy(self)
        fresh = self.learner.start(attrs.evolve(self.start, rng=np.random.default_rng(6)))
        found = copy.deepcopy(parts(self.state))
        other.state = rebuilt(fresh, {path: _read(part) for path, part in found.items()})
        other.open = {
            t: Prediction(json.loads(json.dumps(p.label)), _read(p.scores), bool(p.query))
            for t, p in self.open.items()
        }
        return other


def _read(value: Any) -> Any:
    """As it comes back from npz and json."""
    return json.loads(json.dumps(value)) if isinstance(value, int | float | str) else value
