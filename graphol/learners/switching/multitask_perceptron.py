"""The perceptron whose tasks learn a little from each other's mistakes."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Appendable,
    Derived,
    Finished,
    Instance,
    MistakeBound,
    Prediction,
    Problem,
    Target,
    Vector,
)
from graphol.bases.expansion import GameKernel, InContexts, KernelSumsInContexts
from graphol.bounds.switching import multitask_perceptron
from graphol.errors import UsageError
from graphol.params import param


@attrs.frozen(eq=False)
class Tasks(Derived):
    """How many tasks this game has."""

    count: int


class State(NamedTuple):
    """The nodes it erred at, each with its task and a coefficient."""

    support: Appendable  # (m,)
    contexts: Appendable  # (m,)
    coefficients: Appendable  # (m, 1)
    kernel: GameKernel
    tasks: Tasks


@attrs.frozen
class MultitaskPerceptron(KernelSumsInContexts):
    r"""Perceptron for p tasks at once: a mistake in one moves it most, and all others a little.

    Task a has the function :math:`f_a(i) = \sum_{s} y_s K(i, i_s) (A^{-1})_{a a_s}` over the
    mistakes s so far, of task :math:`a_s` each, with

    .. math:: A = (1 + b) I - \tfrac{b}{p} 1 1^\top, \qquad
              A^{-1} = \tfrac{1}{1 + b} \left( I + \tfrac{b}{p} 1 1^\top \right).

    So a mistake moves its own task by (p + b)/((1 + b) p) and every other by b/((1 + b) p). It
    predicts the sign of :math:`f_{a_t}(i_t)`, that of 0 being +1.

    The tasks are the contexts of the game, of which it must know how many there are. With m pairs
    of node and task it erred at, a round costs O(m); the state grows by three numbers a pair.

    Parameters
    ----------
    b
        How much tasks have in common, >= 0. With 0 it is ``context-perceptron``; the larger, the
        nearer it comes to one perceptron for all.

    Examples
    --------
    >>> import graphol
    >>> from graphol.tasks.schedules import Tasks as Schedule
    >>> from graphol.testing.games import switch_game
    >>> tasks = attrs.evolve(switch_game(), schedule=Schedule(rounds=300, tasks=4))
    >>> graphol.simulate("multitask-perceptron", dataset=tasks, repeats=3).error_rate_mean < 0.4
    True

    References
    ----------
    Cavallanti, Cesa-Bianchi, Gentile. Linear algorithms for online multitask classification. JMLR,
    2010.
    """

    name: ClassVar[str] = "multitask-perceptron"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    b: float = param(1.0, least=0)
    grow = None  # type: ignore[assignment]  # no classes, so no new ones

    def start(self, problem: Problem) -> State:
        """No node erred at yet, in no task."""
        if problem.n_contexts is None:
            raise UsageError(
                f"{self.name} needs to know how many tasks there are, which this game does not "
                "say; try context-perceptron"
            )
        pairs: InContexts = super().start(problem)
        return State(*pairs, tasks=Tasks(problem.n_contexts))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign of the task's function."""
        p = state.tasks.count
        if instance.context < 0:
            raise UsageError(
                f"{self.name}: a question without a context; give the task, of which there are {p}"
            )
        if instance.context >= p:
            raise UsageError(
                f"{self.name}: round {instance.t} is of task {instance.context}; there are 0 to "
                f"{p - 1}"
            )
        return super().predict(state, instance)

    def entries(self, state: State, instance: Instance) -> Vector:
        """The kernel's own times those between tasks."""
        near = np.full(len(state.contexts.values), self.b / state.tasks.count)
        near[state.contexts.values == instance.context] += 1.0
        k = state.kernel.features.gram(instance.node, state.support.values)
        return k * (near / (1 + self.b))

    def mistake_bound(self, game: Finished) -> MistakeBound | None:
        """By the labelings of all tasks and how far they are from each other."""
        return multitask_perceptron(game, self.b)

    def check_state(self, state: State, nodes: int) -> None:
        """The support are nodes in tasks of this game."""
        super().check_state(state, nodes)
        tasks = state.contexts.values
        if len(tasks) and not (tasks.min() >= 0 and tasks.max() < state.tasks.count):
            raise ValueError(f"a task is none of 0 to {state.tasks.count - 1}")
