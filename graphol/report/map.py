"""The weights of a linear model, drawn on the graph that its entries are the nodes of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol.api import Integers, Matrix, Task, Vector
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.linalg.eigen import smallest_eigenpairs
from graphol.projections.groups import grid_columns
from graphol.report.picture import blank, check_plot, save
from graphol.tasks import SignalTask

MOST = 5000
"""Nodes of a graph that is not a grid; more cannot be told apart."""
CROWDED = 1000
"""With more nodes only edges between weights that are not 0 are drawn."""


def plot_map(
    graph: Graph,
    weights: Sequence[Vector],
    path: Path,
    *,
    support: Integers | None = None,
    title: str = "",
    force: bool = False,
) -> None:
    """Mean weights over the repeats, beside the true support where it is known.

    ``weights`` have the intercept at the end. A grid is drawn as one, another graph by two
    eigenvectors of its Laplacian.
    """
    check_plot(path, force=force)
    mean = np.mean([w[:-1] for w in weights], axis=0)
    panels: list[tuple[str, Vector]] = []
    if support is not None:
        truth = np.zeros(graph.n)
        truth[support] = np.abs(mean).max() or 1.0
        panels.append(("true support", truth))
    panels.append((f"weights, mean of {len(weights)}" if len(weights) > 1 else "weights", mean))
    figure = blank(0.6 + 4.0 * len(panels), 4.2)
    sheet = Sheet(graph)
    for axes, (name, values) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        sheet.draw(axes, values)
        axes.set_title(name, fontsize="medium")
    figure.suptitle(title, fontsize="medium")
    save(figure, path, salt=title, force=force)


def check_map(task: Task) -> None:
    """Refuse signals over a graph that cannot be drawn, before they are played."""
    if isinstance(task, SignalTask) and not grid_columns(task.graph):
        _check_size(task.graph)


def _check_size(graph: Graph) -> None:
    if graph.n > MOST:
        raise UsageError(f"{graph.name}: {graph.n} nodes cannot be drawn, only {MOST} or a grid")


@attrs.frozen(eq=False)
class Sheet:
    """Where the nodes of a graph are drawn: a grid as one, else by two eigenvectors."""

    graph: Graph
    cols: int = attrs.field(init=False)
    places: Matrix = attrs.field(init=False)  # (n, 2); of a grid (0, 2)

    @cols.default
    def _columns(self) -> int:
        return grid_columns(self.graph)

    @places.default
    def _layout(self) -> Matrix:
        return np.zeros((0, 2)) if self.cols else layout(self.graph)

    def draw(self, axes: Any, values: Vector) -> None:
        """One map: blue is negative, red positive, and white 0."""
        most = float(np.abs(values).max()) or 1.0
        colours = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
        axes.set_xticks([])
        axes.set_yticks([])
        if self.cols:
            axes.imshow(values.reshape(-1, self.cols), **colours)
            return
        from matplotlib.collections import LineCollection

        edges = self.graph.adjacency.tocoo()
        drawn = edges.row < edges.col
        if self.graph.n > CROWDED:  # all edges would be one grey block
            drawn &= (values[edges.row] != 0) & (values[edges.col] != 0)
        lines = np.stack([self.places[edges.row[drawn]], self.places[edges.col[drawn]]], axis=1)
        axes.add_collection(LineCollection(list(lines), colors="0.85", linewidths=0.4, zorder=0))
        order = np.argsort(np.abs(values), kind="stable")  # what matters is drawn last
        x, y = self.places[order].T
        size = 14 if self.graph.n <= CROWDED else 6
        axes.scatter(x, y, c=values[order], s=size, edgecolors="0.7", linewidths=0.3, **colours)


def layout(graph: Graph) -> Matrix:
    """Two eigenvectors of the normalised Laplacian, as ranks so that nodes spread out."""
    _check_size(graph)
    vectors = smallest_eigenpairs(graph, "normalized", 3, np.random.default_rng(0)).vectors
    chosen = vectors[:, 1:3] if graph.n > 2 else np.eye(graph.n, 2)
    chosen = chosen * np.sign(chosen[np.argmax(np.abs(chosen), axis=0), np.arange(2)])
    ranks = np.argsort(np.argsort(chosen, axis=0, kind="stable"), axis=0, kind="stable")
    return ranks.astype(np.float64)
