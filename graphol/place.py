"""A folder that results go to: one writer at a time, and nothing of the user's is touched."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from graphol import npz
from graphol.errors import InputError, UsageError
from graphol.results import META, SUMMARY, WEIGHTS, compared, game_names, is_of, read_meta
from graphol.transaction import alone_in, in_the_way, replacing_all

OUR_NAMES = re.compile(r"trace-\d{3,}(-\d{2,})?\.npz|weights\.npz|meta\.json|compare\.json")
"""What results are called; a file of such a name that is not of results is never replaced."""


@attrs.frozen
class Place:
    """A folder into which nobody else writes results while it is open."""

    folder: Path
    force: bool

    @contextlib.contextmanager
    def replacing(self) -> Iterator[Path]:
        """An empty folder; when the block ends well, its files are the results, all at once."""
        old = own_files(self.folder) if self.force else []
        with replacing_all(self.folder, old) as new:
            yield new


@contextlib.contextmanager
def open_folder(folder: Path, *, force: bool, inside: Sequence[str] = ()) -> Iterator[Place]:
    """Make the folder for results, or say why not, before anything is computed.

    ``inside`` are the folders in it that results will go to as well.
    """
    made = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{folder} is not a folder; name another") from None
    except OSError as reason:
        raise InputError(f"cannot make the folder {folder}: {reason.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write into {folder}; name another folder")
    try:
        with alone_in(folder):
            own = own_files(folder)
            for name in _taken(folder, inside):
                if name not in own:
                    raise UsageError(in_the_way(folder / name))
            if own and not force:
                raise UsageError(f"{folder} holds results already; add --force to replace them")
            yield Place(folder, force)
    finally:
        with contextlib.suppress(OSError):  # there is something in it
            for path in made:
                path.rmdir()


def own_files(folder: Path) -> list[str]:
    """Files that belong to the results in a folder: of a simulation, of a comparison, or both."""
    found = _simulated(folder)
    if (folder / SUMMARY).is_file():
        with contextlib.suppress(InputError):
            inside = compared(folder)
            found.append(SUMMARY)
            found += [f"{one}/{name}" for one in inside for name in _simulated(folder / one)]
    return found


def _simulated(folder: Path) -> list[str]:
    """``meta.json``, and what it says belongs to it."""
    try:
        meta = read_meta(folder)
    except InputError:
        return []
    numbers = [game["repeat"] for game in meta["played"]]
    repeats = list(dict.fromkeys(numbers))
    games = game_names(repeats, len(numbers) // len(repeats))
    found = [META]
    for repeat, game in games:
        name = f"trace-{game}.npz"
        with contextlib.suppress(InputError, ValueError, TypeError, AttributeError):
            stored = npz.members(folder / name, (META,), "a trace")
            if is_of(json.loads(bytes(stored[META])), meta, repeat):
                found.append(name)
    with contextlib.suppress(InputError):
        vectors, _ = npz.read(folder / WEIGHTS, "file of weights")
        if all(any(name.endswith(f"-{game}") for _, game in games) for name in vectors):
            found.append(WEIGHTS)
    return found


def _taken(folder: Path, inside: Sequence[str]) -> list[str]:
    """Names like those of results that are there, whatever is behind them."""
    found = [entry for entry in os.listdir(folder) if OUR_NAMES.fullmatch(entry)]
    for one in inside:
        if (folder / one).is_dir():
            found += [f"{one}/{e}" for e in os.listdir(folder / one) if OUR_NAMES.fullmatch(e)]
        elif os.path.lexists(folder / one):
            found.append(one)
    return sorted(found)
