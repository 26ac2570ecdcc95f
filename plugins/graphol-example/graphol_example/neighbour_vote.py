"""Ask the neighbours: the simplest learner that uses a graph."""

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol import Instance, Prediction, Problem, Reveal, param


class State(NamedTuple):
    """What the nodes have heard so far."""

    votes: np.ndarray  # (n, K): weight of each node's neighbours known to be of class k
    seen: np.ndarray  # (K,): how often class k was revealed
    # The graph's CSR arrays: a state is arrays and scalars, so that it can be saved.
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray


@attrs.frozen
class NeighbourVote:
    r"""Weighted vote of the neighbours whose classes are known.

    When the class y of node i is revealed, every neighbour j hears it with the weight of the tie:
    :math:`v_{jy} \leftarrow v_{jy} + S_{ij}`. A node is predicted to be of the class it has heard
    most, :math:`\arg\max_k v_{ik} + \epsilon c_k`, where :math:`c_k` counts how often class k was
    revealed and decides when the neighbours are silent. A round costs O(degree + K).

    Parameters
    ----------
    prior
        Weight of the class frequencies, the epsilon above; >= 0.

    Examples
    --------
    >>> import graphol
    >>> graphol.simulate(NeighbourVote(), "sbm", repeats=2).error_rate_mean < 0.3
    True
    """

    name: ClassVar[str] = "neighbour-vote"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "graph"

    prior: float = param(1e-3, least=0)

    def start(self, problem: Problem) -> State:
        """Nobody has heard anything."""
        S, K = problem.graph.adjacency, problem.n_classes
        return State(np.zeros((problem.graph.n, K)), np.zeros(K), S.indptr, S.indices, S.data)

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class that the node has heard most."""
        scores = state.votes[instance.node] + self.prior * state.seen
        return Prediction(int(np.argmax(scores)), scores)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """The neighbours hear the class of the node."""
        y = int(reveal.label)
        row = slice(state.indptr[instance.node], state.indptr[instance.node + 1])
        state.votes[state.indices[row], y] += state.weights[row]
        state.seen[y] += 1
        return 1
