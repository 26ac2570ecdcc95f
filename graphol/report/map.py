"""The weights of a linear model, drawn on the graph that its entries are the nodes of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphol.api import Integers, Matrix, Vector
from graphol.atomic import replacing
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.projections.groups import grid_columns
from graphol.report.curve import NO_DATE, check_plot

MOST = 5000
"""Nodes of a graph that is not a grid; more cannot be told apart."""


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
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    check_plot(path, force=force)
    mean = np.mean([w[:-1] for w in weights], axis=0)
    panels: list[tuple[str, Vector]] = []
    if support is not None:
        truth = np.zeros(graph.n)
        truth[support] = np.abs(mean).max() or 1.0
        panels.append(("true support", truth))
    panels.append((f"weights, mean of {len(weights)}" if len(weights) > 1 else "weights", mean))
    figure = Figure(figsize=(0.6 + 4.0 * len(panels), 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (name, values) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        map_panel(axes, graph, values)
        axes.set_title(name, fontsize="medium")
    figure.suptitle(title, fontsize="medium")
    ending = path.suffix.removeprefix(".").lower()
    salt: Any = {"svg.hashsalt": title}
    with replacing(path, force=force) as temporary, matplotlib.rc_context(salt):
        figure.savefig(temporary, format=ending, dpi=150, metadata=NO_DATE[ending])


def map_panel(axes: Any, graph: Graph, values: Vector) -> None:
    """One map: blue is negative, red positive, and white 0."""
    cols = grid_columns(graph)
    if not cols and graph.n > MOST:
        raise UsageError(f"{graph.name}: {graph.n} nodes cannot be drawn, only {MOST} or a grid")
    most = float(np.abs(values).max()) or 1.0
    colours = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
    axes.set_xticks([])
    axes.set_yticks([])
    if cols:
        axes.imshow(values.reshape(-1, cols), **colours)
        return
    places = layout(graph)
    from matplotlib.collections import LineCollection

    edges = graph.adjacency.tocoo()
    upper = edges.row < edges.col
    lines = np.stack([places[edges.row[upper]], places[edges.col[upper]]], axis=1)
    axes.add_collection(LineCollection(list(lines), colors="0.85", linewidths=0.4, zorder=0))
    order = np.argsort(np.abs(values), kind="stable")  # what matters is drawn last
    x, y = places[order].T
    axes.scatter(x, y, c=values[order], s=14, edgecolors="0.7", linewidths=0.3, **colours)


def layout(graph: Graph) -> Matrix:
    """Two eigenvectors of the normalised Laplacian, as ranks so that nodes spread out."""
    L = graph.laplacian("normalized").toarray()
    _, vectors = np.linalg.eigh(L)
    chosen = vectors[:, 1:3] if graph.n > 2 else np.eye(graph.n, 2)
    chosen = chosen * np.sign(chosen[np.argmax(np.abs(chosen), axis=0), np.arange(2)])
    ranks = np.argsort(np.argsort(chosen, axis=0, kind="stable"), axis=0, kind="stable")
    return ranks.astype(np.float64)
