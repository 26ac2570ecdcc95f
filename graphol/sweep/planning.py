"""From a sweep file, or the same as a mapping, to all its cells; everything is checked here."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Embedding, Features, Learner, Task
from graphol.arena import Arena, embed, embedding_for
from graphol.errors import GrapholError, InputError, UsageError, in_one_line, plainly, shown
from graphol.fusing import check_fuser
from graphol.graph import Graph
from graphol.matching import check_rows, check_rules, check_target
from graphol.registry import registry
from graphol.runner import games
from graphol.sweep import blocks
from graphol.sweep.blocks import KEYS, TABLES, Tuning, check_keys
from graphol.sweep.cell import Cell
from graphol.tasks.splits import on_split


@attrs.define
class Planned:
    """The cells of a sweep as far as they are known; tuning makes more of them known."""

    cells: dict[str, Cell] = attrs.field(factory=dict)
    """By name."""
    where: dict[str, str] = attrs.field(factory=dict)
    """Of every cell the block that it is in, for messages."""
    tunings: list[Tuning] = attrs.field(factory=list)
    grids: dict[str, list[dict[str, list[str]]]] = attrs.field(factory=dict)
    """Of every cell that scores what was chosen: from which values of what; {} if also as it is."""
    _place: dict[str, int] = attrs.field(factory=dict)

    def add(self, cells: Iterable[Cell], where: str) -> None:
        """More cells; one that is there already stays where it is."""
        for cell in cells:
            name = cell.name
            self.cells.setdefault(name, cell)
            self.where.setdefault(name, where)
            self._place.setdefault(name, len(self._place))

    def settle(self, tuning: Tuning, best: int) -> None:
        """The cells that the chosen candidate scores with; they come where it was rehearsed."""
        first = tuning.rehearsals[0][0].name
        new = [name for cell in tuning.scoring[best] if (name := cell.name) not in self.cells]
        self.add(tuning.scoring[best], self.where[first])
        self._place |= dict.fromkeys(new, self._place[first])
        grid = {key: [shown(value) for value in values] for key, values in tuning.grid.items()}
        for cell in tuning.scoring[best]:
            name = cell.name
            roles = self.grids.setdefault(name, [] if name in new else [{}])
            if grid not in roles:
                roles.append(grid)

    def in_order(self) -> dict[str, Cell]:
        """All cells as the file has them, whenever they became known."""
        names = sorted(self.cells, key=self._place.__getitem__)
        return {name: self.cells[name] for name in names}

    def open_tunings(self, done: set[str]) -> list[Tuning]:
        """Those that wait for held-out cells which are not done."""
        return [
            each
            for each in self.tunings
            if not all(cell.name in done for cells in each.rehearsals for cell in cells)
        ]


def read_file(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin with a BOM
    except OSError as reason:
        raise InputError(f"cannot read {path}: {reason.strerror or reason}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as reason:
        raise InputError(f"{path} is not TOML: {in_one_line(reason)}") from None


def load_plugins(said: Mapping[str, Any], beside: Path) -> None:
    """Load the plugin files that a sweep names, relative to the folder that its file is in."""
    files = said.get("plugin", [])
    files = [files] if isinstance(files, str) else files
    if not isinstance(files, list | tuple) or not all(isinstance(each, str) for each in files):
        raise UsageError(f"plugin must be a list of files, got {shown(files)}")
    for file in files:
        if "\0" in file:
            raise UsageError(f"plugin {shown(file)} is no name of a file")
        path = (beside / file).resolve()
        if path not in (known.resolve() for known in registry().files):
            registry().load_file(path)


def plan(said: Mapping[str, Any]) -> Planned:
    """All cells of a sweep; every component is made, and who cannot play by the rules is refused.

    >>> found = plan({"learner": ["gpa", "molg-f"], "dataset": "sbm", "repeats": 3})
    >>> len(found.cells)
    6
    """
    check_keys(said, (*KEYS, *TABLES, "block", "cell", "plugin"))
    found = Planned()
    usual = {key: value for key, value in said.items() if key in KEYS}
    many = _tables(said, "block")
    alone = {key: said[key] for key in TABLES if key in said}
    if many or _tables(said, "cell"):
        if alone:
            raise UsageError(f"{min(alone)} belongs into a block: write [block.{min(alone)}]")
    else:
        many = [usual | alone]
    for i, table in enumerate(many):
        where = f"block {i + 1}" if "block" in said else "the only block"
        with _inside(where):
            for each in blocks.block(usual | table):
                if isinstance(each, Tuning) and len(each.scoring) > 1:
                    found.tunings.append(each)
                found.add(_first(each), where)
    for i, table in enumerate(_tables(said, "cell")):
        with _inside(f"cell {i + 1}"):
            inherited = {key: value for key, value in usual.items() if key != "repeats"}
            _check_inherited(inherited, table)
            found.add([blocks.single(inherited | table)], f"cell {i + 1}")
    _each_once(found, lambda cell: (cell.learner, cell.feedback, cell.fuser), _check_rules)
    return found


def _tables(said: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    tables = said.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
        raise UsageError(f"{key} must be a list of tables: write [[{key}]] above each")
    return [dict(each) for each in tables]


def _check_inherited(usual: Mapping[str, Any], table: Mapping[str, Any]) -> None:
    for key, value in usual.items():
        if key not in table and key != "keep" and isinstance(value, list | tuple):
            raise UsageError(
                f"{key} at the top of the file is a list; give the cell one of its own"
            )


def _first(each: Cell | Tuning) -> Iterator[Cell]:
    """What is known before anything is played: a candidate that has no rival needs no rehearsal."""
    if isinstance(each, Cell):
        yield each
    elif len(each.scoring) == 1:
        yield from each.scoring[0]
    else:
        yield from (cell for cells in each.rehearsals for cell in cells)


def check_data(found: Planned, missing: Iterable[str]) -> None:
    """Load the data of cells that are to be played, and refuse those that cannot be.

    Data of several seeds are loaded for the first alone, and of a graph only a few nodes are
    embedded, to see what comes of it; the whole graph where these few cannot be.
    """
    todo = Planned({name: found.cells[name] for name in missing}, found.where)

    def kind(cell: Cell) -> Any:
        plan = cell.plan
        return repr(cell.dataset), plan.fresh_data, plan.one_vs_rest, plan.fuse is None

    arenas: dict[Any, Arena] = {}

    def load(cell: Cell) -> None:
        arenas[kind(cell)] = arena = Arena(cell.dataset, cell.plan.seed)
        games(cell.plan, arena.drawn(cell.repeat) if cell.plan.fresh_data else arena.loaded)
        if cell.fuser is not None:
            arena.fusing(cell.fuser, cell.feedback, cell.plan)

    def match(cell: Cell) -> None:
        arena, plan = arenas[kind(cell)], cell.plan
        task = arena.drawn(cell.repeat) if plan.fresh_data else arena.loaded
        game = games(plan, task)[0]
        check_target(game.target, game.name, cell.learner)
        if not plan.fresh_data:
            on_split(task, cell.feedback, seeding.learner(plan.seed))
        check_embedding(task, cell.learner, cell.embedding, plan.seed)

    _each_once(todo, kind, load)
    _each_once(todo, lambda c: (kind(c), c.learner, c.feedback, c.embedding), match)


FEW = 50
"""Nodes that tell of what kind an embedding is."""


def check_embedding(task: Task, learner: Learner, asked: Embedding | None, seed: int) -> None:
    """Refuse an embedding that the data do not have, or that gives no vectors to who needs them."""
    embedding = embedding_for(learner, asked)
    if embedding is None:
        return

    def of_few(graph: Graph) -> Features:
        try:
            hub, W = int(np.argmax(graph.degrees)), graph.adjacency
            near = W.indices[W.indptr[hub] : W.indptr[hub + 1]][:FEW]
            nodes = np.union1d(near, hub).astype(np.int64)  # there is an edge among these
            return embed(embedding, graph.subgraph(nodes), seed)
        except Exception:  # of these few, or of all?
            return embed(embedding, graph, seed)

    found: list[Features] = []

    def seen(graph: Graph) -> Features:
        found.append(of_few(graph))
        raise _Seen

    with contextlib.suppress(_Seen):
        task.embedded(seen)
    if found:
        check_rows(learner, rows=found[0].rows is not None)
    elif asked is not None:
        raise UsageError(
            f"{task.name}: signals are vectors already; leave the embedding {embedding.name} out"
        )


class _Seen(Exception):
    """Enough is known of an embedding."""


def _each_once(found: Planned, key: Callable[[Cell], Any], check: Callable[[Cell], None]) -> None:
    """Check one cell of every kind; a refusal names the block that it is in."""
    seen: set[str] = set()
    for name, cell in found.cells.items():
        which = repr(key(cell))
        if which in seen:
            continue
        seen.add(which)
        with _inside(found.where[name]):
            check(cell)


def _check_rules(cell: Cell) -> None:
    check_rules(cell.learner, cell.feedback)
    if cell.fuser is not None:
        check_fuser(cell.fuser)


@contextlib.contextmanager
def _inside(where: str) -> Iterator[None]:
    """A refusal in here says where."""
    try:
        yield
    except GrapholError as reason:
        told = plainly(reason)
        raise type(told)(f"{where}: {told.args[0]}") from None
