"""A data set that is one npz file on this machine: what it can do, and what is known of it."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.datasets.cache import find
from graphol.datasets.files import COMPONENTS
from graphol.datasets.npz import read_npz
from graphol.datasets.sources import SOURCES
from graphol.errors import InputError
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import NodeTask


@attrs.frozen
class Facts:
    """What is known about a data set without having it."""

    title: str
    citation: str
    terms: str
    origin: str
    nodes: int
    edges: int
    classes: int
    hash: str
    """Content hash (:attr:`graphol.Graph.hash`) of the whole graph that the counts are of."""


def read_stored(name: str, filename: str, way: str) -> Graph:
    """The graph of a file in $GRAPHOL_DATA or in the cache, or one line on ``way`` to get it."""
    path = find(filename)
    if path is None:
        raise InputError(
            f"{name} is not on this machine; {way}, or set GRAPHOL_DATA to a folder that holds "
            f"{filename}"
        )
    return read_npz(path, name=name)


@attrs.frozen
class Stored:
    """A data set that is one npz file on this machine.

    Parameters
    ----------
    component
        The ``largest`` connected component, or ``all`` nodes.
    """

    name: ClassVar[str]
    facts: ClassVar[Facts]
    component: str = param("largest", "Keep the largest component or all.", choices=COMPONENTS)

    @classmethod
    def filename(cls) -> str:
        """The npz file, in $GRAPHOL_DATA or in the cache."""
        return cls.name.replace("-", "_") + ".npz"

    @classmethod
    def read(cls) -> Graph:
        """The whole graph."""
        way = f"run `graphol datasets fetch {cls.name}`"
        if cls.name not in SOURCES:
            way = f"it comes from {cls.facts.origin}: fetch it with `--url` from a mirror"
        return read_stored(cls.name, cls.filename(), way)

    def load(self, rng: np.random.Generator) -> NodeTask:
        """The task; the same for every ``rng``."""
        graph = self.read()
        if self.component == "largest":
            graph = graph.largest_component()
        return NodeTask((graph,), name=self.name)
