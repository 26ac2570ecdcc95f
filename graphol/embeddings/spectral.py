"""Nodes as rows of the Laplacian's smallest eigenvectors."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.declared import Member
from graphol.embeddings.rows import RowFeatures, unit_rows
from graphol.embeddings.store import kept
from graphol.graph import Graph, Laplacian
from graphol.params import describe, param
from graphol.registry import component

if TYPE_CHECKING:
    from graphol.linalg.eigen import Eigenpairs

DIM = 100
TRIVIAL = 1e-14  # what stands for the eigenvalue 0 under trivial="bias"
AMONG = 50  # gaps that are looked at under dim="auto"
CLEAR = 20.0  # how many times the mean of the others a gap must be
FORM = {
    "values": Member("f", ("d",), least=-1e-6),  # but for rounding
    "vectors": Member("f", ("n", "d")),
    "residuals": Member("f", ("d",)),
    "n_zero": Member("iu", (), least=0),
    "method": Member("U", ()),
    "why": Member("U", ()),
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
    eigenvalue 0 decides how learners behave; these are the variants in use, d = 100:

    ======  =============  =======  ======  ========================================================
    id      laplacian      trivial  rows    remark
    ======  =============  =======  ======  ========================================================
    E1      combinatorial  bias     raw     a constant feature of size :math:`10^7/\sqrt n`, i.e. an
                                            unpenalised bias; helps OLLGC, ruins the perceptron
    E2      normalized     keep     unit    eps = 1e-3
    E3      normalized     drop     unit
    E4      combinatorial  drop     raw     the pseudo-inverse :math:`L^+`, literally
    **E5**  normalized     keep     unit    **the default**, eps = 1e-2; :math:`\|x\| = 1`
    ======  =============  =======  ======  ========================================================

    A graph of c components has the eigenvalue 0 c times, with eigenvectors that are constant (or
    :math:`\sqrt{\deg}`) on one component each. ``keep`` and ``bias`` spend one dimension on each,
    the larger components first; with ``dim`` <= c there is nothing else in the embedding, which is
    warned about. ``drop`` leaves all of them out, and isolated nodes are zero rows.

    Cost: a fraction of a second for a citation network of a few thousand nodes, a second or two for
    one of 20 000, half a minute for d = 10 and a million nodes; see
    :func:`graphol.linalg.choice.choose`. Memory: some 5 n d floats. Eigenvectors that took half a
    second or more are kept on disk (:mod:`graphol.embeddings.store`).

    Parameters
    ----------
    dim
        Number of eigenvectors d, >= 1. A smaller graph gives as many as it has. ``auto``: up to the
        largest gap between the first 51 non-zero eigenvalues, if it is 20 times the mean of the
        others (:func:`graphol.embeddings.spectral.eigengap`), else 100; the eigenvalues 0 that are
        kept come on top.
    laplacian
        ``normalized``, :math:`I - D^{-1/2} S D^{-1/2}`, or ``combinatorial``, :math:`D - S`.
    trivial
        ``keep`` the eigenvalue 0 like any other; ``drop`` it; ``bias``: replace it by 1e-14 and use
        no eps.
    eps
        :math:`\epsilon` > 0, used by ``keep``. Bandit learners are sensitive to it.
    rows
        ``unit``: scaled to norm 1; ``raw``: as they are.
    solver
        The linear solver where eigenvectors are found by shift-invert; ``cholmod`` is faster than
        ``splu`` where it is installed, and equal up to rounding.

    Examples
    --------
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> e4 = Spectral(laplacian="combinatorial", trivial="drop", rows="raw")
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
    dim: int | str = param(DIM, least=1, word="auto")
    laplacian: Laplacian = param("normalized", choices=("normalized", "combinatorial"))
    trivial: str = param("keep", choices=("keep", "drop", "bias"))
    eps: float = param(1e-2, above=0)
    rows: str = param("unit", choices=("unit", "raw"))
    solver: Any = component("solver", "splu")

    def embed(self, graph: Graph, rng: np.random.Generator) -> RowFeatures:
        """The rows x_i of all nodes; ``rng`` seeds the eigensolver."""
        pairs = self.eigenpairs(graph, rng)
        if self.trivial != "drop" and len(pairs.values) == pairs.n_zero:
            warnings.warn(
                f"{graph.name} has {graph.n_components} components and dim is {self.dim}: the "
                "embedding tells components apart and nothing else; use the largest component, "
                "trivial=drop or a larger dim",
                ComponentsWarning,
                stacklevel=2,
            )
        weights = pairs.values + self.eps if self.trivial == "keep" else pairs.values.copy()
        if self.trivial == "bias":
            weights[: pairs.n_zero] = TRIVIAL
        X = pairs.vectors / np.sqrt(weights)
        facts = {
            "method": pairs.method,
            "why": pairs.why,
            "zeros": pairs.n_zero,
            "eigenvalues": pairs.values.tolist(),
            "residuals": pairs.residuals.tolist(),
        }
        return RowFeatures(unit_rows(X) if self.rows == "unit" else X, facts)

    def eigenpairs(self, graph: Graph, rng: np.random.Generator) -> Eigenpairs:
        """The eigenpairs behind the rows, from disk if they were computed before."""
        seed = [int(word) for word in rng.integers(2**32, size=4)]  # the same draws in any case
        if self.dim != "auto":
            return self._kept(graph, int(self.dim), seed)
        zeros = 0 if self.trivial == "drop" else graph.n_components
        pairs = self._kept(graph, zeros + AMONG + 1, seed)
        j = eigengap(pairs.values[pairs.n_zero :])
        if j is None:
            return self._kept(graph, zeros + DIM, seed)
        d = pairs.n_zero + j
        return pairs._replace(
            values=pairs.values[:d], vectors=pairs.vectors[:, :d], residuals=pairs.residuals[:d]
        )

    def _kept(self, graph: Graph, d: int, seed: list[int]) -> Eigenpairs:
        from graphol.linalg.eigen import Eigenpairs, smallest_eigenpairs, warn_if_inaccurate

        zero, fresh = self.trivial != "drop", []
        key = {
            "graph": graph.hash, "laplacian": self.laplacian, "d": d, "zero": zero, "seed": seed,
            "solver": describe(self.solver),
        }  # fmt: skip

        def compute() -> dict[str, Any]:
            pairs = smallest_eigenpairs(
                graph, self.laplacian, d, np.random.default_rng(seed),
                zero=zero, solver=self.solver,
            )  # fmt: skip
            fresh.append(pairs)
            return {name: np.asarray(value) for name, value in fresh[0]._asdict().items()}

        arrays = kept("spectral", key, compute, FORM, n=graph.n)
        if fresh:
            return fresh[0]
        pairs = Eigenpairs(
            arrays["values"], arrays["vectors"], arrays["residuals"],
            int(arrays["n_zero"]), str(arrays["method"]), f"{arrays['why']}; read from the cache",
        )  # fmt: skip
        warn_if_inaccurate(pairs, graph.name)
        return pairs


def eigengap(values: NDArray[np.float64]) -> int | None:
    r"""The number j of eigenvalues before the largest gap; None if it does not stand out.

    Of the non-zero :math:`\mu_1 \le \mu_2 \le \dots` given, j maximises :math:`\mu_{j+1} - \mu_j`.
    It counts if that is 20 times the mean of all other gaps: 200 times or so where a graph has
    blocks (``sbm``), below 10 on citation networks, images and friends, 14 on a grid.

    >>> eigengap(np.array([0.1, 0.11, 0.12, 0.5, 0.505, 0.51, 0.515]))
    3
    >>> eigengap(np.array([0.1, 0.2, 0.3, 0.35, 0.4])) is None
    True
    """
    gaps = np.diff(values[: AMONG + 1])
    if len(gaps) < 2:
        return None
    j = int(np.argmax(gaps))
    others = (gaps.sum() - gaps[j]) / (len(gaps) - 1)
    return j + 1 if gaps[j] > CLEAR * others else None
