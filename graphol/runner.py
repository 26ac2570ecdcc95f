"""The only runner: learners play their repeats in an arena, by a plan."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Compiled, Embedding, Feedback, Learner, PlaysSplit, Task, Weighs
from graphol.arena import Anew, Arena, Fusings, Same, Silent, Watcher, noticed
from graphol.command import command
from graphol.engine import Progress, Run, Stops, play_by
from graphol.errors import Overflow, UsageError, shown
from graphol.fusing import FUSER, check_fuser
from graphol.guard import guard, owner_of
from graphol.matching import check_fit, check_rules
from graphol.notes import of_repeats
from graphol.params import describe
from graphol.plain import mute, why_plain
from graphol.plan import Plan
from graphol.registry import registry
from graphol.simulation import Simulation, versions
from graphol.tasks import NodeTask, OneVsRest, SequenceTask, SwitchTask
from graphol.tasks.splits import on_split
from graphol.trace import Trace
from graphol.workers import Turn, each_turn

SHOWN = 5
"""Weights of layers in a note; ``--json`` has all."""


def simulate(
    learner: str | Learner,
    dataset: Any = "digits",
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
    fuser: str | Learner | None = None,
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
    fuser
        Who weighs the layers, with ``fuse``; by default ``multi-mrf``.
    repeats, seed, rounds, noise, delay, jobs, compiled, keep, fresh_data, one_vs_rest, fuse
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
        Plan(**plan), [learner], dataset, feedback=feedback, embedding=embedding, watcher=watcher,
        fuser=fuser,
    )[0]  # fmt: skip


class Player(NamedTuple):
    """Who plays by which protocol, on which task of every repeat."""

    learner: Learner
    feedback: Feedback
    tasks: Same | Anew | Fusings


class PlayedRepeat(NamedTuple):
    """The games of one repeat."""

    runs: tuple[Run, ...]
    notes: tuple[str, ...]
    """On what was drawn for this repeat."""


@guard()
def simulate_by(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
    patient: bool = False,
    fuser: str | Learner | None = None,
) -> list[Simulation]:
    """Let every learner play the same games by a plan; one simulation per learner.

    An overflow is an error; to be ``patient`` is to leave out those to whom it happens.
    """
    return _simulate(
        plan, learners, dataset, (plan.rounds,), feedback, embedding, watcher, fuser,
        patient=patient,
    )[plan.rounds]  # fmt: skip


@guard()
def check_by(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
    fuser: str | Learner | None = None,
) -> None:
    """Refuse what :func:`simulate_by` would, and play nothing.

    The data is loaded and embedded, which an arena keeps, and every learner is started once.
    """
    arena = dataset if isinstance(dataset, Arena) else Arena(dataset, plan.seed, watcher)
    _seated(plan, learners, arena, feedback, embedding, watcher or Silent(), fuser, start=True)


@guard()
def simulate_at(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    stops: Sequence[int],
    *,
    watcher: Watcher | None = None,
) -> dict[int, list[Simulation]]:
    """What plans of so many rounds each would give, by one game of the most of them.

    A shorter game is the beginning of a longer one where answers come at once and nothing else is
    drawn, so other plans are refused. Who overflows is left out from there on.
    """
    if plan.delay or plan.noise or plan.fuse is not None:
        raise UsageError("a game with delay, noise or fusing is no beginning of a longer one")
    if not stops:
        raise UsageError("no stops; say after how many rounds to look")
    at = sorted({*stops})
    found = _simulate(plan, learners, dataset, at, None, None, watcher, None, True)
    return {stop: found[stop] for stop in at}


def _simulate(
    plan: Plan,
    learners: Sequence[str | Learner],
    dataset: Any,
    stops: Sequence[int | None],
    feedback: str | Feedback | None,
    embedding: str | Embedding | None,
    watcher: Watcher | None,
    fuser: str | Learner | None,
    patient: bool,
) -> dict[int | None, list[Simulation]]:
    """One simulation per learner for every stop, the last of which ends the game."""
    plan, watcher = attrs.evolve(plan, rounds=stops[-1]), watcher or Silent()
    arena = dataset if isinstance(dataset, Arena) else Arena(dataset, plan.seed, watcher)
    players = _seated(
        plan, learners, arena, feedback, embedding, watcher, fuser,
        start=len(learners) > 1 and not patient,
    )  # fmt: skip
    who = [player.learner for player in players]
    names = ", ".join(dict.fromkeys(each.name for each in who))
    watcher.stage(f"{'tune' if plan.held_out else 'play'} {names}")
    turns = [Turn(repeat, i) for repeat in plan.repeats for i in range(len(players))]
    threads = plan.compiled and all(isinstance(x, Compiled) and not mute(plan, x) for x in who)
    play = partial(_turn, plan, stops, players)
    played: dict[tuple[Turn, int | None], PlayedRepeat] = {}
    for turn, found in each_turn(
        play, turns, plan.jobs, watcher.rounds, threads=threads, names=[*map(_whose, who)]
    ):
        played |= {(turn, stop): each for stop, each in found.stops.items()}
        if found.overflow is not None and not patient:
            raise found.overflow
    used = versions()
    return {
        stop: [
            simulation_of(
                attrs.evolve(plan, rounds=stop), arena, player,
                [played[Turn(r, i), stop] for r in plan.repeats], used,
            )
            for i, player in enumerate(players)
            if all((Turn(r, i), stop) in played for r in plan.repeats)
        ]
        for stop in stops
    }  # fmt: skip


def _seated(
    plan: Plan,
    learners: Sequence[str | Learner],
    arena: Arena,
    feedback: str | Feedback | None,
    embedding: str | Embedding | None,
    watcher: Watcher,
    fuser: str | Learner | None,
    *,
    start: bool,
) -> list[Player]:
    """Who plays, by which protocol, on what: all that can be refused is refused here."""
    make = registry().make
    who: list[Learner] = [make("learner", each) for each in learners]
    protocols: list[Feedback] = [
        make("feedback", each.feedback if feedback is None else feedback) for each in who
    ]
    for learner, protocol in zip(who, protocols, strict=True):
        check_rules(learner, protocol)
    if not plan.fresh_data:
        for protocol in protocols:  # before anything is embedded
            on_split(arena.loaded, protocol, seeding.learner(plan.seed))
    players: list[Player] = []
    for learner, protocol in zip(who, protocols, strict=True):
        tasks: Same | Anew | Fusings
        if plan.fuse is None:
            if fuser is not None:
                raise UsageError(
                    "a fuser needs labels to weigh layers by; say how many, --fuse 100"
                )
            arena.task(learner, embedding, plan=plan)  # refuses what is not to be embedded
            tasks = arena.tasks(learner, embedding, plan)
        else:
            weighing = make("learner", FUSER if fuser is None else fuser)
            check_fuser(weighing)
            watcher.stage(f"fuse by {weighing.name}")
            tasks = arena.fusings(learner, embedding, arena.fusing(weighing, protocol, plan))
        players.append(Player(learner, protocol, tasks))
        game = games(plan, tasks(plan.repeats[0]).task)[0]
        problem = game.problem(seeding.learner(plan.seed))
        check_fit(game.target, game.name, problem, learner)
        if start:
            learner.start(problem)  # nobody waits for a game to hear that another cannot play
    return players


def _whose(learner: Learner) -> str:
    owner = owner_of(type(learner).__module__)
    return f"{learner.name} of {owner}" if owner else learner.name


class _Turned(NamedTuple):
    """What a turn left."""

    stops: dict[int | None, PlayedRepeat]
    overflow: Overflow | None
    """Why the later stops are missing, if they are."""


def _turn(
    plan: Plan,
    stops: Sequence[int | None],
    players: Sequence[Player],
    turn: Turn,
    progress: Progress,
) -> _Turned:
    """The runs of one repeat up to every stop, without their states."""
    learner, feedback, tasks = players[turn.player]
    task = tasks(turn.repeat).task
    runs: dict[int | None, list[Run]] = {stop: [] for stop in stops}

    def keep(run: Run) -> None:
        runs[len(run.trace)].append(run._replace(state=None))

    overflow = None
    try:
        for game in games(plan, task):
            last = play_by(
                plan, game, learner, feedback,
                seeding.game(plan.seed, turn.repeat, held_out=plan.held_out), progress,
                Stops(frozenset(stop for stop in stops[:-1] if stop is not None), keep),
            )  # fmt: skip
            for stop in stops:  # all that lie beyond the end see the end
                if stop == stops[-1] or (stop is not None and stop >= len(last.trace)):
                    trace = attrs.evolve(last.trace, meta=dict(last.trace.meta))
                    runs[stop].append(last._replace(state=None, trace=trace))
    except Overflow as reason:
        overflow = reason
    whole = {
        stop: tuple(each) for stop, each in runs.items() if len(each) == len(games(plan, task))
    }
    if isinstance(tasks, Fusings):
        for run in (run for each in whole.values() for run in each):
            run.trace.meta["fused"] = tasks.fusing(turn.repeat).weights
    played = {}
    for stop, each in whole.items():
        asked = attrs.evolve(plan, rounds=stop)
        # what is made for this repeat is dropped after it: now, or never
        played[stop] = PlayedRepeat(each, _about(asked, task, each) if _each_its_own(plan) else ())
    return _Turned(played, overflow)


def _each_its_own(plan: Plan) -> bool:
    """Has every repeat a task of its own?"""
    return plan.fresh_data or plan.fuse is not None


def games(plan: Plan, task: Task) -> list[Task]:
    """The games of one repeat: that of all classes, or one for every class that occurs."""
    if not plan.one_vs_rest:
        return [task]
    if not isinstance(task, NodeTask):
        raise UsageError(f"{task.name} is no graph with classes of nodes; leave --one-vs-rest out")
    assert task.graph.labels is not None
    return [OneVsRest(task, int(k)) for k in np.unique(task.graph.labels) if k >= 0]


def simulation_of(
    plan: Plan,
    arena: Arena,
    player: Player,
    repeats: Sequence[PlayedRepeat],
    used: dict[str, str],
    rules: Mapping[str, Any] = MappingProxyType({}),
) -> Simulation:
    """What these games leave; ``rules`` are those beside the plan's."""
    embedding, played_on = player.tasks(plan.repeats[0])
    task = played_on if plan.fuse is None else arena.loaded
    recipe: dict[str, Any] = {
        "learner": describe(player.learner),
        "dataset": arena.source,
        "task": task.name,
        "target": games(plan, task)[0].target,
        "classes": list(task.graph.label_names),
        "feedback": describe(player.feedback),
        "embedding": None if embedding is None else describe(embedding),
        "engine": plan.recipe() | dict(rules),
        "seed": plan.seed,
        "graph_hash": task.graph.hash,
        **(task.hashes if isinstance(task, NodeTask | SwitchTask | SequenceTask) else {}),
        **_layers(task),
        **_split(task, player.feedback),
        **_fuser(player.tasks),
        "versions": used,
    }
    recipe["command"] = None if arena.dataset is None else command(recipe, registry().files)
    for repeat, (runs, _) in zip(plan.repeats, repeats, strict=True):
        for game, run in enumerate(runs):
            run.trace.meta.update(recipe, repeat=repeat, game=game)
    played = [run for runs, _ in repeats for run in runs]
    if _each_its_own(plan):
        notes = of_repeats(dict(zip(plan.repeats, (each.notes for each in repeats), strict=True)))
    else:
        notes = _about(plan, task, repeats[0].runs, given=arena.dataset is None)
    one = not plan.one_vs_rest and (len(repeats) == 1 or not _each_its_own(plan))
    return Simulation(
        tuple(run.trace for run in played),
        tuple(run.scores for run in played),
        recipe,
        (
            *notes,
            *_as_played(plan, player, task, [run.trace for run in played]),
            *_told(player.learner, plan.repeats, played),
        ),
        played_on if one else None,
        tuple(run.weights for run in played),
        games=len(repeats[0].runs),
        drawn=None if one or plan.one_vs_rest else partial(_drawn, player.tasks),
        feedback=player.feedback,
    )


