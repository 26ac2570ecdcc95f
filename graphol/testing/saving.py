"""Can a learner stop at any time, with questions open, and go on?"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol.answers import answers
from graphol.api import NOTHING, Instance, Learner, Prediction, Problem, Reveal, State, Target
from graphol.errors import UsageError
from graphol.latent import Clique
from graphol.predictor import Predictor
from graphol.registry import registry
from graphol.states import parts, rebuilt
from graphol.testing.games import asks_nodes, blocks, signal_game
from graphol.testing.states import same

ROUNDS, SAVES, OPEN = 60, 20, 7
"""Rounds that are played, how many of them end with a save, and how many wait for their answer."""

EMBEDDINGS = {"rows": "spectral:dim=12", "gram": "kernel"}


def saves_with_open_tickets(learner: Learner) -> None:
    """A service may be stopped at any time: saved with questions open, it goes on bit for bit.

    At 20 random rounds all is written to a file and read again, while some answers are still to
    come, and come in any order. Signs of nodes are asked for with a context and without one; a
    learner may refuse the latter, before it starts or when it is asked first.
    """
    if "classes" in learner.targets:
        _go_on(partial(_Service, learner, "classes"))
    if "signs" in learner.targets and learner.needs != "signals":
        _go_on(partial(_Service, learner, "signs", Clique(4)))
        if _plays_without_contexts(learner):
            _go_on(partial(_Service, learner, "signs"))
    if "classes" not in learner.targets and not asks_nodes(learner):
        _go_on(partial(_Model, learner))


def _plays_without_contexts(learner: Learner) -> bool:
    try:
        _Service(learner, "signs").ask(0)
    except UsageError:
        return False
    return True


def _go_on(start: Callable[[], Any]) -> None:
    rng = np.random.default_rng(11)
    saves = set(rng.choice(ROUNDS, SAVES, replace=False).tolist())
    waiting: list[int] = []
    steady, resumed = start(), start()
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

    def __init__(self, learner: Learner, target: Target, latent: Clique | None = None) -> None:
        graph = blocks() if target == "classes" else blocks(K=2)
        assert graph.labels is not None
        rng = np.random.default_rng(3)
        self.nodes, classes = rng.integers(0, graph.n, size=ROUNDS), graph.label_names
        labels = graph.labels[self.nodes]
        self.contexts: list[int | None] = [None] * ROUNDS
        if latent is not None:  # every other context has the other labeling
            drawn = rng.integers(latent.vertices, size=ROUNDS)
            self.contexts, labels = drawn.tolist(), labels ^ (drawn % 2)
        self.predictor = Predictor(
            learner, graph, classes=classes, target=target, latent=latent,
            embedding=EMBEDDINGS.get(learner.needs),
        )  # fmt: skip
        words = self.predictor.vocabulary
        self.truth = words.known([classes[k] for k in labels])
        rng = np.random.default_rng(4)
        problem = Problem(target, words.n_classes, dim=0, rng=rng, graph=graph)
        self.shown = answers(registry().make("feedback", learner.feedback), problem, ROUNDS)
        self.told: dict[int, Reveal] = {}

    @property
    def state(self) -> State:
        return self.predictor.state

    def ask(self, t: int) -> Any:
        node, context = int(self.nodes[t]), self.contexts[t]
        ticket = self.predictor.ask(self.predictor.graph.ids[node], context)
        (label,) = self.predictor.vocabulary.known([ticket.label])
        said = Prediction(label, ticket.scores, ticket.query)
        instance = Instance(t, node, context=-1 if context is None else context)
        self.told[t] = self.shown(instance, self.truth[t], said)
        return ticket

    def tell(self, t: int) -> int:
        reveal = self.told.pop(t)
        if reveal is NOTHING:
            self.predictor.forget(t)
            return 0
        if reveal.label is not None:
            return self.predictor.tell(t, label=self.predictor.vocabulary.name(reveal.label))
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
    """A learner asked about signals, where there is no predictor: what a service would keep."""

    def __init__(self, learner: Learner) -> None:
        task = signal_game(learner.targets[0], rounds=ROUNDS)
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
