"""What every strategy promises."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Reasons, Situation, Strategy, Vector
from graphol.testing.games import blocks

N, K = 30, 3


def _situation(seed: int = 0, *, labelled: int = 8, classes: int = K) -> Situation:
    """Blocks and an isolated node, of which so many labels are known, and beliefs that are odd."""
    rng = np.random.default_rng(seed)
    graph = blocks(N, seed=seed).unlabelled
    n = graph.n
    labels = np.full(n, -1)
    asked = rng.permutation(n)[:labelled]
    labels[asked] = rng.integers(classes, size=len(asked))
    p = rng.random((n, classes)) ** 3 + 1e-3
    p[labels >= 0] = np.eye(classes)[labels[labels >= 0]]
    reached = np.isin(graph.components, graph.components[asked])
    p[~reached] = 1.0
    return Situation(graph, labels, p / p.sum(axis=1, keepdims=True), reached, rng.random((n, 4)))


def _values(strategy: Strategy, situation: Situation, seed: int = 0) -> Vector:
    return strategy.values(situation, np.random.default_rng(seed))


def _everywhere() -> Iterator[tuple[str, Situation]]:
    """The corners: nothing known, everything, one class, a node without an edge."""
    yield "with nothing labelled", _situation(labelled=0)
    yield "with one label", _situation(labelled=1)
    yield "half-way", _situation()
    yield "with one class", _situation(classes=1)
    yield "with two classes", _situation(classes=2)
    yield "with everything labelled", _situation(labelled=N)
    yield "without vectors", attrs.evolve(_situation(), rows=None)


def is_finite_everywhere(strategy: Strategy) -> None:
    """One number per node: isolated nodes, one class, nothing labelled yet, all labelled."""
    for when, situation in _everywhere():
        found = np.asarray(_values(strategy, situation))
        assert found.shape == (situation.graph.n,), f"{when} its values have shape {found.shape}"
        assert found.dtype.kind == "f", f"{when} its values are {found.dtype}"
        assert np.isfinite(found).all(), f"{when} its values are not finite"


def leaves_the_situation_alone(strategy: Strategy) -> None:
    """The learner goes on with what it believes, and the next strategy sees the same."""
    situation = _situation()
    before = copy.deepcopy(_arrays(situation))
    _values(strategy, situation)
    for name, array in _arrays(situation).items():
        assert np.array_equal(array, before[name]), f"it changed the {name}"


def _arrays(situation: Situation) -> dict[str, NDArray[np.generic]]:
    names = ("labels", "probabilities", "known", "rows")
    return {name: getattr(situation, name) for name in names} | {
        "edges": situation.graph.adjacency.data
    }


def same_seed_same_values(strategy: Strategy) -> None:
    """A game can be played again, and the page shows the order that the command line shows."""
    situation = _situation()
    one = _values(strategy, situation)
    _values(strategy, _situation(seed=1))  # what it saw in between does not matter
    assert np.array_equal(one, _values(strategy, situation)), "the same seed gave other values"


def relabelling_permutes_the_values(strategy: Strategy) -> None:
    """The order in which a file lists its nodes does not matter, but to who draws by lot."""
    situation = _situation()
    one = _values(strategy, situation)
    if not np.array_equal(one, _values(strategy, situation, seed=1)):
        return  # who draws gives the first node the first number
    p = np.random.default_rng(1).permutation(situation.graph.n)
    moved = Situation(
        situation.graph.subgraph(p),
        situation.labels[p],
        situation.probabilities[p],
        situation.known[p],
        None if situation.rows is None else situation.rows[p],
    )
    two = _values(strategy, moved)
    assert np.allclose(two, one[p], rtol=1e-6, atol=1e-9), "the values follow the order of nodes"


def says_why_in_words(strategy: Strategy) -> None:
    """Somebody who is asked for a label is told why, in one line."""
    if isinstance(strategy, Reasons):
        for when, situation in _everywhere():
            said = strategy.reason(situation, 0)
            assert isinstance(said, str), f"{when} its reason is a {type(said).__name__}"
            assert "\n" not in said and not said.endswith("."), f"{when} it says {said!r}"


CHECKS = [
    is_finite_everywhere,
    leaves_the_situation_alone,
    same_seed_same_values,
    relabelling_permutes_the_values,
    says_why_in_words,
]
