"""The reliability of probabilities as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphol.report.picture import blank, check_plot, save

if TYPE_CHECKING:
    from graphol.label.predicting import Predicted


def draw(found: Predicted, path: Path, *, force: bool = False) -> None:
    """How often held-out answers were right over how sure they were, and how many there are."""
    check_plot(path, force=force)
    bins = [each for each in found.calibration.bins if each.answers]
    figure = blank(4.5, 5.0)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    top.plot([0, 1], [0, 1], color="0.7", linewidth=1, label="as sure as right")
    top.plot(
        [each.confidence for each in bins], [each.right for each in bins],
        marker="o", color="#1f5f8b", label="labels held out",
    )  # fmt: skip
    top.set_xlim(0, 1)
    top.set_ylim(0, 1.02)
    top.set_ylabel("share right")
    top.set_title(f"{found.name}: off by {100 * found.calibration.error:.1f} points in the mean")
    top.legend(loc="upper left", frameon=False)
    bottom.bar(
        [(each.low + each.high) / 2 for each in bins], [each.answers for each in bins],
        width=[0.9 * (each.high - each.low) for each in bins], color="#1f5f8b",
    )  # fmt: skip
    bottom.set_ylabel("answers")
    bottom.set_xlabel("probability of the class that was said")
    save(figure, path, salt="reliability", force=force)
