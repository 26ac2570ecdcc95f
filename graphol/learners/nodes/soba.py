"""SOBA: second-order online bandit."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Instance, Matrix, Played, Prediction, Problem, Reveal, Stretch
from graphol.bases.draws import Exploring, chance, explore, seed_from, stretch_of, uniform
from graphol.bases.inverse import check_inverse, rival
from graphol.bases.rules import Rule, play
from graphol.params import param


class State(NamedTuple):
    """One inverse over all pairs (class, dimension), the models, a running sum and a seed."""

    P: Matrix  # A⁻¹, (K d, K d)
    W: Matrix  # (K, d)
    theta: Matrix  # (K, d); W = A⁻¹ theta
    surplus: NDArray[np.float64]  # sum of n_s m_s so far, (1,)
    seed: int


@attrs.frozen
class Soba(Exploring):
    r"""Second-order bandit with sqrt(T) regret: learns from right answers only.

    With :math:`\hat y = \arg\max_k w_k^\top x` it plays :math:`\tilde y` drawn from
    :math:`p_k = (1 - \gamma) 1[k = \hat y] + \gamma / K`. If that was wrong, nothing happens. If it
    was right, so :math:`y = \tilde y`, let :math:`\bar y` be the best-scored other class and

    .. math:: g = \frac{1}{p_y} (e_{\bar y} - e_y) \otimes x, \qquad z = \sqrt{p_y}\, g, \qquad
              m = \frac{\langle W, z\rangle^2 + 2 \langle W, g \rangle}{1 + z^\top A^{-1} z} .

    If the sum of all accepted m so far, this one included, is not negative, it is accepted:
    :math:`A \leftarrow A + z z^\top`, :math:`\theta \leftarrow \theta - g` and
    :math:`W = A^{-1} \theta`, with :math:`A = aI` at first.

    A is Kd x Kd, so an accepted round costs O(K²d²) and the state is as large: 4 MB for K = 7 and
    d = 100, 98 MB for d = 500. It counts as two class models.

    Parameters
    ----------
    a
        Ridge, > 0: the larger, the longer right answers change little.

    Examples
    --------
    >>> import graphol
    >>> trace = graphol.simulate("soba", dataset="sbm", repeats=1).traces[0]
    >>> learnt = trace.updates > 0
    >>> bool((trace.predicted == trace.label)[learnt].all()), trace.error_rate < 0.5
    (True, True)

    References
    ----------
    Beygelzimer, Orabona, Zhang. Efficient online bandit multiclass learning with O(sqrt T) regret.
    ICML 2017.

    Deviation: none known in the algorithm, which was checked against two public implementations
    (both keep the diagonal of A only; this keeps all of it). Draws are a hash of a seed and the
    round, see graphol.bases.draws.
    """

    name: ClassVar[str] = "soba"
    hears_flips: ClassVar[bool] = True
    keeps_scores: ClassVar[bool] = True
    a: float = param(1.0, above=0)

    def start(self, problem: Problem) -> State:
        """A = a I, all models zero."""
        K, d = problem.n_classes or 1, problem.dim
        zeros = np.zeros((K, d))
        P = np.eye(K * d) / self.a
        return State(P, zeros, zeros.copy(), np.zeros(1), seed_from(problem.rng))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The best class, or now and then any."""
        scores = state.W @ instance.x
        best, draw = int(np.argmax(scores)), uniform(state.seed, instance.t)
        return Prediction(explore(best, len(scores), draw, self.gamma), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """All models, after a right answer that the running sum accepts."""
        if not reveal.right(prediction):
            return 0
        K, d = state.W.shape
        x, y = instance.x, int(prediction.label)
        f = state.W @ x
        other = rival(f, y)
        p = chance(y, int(np.argmax(f)), K, self.gamma)
        columns = state.P.reshape(K * d, K, d)
        u = np.sqrt(1 / p) * (columns[:, other] @ x - columns[:, y] @ x)  # A⁻¹ z
        U = u.reshape(K, d)
        leverage = np.sqrt(1 / p) * float((U[other] - U[y]) @ x)  # z'A⁻¹z
        difference = float(f[other] - f[y])
        m = (difference**2 / p + 2 * difference / p) / (1 + leverage)
        if state.surplus[0] + m < 0:
            return 0
        state.surplus[0] += m
        state.theta[other] -= x / p
        state.theta[y] += x / p
        state.P[...] -= np.outer(u, u) / (1 + leverage)
        # W = A⁻¹ theta, by rank one: A⁻¹ g = u / sqrt(p), and u'theta_old = <W, z>
        wz = difference / np.sqrt(p)
        gain = (wz + 1 / np.sqrt(p)) / (1 + leverage)
        state.W[...] -= gain * U
        return 2

    def check_state(self, state: State, nodes: int) -> None:
        """The inverse is symmetric, and no larger than at the start."""
        check_inverse(state.P, 1 / self.a)

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled."""
        from graphol.compiled import soba

        numbers = stretch_of(state.seed, stretch.first, len(stretch.row))
        shared: dict[str, Rule] = {"explore": explore, "chance": chance, "rival": rival}
        play(
            self.name, soba.play, shared, stretch,
            *state[:4], stretch, numbers, self.gamma, out,
        )  # fmt: skip
