"""A folder whose files are replaced all at once: old or new whenever one looks, never neither.

New files are written into a folder beside, ``.graphol-writing``, and flushed onto the disk. One
rename, of that folder to ``.graphol-written``, makes them count: from then on what lies in there
stands for the file of its name in the folder. The rest is tidying: they are moved to their places
and what they replace is removed, which the next writer finishes for one that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from graphol.atomic import flush, flush_folder
from graphol.claims import claimed, holder
from graphol.errors import InputError, UsageError

LOCK, NEW, DONE = ".graphol-lock", ".graphol-writing", ".graphol-written"
ORDERS = ".orders.json"
"""In a set that is written: names that it removes (``stale``), and that it replaces (``over``)."""
FLUSHES = 8
"""Files flushed at a time: the disk then takes them in one go, 0.1 to 0.5 ms each in place of 4."""
EARLIER, LONG_AGO = ".new-" + "?" * 8, 3600.0
"""What earlier versions left behind, without a lock, and seconds after which nobody works there."""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else writes into the folder while the block runs; leftovers of the dead are gone.

    Nor into the one that it lies in, or into one that lies in it: a set may reach one folder down.
    Everybody claims first and looks then, so of two who begin at once one sees the other.
    """
    with contextlib.ExitStack() as until_the_end:
        try:
            until_the_end.enter_context(claimed(folder / LOCK, folder))
            _look_around(folder)
            _tidy(folder)
            if (folder / NEW).exists():
                shutil.rmtree(folder / NEW)
            for old in folder.glob(EARLIER):
                if _is_earlier(old):
                    shutil.rmtree(old, ignore_errors=True)
        except OSError as reason:
            raise InputError(_cannot(folder, reason)) from None
        yield


def _look_around(folder: Path) -> None:
    """Refuse where another writes one folder up or down; finish what a dead one left further up."""
    outer = folder.resolve().parent
    with os.scandir(folder) as entries:
        inner = [folder / each.name for each in entries if each.is_dir(follow_symlinks=False)]
    for place in (outer, *inner):
        if os.path.lexists(place / LOCK) and (who := holder(place / LOCK)):
            how = "which it lies in," if place == outer else "which lies in it,"
            raise UsageError(
                f"{folder} cannot be written: {place}, {how} is being written by {who}; wait for "
                "it, or name another folder"
            )
    if _is_folder(outer / DONE):
        with claimed(outer / LOCK, outer):
            _tidy(outer)


@contextlib.contextmanager
def replacing_all(folder: Path, old: Collection[str]) -> Iterator[Path]:
    """An empty folder; when the block ends well, its files replace the ``old`` ones, all at once.

    Names are relative, as ``trace-000.npz`` or ``1-gpa/trace-000.npz``. What is neither old nor new
    stays as it is; a new name that is taken by something else is refused. Only inside
    :func:`alone_in`.
    """
    new = folder / NEW
    try:
        new.mkdir()
        yield new
        names = _names(new)
        over = [name for name in names if os.path.lexists(folder / name)]
        taken = _no_folders(folder, names)
        taken += [folder / name for name in over if name not in old]
        if taken:
            raise UsageError(in_the_way(taken[0]))
        orders = {"stale": sorted(set(old) - set(names)), "over": over}
        (new / ORDERS).write_text(json.dumps(orders))
        with ThreadPoolExecutor(FLUSHES) as pool:
            list(pool.map(flush, [new / name for name in (*names, ORDERS)]))
        for inner in {(new / name).parent for name in names} | {new}:
            flush_folder(inner)
        os.rename(new, folder / DONE)
        flush_folder(folder)
        _tidy(folder)
    except OSError as reason:
        raise InputError(_cannot(folder, reason)) from None
    except InputError as reason:  # of one of the files
        raise InputError(str(reason).replace(f"{new}{os.sep}", f"{folder}{os.sep}")) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def in_the_way(path: Path) -> str:
    """That something is there that is not ours to replace."""
    what = "a folder" if _is_folder(path) else "not of graphol's results there"
    return f"{path} is {what}, so it stays; move it away, or name another folder"


def standing(folder: Path, name: str) -> Path:
    """Where the file of this name in the folder is now; it need not be there."""
    whole = folder.absolute()
    for root, inner in ((folder, name), (whole.parent, f"{whole.name}/{name}")):
        if _is_folder(root / DONE):
            path = root / DONE / inner
            if path.exists() or inner in _orders(root / DONE)["stale"]:
                return path
    return folder / name


def version(folder: Path, name: str) -> Any:
    """What changes whenever the folder's files change, for who reads them one after the other."""
    try:
        found = standing(folder, name).stat()
    except OSError:
        return None
    roots = (folder, folder.absolute().parent)
    return found.st_ino, found.st_mtime_ns, [_names(root / DONE) for root in roots]


def _tidy(folder: Path) -> None:
    """Bring the files of a set that was written to their places."""
    done = folder / DONE
    if not _is_folder(done):
        return
    names, orders = _names(done), _orders(done)
    for path in _no_folders(folder, (*names, *orders["stale"])):
        raise UsageError(in_the_way(path))
    for name in orders["stale"]:
        (folder / name).unlink(missing_ok=True)
    for name in sorted(names, key=lambda name: (name.endswith(".json"), name)):
        to = folder / name
        if os.path.lexists(to) and name not in orders["over"]:
            raise UsageError(in_the_way(to))
        to.parent.mkdir(parents=True, exist_ok=True)
        os.replace(done / name, to)
    flush_folder(folder)
    shutil.rmtree(done)
    for inner in sorted({(folder / name).parent for name in orders["stale"]} - {folder}):
        with contextlib.suppress(OSError):  # a user's files are in it
            inner.rmdir()


def _is_folder(path: Path) -> bool:
    """Is it a folder itself? A link leads to somebody else's."""
    return path.is_dir() and not path.is_symlink()


def _no_folders(folder: Path, names: Collection[str]) -> list[Path]:
    """What is there, and is none, where these files need a folder."""
    inner = {path for name in names for path in Path(name).parents} - {Path()}
    return [
        p for p in sorted(folder / x for x in inner) if os.path.lexists(p) and not _is_folder(p)
    ]


def _orders(done: Path) -> dict[str, list[str]]:
    """Names to remove and to replace; none of them leads out of the folder."""
    try:
        read = json.loads((done / ORDERS).read_text())
        found = {key: [str(name) for name in read[key]] for key in ("stale", "over")}
    except FileNotFoundError:
        return {"stale": [], "over": []}
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(f"{done / ORDERS} is damaged; remove {done}") from None
    if any(".." in Path(name).parts or Path(name).is_absolute() for name in found["stale"]):
        raise InputError(f"{done / ORDERS} is damaged; remove {done}")
    return found


def _names(folder: Path) -> list[str]:
    """All files under the folder, the orders not counted."""
    found = [path for path in folder.rglob("*") if not path.is_dir()]
    return sorted(path.relative_to(folder).as_posix() for path in found if path.name != ORDERS)


def _is_earlier(folder: Path) -> bool:
    """Was it made by an earlier version that was killed?"""
    ours = re.compile(r"\.?(trace-[\d-]+|weights|meta)\.(npz|json)(\.\w+\.(npz|json))?")
    return (
        folder.is_dir()
        and time.time() - folder.stat().st_mtime > LONG_AGO
        and all(ours.fullmatch(path.name) for path in folder.iterdir())
    )


def _cannot(folder: Path, reason: OSError) -> str:
    return f"cannot write into {folder}: {reason.strerror or reason}"
