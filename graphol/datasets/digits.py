"""The handwritten digits of scikit-learn: real data that needs no download."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import NodeTask


@attrs.frozen
class Digits:
    """1797 handwritten digits, joined to their nearest neighbours; 10 classes.

    Two images are joined, with weight 1, if either is among the k nearest of the other by
    Euclidean distance between their 64 pixels. With k = 10 that gives 12343 edges in one
    component; for k < 8 there may be several. The pixels, 0 to 16, are the node features.

    Parameters
    ----------
    k
        Nearest neighbours that an image is joined to, 1 to 1796.

    Examples
    --------
    >>> task = Digits().load(np.random.default_rng(0))
    >>> task.graph.n, task.graph.n_edges, task.graph.n_classes, task.graph.n_components
    (1797, 12343, 10, 1)

    References
    ----------
    Alpaydin, Kaynak. Optical recognition of handwritten digits. UCI, 1998; its test set, as
    scikit-learn ships it.
    """

    name: ClassVar[str] = "digits"
    k: int = param(10, least=1, most=1796)

    def load(self, rng: np.random.Generator) -> NodeTask:
        """The task; the same for every ``rng``."""
        from scipy.sparse import csr_array
        from scipy.spatial import cKDTree
        from sklearn.datasets import load_digits

        pixels, labels = load_digits(return_X_y=True)  # (1797, 64), no image occurs twice
        n = len(pixels)
        _, nearest = cKDTree(pixels).query(pixels, self.k + 1)  # (n, k + 1), itself first
        columns, starts = np.asarray(nearest)[:, 1:].ravel(), np.arange(n + 1) * self.k
        near = csr_array((np.ones(n * self.k), columns, starts), shape=(n, n))
        graph = Graph(near.maximum(near.T), labels=labels, features=pixels, name=self.name)
        return NodeTask((graph,), name=self.name)
