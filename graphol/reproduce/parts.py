"""A table or figure in parts: each is played by itself, kept in a file, and joined with the others.

A part is one data set and, where every repeat is a trial of its own, one repeat. Its name is a
digest of everything that can change its figures: it is done if, and only if, its file is there.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import attrs

import graphol
from graphol.arena import Arena, Silent, Watcher
from graphol.errors import InputError, command_line, in_one_line, one_line
from graphol.guard import guard
from graphol.plan import Plan
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.reproduce.offered import named
from graphol.simulation import versions
from graphol.sweep.cell import name_of, plugin_files
from graphol.sweep.play import Played, listened, load_files
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

    @property
    def command(self) -> str:
        """Plays it alone."""
        said = ["graphol", "reproduce", self.experiment.name]
        said += ["--datasets", self.dataset] if self.dataset else []
        said += ["--quick"] if self.quick else []
        return shlex.join(
            [*said, "--repeats", self.plan.which, "--seed", str(self.plan.seed)]
            + [word for path in plugin_files() for word in ("--plugin", str(path))]
        )

    @property
    def about(self) -> str:
        """Its command."""
        return self.command

    @property
    def place(self) -> tuple[str, str, int]:
        """Parts on the same data go together."""
        return self.experiment.name, self.dataset, self.plan.repeats[0]

    def task(self, name: str) -> tuple[Callable[..., Played], tuple[Any, ...]]:
        """What a worker calls to play it, and with what; the experiment goes by its name."""
        _here[name] = self
        asked = (self.experiment.name, self.dataset, self.plan, self.held_out, self.quick)
        return play_part, (name, *asked, plugin_files())

    def play(self, watcher: Watcher, arenas: dict[str, Arena] | None = None) -> Found:
        """Its rows, from games that are played now."""
        desk = Desk(
            self.plan, self.held_out, self.quick, watcher, arenas={} if arenas is None else arenas
        )
        asked = [self.dataset] if self.dataset else []
        return Found(list(self.experiment.run(desk, asked)), desk.notes)


_here: dict[str, Part] = {}  # parts of this process, of experiments that may be values
_arenas: dict[str, Arena] = {}  # of the last seed that was played here
MOST_ARENAS = 4
"""Data sets that a worker keeps."""


def play_part(
    name: str,
    experiment: str,
    dataset: str,
    plan: Plan,
    held_out: int,
    quick: bool,
    files: Sequence[Path] = (),
) -> Played:
    """Play the part of this name; whatever it raises is its own failure."""

    def make(said: io.StringIO) -> bytes:
        load_files(files)
        part = _here.pop(name, None)
        if part is None:
            part = Part(named(experiment), dataset, plan, held_out, quick)
        if part.name != name:
            raise InputError(
                f"the worker makes {part.name} of this part of {experiment}: its data, plugins, "
                "versions or code are not those of the plan"
            )
        if len(_arenas) > MOST_ARENAS or any(each.seed != plan.seed for each in _arenas.values()):
            _arenas.clear()
        with command_line(), guard():  # errors are read beside a command
            found = part.play(Silent(), _arenas)
        said.write("".join(f"note: {one_line(note)}\n" for note in found.notes))
        return written(found, part.recipe())

    return listened(name, make)


def parts(
    experiment: Experiment, datasets: Sequence[str], plan: Plan, held_out: int, quick: bool
) -> list[list[Part]]:
    """All parts, those of one data set together, which are to be joined."""
    each = [
        attrs.evolve(plan, repeats=range(repeat, repeat + 1)) for repeat in plan.repeats
    ] if experiment.by_repeat else [plan]  # fmt: skip
    return [
        [Part(experiment, dataset, one, held_out, quick) for one in each]
        for dataset in experiment.pieces(datasets, quick=quick) or ("",)
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
