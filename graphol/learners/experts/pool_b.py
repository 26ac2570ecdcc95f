"""The pool of learners for the game with one bit."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from graphol.learners.experts.pool import Pool
from graphol.params import param
from graphol.registry import components


@attrs.frozen
class PoolB(Pool):
    r"""The stack of pool with experts that also learn from wrong answers, for one bit.

    All is as in ``pool``, but for who is asked: two walks, ridge regression per class, and logistic
    regression and naive Bayes on neighbours. Each of them hears whether what the pool said was
    right. A wrong answer a moves the stack up :math:`\log(1 - p_a)` and charges everybody who
    believed in it.

    Parameters
    ----------
    features
        Is ``smoothed-ridge``, which reads the nodes' features, one expert more, and the leader?
    starter
        Is there a learner for few labels besides? It learns from right answers.
    trust
        Weight of the starter at first, between 0 and 1; all others share the rest evenly.
    floor
        How much of a probability is shared out evenly.
    prior
        Precision of the leaders' weights at first; that of the others is 10 times as large.
    bonus
        How much classes are favoured that were rarely said.
    rate
        Share of the answers to ask for, between 0 and 1.
    voi
        Asking, how much neighbours without a label count.
    experts
        Who is stacked, one or more: ``(walk)+(molg-b:b=20)`` on the command line, a list in Python.
    leaders
        How many experts, the first ones that play, are believed from the start.

    Examples
    --------
    >>> import graphol
    >>> pool = PoolB(experts="(walk)+(neighbour-bayes)")
    >>> pool.needs, pool.feedback
    ('graph', 'bandit')
    >>> graphol.simulate(pool, dataset="sbm:nodes=300", repeats=2).error_rate_mean < 0.3
    True

    References
    ----------
    As ``pool``; signed answers and the bonus are our own.
    """

    name: ClassVar[str] = "pool-b"
    experts: tuple[Any, ...] = components(
        "learner",
        "(walk)+(walk:lam=0.5)+(ridge-bandit)+(neighbour-logistic)+(neighbour-bayes)",
    )
    leaders: int = param(3, least=1)

    @property
    def feedback(self) -> str:
        """One bit."""
        return "bandit"
