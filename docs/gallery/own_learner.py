"""A learner of your own in forty lines, checked, and held against two others."""

from typing import ClassVar, NamedTuple

import attrs
import numpy as np

import graphol
from graphol.testing import run


class Known(graphol.Derived):
    """What is made of the graph and never changes: no part of what is saved."""

    def __init__(self, A):
        self.around = [A.indices[A.indptr[i] : A.indptr[i + 1]] for i in range(A.shape[0])]


class State(NamedTuple):
    votes: np.ndarray  # (n, K), what every node heard
    known: Known


@attrs.frozen
class Gossip:
    """Every label is told to the neighbours and, more faintly, to theirs.

    Parameters
    ----------
    faint
        What a label weighs two hops away, from 0 to 1.
    """

    name: ClassVar[str] = "gossip"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "graph"

    faint: float = graphol.param(0.3, least=0, most=1)

    def start(self, problem):
        votes = np.zeros((problem.graph.n, problem.n_classes))
        return State(votes, Known(problem.graph.adjacency))

    def predict(self, state, instance):
        scores = state.votes[instance.node]
        return graphol.Prediction(int(scores.argmax()), scores.copy())

    def update(self, state, instance, prediction, reveal):
        k, around = int(reveal.label), state.known.around
        for i in around[instance.node]:
            state.votes[i, k] += 1
            state.votes[around[i], k] += self.faint
        return int(len(around[instance.node]) > 0)  # class models changed


outcomes = list(run("learner", Gossip()))
failed = [outcome.name for outcome in outcomes if outcome.failure]
print(f"{len(outcomes) - len(failed)} of {len(outcomes)} checks passed", *failed)

compared = graphol.compare([Gossip(), Gossip(faint=0), "molg-f"], "digits", repeats=2)
for name, result in zip(compared.labels, compared.results, strict=True):
    print(f"{name}: {100 * result.error_rate_mean:.1f} % wrong")
axes = graphol.plot(compared)
axes.figure.set_size_inches(6, 3.4)
axes.figure.savefig("picture.svg")
