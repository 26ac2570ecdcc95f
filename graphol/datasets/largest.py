"""A part of another data set."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Task
from graphol.errors import UsageError
from graphol.registry import component
from graphol.tasks import NodeTask, SignalTask


@attrs.frozen
class Largest:
    """The largest connected component of another data set, generated ones included.

    ``--component largest`` means this where a data set has no parameter ``component`` of its own.
    Of a signal the entries on these nodes are kept.

    Parameters
    ----------
    of
        The whole data set.

    Examples
    --------
    >>> from graphol import make
    >>> sparse = "sbm:nodes=200,classes=2,degree_in=2,degree_out=1"
    >>> task = make("dataset", f"largest:of=({sparse})").load(np.random.default_rng(0))
    >>> task.name, task.graph.n_components, task.graph.n < 200
    ('sbm', 1, True)
    """

    name: ClassVar[str] = "largest"
    of: Any = component("dataset", "sbm")

    def load(self, rng: np.random.Generator) -> Task:
        """The part of what the data set loads by ``rng``."""
        whole: Task = self.of.load(rng)
        if whole.graph.n_components == 1:
            return whole
        if not isinstance(whole, NodeTask | SignalTask):
            raise UsageError(f"{whole.name} is of a kind of its own; leave --component out")
        return whole.part(np.flatnonzero(whole.graph.components == 0))
