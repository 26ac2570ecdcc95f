"""Learners that play under another: what they are asked and told, and what if one fails."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Compiled,
    Instance,
    Integers,
    KeepsScores,
    Learner,
    Matrix,
    NotCompiled,
    Played,
    Prediction,
    Reveal,
    State,
    Stretch,
)
from graphol.errors import in_one_line

PLAYS, ASIDE, FAILED, NO_NUMBERS, TOO_FEW, NEVER = range(6)
"""Where a member stands: it plays, it stands aside for good, it failed in one of three ways, or it
never played: then its state is empty."""
WHY = {FAILED: "it failed", NO_NUMBERS: "it gave scores that are no numbers",
       TOO_FEW: "it gave no score for every class",
       NEVER: "the graph is too large for it"}  # fmt: skip


class Heard(NamedTuple):
    """What one member said, or why not."""

    prediction: Prediction | None
    standing: int = PLAYS
    reason: str = ""


def ask(member: Learner, own: State, instance: Instance, K: int) -> Heard:
    """What a member predicts, with K finite scores; whatever it does instead is its failure."""
    try:
        said: Any = member.predict(own, instance)
    except Exception as failure:
        return Heard(None, FAILED, in_one_line(failure))
    if not isinstance(said, Prediction):
        return Heard(None, FAILED, f"it predicted a {type(said).__name__}, no Prediction")
    if said.scores is None or np.shape(said.scores) != (K,):
        return Heard(None, TOO_FEW)
    scores = np.asarray(said.scores)
    if scores.dtype.kind not in "fiub" or not np.isfinite(scores).all():
        return Heard(None, NO_NUMBERS)
    return Heard(said)


def told(member: Learner, mine: Prediction, said: int, reveal: Reveal, K: int) -> Any:
    """An answer about what was said, in words that a member understands; None if there are none.

    It is the prediction that the member is to learn from, and the answer to that. Who learns from
    bits alone is told of a label as if it had said it; who learns from labels alone hears nothing
    of a wrong answer, unless only one class is left.
    """
    words, label = member.learns_from, label_of(said, reveal, K)
    if reveal.label is None and "bit" in words:
        return mine._replace(label=said, query=True), Reveal(correct=reveal.correct)
    if label is None:
        return None
    if "label" in words:
        return (mine, Reveal(label=label)) if mine.query else None
    return mine._replace(label=label, query=True), Reveal(correct=True)


def label_of(said: int, reveal: Reveal, K: int) -> int | None:
    """The label that an answer comes to, if it does."""
    if reveal.label is not None:
        return int(reveal.label)
    if reveal.correct:
        return said
    return 1 - said if K == 2 else None


def teach(member: Learner, own: State, instance: Instance, answer: Any) -> tuple[int, str]:
    """How many models changed, and why it failed, if it did."""
    if answer is None:
        return 0, ""
    try:
        models: Any = member.update(own, instance, *answer)
    except Exception as failure:
        return 0, in_one_line(failure)
    if not isinstance(models, int | np.integer) or models < 0:
        return 0, f"it updated {str(models)[:20]!r} models, which is no number of them"
    return int(models), ""


class Alone(NamedTuple):
    """What a member said in a stretch of rounds with labels, and the first in which it failed."""

    scores: Matrix  # (T, K)
    updates: NDArray[np.int32]
    known: NDArray[np.bool_]
    gone: int
    standing: int
    reason: str


def play_alone(member: Learner, own: State, stretch: Stretch, K: int) -> Alone:
    """Let a member play a stretch as if it were alone: compiled, where that gives its scores."""
    T = len(stretch.node)
    out = Played(
        np.zeros(T, np.int32), np.zeros(T, np.int32), np.ones(T, bool), np.ones(T, bool),
        np.zeros((T, K)),
    )  # fmt: skip
    gone, standing, reason = T, PLAYS, ""
    keeps = isinstance(member, KeepsScores) and member.keeps_scores
    if isinstance(member, Compiled) and keeps and "label" in member.learns_from:
        try:
            member.stream(own, stretch, out)
        except NotCompiled:
            gone, standing, reason = _play_plain(member, own, stretch, out, K)
        except Exception as failure:
            gone, standing, reason = 0, FAILED, in_one_line(failure)
        else:
            odd = ~np.isfinite(out.scores).all(axis=1)
            if odd.any():
                gone, standing = int(np.argmax(odd)), NO_NUMBERS
    else:
        gone, standing, reason = _play_plain(member, own, stretch, out, K)
    return Alone(out.scores, out.updates, out.known, gone, standing, reason)


def _play_plain(
    member: Learner, own: State, stretch: Stretch, out: Played, K: int
) -> tuple[int, int, str]:
    """Round by round; the first round in which it failed, how and why."""
    T = len(stretch.node)
    for t in range(T):
        instance = instance_of(stretch, t)
        heard = ask(member, own, instance, K)
        if heard.prediction is None:
            return t, heard.standing, heard.reason
        out.scores[t] = heard.prediction.scores
        out.known[t] = heard.prediction.known
        if stretch.answered[t]:
            y = int(stretch.told[t])
            answer = told(member, heard.prediction, y, Reveal(label=y), K)
            out.updates[t], reason = teach(member, own, instance, answer)
            if reason:
                return t + 1, FAILED, reason
    return T, PLAYS, ""


def instance_of(stretch: Stretch, t: int) -> Instance:
    """The question of a round of the stretch."""
    x = stretch.rows[stretch.row[t]]
    return Instance(stretch.first + t, int(stretch.node[t]), x, int(stretch.context[t]))


def part_of(stretch: Stretch, lo: int, hi: int) -> Stretch:
    """Some of its rounds."""
    part = slice(lo, hi)
    return stretch._replace(
        row=stretch.row[part], node=stretch.node[part], context=stretch.context[part],
        told=stretch.told[part], answered=stretch.answered[part], first=stretch.first + lo,
        flipped=stretch.flipped[part],
    )  # fmt: skip


def check_standing(standing: Integers) -> None:
    """Raise ValueError where these are no standings; a file may hold anything."""
    if standing.min(initial=0) < PLAYS or standing.max(initial=0) > NEVER:
        raise ValueError("a member stands nowhere")
