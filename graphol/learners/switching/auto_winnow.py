"""A vote of everything that can follow switching labelings, with nothing to choose."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs

from graphol.api import Derived, Instance, Needs, Prediction, Problem, Reveal, Target
from graphol.bases.usual import UsualLearner
from graphol.latent import SupportTree
from graphol.learners.nodes.kernel_perceptron import KernelPerceptron
from graphol.learners.switching import weighted_majority as votes
from graphol.learners.switching.context_perceptron import ContextPerceptron
from graphol.learners.switching.gaussian_bank import GaussianBank
from graphol.learners.switching.gaussian_tasks import GaussianTasks
from graphol.learners.switching.matrix_winnow import MatrixWinnow
from graphol.learners.switching.multitask_perceptron import MultitaskPerceptron
from graphol.learners.switching.perceptron_bank import PerceptronBank
from graphol.learners.switching.weighted_majority import WeightedMajority
from graphol.params import param

WINNOWS = tuple(MatrixWinnow(eta=eta, tau=tau) for eta in (1, 4, 8) for tau in (5, 30, 100))
OVER_TIME = (
    *WINNOWS,
    KernelPerceptron(),
    PerceptronBank(K=3, beta=0.5),
    PerceptronBank(K=5, beta=1),
    GaussianBank(),
)
OVER_TASKS = (
    *WINNOWS,
    KernelPerceptron(),
    ContextPerceptron(),
    MultitaskPerceptron(),
    GaussianTasks(),
)


@attrs.frozen(eq=False)
class Voters(Derived):
    """Who votes, which depends on the game."""

    majority: WeightedMajority


class State(NamedTuple):
    """All that the members know, and how far each is trusted."""

    vote: votes.State
    voters: Voters


@attrs.frozen
class AutoWinnow(UsualLearner):
    r"""Weighted majority of matrix winnows, perceptrons and banks: needs neither K nor theta.

    The members of a game over time, or without contexts: nine ``matrix-winnow`` with
    :math:`\eta \in \{1, 4, 8\}` and :math:`\tau \in \{5, 30, 100\}`, the ``kernel-perceptron``, two
    ``perceptron-bank`` (K = 3, beta = 0.5; K = 5, beta = 1) and ``gaussian-bank``. Where contexts
    are tasks: the same winnows and the ``kernel-perceptron``, ``context-perceptron``,
    ``multitask-perceptron`` and ``gaussian-tasks``. They vote as in ``weighted-majority``.

    A round costs what the members cost one after the other.

    Parameters
    ----------
    beta
        What an error leaves of a member's weight, > 0 and at most 1.
    share
        What is shared out evenly after every answer, from 0 to 1.

    Examples
    --------
    >>> import graphol
    >>> game = {"dataset": "switching-sbm:T=300,S=4", "repeats": 2}
    >>> one, all_ = (graphol.simulate(name, **game).error_rate_mean
    ...     for name in ("kernel-perceptron", "auto-winnow"))
    >>> all_ < one
    True

    References
    ----------
    Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015.
    Littlestone, Warmuth. The weighted majority algorithm. Information and Computation, 1994.

    Deviation: the paper suggests to double an estimate of theta, whose first budget of mistakes
    already exceeds a game's rounds; here the members' mistakes decide.
    """

    name: ClassVar[str] = "auto-winnow"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    needs: ClassVar[Needs] = "gram"
    beta: float = param(0.5, above=0, most=1)
    share: float = param(0.01, least=0, most=1)

    def start(self, problem: Problem) -> State:
        """Those who can play this game, all trusted alike."""
        tasks = problem.n_contexts is not None and not isinstance(problem.latent, SupportTree)
        voters = Voters(
            WeightedMajority(OVER_TASKS if tasks else OVER_TIME, beta=self.beta, share=self.share)
        )
        return State(voters.majority.start(problem), voters)

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign of the weighted vote."""
        return state.voters.majority.predict(state.vote, instance)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """What changed in the members, and the weights."""
        return state.voters.majority.update(state.vote, instance, prediction, reveal)

    def check_state(self, state: State, nodes: int) -> None:
        """Shares of 1, and what the members check."""
        state.voters.majority.check_state(state.vote, nodes)
