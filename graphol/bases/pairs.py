"""Kernels over pairs of a node and a context: what is learnt from, and products with it.

A pair (i, j) stands for a vector x with x . x' = g(i, i') + h(j, j'), where g = K / rho(K) is the
kernel over nodes scaled to entries of at most 1, and h the one over contexts. What does not depend
on what was learnt, or only repeats it, stands here; the state has the pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from graphol.api import (
    Appendable,
    Derived,
    Features,
    Integers,
    Matrix,
    Problem,
    Scaled,
    Vector,
)
from graphol.errors import UsageError
from graphol.latent import Clique, SupportTree
from graphol.linalg.memory import require_memory

STEP = 64
"""Nodes by which a block of the kernel grows, so that it is not copied for each of them."""
NO_MATRIX = np.zeros((0, 0))
NO_PARENTS = np.zeros(0, dtype=np.int64)


class Pairs(NamedTuple):
    """Pairs learnt from, each once, with its coefficient; nodes and contexts in order of arrival.

    Pair s is (nodes[node[s]], contexts[context[s]]).
    """

    nodes: Appendable  # (D,) distinct
    contexts: Appendable  # (E,) distinct
    node: Appendable  # (M,)
    context: Appendable  # (M,)
    c: Appendable  # (M,)

    @classmethod
    def none(cls) -> Pairs:
        """Nothing learnt yet."""
        nodes, contexts, node, context = (Appendable(np.zeros(0, dtype=np.int64)) for _ in range(4))
        return cls(nodes, contexts, node, context, Appendable(np.zeros(0)))

    def add(self, node: int, context: int, c: float) -> None:
        """Add c to the coefficient of a pair, which may be new."""
        slot, place = _number(self.nodes, node), _number(self.contexts, context)
        known = np.flatnonzero((self.node.values == slot) & (self.context.values == place))
        if len(known):
            self.c.values[known[0]] += c
            return
        self.node.append(slot)
        self.context.append(place)
        self.c.append(c)

    def rank_with(self, node: int, context: int) -> int:
        """The most dimensions that the vectors of these pairs and of one more can span.

        A pair is the sum of two vectors, one of its node and one of its context: as many dimensions
        as there are of both, less one, since all pairs have one of each.
        """
        nodes, contexts = self.nodes.values, self.contexts.values
        more = (node not in nodes) + (context not in contexts)
        return len(nodes) + len(contexts) + more - 1

    def check(self, nodes: int, contexts: int | None) -> None:
        """Raise ValueError if these cannot be pairs of so many nodes and contexts."""
        for distinct, most, what in (
            (self.nodes.values, nodes, "nodes"),
            (self.contexts.values, contexts, "contexts"),
        ):
            inside = (distinct >= 0) & (True if most is None else distinct < most)
            if not inside.all() or len(np.unique(distinct)) < len(distinct):
                raise ValueError(f"the {what} learnt from are not distinct ones of the game")
        for slots, among in ((self.node, self.nodes), (self.context, self.contexts)):
            inside = (slots.values >= 0) & (slots.values < len(among.values))
            if not inside.all() or len(slots.values) != len(self.c.values):
                raise ValueError("the pairs learnt from are not pairs of a node and a context")


def _number(distinct: Appendable, value: int) -> int:
    known = np.flatnonzero(distinct.values == value)
    if len(known):
        return int(known[0])
    distinct.append(value)
    return len(distinct.values) - 1


class Latent(Protocol):
    """The kernel h over contexts, as products with a support need it."""

    def entries(self, j: int, contexts: Integers) -> Vector:
        """h between context j and others."""

    def form(self, pairs: Pairs) -> tuple[int, Any, Any, float, Any]:
        """Kind, place, H, unlike and parent of :class:`graphol.compiled.winnow.Support`."""


class TreePart:
    """Leaves of a support tree: sums up the tree and down again, O(M)."""

    def __init__(self, tree: SupportTree) -> None:
        self.tree = tree

    def entries(self, j: int, contexts: Integers) -> Vector:
        """1 less a share for every level at which two leaves differ."""
        return np.asarray(self.tree.gram(j, contexts) / self.tree.rho)

    def form(self, pairs: Pairs) -> tuple[int, Any, Any, float, Any]:
        """The pairs in the order of their leaves, and the tree above them."""
        from graphol.compiled import winnow

        leaf = pairs.contexts.values[pairs.context.values]
        order = np.argsort(leaf, kind="stable")
        parent = winnow.tree(leaf[order], self.tree.height)
        return winnow.TREE, order, NO_MATRIX, 1 / self.tree.rho, parent


class GrowingTreePart:
    """A support tree whose leaves are mistakes: with M of them, leaf M is the next.

    Its height is that of the number of leaves, so all entries change when it grows by a level.
    """

    def tree(self, mistakes: int) -> SupportTree:
        """With room for the next one, and at least two leaves."""
        return SupportTree(leaves=2 ** max(1, mistakes.bit_length()))

    def entries(self, j: int, contexts: Integers) -> Vector:
        """Between the next leaf and those of all mistakes."""
        return TreePart(self.tree(len(contexts))).entries(j, contexts)

    def form(self, pairs: Pairs) -> tuple[int, Any, Any, float, Any]:
        """As of a tree of today's height."""
        return TreePart(self.tree(len(pairs.contexts.values))).form(pairs)


