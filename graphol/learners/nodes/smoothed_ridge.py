"""Ridge regression on the nodes' vectors and on their features, averaged over neighbours."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import (
    Derived,
    Instance,
    Matrix,
    Played,
    Prediction,
    Problem,
    Reveal,
    Steps,
    Stretch,
)
from graphol.bases import shared
from graphol.bases.feature_rows import WEIGHTINGS, feature_rows
from graphol.bases.usual import UsualLearner
from graphol.graph import Graph
from graphol.learners.nodes.ridge import Ridge
from graphol.params import param


class Rows(Derived):
    """The vectors of all nodes, those that come with the game and those made of features."""

    def __init__(self, X: Matrix) -> None:
        self.X = X  # (n, d + components)


class State(NamedTuple):
    """That of ridge regression, on longer vectors."""

    ridge: shared.State
    rows: Rows


@attrs.frozen
class SmoothedRidge(UsualLearner):
    r"""Ridge regression on vectors of nodes beside their features, averaged over neighbours.

    Features are weighted and of length 1 in every node (as in ``smoothed-logistic``), averaged
    ``steps`` times over a node and its neighbours, :math:`X \leftarrow (D + I)^{-1} (W + I) X` with
    a mean weight of 1, and replaced by the scores of their leading principal components, again of
    length 1. The nodes' own vectors, as the embedding gives them, stand beside these. All else is
    ``ridge``, its scores too.

    Before round 1: one singular value decomposition with that many components, by products with the
    sparse features. A round costs O(d² + Kd), d the length of both parts.

    Parameters
    ----------
    b
        Ridge.
    components
        How many principal components.
    steps
        How often features are averaged over neighbours.
    weighting
        ``tf-idf`` of the features, ``none``, or ``auto``: tf-idf if they are counts.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import node_game
    >>> task = node_game()  # forty nodes with words
    >>> learner, full = SmoothedRidge(components=4), graphol.make("feedback", "full")
    >>> graphol.play(task, learner, full, np.random.default_rng(0)).trace.error_rate < 0.4
    True

    References
    ----------
    Wu, Souza, Zhang, Fifty, Yu, Weinberger. Simplifying graph convolutional networks. ICML, 2019.

    Deviation: they have logistic regression of a batch on all smoothed features.
    """

    name: ClassVar[str] = "smoothed-ridge"
    keeps_scores: ClassVar[bool] = True
    b: float = param(1.0, above=0)
    components: int = param(64, least=1)
    steps: int = param(2, least=0)
    weighting: str = param("auto", choices=WEIGHTINGS)

    @property
    def _ridge(self) -> Ridge:
        return Ridge(b=self.b)

    def start(self, problem: Problem) -> State:
        """No label known; the features are averaged."""
        graph, features = problem.graph, problem.features
        assert graph is not None and features is not None and features.rows is not None
        own = principal(graph, feature_rows(graph, self.weighting, self.name), self)
        X = np.ascontiguousarray(np.hstack([features.rows, own]))
        X.setflags(write=False)
        return State(self._ridge.start(attrs.evolve(problem, dim=X.shape[1])), Rows(X))

    def predict(self, state: State, instance: Instance) -> Prediction:
        """As ridge regression."""
        return self._ridge.predict(state.ridge, _longer(state, instance))

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """As ridge regression."""
        return self._ridge.update(state.ridge, _longer(state, instance), prediction, reveal)

    def grow(self, state: State, n_classes: int) -> State:
        """New classes start at zero."""
        return state._replace(ridge=self._ridge.grow(state.ridge, n_classes))

    def check_state(self, state: State, nodes: int) -> None:
        """As ridge regression."""
        self._ridge.check_state(state.ridge, nodes)

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """The whole stretch, compiled."""
        self._ridge.stream(state.ridge, _longer_ones(state, stretch), out)

    def along(self, state: State, stretch: Stretch) -> Steps:
        """As ridge regression."""
        return self._ridge.along(state.ridge, _longer_ones(state, stretch))


def _longer(state: State, instance: Instance) -> Instance:
    return instance._replace(x=state.rows.X[instance.node])


def _longer_ones(state: State, stretch: Stretch) -> Stretch:
    return stretch._replace(rows=state.rows.X, row=stretch.node)


def principal(graph: Graph, X: Any, how: SmoothedRidge) -> Matrix:
    """Principal components of the averaged features, rows of norm 1 or 0."""
    from scipy.sparse import csr_array, diags_array, eye_array
    from scipy.sparse.linalg import LinearOperator, svds

    S = graph.adjacency
    W = csr_array(S / S.data.mean() + eye_array(graph.n))
    W = csr_array(diags_array(1.0 / W.sum(axis=1)) @ W)
    n, m = X.shape

    def averaged(v: Any) -> Any:
        v = X @ v
        for _ in range(how.steps):
            v = W @ v
        return v

    def back(u: Any) -> Any:
        for _ in range(how.steps):
            u = W.T @ u
        return X.T @ u

    mean = back(np.ones(n)) / n  # of the columns
    dim = min(how.components, n - 1, m - 1)
    if dim < 1:
        U, s = np.asarray(averaged(np.eye(m))), np.ones(m)
    else:
        centred = LinearOperator(
            (n, m),
            matvec=lambda v: averaged(v.ravel()) - mean @ v.ravel(),
            rmatvec=lambda u: back(u.ravel()) - mean * u.sum(),
            dtype=np.float64,
        )
        U, s, _ = svds(centred, k=dim, v0=np.ones(min(n, m)), solver="arpack")
    Z = U * s
    Z *= np.where(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])] < 0, -1.0, 1.0)
    size = np.linalg.norm(Z, axis=1, keepdims=True)
    found: Matrix = np.divide(Z, size, out=np.zeros_like(Z), where=size > 0)
    return found
