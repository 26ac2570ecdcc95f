"""The support tree of a sequence of labelings, as the paper draws it: leaves are rounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from graphol.api import Integers
from graphol.errors import UsageError
from graphol.latent import SupportTree
from graphol.report.picture import blank, check_plot, save
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.reproduce.verdict import NO_FIGURE


class Coloured(NamedTuple):
    """A labeling of all vertices with the fewest cut edges, level by level from the leaves up."""

    levels: tuple[Integers, ...]

    @property
    def cut(self) -> list[tuple[int, int]]:
        """The edges that are cut, each by its lower end: level and number in it."""
        return [
            (level, i)
            for level, labels in enumerate(self.levels[:-1])
            for i in range(len(labels))
            if labels[i] != self.levels[level + 1][i // 2]
        ]


def coloured(active: Integers, n_labels: int) -> Coloured:
    """Costs from the leaves up, then labels from the root down; ties to the lowest label."""
    tree = SupportTree(leaves=len(active))
    cost = np.zeros((2**tree.height, n_labels))
    cost[: len(active)] = np.inf
    cost[np.arange(len(active)), active] = 0
    costs = [cost]
    while len(costs[-1]) > 1:
        child = np.minimum(costs[-1], costs[-1].min(axis=1, keepdims=True) + 1)
        costs.append(child[0::2] + child[1::2])
    labels = [np.argmin(costs[-1], axis=1)]
    for each in reversed(costs[:-1]):
        above = np.repeat(labels[-1], 2)
        moved = each + (np.arange(n_labels) != above[:, None])
        labels.append(np.argmin(moved, axis=1))
    return Coloured(tuple(reversed(labels)))


@attrs.frozen
class TreeFigure(Experiment):
    """One sequence of labelings, its support tree and what the bound is made of."""

    active: tuple[int, ...] = ()
    """The labeling of every round, from 0."""
    usual_repeats: ClassVar[int] = 1

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """The figures of the tree; nothing is played."""
        if datasets:
            raise UsageError(f"{self.name} is one sequence of labelings; leave --datasets out")
        return list(self._rows())

    def _rows(self) -> Iterator[Row]:
        active = np.array(self.active)
        T, K = len(active), int(active.max()) + 1
        S, tree = int(np.count_nonzero(np.diff(active))), SupportTree(leaves=T)
        for metric, value in (
            ("rounds T", T), ("labelings K", K), ("switches S", S),
            ("vertices of the tree", tree.vertices),
            ("least cut", tree.least_cut(active, K)),
            ("S log2 T", S * math.log2(T)),
            ("R_H", tree.resistance),
            ("R_H times cut", tree.resistance * tree.least_cut(active, K)),
        ):  # fmt: skip
            yield Row(
                table=self.name, dataset=f"{T} rounds", learner="support tree", metric=metric,
                paper=None, paper_std=None, measured=float(value), std=0.0, verdict=NO_FIGURE,
                params=None, embedding="", feedback=None, repeats=1, command=None,
            )  # fmt: skip

    def draw(self, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
        """The tree with coloured vertices; edges that are cut are marked."""
        check_plot(path, force=force)
        found = coloured(np.array(self.active), max(self.active) + 1)
        canvas = blank(9.0, 4.2)
        axes = canvas.subplots()
        T, cut = len(self.active), set(found.cut)
        for level, labels in enumerate(found.levels):
            x = (np.arange(len(labels)) + 0.5) * 2**level
            if level + 1 < len(found.levels):
                for i, at in enumerate(x):
                    above = (i // 2 + 0.5) * 2 ** (level + 1)
                    marked = (level, i) in cut
                    axes.plot(
                        [at, above], [level, level + 1], "-", zorder=1,
                        color="crimson" if marked else "0.7", linewidth=2.6 if marked else 0.8,
                    )  # fmt: skip
            known = np.arange(len(labels)) < T if level == 0 else np.ones(len(labels), dtype=bool)
            colours = [f"C{k}" if own else "white" for k, own in zip(labels, known, strict=True)]
            axes.scatter(x, np.full(len(x), level), c=colours, s=60 if level == 0 else 30,
                         edgecolors="0.3", linewidths=0.6, zorder=2)  # fmt: skip
        for t, k in enumerate(self.active):
            axes.text(t + 0.5, -0.45, f"{t + 1}", ha="center", va="center", fontsize="x-small")
            axes.text(t + 0.5, -0.8, f"w{k + 1}", ha="center", va="center", fontsize="x-small")
        axes.set_ylim(-1.1, len(found.levels) - 0.6)
        axes.set_axis_off()
        S = int(np.count_nonzero(np.diff(self.active)))
        canvas.suptitle(
            f"{self.title}\n{len(cut)} edges are cut (thick), S log2 T = {S * math.log2(T):.1f}; "
            "white leaves are of no round",
            fontsize="medium",
        )
        save(canvas, path, salt=self.name, force=force)
