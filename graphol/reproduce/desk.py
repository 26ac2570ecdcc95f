"""Where the games of one command are played: data and embeddings are made once and shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Embedding, Feedback, Learner, Task, Vector
from graphol.datasets.stored import Stored
from graphol.engine import play
from graphol.errors import InputError, UsageError
from graphol.folders import data_file
from graphol.registry import registry
from graphol.runner import Silent, Watcher
from graphol.tasks import NodeTask, OneVsRest
from graphol.workers import one_blas_thread

CHECKPOINTS = 20
"""Points of a game, evenly spaced, at which its error so far is kept."""
HELD_OUT = 1_000_003
"""Held-out shuffles come from the seed this much above the scored one."""

WITHHELD = {
    "coauthor": "the co-authorship graph that the papers cut out of DBLP (dblp.org) is not "
    "redistributable; with a copy of your own use `graphol simulate --graph FILE --labels FILE`",
    "imdb": "the film graph that the papers made from IMDB (imdb.com/interfaces) is not "
    "redistributable; with a copy of your own use `graphol simulate --graph FILE --labels FILE`",
}
"""Data of the papers that nobody but its owners may pass on, and where it comes from."""

T = TypeVar("T")


class MissingData(Exception):
    """A data set is not on this machine; the text says how to get it."""


def multi_class(task: NodeTask) -> list[Task]:
    """The game with all classes."""
    return [task]


def one_vs_rest(task: NodeTask) -> list[Task]:
    """One binary game for every class that occurs."""
    assert task.graph.labels is not None
    return [OneVsRest(task, int(k)) for k in np.unique(task.graph.labels) if k >= 0]


Games = Callable[[NodeTask], list[Task]]


@attrs.frozen
class Setup:
    """Who plays which games, on which vectors, by which rules."""

    learner: Learner
    embedding: Embedding
    games: Games = multi_class
    feedback: Feedback | None = None
    """None: the learner's own."""


@attrs.frozen(eq=False)
class Scores:
    """What the shuffles of one setup gave; a mean over the games of each shuffle."""

    error: Vector  # (R,)
    queries: Vector  # (R,)
    updates: Vector  # (R,)
    curve: Vector  # error up to each checkpoint, (R, CHECKPOINTS)
    checkpoints: Vector  # their rounds, from 1, (CHECKPOINTS,)
    rounds: int


@attrs.define
class Desk:
    """Plays setups on data sets, in shuffles that score and in others that only tune.

    Repeat r of seed s is the repeat r of ``graphol simulate --seed s``.

    Parameters
    ----------
    repeats, seed
        Shuffles that score.
    held_out
        Shuffles that tune; never one that scores.
    quick
        Thin out the values that figures run through.
    jobs
        Games played at once, on threads.
    watcher
        Is told about stages and rounds done.
    """

    repeats: int = 20
    seed: int = 0
    held_out: int = 5
    quick: bool = False
    jobs: int = 1
    watcher: Watcher = attrs.field(factory=Silent)
    notes: list[str] = attrs.field(factory=list)
    """What the reader should know about what was left out."""
    _tasks: dict[str, NodeTask] = attrs.field(factory=dict, init=False)
    _embedded: dict[Any, NodeTask] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        for name, least in (("repeats", 1), ("jobs", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be >= {least}, got {getattr(self, name)}")

    def check(self, dataset: str) -> None:
        """Refuse a name that nobody knows, before anything is played."""
        if dataset not in WITHHELD:
            registry().make("dataset", dataset)

    def task(self, dataset: str) -> NodeTask:
        """The labelled graph; MissingData if this machine does not have it."""
        if dataset in WITHHELD:
            raise MissingData(WITHHELD[dataset])
        if dataset not in self._tasks:
            self._tasks[dataset] = self._load(dataset)
        return self._tasks[dataset]

    def _load(self, dataset: str) -> NodeTask:
        self.watcher.stage(dataset)
        made = registry().make("dataset", dataset)
        try:
            task = made.load(seeding.data(self.seed))
        except InputError as reason:
            if isinstance(made, Stored) and data_file(made.filename()) is None:
                raise MissingData(str(reason)) from None
            raise
        if not isinstance(task, NodeTask):
            raise UsageError(f"{dataset} is not a graph with classes of nodes")
        return task

    def thin(self, values: Sequence[T]) -> Sequence[T]:
        """All values; for a quick run every second one, and the last."""
        return sorted({*values[::2], values[-1]}, key=values.index) if self.quick else values

    def score(self, dataset: str, setup: Setup) -> Scores:
        """Play the shuffles that score."""
        return self._play(dataset, [setup], self.seed, self.repeats, "play")[0]

    def rehearse(self, dataset: str, setups: Sequence[Setup]) -> list[Scores]:
        """Play the held-out shuffles, every setup the same ones."""
        return self._play(dataset, setups, self.seed + HELD_OUT, self.held_out, "tune")

    def _vectors(self, dataset: str, embedding: Embedding) -> NodeTask:
        key = (dataset, embedding)
        if key not in self._embedded:
            task = self.task(dataset)
            self.watcher.stage(f"{dataset}: embedding")
            rng = seeding.embedding(self.seed)
            self._embedded[key] = task.embedded(lambda graph: embedding.embed(graph, rng))
        return self._embedded[key]

    def _play(
        self, dataset: str, setups: Sequence[Setup], seed: int, repeats: int, stage: str
    ) -> list[Scores]:
        games = [
            (setup, task, repeat)
            for setup in setups
            for repeat in range(repeats)
            for task in setup.games(self._vectors(dataset, setup.embedding))
        ]
        self.watcher.stage(f"{dataset}: {stage} {setups[0].learner.name}")
        each = len(games) // (len(setups) * repeats)
        with one_blas_thread():
            played = iter(self.all([partial(self._game, seed, *game) for game in games]))
            return [
                _summary([[next(played) for _ in range(each)] for _ in range(repeats)])
                for _ in setups
            ]

    def all(self, games: Sequence[Callable[[], T]]) -> Iterator[T]:
        """What every game gives, in order; as many are played at once as there are jobs."""
        if self.jobs == 1:
            for game in games:
                yield game()
            return
        pool = ThreadPoolExecutor(self.jobs)
        try:
            for future in [pool.submit(game) for game in games]:
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _game(self, seed: int, setup: Setup, task: Task, repeat: int) -> Scores:
        rng = seeding.game(seed, repeat)
        feedback = setup.feedback or registry().make("feedback", setup.learner.feedback)
        trace = play(task, setup.learner, feedback, rng, progress=self.watcher.rounds).trace
        rounds = len(trace)
        checkpoints = np.linspace(rounds / CHECKPOINTS, rounds, CHECKPOINTS).astype(int)
        so_far = np.cumsum(trace.loss)
        return Scores(
            error=np.array([trace.error_rate]),
            queries=np.array([float(trace.n_queries)]),
            updates=np.array([float(trace.n_updates)]),
            curve=(so_far[checkpoints - 1] / checkpoints)[None],
            checkpoints=checkpoints,
            rounds=rounds,
        )


def _summary(shuffles: list[list[Scores]]) -> Scores:
    """Mean over the games of each shuffle, one row per shuffle."""

    def gather(name: str) -> Vector:
        return np.concatenate(
            [np.mean([getattr(game, name) for game in games], axis=0) for games in shuffles]
        )

    one = shuffles[0][0]
    return Scores(
        error=gather("error"),
        queries=gather("queries"),
        updates=gather("updates"),
        curve=gather("curve"),
        checkpoints=one.checkpoints,
        rounds=one.rounds,
    )
