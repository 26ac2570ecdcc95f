"""What games are played on: data loaded or drawn, and embedded, once for all who play there."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import seeding
from graphol.api import Dataset, Embedding, Features, Feedback, Learner, Reports, Task
from graphol.engine import DEFAULT_EMBEDDING
from graphol.errors import GrapholError, UsageError
from graphol.fusing import Fusing
from graphol.graph import Graph
from graphol.notes import DOUBTFUL
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.tasks import NodeTask, SignalTask


class Watcher(Protocol):
    """Somebody who wants to see how far a long run is."""

    def stage(self, text: str) -> None:
        """A new stage begins."""

    def rounds(self, done: int) -> None:
        """So many more rounds are done."""


class Silent:
    """Nobody is watching."""

    def stage(self, text: str) -> None:
        """Say nothing."""

    def rounds(self, done: int) -> None:
        """Say nothing."""


def embedding_for(learner: Learner, embedding: str | Embedding | None) -> Embedding | None:
    """The embedding that was asked for, or the usual one of learners with these needs."""
    name = DEFAULT_EMBEDDING.get(learner.needs) if embedding is None else embedding
    return None if name is None else registry().make("embedding", name)


def embed(embedding: Embedding, graph: Graph, seed: int) -> Features:
    """The graph's features, the same wherever it is embedded with this seed."""
    return embedding.embed(graph, seeding.embedding(seed))


def noticed(graph: Graph, features: object, way: str) -> Iterator[str]:
    """What is odd about a graph and its embedding; the ``way`` keeps the largest component."""
    if graph.n_components > 1:
        advice = f"; {way} keeps one" if _playable(graph) else ""
        yield f"{graph.n_components} components{advice}"
    if graph.n_isolated:
        yield f"{graph.n_isolated} isolated node(s)"
    if graph.labels is not None:
        yield from _unreached(graph.labels >= 0, graph.components)
    yield from embedding_notes(features)


def embedding_notes(features: object) -> Iterator[str]:
    """What an embedding has to say about itself."""
    if isinstance(features, Reports):
        yield from features.facts.get("notes", ())


def _playable(graph: Graph) -> bool:
    """Are there two classes in the largest component, if classes are known?"""
    if graph.labels is None:
        return True
    labels = graph.labels[(graph.components == 0) & (graph.labels >= 0)]
    return len(np.unique(labels)) > 1


def _unreached(labelled: NDArray[np.bool_], components: NDArray[np.int64]) -> Iterator[str]:
    """Nodes from which no edges lead to a label that could tell theirs."""
    labels = np.bincount(components, weights=labelled)[components]
    alone = int(np.count_nonzero(labelled & (labels == 1)))
    without = int(np.count_nonzero(labels == 0))
    if alone:
        yield (
            f"{DOUBTFUL}{alone} of {np.count_nonzero(labelled)} labelled node(s) are guessed: no "
            "edges lead from them to another label"
        )
    if without:
        yield f"{without} node(s) that no label reaches: no edges lead from them to one"


class NotDrawn(UsageError):
    """Data that are read, not generated."""


class EmbeddedTask(NamedTuple):
    """A task with features, and the embedding that made them (None where none was needed)."""

    embedding: Embedding | None
    task: Task


def _embedded(
    task: Task, embedding: Embedding | None, seed: int, watcher: Watcher | None = None
) -> EmbeddedTask:
    if embedding is None:
        return EmbeddedTask(None, task)
    uses: list[Embedding] = []

    def features(graph: Graph) -> Features:
        if watcher is not None:
            watcher.stage("embedding")
        uses.append(embedding)
        found: Any = embed(embedding, graph, seed)  # a plugin may give anything
        if not isinstance(found, Features):
            kind = type(found).__name__
            raise GrapholError(f"{embedding.name}: embed must give rows and gram, got {kind}")
        return found

    made = task.embedded(features)
    return EmbeddedTask(uses[0] if uses else None, made)


@attrs.frozen(eq=False)
class Same:
    """One task for all repeats."""

    always: EmbeddedTask

    def __call__(self, repeat: int) -> EmbeddedTask:
        """What is played in this repeat."""
        return self.always


@attrs.define(eq=False)
class Anew:
    """A task for every repeat, of data drawn anew; the last one is kept.

    Signals are played in the order in which they were drawn.
    """

    dataset: Dataset
    embedding: Embedding | None
    seed: int
    _last: tuple[int, EmbeddedTask] | None = None

    def __call__(self, repeat: int) -> EmbeddedTask:
        """What is played in this repeat."""
        last = self._last
        if last is None or last[0] != repeat:
            last = self._last = repeat, self._draw(repeat)
        return last[1]

    def _draw(self, repeat: int) -> EmbeddedTask:
        rng = seeding.fresh_data(self.seed, repeat)
        before = seeding.position(rng)
        task = self.dataset.load(rng)
        if seeding.position(rng) == before:
            raise NotDrawn(
                f"{task.name} is read, not generated, so the same in every repeat; "
                "leave --fresh-data out"
            )
        if isinstance(task, SignalTask):
            task = attrs.evolve(task, given_order=True)
        return _embedded(task, self.embedding, self.seed)


