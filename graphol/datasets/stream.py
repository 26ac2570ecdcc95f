"""The user's own rounds: which node was asked about in which context, and its sign."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Features, Integers
from graphol.datasets.files import COMPONENTS
from graphol.errors import InputError, UsageError, near, shown
from graphol.formats import read_graph
from graphol.formats.stream_file import StreamFile, read_stream
from graphol.graph import Graph
from graphol.latent import Clique, SupportTree
from graphol.params import param
from graphol.tasks import SequenceTask


@attrs.frozen
class OwnStream:
    """Rounds of yours: a table of nodes of a graph, contexts or times, and signs.

    A CSV or TSV file with the header ``node,context,sign``, ``node,time,sign`` or ``node,sign``.
    Times are whole numbers that do not decrease, or the number of the round; rounds at one time
    share a leaf of the support tree. Contexts are vertices of a graph of yours, or tasks of which
    none is nearer to another. All repeats play the same rounds in the same order.

    Parameters
    ----------
    graph
        Path of the graph: .csv, .tsv, .txt, .graphml, .mtx or .npz; labels are not needed.
    stream
        Path of the rounds: .csv, .tsv or .txt, each also .gz.
    latent
        Path of a graph over the contexts, in any format that ``--graph`` reads; its nodes are the
        contexts.
    component
        ``all`` nodes, which must then be connected, or the ``largest`` connected component: rounds
        about other nodes are left out.
    """

    name: ClassVar[str] = "stream"
    graph: str = param("")
    stream: str = param("")
    latent: str | None = param(None, type=str)
    component: str = param("all", choices=COMPONENTS)

    @classmethod
    def where(cls) -> str:
        """With the user."""
        return "your own: --graph FILE --stream FILE"

    def load(self, rng: np.random.Generator) -> SequenceTask:
        """The task; the same for every ``rng``."""
        if not self.graph or not self.stream:
            raise UsageError("stream: give both files, --graph FILE --stream FILE")
        whole, rounds = read_graph(self.graph).unlabelled, read_stream(self.stream)
        nodes = _places(whole, rounds, "node", rounds.nodes, "is not in")
        latent = None if self.latent is None else read_graph(self.latent).unlabelled
        vertices = None if latent is None else _vertices(latent, rounds)
        graph = whole.largest_component() if self.component == "largest" else whole
        if graph is not whole:
            number = np.full(whole.n, -1)
            number[np.flatnonzero(whole.components == 0)] = np.arange(graph.n)
            nodes = number[nodes]
        kept = np.flatnonzero(nodes >= 0)
        name, truth = Path(self.stream).name, rounds.signs[kept]
        if len(np.unique(truth)) < 2:
            same = f", all with the sign {truth[0]:+d}" if len(kept) else ""
            raise InputError(f"{name}: {len(kept)} round(s){same}; a game needs both signs")
        near: Graph | Features
        if latent is None or vertices is None:
            contexts, near = _contexts(rounds, kept)
            count = int(contexts.max()) + 1
        else:
            contexts, near, count = vertices[kept], latent, latent.n
        graph = graph.noted(*rounds.notes, *_noticed(len(nodes) - len(kept), contexts))
        return SequenceTask(graph, nodes[kept], contexts, truth, name, near, count)


def _noticed(left: int, contexts: Integers) -> Iterator[str]:
    if left:
        yield f"{left} round(s) about other nodes left out"
    if len(np.unique(contexts)) == 1:
        yield "all rounds are in one context"


def _places(graph: Graph, rounds: StreamFile, what: str, texts: list[str], wrong: str) -> Integers:
    """The rows of a graph's nodes by the texts of their ids; in words, for who is not there."""
    row = {str(node): i for i, node in enumerate(graph.ids)}
    for t, text in enumerate(texts):
        if text not in row:
            count = len(set(texts) - row.keys())
            more = f" (and {count - 1} more)" if count > 1 else ""
            raise InputError(
                f"{rounds.where(t)}: {what} {shown(text)}{more} {wrong} {graph.name}; "
                f"{near(text, row)}"
            )
    return np.array([row[text] for text in texts])


def _vertices(latent: Graph, rounds: StreamFile) -> Integers:
    if rounds.contexts is None:
        raise InputError(
            f"{rounds.path} has no column context, and {latent.name} is a graph over contexts; "
            "name the column context, or leave --latent out"
        )
    return _places(latent, rounds, "context", rounds.contexts, "is no node of")


def _contexts(rounds: StreamFile, kept: Integers) -> tuple[Integers, Features]:
    """Contexts numbered as they first occur, all alike; or times, by rank, on a support tree."""
    if rounds.contexts is not None:
        texts = [rounds.contexts[t] for t in kept]
        number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        return np.array([number[text] for text in texts]), Clique(vertices=max(len(number), 2))
    assert rounds.times is not None
    times, rank = np.unique(rounds.times[kept], return_inverse=True)
    return rank, SupportTree(leaves=len(times))
