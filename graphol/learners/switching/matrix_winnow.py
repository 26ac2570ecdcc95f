"""Matrix winnow: one model for all labelings, over pairs of a node and a context."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Finished,
    GraphKernel,
    Instance,
    Integers,
    MistakeBound,
    Needs,
    Prediction,
    Problem,
    Reveal,
    StatedBound,
    Target,
    Vector,
)
from graphol.bases.eigenvalue import MOST_DENSE, largest_eigenvalue
from graphol.bases.memo import Memo
from graphol.bases.pairs import (
    GrowingTreePart,
    Latent,
    PairKernel,
    Pairs,
    TreePart,
    latent_part,
)
from graphol.bases.usual import UsualLearner
from graphol.bounds.switching import matrix_winnow, matrix_winnow_printed
from graphol.errors import UsageError
from graphol.params import param

TAU = 30.0
"""The threshold where nobody gives one."""
MOST_STEPS = 300
"""Of Lanczos; some 15 decide."""


class Decision(NamedTuple):
    """What Lanczos found out about one pair."""

    value: float
    """ln of the bound that decided."""
    alpha: Vector
    beta: Vector
    """Of the steps that it took."""
    xx: float


class State(NamedTuple):
    """The pairs that it erred at, and an upper bound on the largest eigenvalue of A."""

    pairs: Pairs
    top: Vector  # (1,)
    mistakes: Integers  # (1,)
    game: Game

    @property
    def b(self) -> float:
        """The bound, with room for rounding."""
        top = float(self.top[0])
        return top + 1e-9 * (1 + top)


class Game(PairKernel):
    """The kernels of a game, and the last decision: an update does not search for it again."""

    def __init__(self, problem: Problem, latent: Latent) -> None:
        super().__init__(problem, latent)
        assert problem.graph is not None
        self.n = problem.graph.n
        kernel: object = problem.latent
        self.p = kernel.vertices if isinstance(kernel, GraphKernel) else self.n_contexts or 0
        self.memo = Memo()

    def vertices(self, mistakes: int) -> int:
        """p, the number of vertices of the latent graph."""
        if isinstance(self.latent, GrowingTreePart):
            return self.latent.tree(mistakes).vertices
        if isinstance(self.latent, TreePart):
            return self.latent.tree.vertices
        return self.p

    def decide(self, state: State, instance: Instance, log_tau: float) -> Decision:
        """Is x' exp(A) x above the threshold?"""
        from graphol.compiled import winnow

        known: Decision | None = self.memo.recall(state.pairs.c, instance)
        if known is not None:
            return known
        node, context = instance.node, _context(state, instance)
        xx, k = self.products(state.pairs, node, context)
        value, alpha, beta = winnow.decide(
            self.support(state.pairs), xx, k, state.b, log_tau, MOST_STEPS,
            state.pairs.rank_with(node, context),
        )  # fmt: skip
        found = Decision(float(value), alpha, beta, xx)
        self.memo.keep(state.pairs.c, instance, found)
        return found


