"""Several labelings as Gaussian processes, of which a hidden Markov chain says which one holds."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Instance,
    Integers,
    Matrix,
    Needs,
    Prediction,
    Problem,
    Reveal,
    Target,
    Vector,
)
from graphol.bases.fixed_share import check_weights
from graphol.bases.gaussian import Labeling, Prior, check_noise, plus
from graphol.bases.memo import Memo
from graphol.bases.usual import UsualLearner
from graphol.params import param


class Late(NamedTuple):
    """The last rounds, whose labels no labeling has learnt yet; the oldest first."""

    node: Integers  # (lag,)
    label: Integers  # (lag,)
    posterior: Matrix  # (lag, K) of the labelings, after the round
    likelihood: Matrix  # (lag, K) of the label
    waiting: Integers  # (1,) how many there are


class State(NamedTuple):
    """The labelings, and how likely each is to hold in the next round."""

    labelings: tuple[Labeling, ...]  # K
    weights: Vector  # (K,)
    late: Late
    prior: Prior
    memo: Memo


@attrs.frozen
class GaussianBank(UsualLearner):
    r"""Bank of Gaussian processes under a hidden Markov switch: every label counts, none twice.

    Each of up to K labelings is a Gaussian process on the graph's kernel (see
    :mod:`graphol.bases.gaussian`). With mean :math:`\mu_k` and variance :math:`v_k` of a label at
    node i, labeling k gives +1 the probability

    .. math:: p_k = \epsilon + (1 - 2 \epsilon) \Phi(\mu_k / \sqrt{v_k}) ,

    and the prediction is that of the mixture :math:`\sum_k w_k p_k`. The label multiplies the
    weights by its likelihoods and, as the chain may have moved on, a share of them is spread out
    evenly: :math:`w \leftarrow (1 - \alpha) w + \alpha / K'` over the K' labelings that are open,
    those in use and one that knows nothing yet, to which a new labeling falls.

    A label is learnt by one labeling, ``lag`` rounds later: that with the largest probability given
    the labels up to then. So the first rounds after a switch do not spoil the labeling that held
    before, which is what a bank of perceptrons suffers from.

    With m labels in a labeling a round costs O(m²) for each in use. The state grows by m²/2 numbers
    a labeling.

    Parameters
    ----------
    K
        The most labelings, >= 1.
    share
        How likely a switch is, :math:`\alpha`, from 0 to 1.
    lag
        Rounds for which a label waits, >= 0.
    scale
        Prior variance of a label, > 0, where it is largest; large scales fit every label.
    noise
        Variance of the noise on a label, > 0 and at least ``scale`` / 10 000.
    doubt
        :math:`\epsilon`, how likely any label is at least, >= 1e-9 and below 1/2.

    Examples
    --------
    >>> import graphol
    >>> games = {"dataset": "switching-sbm:T=600,S=6", "repeats": 2}
    >>> one, bank = (graphol.simulate(name, **games).error_rate_mean
    ...     for name in ("perceptron-bank", "gaussian-bank"))
    >>> bank < one
    True

    References
    ----------
    Ours. The pieces: Rasmussen, Williams. Gaussian processes for machine learning. MIT Press, 2006;
    Herbster, Warmuth. Tracking the best expert. Machine Learning, 1998.
    """

    name: ClassVar[str] = "gaussian-bank"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    needs: ClassVar[Needs] = "gram"
    K: int = param(8, least=1, most=1000)
    share: float = param(0.02, least=0, most=1)
    lag: int = param(3, least=0, most=1000)
    scale: float = param(4.0, above=0, most=1e100)
    noise: float = param(0.05, above=0, most=1e100)
    doubt: float = param(0.02, least=1e-9, below=0.5)

    def __attrs_post_init__(self) -> None:
        check_noise(self.name, self.scale, self.noise)

    def start(self, problem: Problem) -> State:
        """Nothing is known about any labeling."""
        K, lag = self.K, self.lag
        return State(
            tuple(Labeling.unknown() for _ in range(K)),
            np.eye(K)[0],
            Late(
                np.zeros(lag, dtype=np.int64), np.zeros(lag, dtype=np.int64),
                np.zeros((lag, K)), np.zeros((lag, K)), np.zeros(1, dtype=np.int64),
            ),
            Prior(problem, self.scale),
            Memo(),
        )  # fmt: skip

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The sign that the mixture finds likelier; the score is its surplus over a half."""
        likely = self._plus(state, instance)
        score = float(state.weights[: len(likely)] @ likely) - 0.5
        return Prediction(1 if score >= 0 else -1, np.array([score]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The weights; and the labeling that learns the label which has waited long enough."""
        assert reveal.label is not None
        y = int(reveal.label)
        likely = self._plus(state, instance)
        state.memo.drop()
        open_ = len(likely)
        likelihood: Vector = np.zeros(self.K)
        likelihood[:open_] = likely if y > 0 else 1 - likely
        posterior = state.weights * likelihood
        posterior /= posterior.sum()
        state.weights[:] = self._moved_on(posterior, open_)
        if self.lag == 0:
            self._learn(state, instance.node, y, int(np.argmax(posterior)))
            return 2
        late, n = state.late, int(state.late.waiting[0])
        if n == self.lag:
            k = int(np.argmax(late.posterior[0] * self._looking_back(late, likelihood)))
            self._learn(state, int(late.node[0]), int(late.label[0]), k)
            for column in late[:4]:
                column[:-1] = column[1:]
            n -= 1
        late.node[n], late.label[n] = instance.node, y
        late.posterior[n], late.likelihood[n] = posterior, likelihood
        learnt = n + 1 == int(late.waiting[0])
        late.waiting[0] = n + 1
        return 1 + learnt

    def check_state(self, state: State, nodes: int) -> None:
        """Labelings of these nodes, shares of 1, and rounds that could be waiting."""
        check_weights(state.weights)
        for each in state.labelings:
            each.check(nodes, self.noise)
        late, n = state.late, int(state.late.waiting[0])
        if not 0 <= n <= self.lag:
            raise ValueError(f"{n} labels wait, at most {self.lag} can")
        inside = (late.node[:n] >= 0) & (late.node[:n] < nodes) & (np.abs(late.label[:n]) == 1)
        tables = np.concatenate([late.posterior[:n].ravel(), late.likelihood[:n].ravel()])
        if not inside.all() or (tables < 0).any() or (tables > 1 + 1e-6).any():
            raise ValueError("a label that waits is none of a node")

    def _open(self, state: State) -> int:
        """Labelings in use, and one that is not; they come into use in their order."""
        return min(self.K, 1 + sum(not each.is_unknown for each in state.labelings))

    def _plus(self, state: State, instance: Instance) -> Vector:
        """How likely +1 is under each open labeling."""
        known: Vector | None = state.memo.recall(state.weights, instance)
        if known is not None:
            return known
        labelings = state.labelings[: self._open(state)]
        likely = plus(state.prior, labelings, instance.node, self.noise, self.doubt)
        state.memo.keep(state.weights, instance, likely)
        return likely

    def _moved_on(self, posterior: Vector, open_: int) -> Vector:
        """How likely each is in the next round; the last one to open has been impossible so far."""
        spread = np.where(np.arange(self.K) < open_, 1 / open_, 0.0)
        return (1 - self.share) * posterior + self.share * spread

    def _looking_back(self, late: Late, newest: Vector) -> Vector:
        """How likely all later labels are if a labeling held in the oldest round that waits."""
        back = np.ones(self.K)
        for likelihood in (newest, *late.likelihood[:0:-1]):
            here = likelihood * back
            open_ = likelihood > 0
            back = (1 - self.share) * here + self.share * here[open_].mean()
            back /= back.max()
        return back

    def _learn(self, state: State, node: int, y: int, k: int) -> None:
        known = state.labelings[k]
        entries = state.prior.entries(node, known.nodes.values)
        known.learn(node, y, entries, state.prior.own(node), self.noise)
