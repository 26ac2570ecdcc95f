"""Nodes as rows of the Laplacian's smallest eigenvectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from graphol.declared import Member
from graphol.embeddings.rows import RowFeatures, unit_rows
from graphol.embeddings.store import kept
from graphol.graph import Graph, Laplacian
from graphol.notes import DOUBTFUL
from graphol.params import describe, param
from graphol.registry import component

if TYPE_CHECKING:
    from graphol.linalg.blocks import Eigenpairs
    from graphol.linalg.shares import Shared

TRIVIAL = 1e-14  # what stands for the eigenvalue 0 under trivial="bias"
FORM = {
    "values": Member("f", ("d",), least=-1e-6),  # but for rounding
    "vectors": Member("f", ("n", "d")),
    "residuals": Member("f", ("d",)),
    "n_zero": Member("iu", (), least=0),
    "method": Member("U", ()),
    "why": Member("U", ()),
    "stand_in": Member("f", ("n_zero",), least=0),
    "loose": Member("iu", (), least=0),
    "blank": Member("iu", (), least=0),
    "crowded": Member("iu", (), least=0),
}
"""What is kept on disk."""


class ComponentsWarning(UserWarning):
    """The embedding can tell components apart and nothing else."""


@attrs.frozen
class Spectral:
    r"""Rows of the smallest Laplacian eigenvectors: neighbours get similar vectors.

    With :math:`L = \sum_k \lambda_k v_k v_k^\top` and :math:`\lambda_1 \le \lambda_2 \le \dots`,
    node i becomes

    .. math:: x_i = \left( \frac{v_{1i}}{\sqrt{\lambda_1 + \epsilon}}, \dots,
                           \frac{v_{di}}{\sqrt{\lambda_d + \epsilon}} \right),

    so that :math:`x_i^\top x_j` are the entries of the best rank-d approximation of
    :math:`(L + \epsilon I)^{-1}`, and a linear function :math:`f_i = w^\top x_i` with small w is
    smooth on the graph: :math:`\|w\|^2 = f^\top (L + \epsilon I) f`. What is done with the
    eigenvalue 0 decides how learners behave; these are the variants in use:

    ======  =============  =======  ======  ========================================================
    id      laplacian      trivial  rows    remark
    ======  =============  =======  ======  ========================================================
    E1      combinatorial  bias     raw     a constant feature of size :math:`10^7/\sqrt n`, i.e. an
                                            unpenalised bias; helps OLLGC, ruins the perceptron
    E2      normalized     keep     unit    eps = 1e-3
    E3      normalized     drop     unit
    E4      combinatorial  drop     raw     the pseudo-inverse :math:`L^+`, literally
    E5      normalized     keep     unit    eps = 1e-2; :math:`\|x\| = 1`
    **E6**  normalized     share    unit    **the default**, eps = 1e-2; :math:`\|x\| = 1`
    ======  =============  =======  ======  ========================================================

    A graph of c components has the eigenvalue 0 c times, with eigenvectors that are constant (or
    :math:`\sqrt{\deg}`) on one component each. ``share`` gives every component its share of the
    dimensions: the constant first, which counts as if its eigenvalue were in the middle of the
    others (:class:`graphol.linalg.shares.Shared`), then its smallest others; components that are
    too small have one dimension in common. ``keep`` and ``bias`` spend one dimension on each
    component, the larger ones first, so that with ``dim`` <= c there is nothing else in the
    embedding, which is warned about. ``drop`` leaves all of them out: components cannot be told
    apart by it, and isolated nodes are zero rows.

    Cost: a fraction of a second for a citation network of a few thousand nodes, a second or two for
    one of 20 000, half a minute for d = 10 and a million nodes; see
    :func:`graphol.linalg.choice.choose`. Memory: some 5 n d floats. Eigenvectors that took half a
    second or more are kept on disk (:mod:`graphol.embeddings.store`).

    Parameters
    ----------
    dim
        Number of eigenvectors d, >= 1. A smaller graph gives as many as it has. ``auto``: those
        that have something to tell, i.e. whose eigenvalues are smaller than in a random graph with
        such degrees, and some more; at most 100 of a component and, for the sake of small
        components, up to 2000 in all where that is affordable.
    laplacian
        ``normalized``, :math:`I - D^{-1/2} S D^{-1/2}`, or ``combinatorial``, :math:`D - S`.
    trivial
        ``share`` dimensions among components; ``keep`` the eigenvalue 0 like any other; ``drop``
        it; ``bias``: replace it by 1e-14 and use no eps.
    eps
        :math:`\epsilon` > 0, used by ``share`` and ``keep``. With ``keep`` bandit learners are
        sensitive to it.
    rows
        ``unit``: scaled to norm 1; ``raw``: as they are.
    solver
        The linear solver where eigenvectors are found by shift-invert; ``cholmod`` is faster than
        ``splu`` where it is installed, and equal up to rounding.

    Examples
    --------
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> e4 = Spectral(dim=4, laplacian="combinatorial", trivial="drop", rows="raw")
    >>> X = e4.embed(path, np.random.default_rng(0)).rows
    >>> X.shape, bool(np.allclose(X @ X.T, np.linalg.pinv(path.laplacian().toarray(), rcond=1e-11)))
    ((4, 3), True)

    References
    ----------
    Belkin, Niyogi. Laplacian eigenmaps for dimensionality reduction and data representation. Neural
    Computation, 2003.
    Gu, Aggarwal, Liu, Han. Selective sampling on graphs for classification. KDD, 2013.
    """

    name: ClassVar[str] = "spectral"
    dim: int | str = param("auto", least=1, word="auto", type=int)
    laplacian: Laplacian = param("normalized", choices=("normalized", "combinatorial"))
    trivial: str = param("share", choices=("share", "keep", "drop", "bias"))
    eps: float = param(1e-2, above=0)
    rows: str = param("unit", choices=("unit", "raw"))
    solver: Any = component("solver", "splu")

    def embed(self, graph: Graph, rng: np.random.Generator) -> RowFeatures:
        """The rows x_i of all nodes; ``rng`` seeds the eigensolver."""
        if self.trivial == "share":
            shared = self._shared(graph, rng)
            pairs, weights = shared.pairs, shared.pairs.values.copy()
            weights[: pairs.n_zero] = shared.stand_in
            weights += self.eps
            notes = [*_left_out(shared), *self._only_constants(pairs)]
        else:
            pairs = self.eigenpairs(graph, rng)
            weights = pairs.values + self.eps if self.trivial == "keep" else pairs.values.copy()
            if self.trivial == "bias":
                weights[: pairs.n_zero] = TRIVIAL
            notes = [*self._only_components(graph, pairs)]
            if self.trivial == "bias" and self.rows == "unit":
                notes.append(f"{DOUBTFUL}unit rows are all but constant with a bias; use rows=raw")
        notes += _inaccurate(pairs)
        X = pairs.vectors / np.sqrt(weights)
        facts = {
            "method": pairs.method,
            "why": pairs.why,
            "zeros": pairs.n_zero,
            "notes": notes,
            "eigenvalues": pairs.values.tolist(),
            "residuals": pairs.residuals.tolist(),
        }
        return RowFeatures(unit_rows(X) if self.rows == "unit" else X, facts)

    def _only_constants(self, pairs: Eigenpairs) -> Iterator[str]:
        """Where ``auto`` has no others, there is nothing else to tell."""
        if self.dim != "auto" and pairs.n_zero == len(pairs.values) < len(pairs.vectors):
            what = "the embedding tells components apart and nothing else"
            yield f"{DOUBTFUL}{what}; dim=auto or a larger dim takes in more"

    def _only_components(self, graph: Graph, pairs: Eigenpairs) -> Iterator[str]:
        if self.trivial != "drop" and len(pairs.values) == pairs.n_zero:
            what = "the embedding tells components apart and nothing else"
            advice = "use the largest component, trivial=share or a larger dim"
            warnings.warn(
                f"{graph.name} has {graph.n_components} components and dim is {self.dim}: {what}; "
                f"{advice}",
                ComponentsWarning,
                stacklevel=3,
            )
            yield f"{DOUBTFUL}{what}; {advice}"

    def eigenpairs(self, graph: Graph, rng: np.random.Generator) -> Eigenpairs:
        """The eigenpairs behind the rows, from disk if they were computed before."""
        if self.trivial == "share":
            return self._shared(graph, rng).pairs
        seed = _seed(rng)
        if self.dim != "auto":
            return self._smallest(graph, int(self.dim), seed)
        from graphol.linalg.bulk import bulk_edges
        from graphol.linalg.shares import DIM, FEW, SMOOTH

        zeros = 0 if self.trivial == "drop" else graph.n_components
        pairs = self._smallest(graph, zeros + DIM - 1, seed)
        limit = float(bulk_edges(graph, least=SMOOTH)[0])
        if self.laplacian == "combinatorial":
            limit *= float(graph.degrees.mean())
        d = max(int(np.count_nonzero(pairs.values < limit)), min(FEW, len(pairs.values)))
        return pairs._replace(
            values=pairs.values[:d], vectors=pairs.vectors[:, :d], residuals=pairs.residuals[:d]
        )

    def _smallest(self, graph: Graph, d: int, seed: list[int]) -> Eigenpairs:
        from graphol.linalg.eigen import smallest_eigenpairs
        from graphol.linalg.shares import Shared

        zero = self.trivial != "drop"

        def compute(rng: np.random.Generator) -> Shared:
            pairs = smallest_eigenpairs(
                graph, self.laplacian, d, rng, zero=zero, solver=self.solver
            )
            return Shared(pairs, np.zeros(pairs.n_zero))

        return self._kept(graph, seed, {"d": d, "zero": zero}, compute).pairs

    def _shared(self, graph: Graph, rng: np.random.Generator) -> Shared:
        from graphol.linalg.shares import shared_eigenpairs

        dim = None if self.dim == "auto" else int(self.dim)
        return self._kept(
            graph, _seed(rng), {"shared": dim},
            lambda rng: shared_eigenpairs(graph, self.laplacian, dim, rng, self.solver),
        )  # fmt: skip

    def _kept(
        self,
        graph: Graph,
        seed: list[int],
        which: Mapping[str, Any],
        compute: Callable[[np.random.Generator], Shared],
    ) -> Shared:
        """Computed, or from disk."""
        from graphol.linalg.blocks import Eigenpairs
        from graphol.linalg.eigen import warn_if_inaccurate
        from graphol.linalg.shares import Shared

        fresh: list[Shared] = []
        key = {
            "graph": graph.hash, "laplacian": self.laplacian, **which, "seed": seed,
            "solver": describe(self.solver),
        }  # fmt: skip

        def arrays() -> dict[str, Any]:
            fresh.append(compute(np.random.default_rng(seed)))
            flat = fresh[0]._asdict() | fresh[0].pairs._asdict()
            return {name: np.asarray(value) for name, value in flat.items() if name != "pairs"}

        read = kept("spectral", key, arrays, FORM, n=graph.n)
        if fresh:
            return fresh[0]
        pairs = Eigenpairs(
            read["values"], read["vectors"], read["residuals"],
            int(read["n_zero"]), str(read["method"]), f"{read['why']}; read from the cache",
        )  # fmt: skip
        warn_if_inaccurate(pairs, graph.name)
        counts = (int(read[name]) for name in ("loose", "blank", "crowded"))
        return Shared(pairs, read["stand_in"], *counts)


def _seed(rng: np.random.Generator) -> list[int]:
    return [int(word) for word in rng.integers(2**32, size=4)]  # the same draws in any case


def _left_out(shared: Shared) -> Iterator[str]:
    """What the embedding does not tell apart."""
    if shared.blank:
        yield (
            f"{DOUBTFUL}{shared.blank} node(s) of small components are left out of the embedding "
            "and are guessed; dim=auto or a larger dim takes them in"
        )
    elif shared.crowded:
        yield (
            f"{DOUBTFUL}{shared.crowded} node(s) of small components have one dimension in common; "
            "a larger dim tells their components apart"
        )


def _inaccurate(pairs: Eigenpairs) -> Iterator[str]:
    from graphol.linalg.eigen import inaccuracy

    what = inaccuracy(pairs)
    if what:
        yield f"{DOUBTFUL}{what}"