def _about(plan: Plan, task: Task, runs: Sequence[Run], *, given: bool = False) -> tuple[str, ...]:
    """What is odd about a task and its rounds; ``given`` as a value, it has no options."""
    return (
        *task.graph.notes,
        *noticed(
            task.graph,
            task.features if isinstance(task, NodeTask | SwitchTask | SequenceTask) else None,
            "graph.largest_component()" if given else "--component largest",
        ),
        *_short_stream(plan.rounds, len(runs[0].trace)),
    )


def _layers(task: Task) -> dict[str, Any]:
    """Every layer of a game that has several."""
    if not isinstance(task, NodeTask) or len(task.graphs) == 1:
        return {}
    layers = [
        {"name": each.name, "hash": each.hash, "edges": each.n_edges, "isolated": each.n_isolated}
        for each in task.graphs
    ]
    return {"layers": layers}


def _split(task: Task, feedback: Feedback) -> dict[str, Any]:
    """Which split was played, if it came with the data."""
    if not isinstance(feedback, PlaysSplit) or feedback.wish is None or not feedback.wish.fixed:
        return {}
    assert isinstance(task, NodeTask) and task.split is not None
    parts = repr([np.sort(part).tolist() for part in task.split])
    return {"split_hash": hashlib.sha256(parts.encode()).hexdigest()[:16]}


