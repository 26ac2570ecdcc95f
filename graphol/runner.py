"""Many games of one kind: data loaded and embedded once, repeats over seeded shuffles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from graphol import seeding
from graphol.api import Compiled, Embedding, Feedback, Learner, Task
from graphol.engine import DEFAULT_EMBEDDING, Run, check_fit, check_rules, play
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import describe
from graphol.registry import registry
from graphol.simulation import Simulation, versions
from graphol.tasks import NodeTask
from graphol.trace import Trace
from graphol.workers import each_repeat


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


class Arena:
    """A data set that is loaded once, and embedded once in every way that is asked for.

    Give it to :func:`simulate` in place of the data set to let many learners play on it.

    >>> arena = Arena("sbm:nodes=100")
    >>> [simulate(name, arena, repeats=1).row()["rounds"] for name in ("gpa", "molg-f")]
    [100, 100]
    """

    def __init__(self, dataset: Any, seed: int = 0, watcher: Watcher | None = None) -> None:
        self.seed = seed
        self._dataset = dataset
        self._watcher = watcher or Silent()
        self._embedded: list[tuple[Embedding, Embedding | None, Task]] = []

    @functools.cached_property
    def _loaded(self) -> tuple[Task, dict[str, Any]]:
        self._watcher.stage("data")
        return _task(self._dataset, seeding.data(self.seed))

    @property
    def source(self) -> dict[str, Any]:
        """Where the task comes from, as plain data."""
        return self._loaded[1]

    def task(
        self, learner: Learner, embedding: str | Embedding | None = None
    ) -> tuple[Embedding | None, Task]:
        """The task with features, and the embedding that made them (None where none was needed)."""
        task, name = self._loaded[0], embedding or DEFAULT_EMBEDDING.get(learner.needs)
        if name is None:
            return None, task
        embedder: Embedding = registry().make("embedding", name)
        for known, used, embedded in self._embedded:
            if known == embedder:
                return used, embedded
        rng = seeding.embedding(self.seed)
        uses: list[Embedding] = []

        def embed(graph: Graph) -> Any:
            self._watcher.stage("embedding")
            uses.append(embedder)
            return embedder.embed(graph, rng)

        embedded = task.embedded(embed)
        if embedding is not None and not uses:
            raise UsageError(
                f"{task.name}: signals are vectors already; leave the embedding {embedder.name} out"
            )
        self._embedded.append((embedder, uses[0] if uses else None, embedded))
        return self._embedded[-1][1:]


def simulate(
    learner: str | Learner,
    dataset: Any = "digits",
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    repeats: int = 10,
    seed: int = 0,
    rounds: int | None = None,
    noise: float = 0.0,
    delay: int = 0,
    jobs: int = 1,
    compiled: bool = True,
    watcher: Watcher | None = None,
) -> Simulation:
    """Play ``repeats`` games, each in its own shuffled order.

    Components are given as values (``MolgB(b=20)``) or as the command line writes them
    (``"molg-b:b=20"``). Repeat r of seed s has the same order of play for every learner.

    Parameters
    ----------
    learner
        Who plays.
    dataset
        A data set's name, a Dataset, a Task, a labelled Graph, or an Arena of the same seed.
    feedback
        The protocol; by default the learner's own.
    embedding
        How nodes become vectors; by default ``spectral``, or ``kernel`` for a kernel learner.
    repeats, seed, rounds
        How many games, from which seed, of how many rounds (None: the whole stream).
    noise, delay, compiled
        See :func:`graphol.play`.
    jobs
        Games played at once: on threads for a compiled learner, else in processes.
    watcher
        Is told about stages and rounds done.

    Examples
    --------
    >>> result = simulate("molg-f", "sbm:nodes=200,classes=2", repeats=3)
    >>> len(result.traces), len(result.traces[0])
    (3, 200)
    """
    watcher = watcher or Silent()
    _check_count("repeats", repeats, least=1)
    _check_count("seed", seed, least=0)
    _check_count("jobs", jobs, least=1)
    make = registry().make
    player: Learner = make("learner", learner)
    protocol: Feedback = make("feedback", feedback or player.feedback)
    check_rules(player, protocol, rounds=rounds, noise=noise, delay=delay)
    arena = dataset if isinstance(dataset, Arena) else Arena(dataset, seed, watcher)
    if arena.seed != seed:
        raise UsageError(f"the arena is of seed {arena.seed}, the games are of seed {seed}")
    embedder, task = arena.task(player, embedding)
    check_fit(task.target, task.name, task.problem(np.random.default_rng(seed)), player)
    watcher.stage("play")
    game = partial(
        _game, task, player, protocol, seed,
        rounds=rounds, noise=noise, delay=delay, compiled=compiled,
    )  # fmt: skip
    runs: list[Run | None] = [None] * repeats
    threads = compiled and isinstance(player, Compiled)
    for repeat, run in each_repeat(game, repeats, jobs, watcher.rounds, threads=threads):
        runs[repeat] = run
    recipe = {
        "learner": describe(player),
        "dataset": arena.source,
        "task": task.name,
        "target": task.target,
        "classes": list(task.graph.label_names),
        "feedback": describe(protocol),
        "embedding": None if embedder is None else describe(embedder),
        "engine": {"rounds": rounds, "noise": noise, "delay": delay, "compiled": compiled},
        "seed": seed,
        "graph_hash": task.graph.hash,
        "versions": versions(),
    }
    played = [run for run in runs if run is not None]
    for repeat, run in enumerate(played):
        run.trace.meta.update(recipe, repeat=repeat)
    return Simulation(
        tuple(run.trace for run in played),
        tuple(run.scores for run in played),
        recipe,
        (
            *task.graph.notes,
            *_loose_ends(task.graph, "component" in arena.source),
            *_short_stream(rounds, played[0].trace),
        ),
        task,
        tuple(run.weights for run in played),
    )


def _check_count(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral):
        raise UsageError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise UsageError(f"{name} must be >= {least}, got {value}")


def _loose_ends(graph: Graph, choice: bool) -> Iterator[str]:
    if graph.n_components > 1:
        hint = "; --component largest keeps one" if choice else ""
        yield f"{graph.n_components} components{hint}"
    if graph.n_isolated:
        yield f"{graph.n_isolated} isolated node(s)"


def _short_stream(rounds: int | None, trace: Trace) -> Iterator[str]:
    if rounds is not None and rounds > len(trace):
        yield f"{rounds} rounds asked for, all {len(trace)} played"


def _task(dataset: Any, rng: np.random.Generator) -> tuple[Task, dict[str, Any]]:
    """The task, and where it comes from as plain data."""
    if isinstance(dataset, Graph):
        return NodeTask((dataset,), name=dataset.name), {"name": dataset.name}
    if hasattr(dataset, "stream"):
        return dataset, {"name": dataset.name}
    made = registry().make("dataset", dataset)
    return made.load(rng), describe(made)


def _game(
    task: Task,
    learner: Learner,
    feedback: Feedback,
    seed: int,
    repeat: int,
    progress: Callable[[int], None] = lambda done: None,
    **options: Any,
) -> Run:
    return play(task, learner, feedback, seeding.game(seed, repeat), progress=progress, **options)
