"""A learner's mistake bound, held against a finished run."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import numpy as np

from graphol.api import Bounded, Finished, Learner, Matrix, StatedBound, Stating, Stream, Task
from graphol.trace import Trace

SLACK = 1e-6  # relative; rounding
ABOVE = "above T: says nothing"
"""Of a bound that allows more mistakes than there are rounds."""


@attrs.frozen
class BoundCheck:
    """What became of a bound on the mistakes of one run."""

    name: str
    """What kind of bound; '' if there is none."""
    value: float
    """The most mistakes it allows; NaN if there is none."""
    holds: bool | None
    """Are the mistakes within it? None if there is no bound, or if it is one on the mean only."""
    mean_only: bool = False
    """Is it a bound on the mean over the learner's own draws?"""
    why: str = ""
    """Why there is none, or what is wrong with the run."""


def check_bound(learner: Learner, trace: Trace, game: Finished) -> BoundCheck:
    """Do the mistakes of this run stay within the learner's bound?

    One that does not hold is a bug in the learner, in the trace or in the bound: it is returned
    with ``holds=False``, and whoever prints it must say so loudly.
    """
    if not isinstance(learner, Bounded):
        return BoundCheck("", np.nan, None, why="none known")
    why = unusual(trace)
    known = None if why else learner.mistake_bound(game)
    if known is None:
        why = why or "none known with these parameters"
        return BoundCheck("", np.nan, None, why=why)
    name, value = known.name, float(known.value)
    if known.mean_only:
        return BoundCheck(name, value, None, mean_only=True)
    m, idle = (int(np.count_nonzero(rounds)) for rounds in (game.wrong, game.wrong & ~game.learnt))
    if idle:
        return BoundCheck(name, value, False, why=f"{idle} mistake(s) that it did not learn from")
    if not within(m, value):
        return BoundCheck(name, value, False, why=f"{m} mistakes, but a bound of {value:.1f}")
    return BoundCheck(name, value, True)


def within(measured: float, value: float) -> bool:
    """Is a figure within its bound, but for rounding?"""
    return measured <= value + SLACK * (1 + abs(value))


def stated(learner: Learner, trace: Trace, game: Finished) -> tuple[StatedBound, ...]:
    """What theorems say about this game, as far as they apply to it."""
    if not isinstance(learner, Stating) or trace.meta.get("engine", {}).get("delay"):
        return ()
    labels_only = bool(unusual(trace))
    return tuple(
        bound for bound in learner.stated_bounds(game) if bound.what == "labels" or not labels_only
    )


def unusual(trace: Trace) -> str:
    """What makes the bounds not apply to a game, or ''."""
    if trace.meta.get("engine", {}).get("delay"):
        return "not applicable: answers came late"
    if not trace.answered.all():
        return "not applicable: some rounds were not answered"
    if np.isnan(trace.revealed).any():
        return "not applicable: answers were neither labels nor bits"
    bits = trace.predicted == trace.label
    if not (np.array_equal(trace.revealed, trace.label) or np.array_equal(trace.revealed, bits)):
        return "not applicable: some answers were false"
    return "" if trace.scored.all() else "not applicable: some rounds do not count"


def says(value: float, rounds: int) -> str:
    """What a bound says of so many rounds: nothing, if it is above; '' if it says something.

    >>> says(1e5, 2000), says(12.5, 2000), says(np.nan, 2000)
    ('above T: says nothing', '', '')
    """
    return ABOVE if value > rounds else ""


def finished(
    trace: Trace,
    X: Matrix,
    n_classes: int | None,
    models: Iterable[Matrix],
    task: Task | None = None,
    stream: Stream | None = None,
) -> Finished:
    """A run with its vectors and with what was hidden, as bounds see it."""
    return Finished(
        X=X,
        y=np.asarray(trace.label, dtype=np.int64),
        predicted=np.asarray(trace.predicted, dtype=np.int64),
        updates=trace.updates,
        n_classes=n_classes,
        models=tuple(models),
        bought=None if trace.answered.all() else trace.n_queries,
        task=task,
        stream=stream,
    )
