"""A graph's nodes as rows of numbers, saved with everything that is needed to make them again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, npz, seeding
from graphol.api import Embedding, Reports
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.params import describe
from graphol.simulation import versions


@attrs.frozen(eq=False)
class Embedded:
    """Rows, one per node, and how they came about."""

    graph: Graph
    rows: NDArray[np.float64]  # (n, d)
    recipe: dict[str, Any]
    """Source, embedding with all its parameters, seed, graph hash, versions."""
    facts: dict[str, Any]
    """What the embedding itself reports: method, why, eigenvalues, residuals."""
    seconds: float
    cpu_seconds: float

    def row(self) -> dict[str, Any]:
        """The table's row."""
        residuals = self.facts.get("residuals")
        return {
            "graph": self.recipe["source"]["name"],
            "nodes": self.graph.n,
            "edges": self.graph.n_edges,
            "components": self.graph.n_components,
            "embedding": self.recipe["embedding"]["name"],
            "dim": self.rows.shape[1],
            "method": self.facts.get("method"),
            "residual": max(residuals, default=0.0) if residuals is not None else None,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }

    def json(self) -> dict[str, Any]:
        """The row, what the embedding reports, and the recipe."""
        separate = ("seed", "graph_hash", "versions")
        return {
            **self.row(),
            **self.facts,
            "notes": [*self.graph.notes, *self.facts.get("notes", ())],
            **{key: self.recipe[key] for key in separate},
            "recipe": {k: value for k, value in self.recipe.items() if k not in separate},
        }

    def save(self, path: Path, *, force: bool = False) -> None:
        """An npz file: ids, rows, eigenvalues and residuals where there are any, ``meta.json``."""
        numbers = ("eigenvalues", "residuals")
        columns = {key: np.array(self.facts[key]) for key in numbers if key in self.facts}
        meta = {
            "schema": npz.SCHEMA,
            **self.recipe,
            **{key: value for key, value in self.facts.items() if key not in numbers},
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        ids = node_ids.members(self.graph.ids, self.graph.name)
        npz.write(path, {**ids, "rows": self.rows, **columns}, meta, force=force)


def embedded(graph: Graph, source: dict[str, Any], embedding: Embedding, seed: int) -> Embedded:
    """Embed the graph as :func:`graphol.simulate` does with the same seed."""
    rng = seeding.embedding(seed)
    wall, cpu = time.perf_counter(), time.process_time()
    features = embedding.embed(graph, rng)
    if features.rows is None:
        raise UsageError(
            f"{embedding.name} has no rows to save, only entries that are computed when they are "
            "asked for; use --embedding spectral"
        )
    recipe = {
        "source": source,
        "embedding": describe(embedding),
        "seed": seed,
        "graph_hash": graph.hash,
        "versions": versions(),
    }
    facts = dict(features.facts) if isinstance(features, Reports) else {}
    spent = time.perf_counter() - wall, time.process_time() - cpu
    return Embedded(graph, features.rows, recipe, facts, *spent)
