"""Data that is one npz file on this machine, in $GRAPHOL_DATA or in the user's cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from graphol import npz
from graphol.datasets.files import COMPONENTS
from graphol.declared import Member, check
from graphol.downloads.catalogue import NamedGraph
from graphol.errors import InputError
from graphol.folders import data_file
from graphol.formats.graph_npz import read_npz, read_split
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import NodeTask


class OneFile:
    """Base of data sets that need one file on this machine."""

    __slots__ = ()

    @classmethod
    def filename(cls) -> str:
        """Its name, in $GRAPHOL_DATA or in the cache."""
        raise NotImplementedError

    @classmethod
    def way(cls) -> str:
        """How to come by it."""
        return f"set GRAPHOL_DATA to a folder with {cls.filename()}"

    @classmethod
    def where(cls) -> str:
        """Where it is, or how to come by it."""
        path = data_file(cls.filename())
        return f"not here: {cls.way()}" if path is None else f"here: {path}"


def _there(name: str, filename: str, way: str) -> Path:
    """The file, or one line on the ``way`` to get it."""
    path = data_file(filename)
    if path is None:
        raise InputError(
            f"{name} is not on this machine; {way}, or set GRAPHOL_DATA to a folder that holds "
            f"{filename}"
        )
    return path


def read_stored(name: str, filename: str, way: str) -> Graph:
    """The graph of a stored file, or one line on the ``way`` to get it."""
    return read_npz(_there(name, filename, way), name=name)


def read_arrays(name: str, filename: str, form: Mapping[str, Member], origin: str) -> npz.Members:
    """The members of a stored file as declared, or one line on its ``origin``."""
    path = _there(name, filename, f"make it from {origin} ({', '.join(form)})")
    found = npz.members(path, tuple(form), name)
    check(found, form, str(path))
    return found


@attrs.frozen
class Stored(OneFile):
    """A data set that is one npz file on this machine.

    Parameters
    ----------
    component
        The ``largest`` connected component, or ``all`` nodes.
    """

    name: ClassVar[str]
    record: ClassVar[NamedGraph]
    component: str = param("largest", choices=COMPONENTS)

    @classmethod
    def filename(cls) -> str:
        """The npz file, in $GRAPHOL_DATA or in the cache."""
        return cls.record.filename

    @classmethod
    def way(cls) -> str:
        """From its public address, or from where it was made."""
        if cls.record.published is None:
            return f"from {cls.record.origin}"
        return f"`graphol datasets fetch {cls.record.name}`"

    @classmethod
    def read(cls) -> Graph:
        """The whole graph."""
        return read_stored(cls.name, cls.filename(), cls.record.way)

    def load(self, rng: np.random.Generator) -> NodeTask:
        """The task; the same for every ``rng``."""
        whole = self.read()
        graph = whole.largest_component() if self.component == "largest" else whole
        split = read_split(_there(self.name, self.filename(), self.way()), name=self.name)
        return NodeTask((graph,), name=self.name, split=split if graph is whole else None)
