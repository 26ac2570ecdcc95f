"""Prize-collecting Steiner forests: which connected nodes are worth the edges between them?"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import ArrayLike

from graphol.api import Integers, Vector
from graphol.errors import InputError, UsageError, near

if TYPE_CHECKING:
    from graphol.projections._workspace import Work

PRUNINGS = ("none", "simple", "gw", "strong")
LARGEST_PRIZE = 1e150  # prizes and costs; sums and squares of them stay finite


class Forest(NamedTuple):
    """A forest, both parts in ascending order."""

    nodes: Integers
    edges: Integers
    """Positions in the list of edges that was given."""


@attrs.define(eq=False)
class Steiner:
    """A graph's edges and costs, checked once, with room to work in; use it from one thread.

    The arrays are made here and used again in every call of :meth:`solve`. See
    :func:`steiner_forest` for the problem and for what is refused.
    """

    n: int
    edges: Integers  # (m, 2)
    costs: Vector  # (m,)
    least: float = attrs.field(init=False)
    """The smallest cost."""
    work: Work = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if self.n < 1:
            raise InputError("steiner_forest: the graph is empty; give it at least one node")
        self.edges = _checked_edges(self.edges, self.n)
        self.costs = checked_amounts("cost", self.costs, len(self.edges))
        self.least = float(self.costs.min(initial=np.inf)) if len(self.costs) else 0.0
        from graphol.projections._workspace import workspace

        self.work = workspace(self.n, self.edges, self.costs)

    def solve(
        self,
        prizes: Vector,
        *,
        scale: float = 1.0,
        g: int = 1,
        root: int | None = None,
        pruning: str = "gw",
        lazy: bool = True,
    ) -> Forest:
        """The forest for these prizes, and costs times ``scale`` > 0.

        ``lazy=False`` initialises every node at the start. The answer is the same; it is there to
        be compared with.
        """
        from graphol.projections import _pruning, _workspace

        prizes = checked_amounts("prize", prizes)
        if len(prizes) != self.n:
            raise InputError(
                f"steiner_forest: {self.n} prizes are needed, one per node, got {len(prizes)}"
            )
        if not 0 < scale <= LARGEST_PRIZE:
            raise UsageError(
                f"steiner_forest: scale must be > 0 and <= {LARGEST_PRIZE:g}, got {scale}"
            )
        method = check_pruning(pruning)
        g, at = _check_roots(self.n, g, root)
        k = _pruning.solve(self.work, prizes, scale, self.least, g, at, method, lazy)
        chosen = self.work.edges[: self.work.counts[_workspace.EDGES]]
        return Forest(np.sort(self.work.nodes[:k]), np.sort(chosen))


def steiner_forest(
    prizes: ArrayLike,
    edges: ArrayLike,
    costs: ArrayLike,
    *,
    g: int = 1,
    root: int | None = None,
    pruning: str = "gw",
) -> Forest:
    r"""Connected nodes that are worth their edges: a prize-collecting Steiner forest.

    Looks for a forest F of at most g trees (with a root: one tree that holds it) with a small

    .. math:: c(F) + \pi(\bar F) = \sum_{e \in F} c_e + \sum_{v \notin F} \pi_v

    by the primal-dual method of Goemans and Williamson: every node with a prize grows a moat, at
    unit speed; an edge that is full joins two clusters; a cluster whose moats have used up its
    prizes stops; what is left active in the end is kept, and pruned. With ``pruning="gw"`` the
    result F and every other forest F* of this kind satisfy

    .. math:: c(F) + 2 \pi(\bar F) \le 2\, c(F^*) + 2\, \pi(\bar F^*),

    and with a root :math:`2 - 1/(n-1)` stands for 2. ``"strong"`` is never worse than ``"gw"`` in
    :math:`c(F) + \pi(\bar F)`, so within the same factor of the best. O(m log n) on the graphs we
    measured.

    Parameters
    ----------
    prizes
        One number >= 0 for each of the n nodes.
    edges
        Pairs of nodes 0..n-1, (m, 2); two edges may join the same nodes.
    costs
        One number >= 0 per edge.
    g
        Number of trees, 1 to n; not used with a root.
    root
        A node that the tree must hold.
    pruning
        ``none`` keeps all that ever grew together, ``simple`` the clusters that are active in the
        end, ``gw`` drops from these every branch that had stopped growing when it was joined and
        that leads nowhere else, ``strong`` takes the best subtree of each tree.

    Returns
    -------
    Forest
        ``nodes`` and ``edges`` (positions in the list given), ascending.

    Examples
    --------
    >>> steiner_forest([5, 0, 5, 1], [(0, 1), (1, 2), (2, 3)], [1, 1, 3])
    Forest(nodes=array([0, 1, 2]), edges=array([0, 1]))
    >>> steiner_forest([5, 0, 5, 1], [(0, 1), (1, 2), (2, 3)], [1, 1, 3], root=3, pruning="strong")
    Forest(nodes=array([0, 1, 2, 3]), edges=array([0, 1, 2]))

    References
    ----------
    Goemans, Williamson. A general approximation technique for constrained forest problems. SIAM J.
    Comput., 1995.
    Johnson, Minkoff, Phillips. The prize collecting Steiner tree problem: theory and practice.
    SODA 2000 (strong pruning, no root).
    Hegde, Indyk, Schmidt. A fast, adaptive variant of the Goemans-Williamson scheme for the
    prize-collecting Steiner tree problem. DIMACS 2014.

    Deviation: the last paper keeps a heap per cluster of half-edges with moving thresholds; here
    one heap holds when to look at each edge again, and a sleeping cluster lists the edges that wait
    for it. Nodes that sleep before any edge can be full are not initialised until somebody reaches
    them. Neither changes a result.
    """
    amounts = checked_amounts("prize", prizes)
    solver = Steiner(len(amounts), edges, costs)  # type: ignore[arg-type]
    return solver.solve(amounts, g=g, root=root, pruning=pruning)


def check_pruning(pruning: str) -> int:
    """The number that the kernels know it by."""
    if pruning not in PRUNINGS:
        known = near(str(pruning), PRUNINGS)
        raise UsageError(f"steiner_forest: unknown pruning {pruning!r}; {known}")
    return PRUNINGS.index(pruning)


def checked_amounts(what: str, amounts: ArrayLike, count: int | None = None) -> Vector:
    """Prizes or costs as a vector of finite numbers >= 0."""
    try:
        if np.asarray(amounts).dtype.kind not in "fiub":
            raise TypeError
        found = np.ascontiguousarray(amounts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"steiner_forest: {what}s must be numbers") from None
    if found.ndim != 1 or (count is not None and len(found) != count):
        wanted = "a row of numbers" if count is None else f"{count} numbers, one per edge"
        raise InputError(f"steiner_forest: {what}s must be {wanted}, got shape {found.shape}")
    for bad, why in (
        (~np.isfinite(found), "is not finite"),
        (found < 0, "is negative"),
        (found > LARGEST_PRIZE, f"is above {LARGEST_PRIZE:g}; rescale all of them"),
    ):
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            raise InputError(f"steiner_forest: {what} {i} {why}: {found[i]:g}")
    return found


def _checked_edges(edges: Any, n: int) -> Integers:
    try:
        found = np.asarray(edges)
        pairs = found.reshape(-1, 2) if found.size == 0 else found
    except (TypeError, ValueError):
        raise InputError("steiner_forest: edges must be pairs of nodes") from None
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(f"steiner_forest: edges must be pairs of nodes, got shape {found.shape}")
    if pairs.size and pairs.dtype.kind not in "iu":
        raise InputError("steiner_forest: edges must be pairs of whole numbers 0..n-1")
    pairs = np.ascontiguousarray(pairs, dtype=np.int64)
    outside = (pairs < 0) | (pairs >= n)
    if outside.any():
        e = int(np.flatnonzero(outside.any(axis=1))[0])
        raise InputError(
            f"steiner_forest: edge {e} joins {pairs[e, 0]} and {pairs[e, 1]}, "
            f"but the nodes are 0..{n - 1}"
        )
    loops = pairs[:, 0] == pairs[:, 1]
    if loops.any():
        e = int(np.flatnonzero(loops)[0])
        raise InputError(
            f"steiner_forest: edge {e} joins node {pairs[e, 0]} to itself; leave such edges out"
        )
    return pairs


def _check_roots(n: int, g: int, root: int | None) -> tuple[int, int]:
    try:
        g, at = operator.index(g), -1 if root is None else operator.index(root)
    except TypeError:
        raise UsageError("steiner_forest: g and root must be whole numbers") from None
    if not 1 <= g <= n:
        raise UsageError(f"steiner_forest: g must be >= 1 and <= {n}, the number of nodes, got {g}")
    if root is not None and not 0 <= at < n:
        raise UsageError(f"steiner_forest: root must be one of 0..{n - 1}, got {root}")
    return g, at
