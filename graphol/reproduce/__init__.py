"""Tables and figures of papers, run again: what was published beside what comes out here.

>>> from graphol.reproduce import run
>>> row, *_ = run("kdd13-table2", datasets=["sbm:nodes=60,classes=2"], repeats=2).rows
>>> row.learner, row.metric, row.verdict
('gpa', 'error_rate', 'no published figure')

A published figure, a grid or a data set is data (``kdd13.py``, ``ijcai18.py``, ``kdd19.py``,
``jmlr15.py``, ``aistats19.py``); how a table or a figure is run is machinery (``experiment.py``,
``figure.py``, ``signals.py``, ``switching.py``, ``splits.py``). The arena (``arena.py``) is no
paper's: everybody plays everything. A plugin offers tables of its own by the hook
``graphol_experiments``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import attrs

from graphol.arena import Silent, Watcher
from graphol.errors import UsageError, near
from graphol.plan import Plan
from graphol.registry import Plugin, registry
from graphol.reproduce import aistats19, ijcai18, jmlr15, kdd13, kdd19
from graphol.reproduce.arena import ARENA
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Entry, Experiment, Metric, PrintedTable, Row

__all__ = [
    "OWN", "Desk", "Entry", "Experiment", "Metric", "PrintedTable", "Reproduction", "Row",
    "experiments", "named", "run",
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
)
"""What comes with graphol; plugins bring more."""

HELD_OUT = 5
QUICK_REPEATS, QUICK_HELD_OUT = 3, 2


@attrs.frozen
class Reproduction:
    """The rows of a table or figure, and what to know about them."""

    experiment: Experiment
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    """What was left out, and why."""

    @property
    def conclusions(self) -> tuple[str, ...]:
        """What the rows say, in sentences, where the experiment has some."""
        return tuple(self.experiment.conclusions(self.rows))


def experiments() -> dict[str, list[tuple[Plugin, Experiment]]]:
    """Everything that can be reproduced, by name; more than one of a name is a conflict."""
    found: dict[str, list[tuple[Plugin, Experiment]]] = {}
    for plugin, experiment in registry().values("graphol_experiments", _misfit):
        found.setdefault(experiment.name, []).append((plugin, experiment))
    return found


def _misfit(value: Any) -> str:
    """What keeps a value from being an experiment, or ''."""
    if not isinstance(value, Experiment):
        kind = type(value).__name__
        return f"it gave {kind}, not a value of graphol.reproduce.Experiment"
    if not value.name.isprintable() or not value.name or " " in value.name:
        return f"the experiment {value.name!r} needs a name that can be typed, without blanks"
    return ""


def named(name: str) -> Experiment:
    """The table or figure of this name."""
    known = experiments()
    now = name.replace("ijcai19-", "ijcai18-")
    if now != name and now in known:
        warnings.warn(f"{name} is now called {now}: the paper is of 2018", stacklevel=2)
        name = now
    if name not in known:
        failed = [plugin.name for plugin in registry().plugins if plugin.failure]
        more = f" (plugin {', '.join(failed)} failed: see `graphol plugins`)" if failed else ""
        raise UsageError(
            f"there is no table or figure {name!r} to reproduce; {near(name, known)}{more}"
        )
    (plugin, experiment), *others = known[name]
    if others:
        owners = " and ".join([plugin.owner, *(other.owner for other, _ in others)])
        raise UsageError(
            f"{name} is offered by both {owners}; uninstall one of them, or leave one out with "
            "GRAPHOL_PLUGINS=name,..."
        )
    return experiment


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
        Fewer shuffles (3, and 2 to tune on) and, in figures, every second value.
    repeats
        Shuffles that score, a number or a range; by default 20, as in the papers, or 10 where
        the paper has none; in aistats19 as many splits or instances as the paper has; in the arena
        100-119.
    seed, jobs, watcher
        As for :func:`graphol.simulate`; games are played on threads.
    """
    experiment = named(name) if isinstance(name, str) else name
    usual, held_out = experiment.usual_repeats, HELD_OUT
    if quick:
        usual, held_out = min(usual, QUICK_REPEATS), QUICK_HELD_OUT
    first = experiment.first_repeat
    plan = Plan(
        repeats=range(first, first + usual) if repeats is None else repeats,
        seed=seed,
        jobs=jobs,
        one_vs_rest=experiment.one_vs_rest,
        fresh_data=experiment.fresh_data,
    )
    desk = Desk(plan, held_out, quick, watcher or Silent())
    rows = experiment.run(desk, datasets)
    return Reproduction(experiment, tuple(rows), tuple(desk.notes))
