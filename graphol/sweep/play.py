"""What a worker does: make a cell of plain data, play it, give back the bytes of its file.

A worker keeps what it loaded and embedded for the cells that come after. It writes nothing but the
cache of embeddings; the file of a cell is written by the process that runs the sweep.
"""

from __future__ import annotations

import contextlib
import io
import logging
import signal
import time
import traceback
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from graphol import seeding
from graphol.api import Task
from graphol.arena import Arena
from graphol.errors import GrapholError, InputError, command_line, in_one_line, one_line
from graphol.guard import guard
from graphol.registry import registry
from graphol.runner import simulate_by
from graphol.sweep import cell_file
from graphol.sweep.cell import Cell, name_of

MOST_ARENAS = 4
"""Data sets, each of one seed, that a worker keeps; cells come sorted by them."""


class Played(NamedTuple):
    """What comes back from a worker."""

    name: str
    content: bytes
    """Of the cell's file; empty if it failed."""
    error: str
    """One line; empty if it did not."""
    log: str
    seconds: float


def play(name: str, sent: Mapping[str, Any], files: Sequence[Path] = ()) -> Played:
    """Play the cell that was sent; whatever it raises is its own failure.

    Parameters
    ----------
    name
        What the cell is called where it was planned; a worker with other versions, or with other
        bytes of the data, makes another name of the same cell, and refuses it.
    sent
        From :meth:`graphol.sweep.cell.Cell.sent`.
    files
        Plugin files to load first.
    """

    def make(said: io.StringIO) -> bytes:
        cell = _received(name, sent, files)
        # where Python's own handler is not at work, a KeyboardInterrupt from a plugin is its own
        own = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        with command_line(), guard(interrupts=own):  # errors are read beside a command
            (found,) = simulate_by(
                cell.plan, [cell.learner], arena_of(cell), feedback=cell.feedback,
                embedding=cell.embedding, fuser=cell.fuser,
            )  # fmt: skip
        said.write("".join(f"note: {one_line(note)}\n" for note in found.notes))
        return cell_file.to_bytes(found, name, cell.recipe())

    return listened(name, make)


def listened(name: str, make: Callable[[io.StringIO], bytes]) -> Played:
    """The bytes that are made, or why there are none, and what was said meanwhile."""
    begin, said = time.perf_counter(), io.StringIO()
    content, error = b"", ""
    with _listening(said):
        try:
            content = make(said)
        except (KeyboardInterrupt, MemoryError):  # both are the end of this process
            raise
        except BaseException as reason:
            if isinstance(reason.__cause__, MemoryError):
                raise reason.__cause__ from None
            error = _line(reason)
            said.write("".join(traceback.format_exception(reason)))
    return Played(name, content, error, said.getvalue(), time.perf_counter() - begin)


def _line(reason: BaseException) -> str:
    with command_line():
        return one_line(str(reason) if isinstance(reason, GrapholError) else in_one_line(reason))


def load_files(files: Sequence[Path]) -> None:
    """Load the plugin files that this process does not know yet."""
    for path in files:
        if path not in (known.resolve() for known in registry().files):
            registry().load_file(path)


def _received(name: str, sent: Mapping[str, Any], files: Sequence[Path]) -> Cell:
    load_files(files)
    cell = Cell.received(sent)
    if cell.name != name:
        raise InputError(
            f"the worker makes {cell.name} of this cell: its data, plugins or versions are not "
            f"those of the plan (it has {cell.recipe()['versions']}, data {cell.recipe()['data']})"
        )
    return cell


@contextlib.contextmanager
def _listening(said: io.StringIO) -> Iterator[None]:
    """What is printed, logged or warned about within the block goes into ``said``."""

    def warn(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        said.write(f"{category.__name__}: {one_line(str(message))}\n")

    handler = logging.StreamHandler(said)
    handler.setLevel(logging.WARNING)
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        warnings.showwarning = warn
        logging.getLogger().addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(handler)


_arenas: OrderedDict[tuple[str, int], Arena] = OrderedDict()
_read: OrderedDict[str, Task] = OrderedDict()
"""Tasks that no seed changes, so that all seeds share them."""


def arena_of(cell: Cell) -> Arena:
    """The data set of a cell, loaded and embedded once in this process."""
    recipe = cell.recipe()
    source = name_of({"dataset": recipe["dataset"], "data": recipe["data"]})
    key = source, cell.plan.seed
    if key not in _arenas:
        _arenas[key] = arena = Arena(cell.dataset, cell.plan.seed)
        task = _read.get(source) if cell.plan.fresh_data else _loaded(source, cell)
        if isinstance(task, Task):  # the arena says what is wrong with others
            arena.loaded = task
    _keep(_arenas, key)
    return _arenas[key]


def _loaded(source: str, cell: Cell) -> Any:
    if source not in _read:
        rng = seeding.data(cell.plan.seed)
        before = seeding.position(rng)
        task = cell.dataset.load(rng)
        if seeding.position(rng) != before:
            return task
        _read[source] = task
    _keep(_read, source)
    return _read[source]


def _keep(found: OrderedDict[Any, Any], key: Any) -> None:
    """This was used just now; what was not used for longest goes."""
    found.move_to_end(key)
    while len(found) > MOST_ARENAS:
        found.popitem(last=False)
