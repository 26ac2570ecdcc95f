"""The folder of a sweep: a file per cell that is done, and one per cell that failed.

=================  =======================================================
``cells/N.npz``    a cell that is done: it is if, and only if, this is there
``failed/N.json``  its error, how often it was tried, the command
``logs/N.log``     what it printed and warned about
``sweep.json``     the recipes of all cells as last planned
=================  =======================================================

Names of cells follow from their recipes, so folders are merged by copying files together. Whoever
writes claims the folder; reading needs no claim, since every file appears whole.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import attrs

from graphol.claims import claimed
from graphol.errors import InputError, UsageError, in_one_line
from graphol.schema import plain
from graphol.simulation import Simulation
from graphol.sweep import cell_file

CELLS, FAILED, LOGS, PLAN = "cells", "failed", "logs", "sweep.json"
PARTS = "reproduce.json"
"""The plan of a folder whose cells are parts of a paper's tables."""
LOCK, PART = ".graphol-lock", ".graphol-part"
SCHEMA = 1


@attrs.frozen
class Failure:
    """A cell that was tried and is not done."""

    name: str
    recipe: dict[str, Any]
    error: str
    """One line."""
    command: str | None
    """The ``graphol simulate`` line that plays it, if there is one."""
    tries: int = 1
    why: str = "error"
    """error, killed, timeout or memory."""
    when: str = ""


