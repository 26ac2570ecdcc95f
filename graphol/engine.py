"""The only loop: ask, predict, reveal, update; it fills a trace.

A learner with a compiled ``stream`` plays in one call per few thousand rounds where nothing needs
Python in between (no delay, a protocol of labels or bits that come whatever is predicted, no scores
to keep but those that the stream gives). The trace is the same, prediction by prediction; the
conformance kit proves it.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.answers import Answers, answers, script_of, truth_values
from graphol.api import (
    NO_FLIPS,
    NO_NODES,
    NO_SCORES,
    NOTHING,
    Compiled,
    Feedback,
    Fits,
    Given,
    GivesAway,
    HearsFlips,
    Integers,
    Labelled,
    LabelOrBit,
    Learner,
    Linear,
    Matrix,
    NotCompiled,
    Played,
    Problem,
    State,
    Stream,
    Stretch,
    Target,
    Task,
    Tells,
    Vector,
    Weighs,
)
from graphol.bases.layered import weights_of_layers
from graphol.clock import Clock
from graphol.errors import GrapholError, Overflow, UsageError
from graphol.matching import check_fit, check_rules
from graphol.npz import SCHEMA
from graphol.plain import mute
from graphol.plan import Plan
from graphol.states import all_finite
from graphol.tasks.scores import CALMER, LARGEST_LOSS
from graphol.tasks.splits import on_split
from graphol.trace import Trace

DEFAULT_EMBEDDING = {"rows": "spectral", "gram": "kernel"}
"""By what a learner needs; one that needs neither is not embedded for."""

SLICE, ENTRIES = 8192, 2**20
"""Rounds per compiled call; fewer where x is so long that they would hold more entries than this.
Progress is shown and Ctrl-C works in between."""

Progress = Callable[[int], None]
"""Told how many more rounds are done."""


class Run(NamedTuple):
    """A finished game, or one so far."""

    trace: Trace
    state: State
    scores: dict[str, float]
    weights: Mapping[str, Vector] = MappingProxyType({})
    """Of a linear model: its last weights and their average, the intercept at the end."""
    notes: tuple[str, ...] = ()
    """What the learner says about how it learnt."""


class Stops(NamedTuple):
    """Where to look at a game on its way, and who looks."""

    rounds: frozenset[int]
    """After so many, before the last."""
    at: Callable[[Any], None]
    """Gets what a game of so many rounds would have left; its state goes on changing."""


NO_STOPS = Stops(frozenset(), lambda run: None)


def play(
    task: Task,
    learner: Learner,
    feedback: Feedback,
    rng: np.random.Generator,
    *,
    rounds: int | None = None,
    noise: float = 0.0,
    delay: int = 0,
    compiled: bool = True,
    keep: Sequence[str] = (),
    progress: Progress = lambda rounds: None,
) -> Run:
    """Play one game.

    Parameters
    ----------
    task, learner, feedback
        Who plays what by which rules; checked against each other before round 1.
    rng
        Order of play, learner, protocol and noise draw from four independent children of it, so
        the order is the same for every learner.
    rounds
        Stop after so many; None plays the whole stream.
    noise
        Probability that an answer is about a wrong label, drawn evenly from the others.
    delay
        The answer to round t arrives after the prediction of round t + delay.
    compiled
        False forces the plain loop.
    keep
        ``("scores",)`` keeps the scores of every round; the plain loop plays if the learner's
        compiled one has none.
    progress
        Called now and then with the number of rounds done since the last call.
    """
    plan = Plan(rounds=rounds, noise=noise, delay=delay, compiled=compiled, keep=keep)
    check_rules(learner, feedback)
    return play_by(plan, task, learner, feedback, rng, progress)


def play_by(
    plan: Plan,
    task: Task,
    learner: Learner,
    feedback: Feedback,
    rng: np.random.Generator,
    progress: Progress,
    stops: Stops = NO_STOPS,
) -> Run:
    """Play one game by a plan, which is checked, as are learner and protocol together."""
    rounds, noise, delay = plan.rounds, plan.noise, plan.delay
    order_rng, learner_rng, feedback_rng, noise_rng = rng.spawn(4)
    task, feedback = on_split(task, feedback, order_rng)
    problem = task.problem(learner_rng)
    check_fit(task.target, task.name, problem, learner)
    stream = task.stream(order_rng).first(rounds)
    told = _told(stream.truth, noise, problem, noise_rng)
    if stream.validation is not None:
        nodes, truth = stream.validation
        held = Labelled(nodes, _told(truth, noise, problem, noise_rng))
    else:
        held = Labelled(NO_NODES, NO_NODES)
    state = learner.start(problem)
    given = _given(learner, feedback, stream)
    columns: dict[str, Any] | None = None
    plain = not plan.compiled or plan.delay or mute(plan, learner) or given.any()
    scores_column = _no_scores(problem, len(stream)) if "scores" in plan.keep else None
    labels = feedback.reveals in ("label", "bit")
    asked = attrs.evolve(problem, rng=feedback_rng)  # as the protocol sees it
    clock = Clock()
    odd: set[str] = set()  # what numpy would warn about, once an operation

    def finished(columns: dict[str, Any], *, fast: bool) -> Run:
        """The game so far, as if it ended here."""
        played = stream.first(len(columns["predicted"]))
        return _finished(
            plan, task, problem, learner, feedback, state, played, given[: len(played)],
            columns, odd,
            {"elapsed_ns": clock.elapsed_ns, "compiled": fast},
        )  # fmt: skip

    early = frozenset(stop for stop in stops.rounds if stop < len(stream))
    if not plain and labels and isinstance(learner, Compiled):
        assert isinstance(feedback, LabelOrBit)
        rows = stream if learner.needs not in ("graph", "nothing") else _with_rows(stream)
        halts = Stops(early, lambda columns: stops.at(finished(columns, fast=True)))
        with clock:
            columns = _play_compiled(
                learner, state, rows, told, feedback, asked, scores_column, clock, progress, halts
            )
    fast = columns is not None
    if columns is None:
        shown = answers(feedback, asked, len(stream))
        halts = Stops(early, lambda columns: stops.at(finished(columns, fast=False)))
        with clock, np.errstate(over="call", invalid="call", call=lambda what, _: odd.add(what)):
            columns = _play_plain(
                learner, state, stream, told, given, held, shown, delay, scores_column, clock,
                progress, halts,
            )  # fmt: skip
    run = finished(columns, fast=fast)
    if odd:  # and yet all that is reported is finite
        said = f"{learner.name}: {' and '.join(sorted(odd))} while playing; {CALMER}"
        warnings.warn(said, RuntimeWarning, stacklevel=2)
    return run


def _finished(
    plan: Plan,
    task: Task,
    problem: Problem,
    learner: Learner,
    feedback: Feedback,
    state: State,
    stream: Stream,
    given: NDArray[np.bool_],
    columns: dict[str, Any],
    odd: set[str],
    told: dict[str, Any],
) -> Run:
    """What is left of a game that played this stream: checked, scored, the state as it is."""
    _check_predictions(columns["predicted"], problem, learner)
    if columns["updates"].min(initial=0) < 0:
        t = int(np.argmin(columns["updates"]))
        raise GrapholError(f"{learner.name} updated {columns['updates'][t]} models in round {t}")
    if task.target != "real":
        columns["predicted"] = columns["predicted"].astype(np.int32)
    scored = _mask(feedback.scored(len(stream)), stream, feedback, "scored") & ~given
    scored[: plan.fuse or 0] = False
    if not scored.any():
        raise UsageError(
            f"{feedback.name}: none of the {len(stream)} rounds counts in the error rate; "
            "play more rounds, or give away fewer labels"
        )
    trace = Trace(
        node=stream.node,
        label=stream.truth,
        loss=_loss(stream.truth, columns["predicted"], task.target, learner),
        scored=scored,
        context=contexts(stream),
        meta=_meta(stream) | _weighed(learner, state) | told,
        **columns,
    )
    weights: dict[str, Vector] = {}
    if isinstance(learner, Linear):
        weights = {name: w.copy() for name, w in learner.weights(state).items()}
        if not all(np.isfinite(w).all() for w in weights.values()):
            raise Overflow(f"{learner.name}: its weights overflowed; {CALMER}")
        if told["compiled"] and not all_finite(state):
            odd.add("overflow")  # compiled code does not say so itself
    scores = dict(task.score(learner, state, trace))
    notes = tuple(learner.tells(state)) if isinstance(learner, Tells) else ()
    return Run(trace, state, scores, weights, notes)


def _meta(stream: Stream) -> dict[str, Any]:
    """What a trace says of its stream: a curve that is drawn of it shows the marks."""
    marks = {} if stream.marks is None else {"marks": stream.marks.tolist()}
    held = {} if stream.validation is None else {"validation": len(stream.validation.nodes)}
    return {"schema": SCHEMA} | marks | held


def _weighed(learner: Learner, state: State) -> dict[str, Any]:
    """The weights of the layers, where the learner has some."""
    if not isinstance(learner, Weighs):
        return {}
    return {"layer_weights": weights_of_layers(learner, state)}


def contexts(stream: Stream) -> Integers:
    """The context of every round, -1 where there is none."""
    if stream.context is None:
        return np.full(len(stream), -1)
    return stream.context.astype(np.int64)


def _with_rows(stream: Stream) -> Stream:
    """The stream with vectors of length 0, if it has none."""
    if stream.rows is not None:
        return stream
    return attrs.evolve(stream, rows=np.zeros((int(stream.row.max(initial=-1)) + 1, 0)))


def _told(
    truth: NDArray[Any], noise: float, problem: Problem, rng: np.random.Generator
) -> NDArray[Any]:
    """The labels that answers are about: the truth, or with noise sometimes another label."""
    if noise == 0:
        return truth
    if problem.target == "real":
        raise UsageError("noise flips labels; it has no meaning for a real target")
    wrong = rng.random(len(truth)) < noise
    if problem.target == "signs":
        return np.where(wrong, -truth, truth)
    K = problem.n_classes or 2
    return np.where(wrong, (truth + rng.integers(1, K, size=len(truth))) % K, truth)


def _given(learner: Learner, feedback: Feedback, stream: Stream) -> NDArray[np.bool_]:
    """The rounds in which the learner gets the label without being asked."""
    if isinstance(learner, Fits) and isinstance(feedback, GivesAway):
        return _mask(feedback.given(len(stream)), stream, feedback, "given")
    return np.zeros(len(stream), dtype=bool)


def _play_plain(
    learner: Learner,
    state: State,
    stream: Stream,
    told: NDArray[Any],
    given: NDArray[np.bool_],
    held: Labelled,
    shown: Answers,
    delay: int,
    scores: Matrix | None,
    clock: Clock,
    progress: Progress,
    stops: Stops,
) -> dict[str, Any]:
    """The game as the interfaces tell it."""
    T = len(stream)
    predicted = given.astype(float)  # where nothing is predicted, 1: a class, a sign, a number
    queried = np.zeros(T, dtype=bool)
    known = np.ones(T, dtype=bool)
    updates = np.zeros(T, dtype=np.int32)
    waiting: deque[tuple[Any, ...]] = deque()
    predict, update = clock.timing(learner.predict), clock.timing(learner.update)
    fit = clock.timing(learner.fit) if isinstance(learner, Fits) else None

    def deliver() -> None:
        instance, prediction, reveal = waiting.popleft()
        if reveal is not NOTHING:
            updates[instance.t] = update(state, instance, prediction, reveal)

    def hand_over(first: int) -> None:
        """Fit the labels that are given from this round on; the last of them counts the updates."""
        assert fit is not None
        last = first + int(np.argmin(np.append(given[first:], False)))
        shown.revealed[first:last] = told[first:last]
        shown.answered[first:last] = True
        updates[last - 1] = fit(state, Given(stream.node[first:last], told[first:last], *held))

    def columns(t: int) -> dict[str, Any]:
        """Of the first rounds."""
        kept = shown.own | ({} if scores is None else {"scores": scores})
        return {
            "predicted": predicted[:t], "revealed": shown.revealed[:t],
            "answered": shown.answered[:t], "queried": queried[:t], "known": known[:t],
            "updates": updates[:t], "kept": {name: column[:t] for name, column in kept.items()},
        }  # fmt: skip

    for t in range(T):
        while waiting and waiting[0][0].t < t - delay:
            deliver()
        if t in stops.rounds:
            stops.at(columns(t))
        if t % 1024 == 1023:
            progress(1024)
        if given[t]:
            if not (t and given[t - 1]):
                hand_over(t)
            continue
        instance = stream.instance(t)
        prediction = predict(state, instance)
        reveal = shown(instance, told[t].item(), prediction)
        predicted[t] = prediction.label
        if not np.isfinite(predicted[t]):
            waiting.clear()
            break  # the check that follows names the round
        queried[t], known[t] = prediction.query, prediction.known
        if scores is not None and prediction.scores is not None:
            _keep_scores(scores, t, prediction.scores, learner)
        waiting.append((instance, prediction, reveal))
    while waiting:
        deliver()
    progress(T % 1024)
    return columns(T)


def _play_compiled(
    learner: Compiled,
    state: State,
    stream: Stream,
    told: NDArray[Any],
    feedback: LabelOrBit,
    problem: Problem,
    scores: Matrix | None,
    clock: Clock,
    progress: Progress,
    stops: Stops,
) -> dict[str, Any] | None:
    """The same game, a slice of the stream at a time; None if that is not to be had here."""
    rng, real = problem.rng, problem.target == "real"
    T, before = len(stream), rng.bit_generator.state
    script = script_of(feedback, problem, told, rng)
    hears = isinstance(learner, HearsFlips) and learner.hears_flips
    rows = stream.rows
    if rows is None or script is None or (script.flipped is not None and not hears):
        rng.bit_generator.state = before  # the plain loop draws again
        return None
    mask, flipped = script.answered, NO_FLIPS if script.flipped is None else script.flipped
    whole = Stretch(
        rows=rows,
        row=np.ascontiguousarray(stream.row, dtype=np.int64),
        node=np.ascontiguousarray(stream.node, dtype=np.int64),
        context=contexts(stream),
        told=np.ascontiguousarray(
            told if script.label is None else script.label, dtype=np.float64 if real else np.int64
        ),
        answered=mask,
        first=0,
        flipped=flipped,
        bits=feedback.reveals == "bit",
    )
    out = Played(
        np.zeros(T, dtype=np.float64 if real else np.int32),
        np.zeros(T, dtype=np.int32),
        np.ones(T, dtype=np.bool_),
        np.ones(T, dtype=np.bool_),
        NO_SCORES if scores is None else scores,
    )

    def rounds(lo: int, hi: int) -> None:
        part = slice(lo, hi)
        stretch = Stretch(
            whole.rows, whole.row[part], whole.node[part], whole.context[part], whole.told[part],
            whole.answered[part], first=lo, flipped=flipped[part], bits=whole.bits,
        )  # fmt: skip
        columns = Played(
            out.predicted[part], out.updates[part], out.query[part], out.known[part],
            out.scores[part],
        )  # fmt: skip
        learner.stream(state, stretch, columns)

    try:  # compiles, or reads the compiled code from disk, before the clock starts
        rounds(0, 0)
    except NotCompiled:
        rng.bit_generator.state = before
        return None

    def columns(t: int) -> dict[str, Any]:
        """Of the first rounds."""
        predicted, query = out.predicted[:t], out.query[:t]
        answered = mask[:t] & query if feedback.on_request else mask[:t]
        shown = whole.told[:t]
        if feedback.reveals == "bit":
            shown = (shown == predicted) ^ (flipped[:t] if len(flipped) else False)
        return {
            "predicted": predicted,
            "revealed": np.where(answered, shown.astype(float), np.nan),
            "answered": answered,
            "queried": query,
            "known": out.known[:t],
            "updates": out.updates[:t],
            "kept": {} if scores is None else {"scores": scores[:t]},
        }

    size = min(SLICE, max(ENTRIES // max(rows.shape[1], 1), 1))
    played = clock.timing(rounds)
    for lo, hi in pairwise(sorted({*range(0, T, size), *stops.rounds, T})):
        played(lo, hi)
        progress(hi - lo)
        if hi in stops.rounds:
            stops.at(columns(hi))
    return columns(T)


def _no_scores(problem: Problem, rounds: int) -> Matrix:
    """A score per class and round, or one where there are no classes; NaN until it is given."""
    return np.full((rounds, problem.n_classes or 1), np.nan)


def _keep_scores(column: Matrix, t: int, scores: Vector, learner: Learner) -> None:
    if np.shape(scores) != column[t].shape:
        raise GrapholError(
            f"{learner.name} gave {np.size(scores)} scores in round {t}, there are "
            f"{column.shape[1]} to keep; leave --keep scores out"
        )
    column[t] = scores


def _mask(found: Any, stream: Stream, feedback: Feedback, what: str) -> NDArray[np.bool_]:
    return truth_values(found, len(stream), f"{feedback.name}: {what}")


def _check_predictions(predicted: NDArray[Any], problem: Problem, learner: Learner) -> None:
    """A learner that says nonsense is named, with the round it happened in."""
    bad = ~np.isfinite(predicted)
    if problem.target == "classes":
        bad |= (predicted < 0) | (predicted >= (problem.n_classes or 0)) | (predicted % 1 != 0)
    elif problem.target == "signs":
        bad |= np.abs(predicted) != 1
    if bad.any():
        t = int(np.flatnonzero(bad)[0])
        raise GrapholError(
            f"{learner.name} predicted {predicted[t]} in round {t}, which is not one of the "
            f"{problem.target} of this game; its update may have overflowed"
        )


def _loss(
    truth: NDArray[Any], predicted: NDArray[Any], target: Target, learner: Learner
) -> NDArray[np.float64]:
    if target != "real":
        return np.asarray(truth != predicted, dtype=np.float64)
    with np.errstate(over="ignore"):
        loss = np.asarray((truth - predicted) ** 2, dtype=np.float64)
    if not loss.max(initial=0.0) <= LARGEST_LOSS:
        t = int(np.argmax(loss > LARGEST_LOSS))
        raise Overflow(
            f"{learner.name} predicted {predicted[t]:g} for {truth[t]:g} in round {t}, "
            f"an error too large to be squared; {CALMER}"
        )
    return loss
