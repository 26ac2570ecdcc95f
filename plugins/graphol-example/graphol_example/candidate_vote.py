"""Ask the neighbours, whose classes are known only roughly."""

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol import Instance, Prediction, Problem, Reveal, param


class State(NamedTuple):
    """What the nodes have heard so far."""

    votes: np.ndarray  # (n, K): weight of each node's neighbours, shared among their candidates
    seen: np.ndarray  # (K,): sum of all shares of class k
    indptr: np.ndarray  # the graph's CSR arrays
    indices: np.ndarray
    weights: np.ndarray


@attrs.frozen
class CandidateVote:
    r"""Weighted vote of the neighbours, each for all the classes that it may be of.

    When a set C with the class of node i is revealed, every neighbour j hears each class k of C
    with an equal share of the weight: :math:`v_{jk} \leftarrow v_{jk} + S_{ij} / |C|`. A label
    is a set of one. A node is predicted to be of the class it has heard most,
    :math:`\arg\max_k v_{ik} + \epsilon c_k`, where :math:`c_k` sums the shares of class k over all
    answers. Wrong candidates differ from neighbour to neighbour, the true class does not, so their
    votes cancel. A round costs O(K degree).

    Parameters
    ----------
    prior
        Weight of the class frequencies, the epsilon above; >= 0.

    Examples
    --------
    >>> import graphol
    >>> from graphol_example.partial import Partial
    >>> played = graphol.simulate(CandidateVote(), "sbm", feedback=Partial(), repeats=2)
    >>> played.error_rate_mean < 0.3
    True

    References
    ----------
    Cour, Sapp, Taskar. Learning from partial labels. JMLR, 2011 (the averaging baseline).
    """

    name: ClassVar[str] = "candidate-vote"
    feedback: ClassVar[str] = "partial"
    learns_from: ClassVar[tuple[str, ...]] = ("candidates", "label")
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
        """The neighbours hear the candidates of the node."""
        if reveal.kind == "candidates":
            candidates = np.flatnonzero(reveal.answer)
        else:
            candidates = np.array([int(reveal.label)])
        row = slice(state.indptr[instance.node], state.indptr[instance.node + 1])
        share = 1 / len(candidates)
        state.votes[np.ix_(state.indices[row], candidates)] += share * state.weights[row, None]
        state.seen[candidates] += share
        return len(candidates)
