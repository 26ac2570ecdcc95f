"""Real graphs with names: every row of the catalogue as a data set."""

from __future__ import annotations

from typing import Any

import attrs

from graphol.datasets.stored import Stored
from graphol.downloads.catalogue import ROWS, NamedGraph, named_graph
from graphol.folders import data_file
from graphol.graph import Graph


def _dataset(row: NamedGraph) -> type[Stored]:
    name = "".join(word.capitalize() for word in row.name.split("-"))
    doc = row.about.format(row.counts)
    if row.published is not None and row.published.counts is not None:
        nodes, edges, _ = row.published.counts
        doc += (
            f"\n\nIt is the copy in {row.origin}. The original that ``graphol datasets fetch`` "
            f"converts is another graph: {nodes} nodes, {edges} edges."
        )
    fields = {"__doc__": doc, "__module__": __name__, "name": row.name, "record": row}
    return attrs.frozen(type(name, (Stored,), fields))


NAMED = tuple(map(_dataset, ROWS))
(
    Cora, Citeseer, Pubmed, LastfmAsia, FacebookPages, GithubDevelopers, Wordnet30, Movies4Wikidata,
    MoviesWikidataDecade,
) = NAMED  # fmt: skip


def info(name: str) -> dict[str, Any]:
    """What there is to say about a named data set.

    The counts are those of the file on this machine, or those on record if there is none.
    """
    row = named_graph(name)
    path = data_file(row.filename)
    said: dict[str, Any] = {
        "name": name,
        "title": row.title,
        "citation": row.citation,
        "terms": row.terms,
        "origin": row.origin,
        **row.counts._asdict(),
        "hash": row.hash,
        "address": None if row.published is None else row.published.url,
        "file": None if path is None else str(path),
    }
    if path is None:
        return said
    return said | measured(next(cls for cls in NAMED if cls.name == name).read())


def measured(graph: Graph) -> dict[str, Any]:
    """What a graph that was read has to say of itself."""
    return {
        "nodes": graph.n,
        "edges": graph.n_edges,
        "classes": graph.n_classes,
        "hash": graph.hash,
        "components": graph.n_components,
        "notes": list(graph.notes),
    }
