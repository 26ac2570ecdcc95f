"""Label propagation: the smoothest function on the graph that agrees with the labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Matrix, Problem, Vector
from graphol.bases.harmonic import Harmonic, beginning
from graphol.bases.layered import layer_names, on_layers, read_weights, spread_weights
from graphol.bases.propagation import Propagation
from graphol.errors import TooLargeError
from graphol.layers.edges import Layers
from graphol.params import param
from graphol.registry import component


class State(NamedTuple):
    """What is known, the function that follows from it, and what changed since the last solve."""

    label: Integers  # (n,), -1 where not known
    F: Matrix  # (n, K)
    mass: Vector  # (K,), column sums of F
    solved: NDArray[np.bool_]  # (n,), labels in the system that is prepared
    W: Matrix  # (room, n): the inverse now is the prepared one minus W'W
    used: Integers  # (1,), rows of W
    first: Integers  # (components,), the first label told in each, -1 if none
    system: Propagation


@attrs.frozen
class LabelPropagation(Harmonic):
    r"""Harmonic functions, exact: every class spreads from its labels over the edges.

    With L = D - S and one indicator :math:`Y_{sk}` per class on the labelled nodes, F minimises

    .. math:: \operatorname{tr} F^\top (L + \epsilon I) F + \tfrac1\nu \sum_s |F_s - Y_s|^2

    and the prediction at node i is :math:`\arg\max_k q_k F_{ik}` (ties: the lowest k). With noise
    :math:`\nu = 0` labels are held fast, and for :math:`\epsilon = 0` F is harmonic: at every other
    node the mean of its neighbours, the chance that a random walk meets class k first. With
    :math:`\nu > 0`, :math:`(\nu L + \nu \epsilon I + I_S) F = I_S Y`.

    Class-mass normalisation has :math:`q_k = p_k n / \sum_i F_{ik}`: classes get the mass that the
    prior p gives them. ``noise=0,prior=none`` is the harmonic function pure and simple. Where no
    label is in a node's component, the most frequent class so far is said.

    Labels in one go cost one preparation of the solver and K solves. One label more is one solve
    and a rank-one change: :math:`F \leftarrow F + g (y - F_s)^\top / (\nu + g_s)`, g column s of
    the inverse, O(n (K + m)) with m < 128 changes since all were last solved for. A prediction
    costs O(K). The state is n (K + 128) numbers.

    Parameters
    ----------
    noise
        :math:`\nu` >= 0, how far F may be from the labels; 0 holds them fast.
    eps
        Ridge :math:`\epsilon` >= 0, which pulls F to 0 far from all labels.
    prior
        Class-mass normalisation: ``none``, ``uniform``, or ``seen`` for the classes' shares
        :math:`\pi` among the labels so far. With ``centred`` the scores are
        :math:`F_{ik} - \pi_k \sum_l F_{il}` instead: how far a class is above its share.
    weights
        Of several layers: one number >= 0 for each, joined by ``+``, as in ``1+0.5``; L is then the
        weighted sum. A single one is for all.
    most
        Graphs with more nodes than this are refused; 0 refuses none.
    solver
        The linear solver: a name on the command line, a value in Python.

    Examples
    --------
    >>> import graphol
    >>> run = graphol.simulate("label-propagation", dataset="sbm", feedback="seeds", repeats=2)
    >>> run.error_rate_mean < 0.1
    True

    References
    ----------
    Zhu, Ghahramani, Lafferty. Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML, 2003.
    Zhou, Bousquet, Lal, Weston, Schölkopf. Learning with local and global consistency. NIPS, 2003.

    Deviation: the first paper has no noise; a little of it erred less on citation networks and a
    little more on digits. A class's mass is summed over all nodes, the first paper's over those
    without a label. The second paper's Laplacian is the normalised one.
    """

    name: ClassVar[str] = "label-propagation"
    noise: float = param(0.1, least=0)
    eps: float = param(0.0, least=0)
    prior: str = param("uniform", choices=("none", "uniform", "seen", "centred"))
    weights: str = param("1")
    most: int = param(0, least=0)
    solver: Any = component("solver", "auto:columns=64,tol=1e-12")

    def __attrs_post_init__(self) -> None:
        read_weights(self.name, self.weights)

    def start(self, problem: Problem) -> State:
        """No label known."""
        assert problem.graph is not None and problem.n_classes is not None
        graph, graphs = problem.graph, problem.graphs
        if 0 < self.most < graph.n:
            raise TooLargeError(
                f"{self.name}: the graph has {graph.n} nodes, more than most={self.most}; give "
                "more or 0"
            )
        weights, names = spread_weights(self.name, self.weights, graphs), layer_names(graphs)
        if (weights == 1).all():
            named = dict.fromkeys(names, 1.0)
            L, components = graph.laplacian("combinatorial"), graph.components
            system = Propagation(L, components, self.solver, self.noise, self.eps, named)
        else:
            layers = Layers.of(graphs, names=names)
            system = on_layers(layers, weights, self.solver, self.noise, self.eps)
        parts = beginning(system.n, problem.n_classes, int(system.components.max()) + 1)
        return State(**parts, system=system)

    def system(self, state: State) -> Propagation:
        """The same for every state of a game."""
        return state.system

    def layer_weights(self, state: State) -> Mapping[str, float]:
        """As they were given."""
        return state.system.weights
