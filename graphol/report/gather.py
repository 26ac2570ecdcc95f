"""Folders of results, comparisons and sweeps as outcomes, and how much of a sweep is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from graphol.errors import InputError, in_one_line
from graphol.report.comparison import label, opened
from graphol.report.comparisons import parts_in
from graphol.report.outcome import Outcome, outcomes
from graphol.report.regret import Regrets
from graphol.simulation import Simulation
from graphol.sweep.store import PARTS, Store

PLANNED, DONE, FAILED = "planned", "done", "failed"
Hindsight = Callable[[Simulation], Regrets | None]


@attrs.frozen
class Failed:
    """A cell that was tried and left an error."""

    cell: str
    learner: str
    dataset: str
    protocol: str
    seed: str
    repeats: str
    error: str
    tries: int
    command: str


@attrs.frozen
class Gathered:
    """What folders hold."""

    outcomes: tuple[Outcome, ...]
    progress: tuple[Mapping[str, Any], ...] = ()
    """Cells of sweeps that are planned, done and failed: a row per learner and data set."""
    failures: tuple[Failed, ...] = ()
    notes: tuple[str, ...] = ()

    def total(self, what: str) -> int:
        """Cells in all that are planned, done or failed."""
        return sum(int(row[what]) for row in self.progress)


def gather(
    folders: Sequence[Path],
    hindsight: Hindsight | None = None,
    watch: Callable[[int, int], None] = lambda done, of: None,
) -> Gathered:
    """Read folders; traces are thrown away one result after the other.

    Cells of a sweep that its plan does not name, any more, are left out, and so are those that only
    tuned.

    Parameters
    ----------
    folders
        Of ``simulate --out``, ``compare --out`` or ``sweep``.
    hindsight
        Makes regret and bound of a simulation.
    watch
        Is told how many results of how many are read.
    """
    readers: dict[Path, Callable[[], Simulation]] = {}
    progress: dict[tuple[str, str], dict[str, Any]] = {}
    failures: list[Failed] = []
    notes: list[str] = []
    for folder in folders:
        if Store.is_one(folder):
            readers |= _of_sweep(Store(folder), progress, failures, notes)
        else:
            for part in parts_in(folder) or [folder]:
                readers |= {path: _loader(path) for path in opened(part)[0]}
    grids = _grids(folders)
    found: list[Outcome] = []
    for i, (path, read) in enumerate(readers.items()):
        watch(i, len(readers))
        result = read()
        try:
            _check(result.recipe)
            played = outcomes(result, hindsight(result) if hindsight else None)
            roles = grids.get(path, [{}])
            found += (attrs.evolve(each, tuned=role) for each in played for role in roles)
        except (LookupError, TypeError, ValueError, AttributeError) as reason:  # of bytes not ours
            raise InputError(
                f"{path} is not of graphol's results, or is damaged ({in_one_line(reason)})"
            ) from None
    rows = [progress[key] for key in sorted(progress)]
    return Gathered(tuple(found), tuple(rows), tuple(failures), tuple(notes))


def _grids(folders: Sequence[Path]) -> dict[Path, list[Mapping[str, Any]]]:
    """By its file, of every cell that was tuned, what was chosen and from what; {} is not tuned."""
    stores = [Store(folder) for folder in folders if Store.is_one(folder)]
    return {
        store.path(name): grid
        for store in stores
        for name, grid in store.plan().get("grids", {}).items()
    }


def _check(recipe: Mapping[str, Any]) -> None:
    """Is it a recipe? The file of a cell is read without asking that."""
    for key in ("learner", "feedback", "dataset", "embedding"):
        part = recipe[key]
        if part is None and key == "embedding":
            continue
        if not isinstance(part, dict) or not isinstance(part.get("name", ""), str):
            raise ValueError(f"its {key} is {part!r:.40}")
        if key != "dataset" and "name" not in part:
            raise ValueError(f"its {key} has no name")
    for key, kind in (("engine", dict), ("versions", dict), ("seed", int), ("target", str)):
        if not isinstance(recipe[key], kind):
            raise ValueError(f"its {key} is {recipe[key]!r:.40}")


def _loader(path: Path) -> Callable[[], Simulation]:
    return lambda: Simulation.load(path)


def _of_sweep(
    store: Store,
    progress: dict[tuple[str, str], dict[str, Any]],
    failures: list[Failed],
    notes: list[str],
) -> dict[Path, Callable[[], Simulation]]:
    """Readers of what is done; the rest is counted."""
    done, failed = store.done(), store.failed()
    recipes = store.planned()
    if not recipes and not done and (store.folder / PARTS).is_file():
        raise InputError(
            f"{store.folder} holds parts of tables, and no games; make a page of them with "
            f"`graphol reproduce NAME --out {store.folder} --html FILE`"
        )
    if not recipes:
        recipes = {name: store.meta(name).get("cell", {}) for name in done}
        recipes |= {name: failure.recipe for name, failure in failed.items()}
    scoring = {
        name: recipe
        for name, recipe in recipes.items()
        if not recipe.get("engine", {}).get("held_out")
    }
    if left := len(done - recipes.keys()):
        notes.append(f"{left} cell(s) in {store.folder} are not of its plan, and are left out")
    if tuned := len(recipes) - len(scoring):
        notes.append(f"{tuned} cell(s) in {store.folder} chose parameters, and are left out")
    for name, recipe in sorted(scoring.items()):
        learner, dataset = _label(recipe, "learner"), _label(recipe, "dataset")
        row = progress.setdefault(
            (learner, dataset),
            {"learner": learner, "dataset": dataset, PLANNED: 0, DONE: 0, FAILED: 0},
        )
        row[PLANNED] += 1
        row[DONE] += name in done
        row[FAILED] += name in failed
    failures += [
        _failed(name, recipes[name], failed[name]) for name in sorted(failed.keys() & recipes)
    ]
    names = sorted(scoring.keys() & done, key=lambda name: _place(scoring[name], name))
    return {store.path(name): _cell_reader(store, name) for name in names}


def _place(recipe: Mapping[str, Any], name: str) -> tuple[str, str, str]:
    """Cells on the same data come together: with regret it is loaded again."""
    return repr(recipe.get("dataset")), str(recipe.get("seed")), name


def _cell_reader(store: Store, name: str) -> Callable[[], Simulation]:
    return lambda: store.read(name)


def _label(recipe: Mapping[str, Any], kind: str) -> str:
    part = recipe.get(kind)
    return label(dict(part), kind) if isinstance(part, Mapping) and "name" in part else "?"


def _failed(name: str, recipe: Mapping[str, Any], failure: Any) -> Failed:
    engine = recipe.get("engine", {})
    return Failed(
        cell=name,
        learner=_label(recipe, "learner"),
        dataset=_label(recipe, "dataset"),
        protocol=_label(recipe, "feedback") + (", tuning" if engine.get("held_out") else ""),
        seed=str(recipe.get("seed", "")),
        repeats=str(engine.get("repeats", "")),
        error=str(failure.error),
        tries=int(failure.tries),
        command=failure.command or "",
    )
