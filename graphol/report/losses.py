"""Regret of learners over signals, in their own loss: against models on a sparse support."""

from __future__ import annotations

from functools import lru_cache

import attrs
import numpy as np

from graphol import seeding
from graphol.api import StatedBound, Vector
from graphol.bases import HeadAndTail
from graphol.bases.signal import SignalLearner
from graphol.bases.steps import HardThreshold
from graphol.bounds.sparse import Fit, connected, convex_figure, losses, refitted
from graphol.engine import play_by
from graphol.errors import UsageError
from graphol.plan import Plan
from graphol.registry import registry
from graphol.simulation import Simulation
from graphol.tasks import SignalTask

SIZE = 20
"""Nodes of the connected set where neither the truth nor the learner says how many."""


@attrs.frozen(eq=False)
class LossRegret:
    """One repeat: the learner's loss less that of fixed models that saw all samples first."""

    loss: float
    """The learner's, summed over the rounds."""
    against: dict[str, float]
    """Regret by fixed model: ``true support`` where it is known, and ``connected``."""
    convex: dict[str, float]
    """2 D L sqrt(T) of the same, an orientation."""

    def stated(self) -> tuple[StatedBound, ...]:
        """As lines of a report; none of these is proved for these learners."""
        return tuple(
            StatedBound(f"convex figure against {name}", "regret", value, self.convex[name], False)
            for name, value in self.against.items()
        )


def loss_regret(simulation: Simulation) -> tuple[LossRegret, ...]:
    """Regret of every repeat of a finished simulation over signals.

    >>> import graphol
    >>> from graphol.testing.games import signal_game
    >>> (found,) = loss_regret(graphol.simulate("graphda:s=4", signal_game(), repeats=1))
    >>> sorted(found.against), found.loss > found.against["connected"]
    (['connected', 'true support'], True)
    """
    task = simulation.task
    learner = registry().restore("learner", simulation.recipe["learner"])
    if not isinstance(task, SignalTask) or not isinstance(learner, SignalLearner):
        raise UsageError(
            "regret in loss is of learners over signals, on a task that was just played; got "
            f"{simulation.recipe['learner']['name']} on {simulation.recipe['task']}"
        )
    return tuple(_of(simulation, task, learner, i) for i in range(len(simulation.traces)))


def _of(simulation: Simulation, task: SignalTask, learner: SignalLearner, i: int) -> LossRegret:
    stream, real = simulation.stream(i), task.target == "real"
    assert stream.rows is not None
    X, y = stream.rows[stream.row], np.asarray(stream.truth, dtype=np.float64)
    scores = _scores(simulation, task, learner, i)
    own = float(losses(scores, y, real=real).sum())
    if task.support is not None:
        size = len(task.support)
    else:
        size = (learner.s if isinstance(learner, HardThreshold | HeadAndTail) else None) or SIZE
    models = _models(task, np.sort(stream.row).astype(np.int64).tobytes(), size)
    return LossRegret(
        own,
        {name: own - fit.loss for name, fit in models.items()},
        {name: convex_figure(X, y, scores, fit.w, real=real) for name, fit in models.items()},
    )


@lru_cache(maxsize=4)
def _models(task: SignalTask, which: bytes, size: int) -> dict[str, Fit]:
    """The fixed models; many learners play the same samples."""
    rows, real = np.frombuffer(which, dtype=np.int64), task.target == "real"
    X, y = task.samples[rows], np.asarray(task.truth[rows], dtype=np.float64)
    found: dict[str, Fit] = {}
    if task.support is not None:
        found["true support"] = refitted(X, y, task.support, real=real)
    rng = np.random.default_rng(size)
    found["connected"] = connected(X, y, task.graph, size, rng, real=real)
    return found


def _scores(simulation: Simulation, task: SignalTask, learner: SignalLearner, i: int) -> Vector:
    """The score before every round: the game is played once more, keeping them."""
    trace, engine = simulation.traces[i], simulation.recipe["engine"]
    if task.target == "real":
        return np.asarray(trace.predicted, dtype=np.float64)
    plan = Plan(
        rounds=len(trace), noise=engine["noise"], delay=engine["delay"], keep=("scores",),
        seed=simulation.recipe["seed"],
    )  # fmt: skip
    protocol = registry().restore("feedback", simulation.recipe["feedback"])
    rng = seeding.game(plan.seed, simulation.repeats[i])
    again = play_by(plan, task, learner, protocol, rng, lambda rounds: None).trace
    assert np.array_equal(again.predicted, trace.predicted)
    return np.asarray(again.kept["scores"][:, 0], dtype=np.float64)