@attrs.frozen
class MatrixWinnow(UsualLearner):
    r"""Matrix exponentiated gradient over (node, context) pairs: remembers labelings that return.

    A node i in the context j (a round, a task) is a vector x with :math:`x \cdot x' =
    G_{ii'}/\rho(G) + H_{jj'}/\rho(H)`: G is the kernel of the graph, H that of a latent graph over
    the contexts, :math:`\rho` the largest diagonal entry. The paper keeps a matrix W of size n + p,
    predicts +1 if :math:`\mathrm{Tr}(W X) \ge (K + 1)/(2K\hat\theta)` with :math:`X = xx^\top/2`,
    and after a mistake multiplies: :math:`W \leftarrow \exp(\log W + \eta (y - \hat y) X)`. This is
    the same algorithm without W. With :math:`A = \sum_s \eta y_s x_s x_s^\top` over its mistakes it
    predicts

    .. math:: +1 \iff x^\top e^{A} x \ge \tau, \qquad \tau = (K + 1)(n + p)/\hat\theta ,

    so :math:`\eta` and :math:`\tau` are all there is to choose. Lanczos' method, on products of x
    alone, bounds :math:`x^\top e^A x` from below (Gauss) and from above (Gauss-Radau, at an upper
    bound of A's largest eigenvalue, which is carried along) and stops as soon as one of them
    decides: no prediction depends on a tolerance, but where the two are equal up to rounding.

    With M pairs on D distinct nodes a step costs :math:`O(D^2 + M)`, and 5 to 9 steps decide; the
    first mistake at a node costs a column of the kernel, one linear solve. The state grows by a
    pair per mistake; a pair that is erred at again changes its coefficient.

    Contexts come with the game (``leaves=given``): a round is a leaf of a binary support tree, a
    task a vertex of a clique, or of a graph of one's own. With ``leaves=mistakes``, and where the
    game has no contexts, they are the leaves of a tree that grows by one with every mistake.

    Parameters
    ----------
    eta
        Learning rate :math:`\eta` > 0 and at most 1e6, or ``theory``:
        :math:`\tfrac12 \ln\frac{K + 3}{K + 1}`, for which the bound is proved and which is far
        too low in practice.
    tau
        Threshold :math:`\tau` > 0; none: that of K and theta, or 30 where they are not given.
    K
        Number of labelings >= 2, for the theory's eta and tau; none: not told.
    theta
        :math:`\hat\theta` > 0, the theory's measure of how complex labelings and switches are;
        none: not told.
    leaves
        ``given``: contexts are those of the game; ``mistakes``: the tree's leaves are mistakes.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import switch_game
    >>> game = switch_game(rounds=200)
    >>> usual, theory = (graphol.simulate(spec, game, repeats=3).error_rate_mean
    ...     for spec in ("matrix-winnow", "matrix-winnow:eta=theory,K=3"))
    >>> usual < theory
    True

    References
    ----------
    Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015.
    Golub, Meurant. Matrices, moments and quadrature with applications. Princeton, 2010.

    Deviation: the kernel form of the algorithm, with the same predictions; ``eta`` and ``tau`` may
    be chosen freely.
    """

    name: ClassVar[str] = "matrix-winnow"
    targets: ClassVar[tuple[Target, ...]] = ("signs",)
    needs: ClassVar[Needs] = "gram"
    eta: float | str = param(8.0, above=0, most=1e6, word="theory")
    tau: float | None = param(None, above=0, type=float)
    K: int | None = param(None, least=2, type=int)
    theta: float | None = param(None, above=0, type=float)
    leaves: str = param("given", choices=("given", "mistakes"))

    def __attrs_post_init__(self) -> None:
        if self.K is None and (self.eta == "theory" or self.theta is not None):
            which = "eta=theory" if self.theta is None else "theta"
            raise UsageError(f"{self.name}: {which} needs the number of labelings K, as in K=3")
        if self.theta is not None and self.tau is not None:
            raise UsageError(f"{self.name}: tau is made of theta, so give one of them")

    @property
    def rate(self) -> float:
        """eta as a number."""
        if self.eta == "theory":
            assert self.K is not None
            return 0.5 * math.log((self.K + 3) / (self.K + 1))
        return float(self.eta)

    def start(self, problem: Problem) -> State:
        """No mistake yet."""
        latent: Latent = GrowingTreePart()
        if self.leaves == "given" and problem.latent is not None:
            latent = latent_part(problem.latent)
        game = Game(problem, latent)
        return State(Pairs.none(), np.zeros(1), np.zeros(1, dtype=np.int64), game)

    def predict(self, state: State, instance: Instance) -> Prediction:
        """Above the threshold +1; the score is ln of the bound that decided, less ln tau."""
        log_tau = self._log_tau(state)
        found = state.game.decide(state, instance, log_tau)
        margin = found.value - log_tau
        return Prediction(1 if margin >= 0 else -1, np.array([margin]))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """One pair more after a mistake; the bound on the largest eigenvalue goes along."""
        from graphol.compiled import winnow

        assert reveal.label is not None
        y = int(reveal.label)
        if prediction.label == y:
            return 0
        if y > 0:  # -x x' raises no eigenvalue
            found = state.game.decide(state, instance, self._log_tau(state))
            state.top[0] = winnow.raised(found.alpha, found.beta, found.xx, self.rate, state.b)
        state.game.memo.drop()
        state.pairs.add(instance.node, _context(state, instance), self.rate * y)
        state.mistakes[0] += 1
        if int(state.mistakes[0]).bit_count() == 1:  # a power of two; a growing tree grows here
            self._renew(state)
        return 1

    def mistake_bound(self, game: Finished) -> MistakeBound | None:
        """Theorem 1, for the theory's eta and tau and the game's own contexts."""
        told = self._told()
        return None if told is None else matrix_winnow(game, *told)

    def stated_bounds(self, game: Finished) -> list[StatedBound]:
        """Theorem 1 as it is printed."""
        told = self._told()
        return [] if told is None else matrix_winnow_printed(game, *told)

    def _told(self) -> tuple[int, float] | None:
        """K and theta, where the theorem is about what is made of them."""
        theory = self.eta == "theory" and self.leaves == "given"
        if not theory or self.K is None or self.theta is None:
            return None
        return self.K, self.theta

    def _renew(self, state: State) -> None:
        """The largest eigenvalue from scratch: carried along, its bound only rises."""
        pairs, c = state.pairs, state.pairs.c.values
        if len(c) <= MOST_DENSE:
            fresh = largest_eigenvalue(state.game.gram(pairs), c)
        else:
            fresh = 2 * float(c[c > 0].sum())  # no product is above 2: always enough
        growing = isinstance(state.game.latent, GrowingTreePart)
        state.top[0] = fresh if growing else min(fresh, float(state.top[0]))

    def _log_tau(self, state: State) -> float:
        if self.theta is None:
            return math.log(TAU if self.tau is None else self.tau)
        assert self.K is not None
        size = state.game.n + state.game.vertices(int(state.mistakes[0]))
        return math.log((self.K + 1) * size / self.theta)

    def check_state(self, state: State, nodes: int) -> None:
        """The pairs are pairs of the game, and nothing is below its least value."""
        growing = isinstance(state.game.latent, GrowingTreePart)
        state.pairs.check(nodes, int(state.mistakes[0]) if growing else state.game.n_contexts)
        if growing and len(state.pairs.contexts.values) != state.mistakes[0]:
            raise ValueError("there is not one context per mistake")
        if state.mistakes[0] < len(state.pairs.c.values) or state.top[0] < 0:
            raise ValueError("fewer mistakes than pairs, or an eigenvalue bound below 0")


def _context(state: State, instance: Instance) -> int:
    """The vertex of the latent graph."""
    if isinstance(state.game.latent, GrowingTreePart):
        return int(state.mistakes[0])
    most = state.game.n_contexts
    if instance.context < 0:
        raise UsageError(
            "matrix-winnow: a question without a context; give one of the latent graph"
        )
    if most is not None and instance.context >= most:
        raise UsageError(
            f"matrix-winnow: context {instance.context} is no vertex of the latent graph, "
            f"which has 0 to {most - 1}"
        )
    return instance.context
