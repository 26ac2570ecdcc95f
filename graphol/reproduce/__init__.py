"""Tables and figures of papers, run again: what was published beside what comes out here.

>>> from graphol.reproduce import run
>>> row, *_ = run("kdd13-table2", datasets=["sbm:nodes=60,classes=2"], repeats=2).rows
>>> row.learner, row.metric, row.verdict
('gpa', 'error_rate', 'no published figure')

A published figure, a grid or a data set is data (``kdd13.py``, ``ijcai19.py``, ``kdd19.py``); how a
table or a figure is run is machinery (``table.py``, ``figure.py``, ``signals.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphol.errors import UsageError, near
from graphol.reproduce import ijcai19, kdd13, kdd19
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.runner import Silent, Watcher

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        kdd13.TABLE2,
        kdd13.FIGURE1,
        kdd13.FIGURE2,
        kdd13.FIGURE3,
        ijcai19.TABLE1,
        ijcai19.FIGURE1,
        ijcai19.FIGURE2,
        *kdd19.TABLES,
        *kdd19.FIGURES,
    )
}
"""Everything that can be reproduced, by name."""

REPEATS, HELD_OUT = 20, 5
QUICK_REPEATS, QUICK_HELD_OUT = 3, 2


@attrs.frozen
class Reproduction:
    """The rows of a table or figure, and what to know about them."""

    experiment: Experiment
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    """What was left out, and why."""


def find(name: str) -> Experiment:
    """The table or figure of this name."""
    if name not in EXPERIMENTS:
        raise UsageError(
            f"there is no table or figure {name!r} to reproduce; {near(name, EXPERIMENTS)}"
        )
    return EXPERIMENTS[name]


def run(
    name: str | Experiment,
    *,
    datasets: Sequence[str] = (),
    quick: bool = False,
    repeats: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    watcher: Watcher | None = None,
) -> Reproduction:
    """Run a table or figure again.

    Parameters
    ----------
    name
        Which, by name or by value.
    datasets
        Data sets instead of the paper's, as the command line writes them.
    quick
        Fewer shuffles (3, and 2 to tune on) and, in figures, every second value.
    repeats
        Shuffles that score; by default 20, as in the papers.
    seed, jobs, watcher
        As for :func:`graphol.simulate`; games are played on threads.
    """
    experiment = find(name) if isinstance(name, str) else name
    desk = Desk(
        repeats=(QUICK_REPEATS if quick else REPEATS) if repeats is None else repeats,
        seed=seed,
        held_out=QUICK_HELD_OUT if quick else HELD_OUT,
        quick=quick,
        jobs=jobs,
        watcher=watcher or Silent(),
    )
    rows = experiment.run(desk, datasets)
    return Reproduction(experiment, tuple(rows), tuple(desk.notes))