class CliquePart:
    """Contexts that are all equally near: one sum per context, O(M)."""

    def __init__(self, clique: Clique) -> None:
        self.clique = clique

    def entries(self, j: int, contexts: Integers) -> Vector:
        """1 for the same context, less for any other."""
        return np.asarray(self.clique.gram(j, contexts) / self.clique.rho)

    def form(self, pairs: Pairs) -> tuple[int, Any, Any, float, Any]:
        """Only the number of contexts that were met counts, not how many there are."""
        from graphol.compiled import winnow

        met = np.zeros((len(pairs.contexts.values), 0))
        unlike = float(self.entries(0, np.array([1]))[0])
        return winnow.CLIQUE, pairs.context.values, met, unlike, NO_PARENTS


class BlockPart:
    """Any kernel: the block between the contexts that were met."""

    def __init__(self, features: Features) -> None:
        self.block = Block(features)

    def entries(self, j: int, contexts: Integers) -> Vector:
        """Scaled kernel entries."""
        return self.block.entries(j, contexts)

    def form(self, pairs: Pairs) -> tuple[int, Any, Any, float, Any]:
        """One product with the block."""
        from graphol.compiled import winnow

        H = self.block(pairs.contexts.values)
        return winnow.BLOCK, pairs.context.values, H, 0.0, NO_PARENTS


def rho_of(features: Features) -> float:
    """The largest kernel entry; an embedding that does not know it is refused."""
    if isinstance(features, Scaled):
        return features.rho
    raise UsageError(
        "kernel entries must be scaled, and this embedding does not know its largest (rho); "
        "try --embedding kernel"
    )


class Block:
    """The kernel between nodes in order of arrival, scaled; it grows with them.

    An entry is what the features give for it, whoever asked before; a state with other nodes, a
    copy that went on by itself, makes the block anew.
    """

    def __init__(self, features: Features) -> None:
        self.features, self.rho = features, rho_of(features)
        self._nodes = np.zeros(0, dtype=np.int64)
        self._room: Matrix = np.zeros((0, 0))

    def entries(self, i: int, nodes: Integers) -> Vector:
        """Between node i and others, scaled."""
        return np.asarray(self.features.gram(i, nodes) / self.rho)

    def __call__(self, nodes: Integers) -> Matrix:
        """(R, R) and C-contiguous, R >= D the next multiple of 64; beyond D it does not matter."""
        known, size = len(self._nodes), -(-len(nodes) // STEP) * STEP
        if known > len(nodes) or not np.array_equal(self._nodes, nodes[:known]):
            known = 0
        if size != len(self._room):
            require_memory(8.0 * size**2, f"a kernel of {len(nodes)} nodes", "play fewer rounds")
            room = np.zeros((size, size))
            room[:known, :known] = self._room[:known, :known]
            self._room = room
        for e in range(known, len(nodes)):
            row = self.entries(int(nodes[e]), nodes[: e + 1])
            self._room[e, : e + 1] = self._room[: e + 1, e] = row
        self._nodes = nodes.copy()
        return self._room


class PairKernel(Derived):
    """Both kernels of a game."""

    def __init__(self, problem: Problem, latent: Latent) -> None:
        assert problem.features is not None
        self.nodes, self.latent = Block(problem.features), latent
        self.n_contexts = problem.n_contexts

    def products(self, pairs: Pairs, node: int, context: int) -> tuple[float, Vector]:
        """x . x and x . x_s of the pair (node, context)."""
        own = self.nodes.entries(node, np.array([node]))
        xx = own + self.latent.entries(context, np.array([context]))
        g = self.nodes.entries(node, pairs.nodes.values)[pairs.node.values]
        h = self.latent.entries(context, pairs.contexts.values)[pairs.context.values]
        return float(xx[0]), g + h

    def gram(self, pairs: Pairs) -> Matrix:
        """All products between the pairs, (M, M)."""
        node, contexts = pairs.node.values, pairs.contexts.values
        G: Matrix = self.nodes(pairs.nodes.values)[np.ix_(node, node)]
        for e, j in enumerate(contexts):
            G[pairs.context.values == e] += self.latent.entries(int(j), contexts)[
                pairs.context.values
            ]
        return G

    def support(self, pairs: Pairs) -> Any:
        """The pairs as compiled products take them."""
        from graphol.compiled.winnow import Support

        kind, place, H, unlike, parent = self.latent.form(pairs)
        return Support(
            c=pairs.c.values, slot=pairs.node.values, G=self.nodes(pairs.nodes.values),
            kind=kind, place=place, H=H, unlike=unlike, parent=parent,
        )  # fmt: skip


def latent_part(features: Features) -> Latent:
    """The kernel over contexts in the form that is cheapest for it."""
    if isinstance(features, SupportTree):
        return TreePart(features)
    return CliquePart(features) if isinstance(features, Clique) else BlockPart(features)
