"""What a protocol answers in one game, and the columns of the trace that keep it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    NOTHING,
    Feedback,
    Instance,
    LabelOrBit,
    OwnAnswers,
    Prediction,
    Problem,
    Reveal,
    Script,
    Scripted,
    Vector,
    feedback_interface,
)
from graphol.errors import GrapholError
from graphol.plan import KEEPABLE
from graphol.trace import Trace

TAKEN = ("meta", "file", "allow_pickle", "ticket", "correct")
"""Words that mean something else where answers are told by their name, or written to a file."""


class Answers:
    """The labels or bits of one game: asked round by round, it fills the columns.

    ``problem.rng`` is the protocol's own.
    """

    def __init__(self, feedback: LabelOrBit, problem: Problem, rounds: int) -> None:
        self.feedback: Any = feedback
        self.problem = problem
        self.answered = np.zeros(rounds, dtype=bool)
        self.revealed: Vector = np.full(rounds, np.nan)
        self.own: dict[str, NDArray[Any]] = {}
        """The column of a protocol with answers of its own, by its name for them."""

    def __call__(self, instance: Instance, truth: float, prediction: Prediction) -> Reveal:
        """What the learner is shown in this round."""
        reveal: Reveal = self.feedback.reveal(instance, truth, prediction, self.problem.rng)
        if reveal == NOTHING:
            return NOTHING
        shown = reveal.correct if reveal.label is None else reveal.label
        self.answered[instance.t], self.revealed[instance.t] = True, shown
        return reveal


class _OtherAnswers(Answers):
    """Answers that are neither labels nor bits, each checked against the column it goes to."""

    def __init__(self, feedback: OwnAnswers, problem: Problem, rounds: int) -> None:
        super().__init__(feedback, problem, rounds)  # type: ignore[arg-type]
        name, self.blank = feedback.reveals, np.asarray(feedback.blank(problem))
        if name in (*Trace.columns(), *KEEPABLE):
            raise GrapholError(
                f"{feedback.name}: a trace has a column {name!r} already; give `reveals` another "
                "name"
            )
        if name in TAKEN or not name.isidentifier():
            raise GrapholError(
                f"{feedback.name}: answers cannot be called {name!r}; give `reveals` another name, "
                "a word as for a keyword"
            )
        if self.blank.dtype.kind not in "biuf":
            raise GrapholError(
                f"{feedback.name}: a trace keeps numbers and bits; `blank` gives {self.blank.dtype}"
            )
        self.column = np.tile(self.blank, (rounds, *(1,) * self.blank.ndim))
        self.own[name] = self.column

    def __call__(self, instance: Instance, truth: float, prediction: Prediction) -> Reveal:
        """What the learner is shown in this round."""
        feedback, t = self.feedback, instance.t
        answer = feedback.answer(self.problem, instance, truth, prediction, self.problem.rng)
        if answer is None:
            return NOTHING
        shape, dtype = np.shape(answer), np.asarray(answer).dtype
        if shape != self.blank.shape or not np.can_cast(dtype, self.blank.dtype, "same_kind"):
            raise GrapholError(
                f"{feedback.name} answered {dtype} of shape {shape} in round {t}, but its `blank` "
                f"is {self.blank.dtype} of shape {self.blank.shape}"
            )
        self.answered[t], self.column[t] = True, answer
        return Reveal(answer=np.array(answer), kind=feedback.reveals)  # it may come late


def answers(feedback: Feedback, problem: Problem, rounds: int) -> Answers:
    """The answers of a protocol in one game of so many rounds."""
    labels = feedback_interface(feedback.reveals) is LabelOrBit
    kind: Any = Answers if labels else _OtherAnswers
    made: Answers = kind(feedback, problem, rounds)
    return made


def script_of(
    feedback: LabelOrBit, problem: Problem, truth: NDArray[Any], rng: np.random.Generator
) -> Script | None:
    """All answers of a protocol, if they do not depend on predictions; a plugin's are checked."""
    T, name = len(truth), feedback.name
    if not isinstance(feedback, Scripted):
        mask = feedback.answered(T, rng)
        return None if mask is None else Script(truth_values(mask, T, f"{name}: answered"))
    shown = truth.copy()  # the games go on with the truth
    shown.setflags(write=False)
    found = feedback.script(problem, shown, rng)
    if found is None:
        return None
    if not isinstance(found, Script):
        raise GrapholError(
            f"{name}: script must give a graphol.Script or None, got {type(found).__name__}"
        )
    label, flipped = found.label, found.flipped
    if label is not None:
        label = _labels(label, problem, T, name)
    if flipped is not None:
        if feedback.reveals != "bit":
            raise GrapholError(f"{name}: bits can be flipped, but it reveals a {feedback.reveals}")
        flipped = truth_values(flipped, T, f"{name}: flipped in script")
    return Script(truth_values(found.answered, T, f"{name}: answered in script"), label, flipped)


def truth_values(found: Any, rounds: int, what: str) -> NDArray[np.bool_]:
    """A protocol's word on every round, checked: a plugin may have written it."""
    mask = np.asarray(found)
    if mask.shape != (rounds,) or mask.dtype != np.bool_:
        raise GrapholError(
            f"{what}({rounds}) must give {rounds} truth values, got {mask.dtype} of shape "
            f"{mask.shape}"
        )
    return mask


def _labels(found: Any, problem: Problem, rounds: int, name: str) -> NDArray[Any]:
    """Labels of this game; compiled code would look them up without asking."""
    label = np.asarray(found)
    good = label.shape == (rounds,) and label.dtype.kind in "biuf"
    if good and problem.target == "classes":
        good = bool(((label >= 0) & (label < (problem.n_classes or 0)) & (label % 1 == 0)).all())
    elif good and problem.target == "signs":
        good = bool((np.abs(label) == 1).all())
    elif good:
        good = bool(np.isfinite(label).all())
    if not good:
        raise GrapholError(
            f"{name}: label in script must be {rounds} {problem.target} of this game, got "
            f"{label.dtype} of shape {label.shape}"
        )
    return label
