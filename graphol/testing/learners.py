"""What every learner promises."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.answers import answers
from graphol.api import (
    NOTHING,
    Bounded,
    Compiled,
    Fits,
    Growing,
    HearsFlips,
    Instance,
    KeepsScores,
    Learner,
    Problem,
    Stating,
    Task,
    Weighs,
)
from graphol.bases.layered import weights_of_layers
from graphol.bounds.hindsight import models
from graphol.engine import Run, play
from graphol.errors import UsageError
from graphol.fitting import declares
from graphol.registry import registry
from graphol.report.bounds import check_bound, finished, stated, within
from graphol.states import parts, plain, rebuilt
from graphol.tasks import NodeTask, SignalTask, SwitchTask
from graphol.testing.along import steps_equal_plain_rounds
from graphol.testing.flips import FlippedBits
from graphol.testing.games import (
    asks_nodes,
    blocks,
    game_for,
    node_game,
    random_rows,
    signal_game,
    still_game,
    switch_game,
    tasks_game,
)
from graphol.testing.saving import saves_with_open_tickets
from graphol.testing.states import arrays, same, values
from graphol.testing.validation import validation_labels_only_choose


def _play(
    learner: Learner,
    task: Task | None = None,
    *,
    feedback: Any = None,
    seed: int = 1,
    **options: Any,
) -> Run:
    feedback = registry().make("feedback", feedback or learner.feedback)
    return play(
        task or game_for(learner), learner, feedback, np.random.default_rng(seed), **options
    )


def _played(learner: Learner) -> tuple[Task, Any, Problem]:
    """A task, the state after playing it, and its problem."""
    task = game_for(learner)
    return task, _play(learner, task).state, task.problem(np.random.default_rng(0))


def declares_what_it_needs(learner: Learner) -> None:
    """A game whose parts do not fit is refused before round 1."""
    assert set(learner.targets) <= {"classes", "signs", "real"} and learner.targets
    assert set(map(type, learner.learns_from)) == {str}, "learns_from is a tuple of names"
    assert learner.needs in ("rows", "signals", "gram", "graph", "nothing")
    default = registry().make("feedback", learner.feedback)
    assert default.reveals in learner.learns_from, (
        f"its default protocol {default.name} reveals {default.reveals}, "
        f"but it learns from {learner.learns_from}"
    )


def state_is_arrays_and_scalars(learner: Learner) -> None:
    """A state can be saved as npz and json, never pickled."""
    _, state, _ = _played(learner)
    kind = type(state)
    assert issubclass(kind, tuple) and kind is not tuple, "the state must be a NamedTuple"
    for name, part in parts(state).items():
        inside = plain(part)
        array = isinstance(inside, np.ndarray) and inside.dtype != object
        assert array or isinstance(inside, int | float | bool | str), f"{name} is {type(part)}"


def predict_leaves_the_state_alone(learner: Learner) -> None:
    """Asking is free: a prediction that is never answered changes nothing."""
    task, state, _ = _played(learner)
    before = copy.deepcopy(state)
    stream = task.stream(np.random.default_rng(2))
    for t in range(len(stream)):
        learner.predict(state, stream.instance(t))
    assert same(before, state), "predict changed the state"


def predict_answers_the_same_twice(learner: Learner) -> None:
    """A prediction depends on state and instance alone."""
    task, state, _ = _played(learner)
    stream = task.stream(np.random.default_rng(2))
    for instance in map(stream.instance, range(len(stream))):
        assert learner.predict(state, instance).label == learner.predict(state, instance).label


def instances_are_only_read(learner: Learner) -> None:
    """A learner cannot spoil the data: every x it sees is read-only, and it copes with that."""
    task = game_for(learner)
    stream = task.stream(np.random.default_rng(0))
    assert stream.rows is None or not stream.rows.flags.writeable
    _play(learner, task, compiled=False)


def same_seed_same_trace(learner: Learner) -> None:
    """Results can be repeated."""
    one, two = _play(learner, seed=3), _play(learner, seed=3)
    assert np.array_equal(one.trace.predicted, two.trace.predicted), "predictions differ"
    assert np.array_equal(one.trace.updates, two.trace.updates), "updates differ"
    assert same(one.state, two.state), "final states differ"


def games_do_not_share_state(learner: Learner) -> None:
    """Repeats can run side by side."""
    task = game_for(learner)
    problem = task.problem(np.random.default_rng(0))
    one, two = learner.start(problem), learner.start(problem)
    for a, b in zip(arrays(one), arrays(two), strict=True):
        assert not np.shares_memory(a, b) or not a.flags.writeable, "two games share an array"


def counts_its_updates(learner: Learner) -> None:
    """`updates` in a table is true: the state changed if and only if the count is not zero."""
    task = game_for(learner)
    feedback = registry().make("feedback", learner.feedback)
    problem = task.problem(np.random.default_rng(0))
    state = learner.start(problem)
    stream = task.stream(np.random.default_rng(1))
    shown = answers(feedback, attrs.evolve(problem, rng=np.random.default_rng(0)), len(stream))
    for t in range(len(stream)):
        instance = stream.instance(t)
        prediction = learner.predict(state, instance)
        reveal = shown(instance, stream.truth[t].item(), prediction)
        if reveal is NOTHING:
            continue
        before = copy.deepcopy(state)
        changed = learner.update(state, instance, prediction, reveal)
        still = same(before, state)
        moved = len(instance.x) == 0 or bool(np.any(instance.x))
        assert changed or still, f"round {t}: the state changed but update returned 0"
        assert not changed or not still or not moved, (
            f"round {t}: update returned {changed} for nothing"
        )


def state_does_not_grow(learner: Learner) -> None:
    """Memory is bounded: only an array that is declared to grow gets longer with the rounds."""
    task = game_for(learner)
    sizes = [
        sum(
            part.nbytes
            for part in parts(_play(learner, task, rounds=rounds).state).values()
            if isinstance(part, np.ndarray)
        )
        for rounds in (2, 30)
    ]
    assert sizes[0] == sizes[1], f"{sizes[0]} bytes after 2 rounds, {sizes[1]} after 30"


def resumes_from_what_is_saved(learner: Learner) -> None:
    """A predictor that is saved and read goes on as if it had not stopped."""
    task, state, problem = _played(learner)
    resumed = rebuilt(learner.start(problem), copy.deepcopy(parts(state)))
    stream = task.stream(np.random.default_rng(2))
    for t, instance in enumerate(map(stream.instance, range(len(stream)))):
        one, two = learner.predict(state, instance), learner.predict(resumed, instance)
        assert one.label == two.label, f"round {t}: another prediction with the same arrays"


def plays_one_dimension_and_a_zero_vector(learner: Learner) -> None:
    """The smallest game works: d = 1, two classes, a node whose vector is zero."""
    if learner.needs != "rows" or "classes" not in learner.targets:
        return
    graph = blocks(8, K=2)
    run = _play(learner, node_game(random_rows(8, 1), graph))
    assert all(np.isfinite(a).all() for a in arrays(run.state))


def survives_delay_and_noise(learner: Learner) -> None:
    """Answers may come late, out of step with predictions, and may be wrong."""
    noise = 0.0 if learner.targets[0] == "real" else 0.3
    run = _play(learner, delay=7, noise=noise)
    assert all(np.isfinite(a).all() for a in arrays(run.state))


def learns(learner: Learner) -> None:
    """On an easy game it does better, once trained, than the best constant answer."""
    task = game_for(learner)
    if isinstance(task, SwitchTask):  # what was right in one order of play is wrong in another
        task = still_game()
    state, problem = _play(learner, task).state, task.problem(np.random.default_rng(0))
    stream = task.stream(np.random.default_rng(9))
    said = np.array([learner.predict(state, stream.instance(t)).label for t in range(len(stream))])
    if problem.target == "real":
        wrong, guess = np.mean((said - stream.truth) ** 2), np.mean(stream.truth**2)
    else:
        _, counts = np.unique(stream.truth, return_counts=True)
        wrong, guess = np.mean(said != stream.truth), 1 - counts.max() / len(said)
    assert wrong < guess, f"error {wrong:.3f} after training, {guess:.3f} by one constant answer"


def fast_path_equals_plain_loop(learner: Learner) -> None:
    """The compiled stream is the same algorithm: same predictions, same updates, same state."""
    if not isinstance(learner, Compiled):
        return
    for task, feedback in _compiled_games(learner):
        fast = _play(learner, task, feedback=feedback)
        slow = _play(learner, task, feedback=feedback, compiled=False)
        assert fast.trace.meta["compiled"] and not slow.trace.meta["compiled"]
        for column in ("predicted", "updates", "queried", "revealed"):
            one, two = getattr(fast.trace, column), getattr(slow.trace, column)
            if task.target == "real":
                same = np.isclose(one, two, rtol=1e-8, atol=1e-10, equal_nan=True)
            else:
                same = (one == two) | ((one != one) & (two != two))
            differ = np.flatnonzero(~same)
            assert len(differ) == 0, f"{column} differs first in round {differ[0]}"
        both = zip(parts(fast.state), values(fast.state), values(slow.state), strict=True)
        for name, a, b in both:
            same = a == b if isinstance(a, str) else np.allclose(a, b, rtol=1e-8, atol=1e-10)
            assert same, f"state.{name} differs"


def compiled_scores_equal_plain_ones(learner: Learner) -> None:
    """Scores that a compiled stream keeps are those of the predictions; to keep them is all."""
    keeps = isinstance(learner, KeepsScores) and learner.keeps_scores
    if not (keeps and isinstance(learner, Compiled)):
        return
    options: dict[str, Any] = {"keep": ("scores",), "rounds": 120}
    for task, feedback in _compiled_games(learner):
        fast, slow = (
            _play(learner, task, feedback=feedback, compiled=compiled, **options).trace
            for compiled in (True, False)
        )
        assert fast.meta["compiled"] and not slow.meta["compiled"]
        one, two = fast.kept["scores"], slow.kept["scores"]
        assert not np.isnan(two).all(), "it keeps scores, but predict gives none"
        same = np.isclose(one, two, rtol=1e-8, atol=1e-10, equal_nan=True).all(axis=1)
        assert same.all(), f"scores differ first in round {np.argmin(same)}"
        same = fast.predicted == slow.predicted
        assert same.all(), f"predictions differ first in round {np.argmin(same)}"


def _compiled_games(learner: Learner) -> list[tuple[Task, Any]]:
    """Games long enough for more than one block of rounds, each with its protocol."""
    games: list[Task] = []
    if "classes" in learner.targets:
        graph = blocks(200, K=5, seed=4)
        dims = (6, 40) if learner.needs not in ("graph", "nothing") else (6,)
        games += [node_game(random_rows(200, d, seed=d), graph) for d in dims]
    elif asks_nodes(learner):
        games += [switch_game(200), tasks_game(200)]
    else:
        games += [signal_game(t, rounds=200, p=p) for t in learner.targets for p in (12, 40)]
    protocols: list[Any] = [None]  # its own
    if "bit" in learner.learns_from and isinstance(learner, HearsFlips) and learner.hears_flips:
        protocols.append(FlippedBits())
    return list(itertools.product(games, protocols))


def grows_without_forgetting(learner: Learner) -> None:
    """A new class in mid-stream changes no score of the old ones."""
    if not isinstance(learner, Growing) or "classes" not in learner.targets:
        return
    task, state, problem = _played(learner)
    instance: Instance = task.stream(np.random.default_rng(3)).instance(0)
    before = learner.predict(state, instance).scores
    try:
        grown = learner.grow(state, (problem.n_classes or 0) + 2)
    except UsageError:
        return  # made of others, of which one cannot
    after = learner.predict(grown, instance).scores
    assert before is not None and after is not None and len(after) == len(before) + 2
    assert np.allclose(before, after[: len(before)], rtol=1e-12), "old classes' scores changed"


def is_not_asked_for_what_is_given(learner: Learner) -> None:
    """Labels that are given away are learnt in one go: no prediction there, none scored."""
    if not isinstance(learner, Fits) or "label" not in learner.learns_from:
        return
    seeds = registry().make("feedback", "seeds:count=20")
    run = play(game_for(learner), learner, seeds, np.random.default_rng(1))
    trace, first = run.trace, np.arange(len(run.trace)) < 20
    assert not trace.queried[first].any(), "seeds must be marked as not asked"
    assert not trace.scored[first].any() and trace.updates[19] > 0
    _, counts = np.unique(trace.label[~first], return_counts=True)
    guess = 1 - counts.max() / counts.sum()
    assert trace.error_rate < guess, f"error {trace.error_rate:.3f}, {guess:.3f} by a constant"


def weighs_layers_by_their_names(learner: Learner) -> None:
    """What layers weigh is a number >= 0 by the name of each: of graphs, or of node features."""
    if not isinstance(learner, Weighs):
        return
    one, other = blocks(), blocks(seed=1)
    layers = (one, attrs.evolve(other, name="others", labels=None, label_names=()))
    task = NodeTask(layers, "layers")
    feedback = registry().make(
        "feedback", "seeds:count=20" if isinstance(learner, Fits) else "full"
    )
    run = play(task, learner, feedback, np.random.default_rng(1))
    found = weights_of_layers(learner, run.state)
    features = {f"{word}{name}" for name in one.feature_names for word in ("", "feature ")}
    odd = found.keys() - {"blocks", "others"} - features
    assert not odd, f"{min(odd)!r} is weighed, which is no layer"
    assert {"blocks", "others"} & found.keys(), "no graph is weighed"


def stays_within_its_bound(learner: Learner) -> None:
    """What ``--regret`` prints is true: no game has more mistakes than the learner's proof allows.

    A bound on the mean is held against the mean of five games. What it states besides and calls
    proved is held against each.
    """
    task, problem = game_for(learner), game_for(learner).problem(np.random.default_rng(0))
    proved = isinstance(learner, Bounded | Stating)
    bare = problem.dim == 0 and not isinstance(task, SwitchTask)  # nothing a bound is made of
    if not proved or task.target == "real" or bare:
        return
    found, mistakes = [], []
    for repeat in range(5):
        feedback = registry().make("feedback", learner.feedback)
        trace = play(task, learner, feedback, seeding.game(0, repeat)).trace
        stream = task.stream(seeding.order(0, repeat))
        y = np.asarray(trace.label, dtype=np.int64)
        X = np.zeros((len(y), 0)) if stream.rows is None else stream.rows[stream.row]
        fixed = models(X, y, problem.n_classes).values() if problem.dim else ()
        game = finished(trace, X, problem.n_classes, fixed, task, stream)
        found.append(check_bound(learner, trace, game))
        mistakes.append(trace.n_mistakes)
        assert found[-1].holds is not False, f"game {repeat}: {found[-1].why}"
        for bound in stated(learner, trace, game):
            assert not bound.proved or within(bound.measured, bound.value), (
                f"game {repeat}: {bound.what} of {bound.measured:.1f}, but {bound.name} of "
                f"{bound.value:.1f}"
            )
    most = np.mean([each.value for each in found])
    assert not found[0].mean_only or np.mean(mistakes) <= most, (
        f"{np.mean(mistakes):.1f} mistakes in the mean, but a bound of {most:.1f}"
    )


def plays_every_target_it_names(learner: Learner) -> None:
    """Each kind of game it declares is really played to the end.

    One that is made of others may refuse signals, where some of them need nodes.
    """
    for target in learner.targets:
        games: list[Task] = [node_game()] if target == "classes" else []
        if target != "classes" and learner.needs not in ("gram", "graph"):
            games.append(signal_game(target))
        if target == "signs" and learner.needs != "signals":
            games += [switch_game(), tasks_game()]
        for task in games:
            try:
                run = _play(learner, task)
            except UsageError:
                assert isinstance(task, SignalTask) and len(games) > 1, f"{task.name} is refused"
                continue
            assert len(run.trace) == len(task.stream(np.random.default_rng(0)))


def plays_every_kind_of_answer_it_names(learner: Learner) -> None:
    """It learns from each kind of answer that it declares, where a protocol gives such answers."""
    offers = registry().offers("feedback")
    own = registry().make("feedback", learner.feedback)
    usual = {"label": "full", "bit": "bandit"} | {own.reveals: learner.feedback}
    for kind in learner.learns_from:
        others = [x for x in offers if declares("feedback", offers[x][0].cls)["reveals"] == kind]
        for name in [usual[kind]] if kind in usual else others:
            feedback = registry().make("feedback", name)
            run = play(game_for(learner), learner, feedback, np.random.default_rng(1))
            assert run.trace.updates.any(), f"{name}: it learnt nothing from {kind}"


CHECKS = [
    declares_what_it_needs,
    state_is_arrays_and_scalars,
    predict_leaves_the_state_alone,
    predict_answers_the_same_twice,
    instances_are_only_read,
    same_seed_same_trace,
    games_do_not_share_state,
    counts_its_updates,
    state_does_not_grow,
    resumes_from_what_is_saved,
    saves_with_open_tickets,
    plays_one_dimension_and_a_zero_vector,
    survives_delay_and_noise,
    learns,
    fast_path_equals_plain_loop,
    compiled_scores_equal_plain_ones,
    steps_equal_plain_rounds,
    grows_without_forgetting,
    is_not_asked_for_what_is_given,
    validation_labels_only_choose,
    weighs_layers_by_their_names,
    stays_within_its_bound,
    plays_every_target_it_names,
    plays_every_kind_of_answer_it_names,
]