@attrs.define(eq=False)
class Fusings:
    """A task for every repeat, on the graph that its first labels make of all layers."""

    fusing: Fusing
    embedding: Embedding | None
    seed: int
    _last: tuple[int, EmbeddedTask] | None = None

    def __call__(self, repeat: int) -> EmbeddedTask:
        """What is played in this repeat."""
        last = self._last
        if last is None or last[0] != repeat:
            task = self.fusing.task_of(repeat)
            last = self._last = repeat, _embedded(task, self.embedding, self.seed)
        return last[1]


class Arena:
    """A data set that is loaded once, and embedded once in every way that is asked for.

    Give it to :func:`simulate` in place of the data set to let many learners play on it.

    >>> from graphol import simulate
    >>> arena = Arena("sbm:nodes=100")
    >>> [simulate(name, arena, repeats=1).row()["rounds"] for name in ("gpa", "molg-f")]
    [100, 100]
    """

    def __init__(self, dataset: Any, seed: int = 0, watcher: Watcher | None = None) -> None:
        self.seed = seed
        self.dataset: Dataset | None = None
        """None if a task or a graph was given as a value."""
        self._watcher = watcher or Silent()
        self._known: list[tuple[Embedding | None, bool, Same | Anew]] = []
        self._fused: list[Fusings] = []
        if isinstance(dataset, Graph):
            self.loaded = NodeTask((dataset,), name=dataset.name)
        elif isinstance(dataset, Task):
            self.loaded = dataset
        else:
            self.dataset = registry().make("dataset", dataset)

    @functools.cached_property
    def loaded(self) -> Task:
        """The task that all repeats share, without features."""
        assert self.dataset is not None
        self._watcher.stage("data")
        task: Any = self.dataset.load(seeding.data(self.seed))
        if not isinstance(task, Task):
            kind = type(task).__name__
            raise GrapholError(f"{self.dataset.name}: load must give a task, got {kind}")
        return task

    @property
    def source(self) -> dict[str, Any]:
        """Where the task comes from, as plain data."""
        return {"name": self.loaded.name} if self.dataset is None else describe(self.dataset)

    def task(
        self,
        learner: Learner,
        embedding: str | Embedding | None = None,
        *,
        plan: Plan | None = None,
    ) -> EmbeddedTask:
        """What the learner plays first by a plan."""
        plan = plan or Plan(seed=self.seed)
        found = self.tasks(learner, embedding, plan)(plan.repeats[0])
        if embedding is not None and found.embedding is None:
            name = registry().make("embedding", embedding).name
            raise UsageError(
                f"{found.task.name}: signals are vectors already; leave the embedding {name} out"
            )
        return found

    def tasks(self, learner: Learner, embedding: str | Embedding | None, plan: Plan) -> Same | Anew:
        """What the learner plays in every repeat."""
        if plan.seed != self.seed:
            raise UsageError(f"the arena is of seed {self.seed}, the games are of seed {plan.seed}")
        return self._tasks(embedding_for(learner, embedding), fresh=plan.fresh_data)

    def fusings(
        self, learner: Learner, embedding: str | Embedding | None, fusing: Fusing
    ) -> Fusings:
        """What the learner plays in every repeat on a graph that is fused for it."""
        made = embedding_for(learner, embedding)
        for known in self._fused:
            if known.fusing is fusing and known.embedding == made:
                return known
        self._fused.append(Fusings(fusing, made, self.seed))
        return self._fused[-1]

    def fusing(self, fuser: Learner, feedback: Feedback, plan: Plan) -> Fusing:
        """Who fuses the layers of the task by the first labels of every repeat."""
        task = self.loaded
        if not isinstance(task, NodeTask):
            raise UsageError(f"{task.name} is no graph with classes of nodes; leave --fuse out")
        assert plan.fuse is not None
        new = Fusing(task, fuser, feedback, plan.fuse, plan.seed, plan.held_out)
        for known in self._fused:
            if known.fusing.same(new):
                return known.fusing
        return new

    def drawn(self, repeat: int) -> Task:
        """What is drawn anew in this repeat, without features."""
        return self._tasks(None, fresh=True)(repeat).task

    def _tasks(self, embedding: Embedding | None, *, fresh: bool) -> Same | Anew:
        for known, anew, tasks in self._known:
            if (known, anew) == (embedding, fresh):
                return tasks
        if not fresh:
            tasks = Same(_embedded(self.loaded, embedding, self.seed, self._watcher))
        elif self.dataset is not None:
            tasks = Anew(self.dataset, embedding, self.seed)
        else:
            raise UsageError(f"{self.loaded.name} is given as a value; leave fresh_data out")
        self._known.append((embedding, fresh, tasks))
        return tasks