def _fuser(tasks: Same | Anew | Fusings) -> dict[str, Any]:
    return {"fuser": describe(tasks.fusing.learner)} if isinstance(tasks, Fusings) else {}


def _drawn(tasks: Same | Anew | Fusings, repeat: int) -> Task:
    return tasks(repeat).task


def _as_played(plan: Plan, player: Player, task: Task, traces: Sequence[Trace]) -> Iterator[str]:
    learner, feedback, _ = player
    if isinstance(task, SequenceTask) and len(traces) > 1:
        yield "the rounds are given, so every repeat plays the same in the same order"
    if plan.fuse is not None:
        yield (
            f"the first {plan.fuse} label(s) of every repeat weigh the layers, and are not scored"
        )
    elif isinstance(task, NodeTask) and len(task.graphs) > 1 and not isinstance(learner, Weighs):
        yield (
            f"{learner.name} knows one graph: the {len(task.graphs)} layers are added up, each "
            "with weight 1"
        )
    fixed = isinstance(feedback, PlaysSplit) and feedback.wish and feedback.wish.fixed
    if fixed and len(traces) > 1:
        yield "the split is given, so repeats differ in the order of play alone"
    if feedback.on_request and all(trace.queried.all() for trace in traces):
        yield f"{learner.name} asked in every round, so {feedback.name} feedback kept nothing back"
    if not all(trace.meta["compiled"] for trace in traces):
        said = why_plain(plan, task, learner, feedback, len(traces[0]))
        if said:
            yield said


def _told(learner: Learner, repeats: range, played: Sequence[Run]) -> Iterator[str]:
    """What the learner says about how it learnt in the first game, and what layers weigh there."""
    which = f" in repeat {repeats[0]}" if len(repeats) > 1 else ""
    for note in played[0].notes:
        yield f"{learner.name}{which}: {note}"
    weights = played[0].trace.meta.get("layer_weights", {})
    if len(weights) > 1:
        first = sorted(weights.items(), key=lambda pair: -pair[1])
        said = ", ".join(f"{shown(layer)} {weight:.3g}" for layer, weight in first[:SHOWN])
        more = f", and {len(first) - SHOWN} less" if len(first) > SHOWN else ""
        yield f"{learner.name}{which}: layers weigh {said}{more}"


def _short_stream(rounds: int | None, played: int) -> Iterator[str]:
    if rounds is not None and rounds > played:
        yield f"{rounds} rounds asked for, all {played} played"
