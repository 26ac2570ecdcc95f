"""The only runner: it loads, embeds and seeds, and lets learners play their repeats."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Compiled, Dataset, Embedding, Features, Feedback, Learner, Task
from graphol.command import command
from graphol.engine import DEFAULT_EMBEDDING, Progress, Run, check_fit, check_rules, play_by
from graphol.errors import Overflow, UsageError
from graphol.graph import Graph
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.simulation import Simulation, versions
from graphol.tasks import NodeTask, OneVsRest, SignalTask
from graphol.workers import Turn, each_turn


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
    name = embedding or DEFAULT_EMBEDDING.get(learner.needs)
    return None if name is None else registry().make("embedding", name)


def embed(embedding: Embedding, graph: Graph, seed: int) -> Features:
    """The graph's features, the same wherever it is embedded with this seed."""
    return embedding.embed(graph, seeding.embedding(seed))


class NotDrawn(UsageError):
    """Data that are read, not generated."""


class Embedded(NamedTuple):
    """A task with features, and the embedding that made them (None where none was needed)."""

    embedding: Embedding | None
    task: Task


def _embedded(task: Task, embedding: Embedding | None, seed: int) -> Embedded:
    if embedding is None:
        return Embedded(None, task)
    uses: list[Embedding] = []

    def features(graph: Graph) -> Features:
        uses.append(embedding)
        return embed(embedding, graph, seed)

    made = task.embedded(features)
    return Embedded(uses[0] if uses else None, made)


@attrs.frozen(eq=False)
class Same:
    """One task for all repeats."""

    always: Embedded

    def __call__(self, repeat: int) -> Embedded:
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
    _last: tuple[int, Embedded] | None = None

    def __call__(self, repeat: int) -> Embedded:
        """What is played in this repeat."""
        last = self._last
        if last is None or last[0] != repeat:
            last = self._last = repeat, self._draw(repeat)
        return last[1]

    def _draw(self, repeat: int) -> Embedded:
        rng = seeding.fresh_data(self.seed, repeat)
        before = rng.bit_generator.state
        task = self.dataset.load(rng)
        if rng.bit_generator.state == before:
            raise NotDrawn(
                f"{task.name} is read, not generated, so the same in every repeat; "
                "leave --fresh-data out"
            )
        if isinstance(task, SignalTask):
            task = attrs.evolve(task, given_order=True)
        return _embedded(task, self.embedding, self.seed)


class Arena:
    """A data set that is loaded once, and embedded once in every way that is asked for.

    Give it to :func:`simulate` in place of the data set to let many learners play on it.

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
        if isinstance(dataset, Graph):
            self.loaded = NodeTask((dataset,), name=dataset.name)
        elif hasattr(dataset, "stream"):
            self.loaded = dataset
        else:
            self.dataset = registry().make("dataset", dataset)

    @functools.cached_property
    def loaded(self) -> Task:
        """The task that all repeats share, without features."""
        assert self.dataset is not None
        self._watcher.stage("data")
        return self.dataset.load(seeding.data(self.seed))

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
    ) -> Embedded:
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

    def drawn(self, repeat: int) -> Task:
        """What is drawn anew in this repeat, without features."""
        return self._tasks(None, fresh=True)(repeat).task

    def _tasks(self, embedding: Embedding | None, *, fresh: bool) -> Same | Anew:
        for known, anew, tasks in self._known:
            if (known, anew) == (embedding, fresh):
                return tasks
        tasks = self._anew(embedding) if fresh else self._same(embedding)
        self._known.append((embedding, fresh, tasks))
        return tasks

    def _same(self, embedding: Embedding | None) -> Same:
        task = self.loaded
        if embedding is not None:
            self._watcher.stage("embedding")
        return Same(_embedded(task, embedding, self.seed))

    def _anew(self, embedding: Embedding | None) -> Anew:
        if self.dataset is None:
            raise UsageError(f"{self.loaded.name} is given as a value; leave fresh_data out")
        return Anew(self.dataset, embedding, self.seed)


def simulate(
    learner: str | Learner,
    dataset: Any = "digits",
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
    **plan: Any,
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
    watcher
        Is told about stages and rounds done.
    repeats, seed, rounds, noise, delay, jobs, compiled, fresh_data, one_vs_rest
        See :class:`graphol.plan.Plan`. ``repeats`` is a number, by default 10, or a range: repeat
        7 of ``range(7, 8)`` is repeat 7 of 10. Games are played at once on threads for a compiled
        learner, else in processes.

    Examples
    --------
    >>> result = simulate("molg-f", "sbm:nodes=200,classes=2", repeats=3)
    >>> len(result.traces), len(result.traces[0])
    (3, 200)
    """
    return simulate_by(
        Plan(**plan), [learner], dataset, feedback=feedback, embedding=embedding, watcher=watcher
    )[0]


def simulate_by(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
) -> list[Simulation]:
    """Let every learner play the same games by a plan; one simulation per learner."""
    found = _simulate(
        plan, learners, dataset, feedback, embedding, watcher or Silent(), patient=False
    )
    return [each for each in found if each is not None]


