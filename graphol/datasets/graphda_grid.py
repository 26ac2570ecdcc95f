"""The benchmark of GraphDA: a mean shift on one of four shapes in a grid."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.datasets.grid import pixel_grid
from graphol.datasets.signals import mean_shift
from graphol.datasets.stored import OneFile, read_arrays
from graphol.declared import Member
from graphol.errors import UsageError
from graphol.params import param
from graphol.tasks import SignalTask

POOL = 1000


@attrs.frozen
class GraphdaGrid(OneFile):
    """Signals on a 33 x 33 grid, in half of which a connected shape is raised by mu.

    Standard normal noise on 1089 nodes; in the positive samples the 26, 46, 92 or 132 nodes of the
    shape have mean mu. Columns are standardised over all samples. As in the authors' program the
    training samples are the first of a pool of 1000.

    Parameters
    ----------
    graph
        Which of the four shapes, 1 to 4.
    mu
        Mean shift on the shape.
    train
        Samples played, 1 to 1000.
    validation
        Samples to tune on, at least 1.
    test
        Samples to score on, at least 1.

    References
    ----------
    Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD 2019.
    Shapes: Arias-Castro, Candès, Durand. Detection of an anomalous cluster in a network. Annals of
    Statistics, 2011.
    """

    name: ClassVar[str] = "graphda-grid"
    graph: int = param(1, least=1, most=4)
    mu: float = param(0.3, least=-1e6, most=1e6)
    train: int = param(400, least=1, most=POOL)
    validation: int = param(400, least=1)
    test: int = param(400, least=1)

    @classmethod
    def filename(cls) -> str:
        """The file with the four shapes."""
        return "graphda_grid.npz"

    def load(self, rng: np.random.Generator) -> SignalTask:
        """Fresh samples."""
        key = f"subgraph_{self.graph}"
        origin = "the repository baojianzhou/graph-da on GitHub, exp_logit_benchmark.py"
        form = {
            key: Member("iu", (None,), least=0),
            "grid_shape": Member("iu", (2,), least=1, below=10_000),
        }
        arrays = read_arrays(self.name, self.filename(), form, origin)
        rows, cols = (int(side) for side in arrays["grid_shape"])
        support = np.sort(arrays[key].astype(np.int64))
        if len(support) == 0 or support[0] < 0 or support[-1] >= rows * cols:
            raise UsageError(f"{self.filename()}: {key} is not a set of nodes of the grid")
        sizes = (self.train, self.validation, self.test)
        grid = pixel_grid(rows, cols, self.name)
        name = f"{self.name}: graph {self.graph}"
        return mean_shift(grid, support, self.mu, sizes, POOL, rng, name)
