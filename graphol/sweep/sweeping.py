"""A whole sweep: plan it, play what is missing, tune where that is asked for, and say what is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from graphol.errors import GrapholError, UsageError, plainly
from graphol.simulation import Simulation
from graphol.sweep import summary
from graphol.sweep.blocks import Tuning
from graphol.sweep.cell import name_of
from graphol.sweep.planning import Planned, check_data, load_plugins, plan, read_file
from graphol.sweep.run import Means, Runner
from graphol.sweep.selecting import selected
from graphol.sweep.store import Failure, Store
from graphol.tuning import choose

ENDING = "-results"
"""What the folder of a sweep is called after, beside the stem of its file."""


@attrs.frozen(eq=False)
class Sweep:
    """A plan, and the folder that holds what was played of it.

    Parameters
    ----------
    store
        The folder.
    planned
        All cells that are known.
    """

    store: Store
    planned: Planned

    @classmethod
    def of(cls, what: str | Path | Mapping[str, Any], out: str | Path | None = None) -> Sweep:
        """The sweep of a TOML file or of a mapping like it; nothing is played, nothing written."""
        if isinstance(what, Mapping):
            if out is None:
                raise UsageError("say where the cells are kept: out=FOLDER")
            load_plugins(what, Path())
            found = cls(Store(out), plan(what))
            found.tuned()
            return found
        path = Path(what)
        if out is None and path.exists() and not (path.is_file() or path.is_dir()):
            raise UsageError(f"{path} is no file; say where the cells are kept, with out")
        said = read_file(path)
        try:
            load_plugins(said, path.parent)
            planned = plan(said)
        except GrapholError as reason:
            told = plainly(reason)
            raise type(told)(f"{path}: {told.args[0]}") from None
        found = cls(Store(path.with_name(path.stem + ENDING) if out is None else out), planned)
        found.tuned()
        return found

    @property
    def recipes(self) -> dict[str, dict[str, Any]]:
        """The recipe of every cell that is known, by name."""
        return {name: cell.recipe() for name, cell in self.planned.in_order().items()}

    def tuned(self) -> dict[str, int]:
        """Choose where all held-out cells are done, which makes the scoring cells known.

        What was chosen is in the plan, so that held-out cells are read once.
        """
        done, chosen = self.store.done(), dict(self.store.plan().get("tuned", {}))
        found: dict[str, int] = {}
        waiting = self.planned.open_tunings(done)
        for tuning in self.planned.tunings:
            if tuning in waiting:
                continue
            key = name_of({"tuning": [[c.name for c in cells] for cells in tuning.rehearsals]})
            best = chosen.get(key)
            if not isinstance(best, int) or not 0 <= best < len(tuning.scoring):
                best = self._best(tuning)
            found[key] = best
            self.planned.settle(tuning, best)
        return found

    def _best(self, tuning: Tuning) -> int:
        played = [[self.store.read(c.name) for c in cells] for cells in tuning.rehearsals]
        return choose([summary.together(each) for each in played])

    def missing(self, only: Sequence[str] = (), *, retry_failed: bool = False) -> list[str]:
        """Names of the cells that are to be played."""
        known = self.store.done()
        if not retry_failed:
            known |= self.store.failed().keys()
        return [name for name in selected(self.planned.cells, only) if name not in known]

    def run(
        self, means: Means, only: Sequence[str] = (), *, retry_failed: bool = False
    ) -> dict[str, Failure]:
        """Play what is missing; those that failed in this run, by name."""
        with self.store.claimed():
            runner, first = Runner(self.store, means), True
            while True:
                chosen = self.tuned()
                todo = self.missing(only, retry_failed=retry_failed and first)
                todo = [name for name in todo if name not in runner.failures]
                if first:
                    if only and not selected(self.planned.cells, only):
                        raise UsageError(f"only {' '.join(only)!r} fits no cell of this sweep")
                    check_data(self.planned, todo)
                self.store.keep_plan(self.recipes, tuned=chosen, grids=self.planned.grids)
                if not todo or (runner.failures and means.fail_fast):
                    return runner.failures
                runner.play({name: self.planned.cells[name] for name in todo})
                first = False

    def rows(self) -> list[dict[str, Any]]:
        """One row per learner, data set and setting; ``tuned`` says what was chosen for it."""
        found = summary.rows(self.store, self.recipes)
        grids = self.planned.grids
        return [
            row
            | {"tuned": sorted({key for role in grids.get(row["names"][0], ()) for key in role})}
            for row in found
        ]

    def failed(self) -> dict[str, Failure]:
        """Planned cells that failed and are not done."""
        found = self.store.failed()
        return {name: found[name] for name in self.planned.cells if name in found}

    def simulations(self, names: Iterable[str] | None = None) -> dict[str, Simulation]:
        """Every planned cell that is done, or these, by name; each is of one repeat."""
        done = self.store.done()
        wanted = self.planned.cells if names is None else names
        return {name: self.store.read(name) for name in wanted if name in done}


def sweep(
    what: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    only: str | Sequence[str] = (),
    retry_failed: bool = False,
    **means: Any,
) -> Sweep:
    """Play what is missing of a sweep, and give back all of it.

    A cell that fails does not stop the others; see :meth:`Sweep.failed`.

    Parameters
    ----------
    what
        The path of a TOML file, or a mapping of the same form, in which components may be values.
    out
        The folder of its cells; by default beside the file.
    only
        Play those cells alone that fit: ``"learner=molg-*"``, or several of the kind.
    retry_failed
        Play cells again that failed before.
    means
        ``executor``, ``jobs``, ``timeout``, ``memory``, ``fail_fast`` and ``progress``: see
        :class:`graphol.sweep.run.Means`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     said = {"learner": ["gpa", "molg-f"], "dataset": "sbm:nodes=60", "repeats": 2}
    ...     found = sweep(said, out=folder, executor="serial")
    ...     [(row["learner"]["name"], row["done"]) for row in found.rows()]
    [('gpa', 2), ('molg-f', 2)]
    """
    found = Sweep.of(what, out)
    found.run(Means(**means), [only] if isinstance(only, str) else only, retry_failed=retry_failed)
    return found