def rehearse(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    *,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
) -> list[Simulation | None]:
    """The same for candidates, of which some may not be fit to play: None for an overflow."""
    return _simulate(plan, learners, dataset, None, embedding, watcher or Silent(), patient=True)


class _Player(NamedTuple):
    learner: Learner
    feedback: Feedback
    tasks: Same | Anew


def _simulate(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    feedback: str | Feedback | None,
    embedding: str | Embedding | None,
    watcher: Watcher,
    *,
    patient: bool,
) -> list[Simulation | None]:
    make = registry().make
    arena = dataset if isinstance(dataset, Arena) else Arena(dataset, plan.seed, watcher)
    who: list[Learner] = [make("learner", each) for each in learners]
    protocols: list[Feedback] = [make("feedback", feedback or each.feedback) for each in who]
    for learner, protocol in zip(who, protocols, strict=True):
        check_rules(learner, protocol)
    for learner in who:
        task = arena.task(learner, embedding, plan=plan).task
        game = games(plan, task)[0]
        problem = game.problem(seeding.learner(plan.seed))
        check_fit(game.target, game.name, problem, learner)
        if len(who) > 1 and not patient:
            learner.start(problem)  # nobody waits for a game to hear that another cannot play
    players = [
        _Player(learner, protocol, arena.tasks(learner, embedding, plan))
        for learner, protocol in zip(who, protocols, strict=True)
    ]
    watcher.stage("play")
    turns = [Turn(repeat, i) for repeat in plan.repeats for i in range(len(players))]
    threads = plan.compiled and all(isinstance(each, Compiled) for each in who)
    played: dict[Turn, tuple[Run, ...] | Overflow] = {}
    for turn, runs in each_turn(
        partial(_turn, plan, players), turns, plan.jobs, watcher.rounds, threads=threads
    ):
        if isinstance(runs, Overflow) and not patient:
            raise runs
        played[turn] = runs
    used = versions()
    found: list[Simulation | None] = []
    for i, player in enumerate(players):
        repeats = [played[Turn(repeat, i)] for repeat in plan.repeats]
        fit = [runs for runs in repeats if not isinstance(runs, Overflow)]
        whole = len(fit) == len(repeats)
        found.append(_simulation(plan, arena, player, fit, used) if whole else None)
    return found


def _turn(plan: Plan, players: Sequence[_Player], turn: Turn, progress: Progress) -> Any:
    """The runs of one repeat, without their states; or why a model overflowed."""
    learner, feedback, tasks = players[turn.player]
    try:
        return tuple(
            play_by(
                plan, task, learner, feedback,
                seeding.game(plan.seed, turn.repeat, held_out=plan.held_out), progress,
            )._replace(state=None)
            for task in games(plan, tasks(turn.repeat).task)
        )  # fmt: skip
    except Overflow as reason:
        return reason


def games(plan: Plan, task: Task) -> list[Task]:
    """The games of one repeat: that of all classes, or one for every class that occurs."""
    if not plan.one_vs_rest:
        return [task]
    if not isinstance(task, NodeTask):
        raise UsageError(f"{task.name} is no graph with classes of nodes; leave --one-vs-rest out")
    assert task.graph.labels is not None
    return [OneVsRest(task, int(k)) for k in np.unique(task.graph.labels) if k >= 0]


def _simulation(
    plan: Plan,
    arena: Arena,
    player: _Player,
    repeats: Sequence[tuple[Run, ...]],
    used: dict[str, str],
) -> Simulation:
    embedding, task = player.tasks(plan.repeats[0])
    recipe: dict[str, Any] = {
        "learner": describe(player.learner),
        "dataset": arena.source,
        "task": task.name,
        "feedback": describe(player.feedback),
        "embedding": None if embedding is None else describe(embedding),
        "engine": plan.recipe(),
        "seed": plan.seed,
        "graph_hash": task.graph.hash,
        "versions": used,
    }
    recipe["command"] = None if arena.dataset is None else command(recipe, registry().files)
    for repeat, runs in zip(plan.repeats, repeats, strict=True):
        for run in runs:
            run.trace.meta.update(recipe, repeat=repeat)
    played = [run for runs in repeats for run in runs]
    one = not plan.one_vs_rest and (len(repeats) == 1 or not plan.fresh_data)
    return Simulation(
        tuple(run.trace for run in played),
        tuple(run.scores for run in played),
        recipe,
        (
            *task.graph.notes,
            *_loose_ends(task.graph, "component" in arena.source),
            *_short_stream(plan.rounds, len(played[0].trace)),
        ),
        task if one else None,
        tuple(run.weights for run in played),
        games=len(repeats[0]),
    )


def _loose_ends(graph: Graph, choice: bool) -> Iterator[str]:
    if graph.n_components > 1:
        hint = "; --component largest keeps one" if choice else ""
        yield f"{graph.n_components} components{hint}"
    if graph.n_isolated:
        yield f"{graph.n_isolated} isolated node(s)"


def _short_stream(rounds: int | None, played: int) -> Iterator[str]:
    if rounds is not None and rounds > played:
        yield f"{rounds} rounds asked for, all {played} played"
