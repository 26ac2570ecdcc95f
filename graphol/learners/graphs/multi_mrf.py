"""The Gaussian field of several graphs, with the weights that make the labels likeliest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Given, Instance, Integers, Matrix, Problem, Vector
from graphol.bases.harmonic import Harmonic, beginning
from graphol.bases.layered import Fusion, read_weights, spread_weights
from graphol.bases.propagation import Propagation
from graphol.errors import UsageError, shown
from graphol.layers.learning import learn
from graphol.layers.selection import select_at
from graphol.params import LARGEST_WHOLE, param
from graphol.registry import component
from graphol.states import parts

TRIED = (100.0, 30.0, 300.0, None)
"""mu_0 that validation labels choose from; None is the likeliest."""
EVERY = 4
"""Of the weights on the way to the likeliest, one of so many is judged by validation labels."""


class Weights(NamedTuple):
    """One set of weights that was tried."""

    graphs: Vector  # (g,)
    features: Vector  # (m,), 0 where one is not used
    how: str
    """How it was found."""


class State(NamedTuple):
    """What is known, the function that follows from it, and the weights."""

    label: Integers  # (n,), -1 where not known
    F: Matrix  # (n, K)
    mass: Vector  # (K,), column sums of F
    solved: NDArray[np.bool_]  # (n,), labels in the system that is prepared
    W: Matrix  # (room, n): the inverse now is the prepared one minus W'W
    used: Integers  # (1,), rows of W
    first: Integers  # (n,), by component the first label told there, -1 if none
    graphs: Vector  # (g,), a weight for every layer
    features: Vector  # (m,), a weight for every feature, 0 where it is not used
    fusion: Fusion


@attrs.frozen
class MultiMrf(Harmonic):
    r"""Several graphs and the best features as one Gaussian field; learns what each is worth.

    Layers are the graphs and, of the node features, stars: a vertex per feature, tied to the nodes
    that have it. With weights :math:`\alpha_i \ge 0`, :math:`L = \sum_i \alpha_i L_i + \epsilon I`
    and seeds S, labels are a Gaussian field with precision :math:`\mu_0 L`, seen at the seeds with
    noise :math:`1/\mu_0`. Fitting maximises their likelihood over :math:`\alpha`,

    .. math:: K \log\det \Sigma^{-1} - \mu_0 \operatorname{tr} Y^\top \Sigma^{-1} Y, \quad
              \Sigma = I + \Pi L^{-1} \Pi^\top

    (:math:`\Pi` has the rows of I at the seeds), by L-BFGS on :math:`\log \alpha` with exact
    gradients; beyond 512 seeds by the paper's steps with random probes. Features are first chosen
    by sparse logistic regressions on the seeds. Validation labels, where there are some, choose
    :math:`\mu_0`, the number of features and how far to go; they are not learnt. Then
    :math:`(L + I_S) F = I_S Y` and the prediction is :math:`\arg\max_k q_k F_{ik}` with class-mass
    normalisation, as ``label-propagation`` has it.
    Without the determinant all weights would vanish.

    One label at a time is learnt at fixed weights: those of the last fit, or 1 for every graph.
    That is exact, one solve and a rank-one change. Fitting costs some 40 gradients, each |S|
    solves and one pass over the edges of all layers: 1 s on Cora with ten features, 10 s on
    PubMed. Where no label is within reach the class with the largest mass is guessed.

    Parameters
    ----------
    features
        How many features become stars: a number >= 0, or ``all``. Of several joined by ``+``, as
        in ``10+20``, validation labels choose one; without them the first counts.
    mu_0
        Inverse noise, > 0, or ``free`` for the likeliest. With validation labels 30, 100, 300 and
        the likeliest are tried too.
    choose
        May validation labels choose?
    weights
        ``learned``, or numbers >= 0 joined by ``+``: one for every layer and one more for all
        stars, as in ``1+0.5+2``; a single one is for all.
    method
        How weights are learned: ``exact``, ``probes``, ``paper`` (its own probes), or ``auto``.
    eps
        Ridge :math:`\epsilon` > 0.
    prior
        Class-mass normalisation: ``none``, ``uniform``, or ``seen`` for the classes' shares among
        the labels so far.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("multi-mrf", dataset="sbm", feedback="seeds", repeats=2)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Viswanathan, Sachdeva, Tomkins, Ravi. Improved semi-supervised learning with multiple graphs.
    AISTATS, 2019.

    Deviation: theirs takes steps with random probes always; the printed probes miss the ridge, ours
    have it. Which of the weights on the way is taken, validation labels choose there, too; here
    from the start on, where all layers weigh the same.
    """

    name: ClassVar[str] = "multi-mrf"
    noise: ClassVar[float] = 1.0  # type: ignore[misc]
    features: str = param("10+20")
    mu_0: Any = param(100.0, above=0, word="free")
    choose: bool = param(True)
    weights: str = param("learned")
    method: str = param("auto", choices=("auto", "exact", "probes", "paper"))
    eps: float = param(1e-4, above=0)
    prior: str = param("uniform", choices=("none", "uniform", "seen"))
    solver: Any = component("solver", "auto:columns=64,tol=1e-12")

    def __attrs_post_init__(self) -> None:
        self._sizes()
        if self.weights != "learned":
            read_weights(self.name, self.weights)

    def start(self, problem: Problem) -> State:
        """No label known; weights as given, or 1 for every graph."""
        assert problem.graph is not None and problem.n_classes is not None
        fusion = Fusion(problem, self.solver, self.noise, self.eps)
        n, g, m = problem.graph.n, len(problem.graphs), fusion.n_features
        graphs, features = np.ones(g), np.zeros(m)
        if self.weights != "learned":
            graphs = self._given(fusion)[:g]
            if self._sizes()[0] is None:
                features[:] = self._given(fusion)[g]
        return State(
            **beginning(n, problem.n_classes, n), graphs=graphs, features=features, fusion=fusion
        )

    def system(self, state: State) -> Propagation:
        """That of the state's weights."""
        return state.fusion.at(state.graphs, state.features)

    def layer_weights(self, state: State) -> Mapping[str, float]:
        """Of every graph, and of the features in use."""
        return self.system(state).weights

    def guess(self, state: State) -> Vector:
        """The classes' masses, before they are balanced: an estimate of their sizes."""
        return state.mass if state.mass.any() else super().guess(state)

    def fit(self, state: State, given: Given) -> int:
        """Weights from all labels, then F."""
        before = state.label.copy()
        state.label[given.nodes] = given.labels
        if np.array_equal(before, state.label):
            return 0
        weights = self._weights(state, given)
        self._spread(state, weights)
        state.fusion.told[:] = [weights.how]
        return int(state.F.shape[1])

    def tells(self, state: State) -> Sequence[str]:
        """How the weights of the last fit were found; that none were, where nothing was fitted."""
        if state.fusion.told or self.weights != "learned":
            return state.fusion.told
        return [
            "weights are learnt from labels that are given in one go, by --feedback seeds; "
            "here every graph counts alike"
        ]

    def check_state(self, state: State, nodes: int) -> None:
        """As its base says, and weights are weights."""
        weights = np.concatenate([state.graphs, state.features])
        if weights.min() < 0 or not weights.any():
            raise ValueError("weights of layers must be >= 0, and not all 0")
        super().check_state(state, nodes)

    def _sizes(self) -> list[int | None]:
        """Numbers of features, None for all of them."""
        try:
            found = [None if each == "all" else int(each) for each in self.features.split("+")]
        except ValueError:
            found = [-1]
        if any(size is not None and not 0 <= size <= LARGEST_WHOLE for size in found):
            raise UsageError(
                f"{self.name}: features must be a number >= 0, all, or several joined by + such "
                f"as 10+20, got {shown(self.features)}"
            )
        return found

    def _given(self, fusion: Fusion) -> Vector:
        """A weight for every graph and one for all stars."""
        more = 1 if self.features != "0" and fusion.n_features else 0
        found = spread_weights(self.name, self.weights, fusion.graphs, more)
        return found if more else np.append(found, 0.0)

    def _weights(self, state: State, given: Given) -> Weights:
        """From all labels of the state; several that were tried are judged."""
        judged = self.choose and len(given.validation_nodes) > 0
        sizes = self._sizes() if judged else self._sizes()[:1]
        tried = [weights for size in sizes for weights in self._tried(state, size, judged)]
        if len(tried) == 1:
            return tried[0]
        return max(tried, key=lambda weights: self._accuracy(state, weights, given))

    def _tried(self, state: State, size: int | None, judged: bool) -> Iterator[Weights]:
        """Weights with so many features: for the mu_0 asked for, then for others, and on the way.

        Layers that turn out to be worth nothing at all leave every graph with weight 1.
        """
        fusion, g = state.fusion, len(state.graphs)
        nodes = np.flatnonzero(state.label >= 0)
        labels = state.label[nodes]
        columns = self._columns(fusion, size, nodes, labels)
        if self.weights != "learned":
            placed = _placed(self._given(fusion)[g], columns, state.features)
            yield Weights(state.graphs, placed, "weights of layers as given")
            return
        layers = fusion.layers(columns)
        asked = None if self.mu_0 == "free" else self.mu_0
        others = [mu_0 for mu_0 in TRIED if mu_0 != asked] if judged else []
        rng = np.random.default_rng(0)  # the same labels give the same weights
        method: Any = self.method
        for mu_0 in (asked, *others):
            found = learn(layers, nodes, labels, mu_0, self.solver, rng, method, self.eps)
            last = len(found.iterates) - 1
            steps = [last, *range(0, last, EVERY)] if judged else [last]
            for step in steps:
                alpha = found.alpha if step == last else found.iterates[step]
                graphs = alpha[:g] if alpha.any() else np.ones(g)
                placed = _placed(alpha[g:], layers.feature[g:], state.features)
                how = f"weights of {len(layers)} layer(s), mu_0 = {found.mu_0:.4g}: {found.how}"
                if judged:
                    how += f"; validation labels chose step {step} of {last}"
                yield Weights(graphs, placed, how)

    def _columns(
        self, fusion: Fusion, size: int | None, nodes: Integers, labels: Integers
    ) -> Integers:
        if fusion.n_features == 0 or size == 0:
            return np.zeros(0, dtype=np.int64)
        if size is None:
            return np.arange(fusion.n_features)
        return select_at(fusion.X, nodes, labels, size)

    def _accuracy(self, state: State, weights: Weights, given: Given) -> float:
        """On the validation labels, which are not learnt."""
        copies = {name: part.copy() for name, part in parts(state).items()}
        trial = state._replace(**copies)
        self._spread(trial, weights)
        said = [self.predict(trial, Instance(0, int(v))).label for v in given.validation_nodes]
        return float(np.mean(said == given.validation_labels))

    def _spread(self, state: State, weights: Weights) -> None:
        """All labels over the layers with these weights."""
        state.graphs[:], state.features[:], state.first[:] = weights.graphs, weights.features, -1
        self.solve(state)
        state.mass[:] = np.ones(len(state.F)) @ state.F


def _placed(weights: Any, columns: Integers, features: Vector) -> Vector:
    """The weights at their columns, all else 0."""
    whole = np.zeros_like(features)
    whole[columns] = weights
    return whole
