"""Why the plain loop plays where a compiled one exists: for the notes of a simulation."""

from __future__ import annotations

import numpy as np

from graphol.api import (
    Compiled,
    Feedback,
    Fits,
    GivesAway,
    KeepsScores,
    LabelOrBit,
    Learner,
    Scripted,
    Task,
)
from graphol.plan import Plan


def why_plain(plan: Plan, task: Task, learner: Learner, feedback: Feedback, rounds: int) -> str:
    """What kept a learner with a compiled stream from using it; '' if it has none, or was told so.

    The protocol is asked about as many ``rounds`` as were played: of fewer it may know nothing.

    Rules that cannot be compiled are named by a warning already.
    """
    if not isinstance(learner, Compiled) or not plan.compiled:
        return ""
    reason = _reason(plan, task, learner, feedback, rounds)
    return reason and f"{learner.name} was played round by round, not compiled: {reason}"


def mute(plan: Plan, learner: Learner) -> bool:
    """Are scores to be kept that compiled code of this learner does not give?"""
    return bool(plan.keep) and not (isinstance(learner, KeepsScores) and learner.keeps_scores)


def _reason(plan: Plan, task: Task, learner: Learner, feedback: Feedback, rounds: int) -> str:
    if mute(plan, learner):
        return f"its compiled code gives no {' and no '.join(plan.keep)} to keep"
    if plan.delay:
        return "answers come late"
    if isinstance(learner, Fits) and isinstance(feedback, GivesAway):
        return f"{feedback.name} gives labels away"
    if not isinstance(feedback, LabelOrBit) or feedback.reveals not in ("label", "bit"):
        return f"{feedback.name} answers with {feedback.reveals}"
    features = task.problem(np.random.default_rng(0)).features
    if features is not None and features.rows is None:
        return "its embedding has kernel entries and no vectors"
    scripted = isinstance(feedback, Scripted)
    if not scripted and feedback.answered(rounds, np.random.default_rng(0)) is None:
        return f"{feedback.name} does not say beforehand which rounds it answers"
    from graphol.bases.rules import refused

    if refused(learner.name):
        return ""
    more = f" or with {feedback.name}" if scripted else ""
    return f"it has no compiled form with these parameters{more}"
