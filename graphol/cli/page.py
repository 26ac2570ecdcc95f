"""What ``graphol report --html`` does: read folders of any kind, write the page and its figures."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphol.cli.output import ProgressLine, note, say, say_doubts, say_rows
from graphol.cli.tables import Tables
from graphol.errors import InputError, UsageError

if TYPE_CHECKING:
    from graphol.report.gather import Hindsight
    from graphol.report.page import Material

FEW = 4
"""Folders that a title names."""


def check_page(path: Path, *, force: bool) -> None:
    """Refuse a page that could not be written, before anything is played or read."""
    from graphol.atomic import check_place

    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{path}: a page ends in .html; rename it")
    check_place(path, "page", force=force)


class PageOf(NamedTuple):
    """What was asked for."""

    html: Path | None
    svg: Path | None
    against: str | None
    confidence: float | None
    regret: bool

    def asked(self, folders: list[Path]) -> bool:
        """Is it a page, or a sweep, of which there is no other table?"""
        from graphol.sweep.store import Store

        return bool(self.html or self.svg) or any(map(Store.is_one, folders))

    def make(
        self, folders: list[Path], tables: Tables, *, force: bool, json: bool, quiet: bool
    ) -> None:
        """Write what was asked for; print the leaderboards."""
        from graphol.interval import CONFIDENCE, check_confidence
        from graphol.report.gather import gather
        from graphol.report.page import Material

        wanted = CONFIDENCE if self.confidence is None else self.confidence
        check_confidence(wanted)
        self.check(force=force)
        skipped: list[str] = []
        with ProgressLine(quiet=quiet) as watcher:
            hindsight = _hindsight(watcher, skipped) if self.regret else None
            gathered = gather(
                folders, hindsight, lambda done, of: watcher.stage(f"read {done} of {of}")
            )
            if not gathered.outcomes and not gathered.progress:
                raise InputError(f"{folders[0]} holds no results yet; play some first")
            names = [folder.resolve().name for folder in folders]
            title = f"graphol report: {', '.join(names[:FEW])}{', ...' * (len(names) > FEW)}"
            material = Material(gathered, self.against, wanted, self.command(folders), title)
            told = material.standings  # refuses a reference that is not there
            watcher.stage("draw")
            self.write(material, force=force)
        rows, columns = told.rows(), told.columns
        tables.write(rows, columns, force=force)
        say_rows(rows, columns, json=json)
        self.say_more(material, skipped, json=json, quiet=quiet)

    def check(self, *, force: bool) -> None:
        """Refuse what could not be written, before anything is read."""
        from graphol.atomic import check_place

        if self.html is not None:
            check_page(self.html, force=force)
        if self.svg is not None:
            if self.svg.exists() and not self.svg.is_dir():
                raise UsageError(f"{self.svg} is no folder; name another place for the figures")
            inside = self.svg / "figure.svg" if self.svg.is_dir() else self.svg
            check_place(inside, "figures", force=True)

    def write(self, material: Material, *, force: bool) -> None:
        """The page, and the figures."""
        from graphol.atomic import refuse_existing, replacing
        from graphol.report.page import figure_files, page

        if self.svg is not None:
            drawn = dict(figure_files(material))
            for name in drawn:
                refuse_existing(self.svg / name, force=force)
            try:
                self.svg.mkdir(exist_ok=True)
            except OSError as reason:
                raise InputError(f"cannot write {self.svg}: {reason.strerror}") from None
            for name, content in drawn.items():
                with replacing(self.svg / name, force=force) as temporary:
                    temporary.write_text(content, encoding="utf-8")
        if self.html is not None:
            with replacing(self.html, force=force) as temporary:
                temporary.write_text(page(material), encoding="utf-8")

    def command(self, folders: list[Path]) -> str:
        """The line that makes the page again."""
        words = ["graphol", "report", *map(os.fspath, folders)]
        for option, value in (
            ("--html", self.html), ("--against", self.against), ("--confidence", self.confidence)
        ):  # fmt: skip
            words += [] if value is None else [option, str(value)]
        return shlex.join([*words, *(["--regret"] if self.regret else []), "--force"])

    def say_more(self, material: Material, skipped: list[str], *, json: bool, quiet: bool) -> None:
        """Under the table how much is there, and what makes it doubtful."""
        from graphol.report.gather import DONE, FAILED, PLANNED

        gathered = material.gathered
        if gathered.progress and not json:
            planned, done, failed = map(gathered.total, (PLANNED, DONE, FAILED))
            if done < planned:
                say(f"{done} of {planned} planned cells are done, {failed} failed")
        said: dict[str, list[str]] = {}
        for entry in material.entries:
            said.setdefault(entry.dataset, []).extend(entry.outcome.notes)
        for dataset, notes in said.items():
            say_doubts(dataset, [*dict.fromkeys(notes)], json=json)
        for text in () if quiet else (*gathered.notes, *dict.fromkeys(skipped)):
            note(text)


def _hindsight(watcher: ProgressLine, skipped: list[str]) -> Hindsight:
    """Regret of one result; why there is none is noted."""
    from graphol.again import Again
    from graphol.report.regret import Regrets, regret
    from graphol.simulation import Simulation

    again = Again(watcher)

    def look_back(result: Simulation) -> Regrets | None:
        try:
            return regret(again(result))
        except UsageError as reason:
            skipped.append(str(reason))
            return None

    return look_back
