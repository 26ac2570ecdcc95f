"""The weights of layers as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphol.report.picture import blank, check_plot, save

MOST = 40
"""Bars that can be told apart; of more the heaviest are drawn."""


def plot_weights(
    layers: Sequence[Mapping[str, Any]], path: Path, *, title: str = "", force: bool = False
) -> None:
    """Draw every layer's weight, and beside it its share of the fused graph, as bars.

    Parameters
    ----------
    layers
        Rows with ``layer``, ``weight`` and ``share``, the heaviest share first.
    path
        A .png, .svg or .pdf file.
    title
        Above the picture.
    force
        Replace a picture that is there.
    """
    check_plot(path, force=force)
    drawn = layers[:MOST]
    figure = blank(7.2, 1.2 + 0.28 * len(drawn))
    left, right = figure.subplots(1, 2, sharey=True)
    names = [str(each["layer"]) for each in drawn]
    places = range(len(drawn))
    left.barh(places, [each["weight"] for each in drawn], color="#4477aa")
    right.barh(places, [100 * each["share"] for each in drawn], color="#ccbb44")
    left.set_yticks(places, names, parse_math=False)
    left.invert_yaxis()
    left.set_xlabel("weight")
    right.set_xlabel("% of the fused graph")
    more = len(layers) - len(drawn)
    figure.suptitle(f"{title} ({more} lighter layers not drawn)" if more else title)
    save(figure, path, salt="graphol weights", force=force)
