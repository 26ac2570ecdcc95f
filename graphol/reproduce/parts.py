"""A table or figure in parts: each is played by itself, kept in a file, and joined with the others.

A part is one data set and, where every repeat is a trial of its own, one repeat. Its name is a
digest of everything that can change its figures: it is done if, and only if, its file is there.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import attrs

import graphol
from graphol.arena import Watcher
from graphol.errors import InputError, in_one_line
from graphol.plan import Plan
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.simulation import versions
from graphol.sweep.cell import name_of, plugin_files
from graphol.sweep.provenance import data_hashes, digest

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class Found(NamedTuple):
    """What a part left."""

    rows: list[Row]
    notes: list[str]


@attrs.frozen(eq=False)
class Part:
    """One data set of an experiment, all repeats of it or one."""

    experiment: Experiment
    dataset: str
    """'' for an experiment without data."""
    plan: Plan
    held_out: int
    quick: bool

    def recipe(self) -> dict[str, Any]:
        """Everything that can change a figure, as plain data."""
        made = self.experiment.reads(self.dataset) if self.dataset else None
        return {
            "experiment": self.experiment.name,
            "definition": ADDRESS.sub("", repr(self.experiment)),
            "dataset": self.dataset,
            "repeats": self.plan.which,
            "seed": self.plan.seed,
            "held_out": self.held_out,
            "quick": self.quick,
            "data": {} if made is None else data_hashes(made),
            "versions": versions(),
            "code": code(),
            "plugins": {path.name: digest(path) for path in plugin_files()},
        }

    @property
    def name(self) -> str:
        """The digest of the recipe."""
        return name_of(self.recipe())

    def play(self, watcher: Watcher) -> Found:
        """Its rows, from games that are played now."""
        desk = Desk(self.plan, self.held_out, self.quick, watcher)
        asked = [self.dataset] if self.dataset else []
        return Found(list(self.experiment.run(desk, asked)), desk.notes)


def parts(
    experiment: Experiment, datasets: Sequence[str], plan: Plan, held_out: int, quick: bool
) -> list[list[Part]]:
    """All parts, those of one data set together, which are to be joined."""
    each = [
        attrs.evolve(plan, repeats=range(repeat, repeat + 1)) for repeat in plan.repeats
    ] if experiment.by_repeat else [plan]  # fmt: skip
    return [
        [Part(experiment, dataset, one, held_out, quick) for one in each]
        for dataset in experiment.pieces(datasets) or ("",)
    ]


def joined(experiment: Experiment, found: Sequence[Found]) -> Found:
    """What the parts of one data set say together."""
    notes = list(dict.fromkeys(note for each in found for note in each.notes))
    if len(found) == 1:
        return Found(found[0].rows, notes)
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in (row for each in found for row in each.rows):
        groups.setdefault(row.place, []).append(row)
    return Found([experiment.joined(rows) for rows in groups.values()], notes)


def written(found: Found, recipe: Mapping[str, Any]) -> bytes:
    """The file of a part."""
    whole = {"recipe": recipe, "rows": [each.as_dict() for each in found.rows]}
    return f"{json.dumps(whole | {'notes': found.notes}, indent=1)}\n".encode()


def read(path: Path, row: type[Row]) -> Found:
    """What is in the file of a part."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        rows = [row(**_as_kept(row, each)) for each in whole["rows"]]
        return Found(rows, [str(note) for note in whole["notes"]])
    except Exception as reason:  # whatever comes of bytes that are not ours
        raise InputError(
            f"{path} is no part of a table, or is damaged ({in_one_line(reason)}); remove it, and "
            "it is played again"
        ) from None


def _as_kept(row: type[Row], values: Mapping[str, Any]) -> dict[str, Any]:
    """Lists are tuples again."""
    sequences = {field.name for field in attrs.fields(row) if str(field.type).startswith("tuple")}
    return {key: tuple(v) if key in sequences else v for key, v in values.items()}


@functools.cache
def code() -> str:
    """Sixteen hex digits of all modules of graphol: other code may give other figures."""
    root = Path(graphol.__file__).parent
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return found.hexdigest()[:16]
