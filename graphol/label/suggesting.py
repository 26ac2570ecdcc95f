"""Which nodes to ask about next: the order that the command line and the page have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol.api import Integers, Matrix, Reasons, Situation, Strategy, Vector
from graphol.errors import GrapholError
from graphol.graph import Graph

UNSURE = 0.5
"""Between the two likeliest classes, the difference below which a learner is called unsure."""
MANY = 0.9
"""Of all nodes, the share that have fewer neighbours without a label than one on whom many hang."""


class Suggestion(NamedTuple):
    """A node to ask about."""

    row: int
    worth: float
    """What the strategy values it at, less what it has in common with those before it."""
    reason: str


def rank(
    graph: Graph,
    labels: Integers,
    probabilities: Matrix,
    known: NDArray[np.bool_],
    strategy: Strategy,
    rng: np.random.Generator,
    count: int,
    *,
    classes: Sequence[str] = (),
    rows: Matrix | None = None,
    leave_out: NDArray[np.bool_] | None = None,
) -> list[Suggestion]:
    """The nodes to ask about, best first; fewer than ``count`` if no more are without a label.

    Parameters
    ----------
    graph, labels, probabilities, known, rows
        As in a :class:`graphol.api.Situation`.
    strategy
        Who says what each node is worth.
    rng
        For the strategy, and to choose among nodes that are worth the same.
    count
        How many.
    classes
        What the classes are called, for the reasons.
    leave_out
        (n,) nodes that are not to be suggested although they have no label.
    """
    situation = Situation(graph.unlabelled, labels, probabilities, known, rows)
    open_ = labels < 0 if leave_out is None else (labels < 0) & ~leave_out
    values = valued(strategy, situation, rng)
    words = _Words(situation, strategy, [*map(str, classes)])
    around = Neighbourhoods(graph) if strategy.spreads else None
    chosen = batch(values, open_, weight_around(situation), rng, count, around)
    return [Suggestion(row, worth, words(row)) for row, worth in chosen]


def valued(strategy: Strategy, situation: Situation, rng: np.random.Generator) -> Vector:
    """What the strategy says, if it is a finite number for every node."""
    found = np.asarray(strategy.values(situation, rng), dtype=np.float64)
    if found.shape != (situation.graph.n,) or not np.isfinite(found).all():
        raise GrapholError(
            f"{strategy.name}: its values must be {situation.graph.n} finite numbers, one per node"
        )
    return found


def weight_around(situation: Situation) -> Vector:
    """The weight of every node's edges to nodes without a label, (n,)."""
    return np.asarray(situation.graph.adjacency @ (situation.labels < 0).astype(float))


class Neighbourhoods:
    """How much two nodes have in common: the cosine of their edges, each a neighbour of itself."""

    def __init__(self, graph: Graph) -> None:
        from scipy.sparse import csr_array, diags_array

        S = graph.adjacency
        own = np.asarray(S.max(axis=1).todense()).ravel()
        closed = csr_array(S + diags_array(np.where(own > 0, own, 1.0)))
        length = np.sqrt(np.asarray(closed.multiply(closed).sum(axis=1)).ravel())
        self.rows = csr_array(diags_array(1 / length) @ closed)

    def common(self, node: int) -> Vector:
        """With every node, (n,) from 0 to 1."""
        column = np.zeros(self.rows.shape[0])
        part = slice(self.rows.indptr[node], self.rows.indptr[node + 1])
        column[self.rows.indices[part]] = self.rows.data[part]
        found: Any = self.rows @ column
        return np.asarray(np.clip(found, 0.0, 1.0))


def batch(
    values: Vector,
    open_: NDArray[np.bool_],
    weight: Vector,
    rng: np.random.Generator,
    count: int,
    around: Neighbourhoods | None = None,
) -> Iterator[tuple[int, float]]:
    """The best nodes one after another, each with its worth when it was taken.

    Every node taken leaves of the worth of others the share that they have not in common with it,
    counted from the least value that there is. Among equals the one with most ``weight`` comes
    first, and then chance decides.
    """
    left = np.flatnonzero(open_)
    if not len(left):
        return
    least = float(values[left].min())
    worth = values[left] - least
    if around is not None and worth.max() == 0:
        most = weight[left].max()  # all alike: who has many to tell comes first
        worth, least = weight[left] / most if most else worth + 1.0, least - 1.0
    lot = rng.permutation(len(left))
    for _ in range(min(count, len(left))):
        k = int(np.lexsort((lot, weight[left], worth))[-1]) if len(left) else 0
        yield int(left[k]), float(worth[k] + least)
        if around is not None:
            worth = worth * (1.0 - around.common(int(left[k]))[left])
        keep = np.arange(len(left)) != k
        left, worth, lot = left[keep], worth[keep], lot[keep]


class _Words:
    """Why a node was chosen, in words."""

    def __init__(self, situation: Situation, strategy: Strategy, classes: Sequence[str]) -> None:
        self.situation, self.strategy, self.classes = situation, strategy, classes
        waiting = np.asarray(
            (situation.graph.adjacency != 0) @ (situation.labels < 0).astype(np.int64)
        )
        self.waiting = waiting
        self.many = max(float(np.quantile(waiting, MANY)), 2.0)

    def __call__(self, node: int) -> str:
        own = self.strategy
        said = own.reason(self.situation, node) if isinstance(own, Reasons) else ""
        return said or self._seen(node)

    def _seen(self, node: int) -> str:
        """What can be seen of it, whoever chose it."""
        situation, found = self.situation, []
        p = situation.probabilities[node]
        first, *others = np.argsort(-p, kind="stable")
        if not situation.known[node]:
            found.append("no label reaches it")
        elif others and p[first] - p[others[0]] < UNSURE:
            found.append(f"unsure between {self._name(first)} and {self._name(others[0])}")
        if self.waiting[node] >= self.many:
            found.append(f"{self.waiting[node]} neighbours without a label")
        if not found:
            found.append(f"most likely {self._name(first)}, {p[first]:.0%}")
        return ", ".join(found)

    def _name(self, k: int) -> str:
        return self.classes[k] if k < len(self.classes) else f"class {k}"