class Store:
    """Everything that a sweep has left in its folder.

    Parameters
    ----------
    folder
        Where it is, or will be.
    """

    ending: ClassVar[str] = ".npz"
    """Of the files of cells."""
    plan_file: ClassVar[str] = PLAN
    """Where its plan is kept."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._ours: Callable[[], bool] = lambda: True

    @staticmethod
    def is_one(folder: Path) -> bool:
        """Does the folder hold a sweep?"""
        return (folder / CELLS).is_dir() or (folder / PLAN).is_file()

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Nobody else writes there while the block runs; what a killed process left is gone."""
        try:
            for inner in (CELLS, FAILED, LOGS):
                (self.folder / inner).mkdir(parents=True, exist_ok=True)
            with claimed(self.folder / LOCK, self.folder) as self._ours:
                if self._part.is_dir():
                    raise InputError(f"{self._part} is no file of graphol's; move it away")
                self._part.unlink(missing_ok=True)
                yield
        except OSError as reason:
            raise InputError(f"cannot write {self.folder}: {reason.strerror or reason}") from None
        finally:
            self._ours = lambda: True

    @property
    def _part(self) -> Path:
        return self.folder / PART

    def path(self, name: str) -> Path:
        """Where the file of a cell is, or will be."""
        return self.folder / CELLS / f"{name}{self.ending}"

    def log_path(self, name: str) -> Path:
        """Where its log is."""
        return self.folder / LOGS / f"{name}.log"

    def done(self) -> set[str]:
        """Names of the cells whose file is there."""
        return self._names(CELLS, self.ending)

    def _names(self, inner: str, ending: str) -> set[str]:
        try:
            with os.scandir(self.folder / inner) as entries:
                names = [each.name for each in entries]
        except FileNotFoundError:
            return set()
        except OSError as reason:
            path = self.folder / inner if self.folder.is_dir() else self.folder
            raise InputError(f"cannot read {path}: {reason.strerror or reason}") from None
        return {n.removesuffix(ending) for n in names if n.endswith(ending) and n[0] != "."}

    def put(self, name: str, played: Simulation | bytes, recipe: Mapping[str, Any] = {}) -> None:
        """Keep a cell, whole or not at all; it has not failed any more."""
        if isinstance(played, Simulation):
            played = cell_file.to_bytes(played, name, recipe)
        self._write(self.path(name), played, flush=True)
        (self.folder / FAILED / f"{name}.json").unlink(missing_ok=True)

    def read(self, name: str) -> Simulation:
        """The simulation, of one repeat, of a cell that is done."""
        return cell_file.read(self.path(name))

    def meta(self, name: str) -> dict[str, Any]:
        """Its ``cell`` recipe, ``recipe``, ``notes``, ``games`` and ``figures``, without traces."""
        return cell_file.read_meta(self.path(name))

    def fail(self, failure: Failure) -> None:
        """Keep that a cell failed, in place of what was known before."""
        text = json.dumps({"schema": SCHEMA, **plain(attrs.asdict(failure))}, indent=1)
        self._write(self.folder / FAILED / f"{failure.name}.json", f"{text}\n".encode())

    def failed(self) -> dict[str, Failure]:
        """The cells that failed and are not done, by name."""
        found = {}
        for name in sorted(self._names(FAILED, ".json") - self.done()):
            path = self.folder / FAILED / f"{name}.json"
            fields = self._json(path, ("name", "error"))
            known = {f.name for f in attrs.fields(Failure)}
            given = {"recipe": {}, "command": None, "tries": 1} | fields | {"name": name}
            _check_kind(path, given, {"recipe": dict, "error": str, "tries": int})
            if given["command"] is not None:
                _check_kind(path, given, {"command": str})
            _check_kind(path, {"engine": {}} | given["recipe"], {"engine": dict})
            found[name] = Failure(**{k: v for k, v in given.items() if k in known})
        return found

    def log(self, name: str, text: str) -> None:
        """Keep what a cell said."""
        self._write(self.log_path(name), text.encode("utf-8", "replace"))

    def planned(self) -> dict[str, dict[str, Any]]:
        """Name and recipe of every cell of the sweep as last planned; nothing without a plan."""
        cells: dict[str, dict[str, Any]] = self.plan().get("cells", {})
        return cells

    def plan(self) -> dict[str, Any]:
        """All that is kept of the last plan."""
        path = self.folder / self.plan_file
        if not path.is_file():
            if path.exists():
                raise InputError(f"{path}, where the plan is kept, is no file; move it away")
            return {}
        found = self._json(path, ("cells",))
        kinds = {"cells": dict, "tuned": dict, "grids": dict}
        _check_kind(path, {"tuned": {}, "grids": {}} | found, kinds)
        for name, grids in found.get("grids", {}).items():
            _check_kind(path, {name: grids}, {name: list})
            _check_kind(path, dict(enumerate(grids)), dict.fromkeys(range(len(grids)), dict))
        _check_kind(path, found["cells"], dict.fromkeys(found["cells"], dict))
        for recipe in found["cells"].values():
            _check_kind(path, {"engine": {}} | recipe, {"engine": dict})
        return found

    def keep_plan(self, cells: Mapping[str, Mapping[str, Any]], **more: Any) -> None:
        """Replace the plan; a plan that is the same already stays."""
        whole = {"schema": SCHEMA, **plain({"cells": cells, **more})}
        if self.plan() != {key: value for key, value in whole.items() if key != "schema"}:
            text = json.dumps(whole, separators=(",", ":"))
            self._write(self.folder / self.plan_file, text.encode(), flush=True)

    def remove(self, names: Collection[str]) -> int:
        """Remove cells with everything that is known of them; how many bytes that frees."""
        freed = 0
        for name in names:
            for path in (
                self.path(name), self.folder / FAILED / f"{name}.json", self.log_path(name)
            ):  # fmt: skip
                with contextlib.suppress(FileNotFoundError):
                    freed += path.stat().st_size
                    path.unlink()
        return freed

    def everything(self) -> set[str]:
        """Names of all cells of which anything is there."""
        return self.done() | self._names(FAILED, ".json") | self._names(LOGS, ".log")

    def size(self) -> int:
        """Bytes of all files in the folder."""
        return sum(
            each.stat(follow_symlinks=False).st_size
            for inner in (CELLS, FAILED, LOGS)
            if (self.folder / inner).is_dir()
            for each in os.scandir(self.folder / inner)
        )

    def merge(self, other: Path) -> int:
        """Copy in what another folder has done; how many cells are new.

        A cell that is in both must have the same figures; if one has not, nothing is copied.
        """
        theirs, ours = Store(other), self.done()
        if not theirs.done():
            raise UsageError(f"{other} holds no cells of a sweep")
        for name in sorted(theirs.done() & ours):
            differ = cell_file.differing(self.path(name), theirs.path(name))
            if differ:
                raise UsageError(
                    f"cell {name} has other figures in {other} ({', '.join(differ[:3])}); play it "
                    "again in one of the folders, or remove it there"
                )
        new = sorted(theirs.done() - ours)
        for name in new:
            theirs.meta(name)  # refuses what is no cell
            self.put(name, theirs.path(name).read_bytes())
            if theirs.log_path(name).is_file():
                self.log(name, theirs.log_path(name).read_text(errors="replace"))
        return len(new)

    def _write(self, path: Path, content: bytes, *, flush: bool = False) -> None:
        """Whole or not at all; one name for what is unfinished, since one process writes."""
        if not self._ours():
            raise InputError(
                f"{self.folder} was taken over by another process; this one had stopped"
            )
        try:
            with open(self._part, "wb") as file:
                file.write(content)
                file.flush()
                if flush:  # else a crash of the machine could leave a name without its bytes
                    os.fsync(file.fileno())
            os.replace(self._part, path)
        except OSError as reason:
            with contextlib.suppress(OSError):
                self._part.unlink()
            raise InputError(f"cannot write {path}: {reason.strerror or reason}") from None

    def _json(self, path: Path, needed: Collection[str]) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            schema = found.pop("schema")
            for key in needed:
                found[key]
        except Exception as reason:  # whatever comes of bytes that are not ours
            raise InputError(f"{path} is damaged ({in_one_line(reason)}); remove it") from None
        if schema != SCHEMA:
            raise InputError(f"{path}: schema {schema!r} is not {SCHEMA}, which is read here")
        return found


def _check_kind(path: Path, given: Mapping[Any, Any], kinds: Mapping[Any, type]) -> None:
    """Refuse a record that is JSON, and not of ours."""
    for key, kind in kinds.items():
        if not isinstance(given[key], kind):
            raise InputError(f"{path} is damaged ({key} is {given[key]!r:.40}); remove it")
