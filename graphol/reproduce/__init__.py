"""Tables and figures of papers, run again: what was published beside what comes out here.

>>> from graphol.reproduce import run
>>> row, *_ = run("kdd13-table2", datasets=["sbm:nodes=60,classes=2"], repeats=2).rows
>>> row.learner, row.metric, row.verdict
('gpa', 'error_rate', 'no published figure')

A published figure, a grid or a data set is data (``kdd13.py``, ``ijcai18.py``, ``kdd19.py``,
``jmlr15.py``, ``aistats19.py``); how a table or a figure is run is machinery (``experiment.py``,
``figure.py``, ``signals.py``, ``switching.py``, ``splits.py``). The arena (``arena.py``) is no
paper's: everybody plays everything; nor is ``predicting.py``, graphol's own promise. A plugin
offers tables of its own by the hook ``graphol_experiments``.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphol.arena import Watcher
from graphol.reproduce import aistats19, ijcai18, jmlr15, kdd13, kdd19, predicting
from graphol.reproduce.arena import ARENA
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, PrintedTable, Row
from graphol.reproduce.kept import run_kept
from graphol.reproduce.offered import experiments, named
from graphol.reproduce.reproduction import Reproduction
from graphol.reproduce.strategies import STRATEGIES

__all__ = [
    "OWN", "Desk", "Entry", "Experiment", "Metric", "PrintedTable", "Reproduction", "Row",
    "experiments", "named", "run", "run_kept",
]  # fmt: skip

OWN: tuple[Experiment, ...] = (
    kdd13.TABLE2,
    kdd13.FIGURE1,
    kdd13.FIGURE2,
    kdd13.FIGURE3,
    ijcai18.TABLE1,
    ijcai18.FIGURE1,
    ijcai18.FIGURE2,
    *kdd19.TABLES,
    kdd19.REGRET,
    *kdd19.FIGURES,
    jmlr15.SWITCHING,
    jmlr15.MULTITASK,
    jmlr15.FIGURE1,
    *aistats19.TABLES,
    ARENA,
    predicting.TABLE,
    STRATEGIES,
)
"""What comes with graphol; plugins bring more."""


def run(
    name: str | Experiment,
    *,
    datasets: Sequence[str] = (),
    quick: bool = False,
    repeats: int | range | None = None,
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
        Fewer shuffles (3, and 2 to tune on) and, in figures, every second value, ranks up to 250.
    repeats
        Shuffles that score, a number or a range; by default 20, as in the papers, or 10 where
        the paper has none; in aistats19 as many splits or instances as the paper has; in the arena
        100-119.
    seed, jobs, watcher
        As for :func:`graphol.simulate`; games are played on threads.
    """
    experiment = named(name) if isinstance(name, str) else name
    desk = experiment.desk(quick=quick, repeats=repeats, seed=seed, jobs=jobs, watcher=watcher)
    rows = experiment.run(desk, datasets)
    return Reproduction(experiment, tuple(rows), tuple(desk.notes))
