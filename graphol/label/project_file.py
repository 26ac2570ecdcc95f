"""The file of a project: SQLite with four tables, and nothing in it that could act.

A file that somebody else made is opened by one way only: its schema must be, letter by letter, the
one that is written here, so that it has no trigger, view, index or expression of its own; SQLite
checks every page; and whatever goes wrong is one line that names the file.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphol.atomic import check_place, replacing
from graphol.door import check_file, reading
from graphol.errors import GrapholError, InputError, UsageError, shown

APPLICATION = int.from_bytes(b"grph", "big")
"""The application id, at byte 68 of the file."""
SCHEMA = 1
"""SQLite's user_version."""
WAIT = 5.0
"""Seconds that another process may keep the file to itself."""
LARGEST_BLOB = 1_000_000_000
WHAT = "a graphol project"

TABLES = {
    "project": "CREATE TABLE project (about TEXT NOT NULL)",
    "graph": "CREATE TABLE graph (npz BLOB NOT NULL)",
    "node": (
        "CREATE TABLE node (row INTEGER PRIMARY KEY, texts TEXT NOT NULL, seal INTEGER NOT NULL)"
    ),
    "event": (
        "CREATE TABLE event (number INTEGER PRIMARY KEY, time TEXT NOT NULL, "
        "annotator TEXT NOT NULL, kind TEXT NOT NULL, row INTEGER, label INTEGER, yes INTEGER, "
        "predicted INTEGER, confidence REAL, target INTEGER, batch INTEGER, text TEXT, "
        "token TEXT UNIQUE, seal INTEGER NOT NULL)"
    ),
}
"""Everything that a file may hold, as it is written there."""
EXPECTED = {
    *(("table", name, name, sql) for name, sql in TABLES.items()),
    ("index", "sqlite_autoindex_event_1", "event", None),
}

DEFENSIVE = 1010
"""SQLITE_DBCONFIG_DEFENSIVE."""
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextlib.contextmanager
def made(path: Path) -> Iterator[sqlite3.Connection]:
    """A new file with empty tables, whole or not there; one that is there is never replaced."""
    if path.exists() and not path.is_dir():
        raise UsageError(
            f"{path} exists, and a project is never replaced; name another file, or remove it "
            "yourself if its labels are not needed"
        )
    check_place(path, "project", force=False)
    with replacing(path, force=False) as temporary:
        connection = sqlite3.connect(temporary, isolation_level=None)
        try:
            for pragma in (
                "encoding = 'UTF-8'", "journal_mode = OFF",
                f"application_id = {APPLICATION}", f"user_version = {SCHEMA}",
            ):  # fmt: skip
                connection.execute(f"PRAGMA {pragma}")
            with said(path):
                connection.execute("BEGIN")
                for table in TABLES.values():
                    connection.execute(table)
                yield connection
                connection.execute("COMMIT")
        finally:
            connection.close()
        journal(path).unlink(missing_ok=True)  # of a file that is gone: it would be played back


def journal(path: Path) -> Path:
    """Where SQLite keeps what a change that was interrupted overwrote."""
    return path.with_name(path.name + "-journal")


def opened(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """A checked connection. No other handle on the file is used: closing it would drop SQLite's
    locks, as POSIX has it."""
    check_file(path)
    address = f"{path.absolute().as_uri()}?mode=rw"  # ro cannot take an interrupted change back
    with said(path):
        connection = sqlite3.connect(
            address, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            _harden(connection, path)
            _check(connection, path)
            connection.execute(f"PRAGMA query_only = {'ON' if readonly else 'OFF'}")
        except BaseException:
            connection.close()
            raise
        return connection


def _harden(connection: sqlite3.Connection, path: Path) -> None:
    if hasattr(connection, "enable_load_extension"):
        connection.enable_load_extension(False)
    if hasattr(connection, "setconfig"):  # from Python 3.12
        connection.setconfig(DEFENSIVE, True)
    size = path.stat().st_size
    for limit, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, min(max(size, 10_000_000), LARGEST_BLOB)),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 10_000),
        (sqlite3.SQLITE_LIMIT_COLUMN, 100),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 20),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    ):
        connection.setlimit(limit, most)
    for pragma in (
        "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY",
        "synchronous = EXTRA",
    ):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Is it a project, of a schema that is read here, and is every page of it in order?"""

    def asked(pragma: str) -> Any:
        return connection.execute(f"PRAGMA {pragma}").fetchone()[0]

    if asked("application_id") != APPLICATION:
        raise InputError(f"{path} is not {WHAT}; `graphol project create` makes one")
    schema = asked("user_version")
    if schema != SCHEMA:
        newer = "; a newer graphol wrote it" if schema > SCHEMA else ""
        raise InputError(f"{path}: schema {schema} is not {SCHEMA}, which is read here{newer}")
    if asked("encoding") != "UTF-8" or asked("journal_mode") != "delete":
        raise InputError(
            f"{path} is {WHAT} that another program has set to another encoding or journal; set "
            "it back to UTF-8 and to journal_mode DELETE"
        )
    found = set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 9"))
    if strange := found - EXPECTED:
        kind, name, *_ = sorted(strange, key=str)[0]
        raise InputError(
            f"{path} holds the {shown(kind)} {shown(name)}, which is not one of {WHAT}; it is not "
            "opened"
        )
    if missing := EXPECTED - found:
        raise InputError(f"{path} is damaged: it has no table {sorted(missing, key=str)[0][1]}")
    fault = asked("integrity_check(1)")
    if fault != "ok":
        raise InputError(f"{path} is damaged ({shown(fault)})")


@contextlib.contextmanager
def said(path: Path) -> Iterator[None]:
    """The one place where what SQLite says becomes one line."""
    with reading(path, WHAT):
        try:
            yield
        except sqlite3.Error as reason:
            raise _refusal(path, reason) from reason


def _refusal(path: Path, reason: sqlite3.Error) -> GrapholError:
    code = (getattr(reason, "sqlite_errorcode", None) or 0) & 0xFF
    if code in BUSY:
        return InputError(f"{path} is busy: another process has kept it for {WAIT:g} s; try again")
    if code == sqlite3.SQLITE_READONLY:
        return UsageError(f"{path} is open for reading only; nothing can be written to it")
    if code == sqlite3.SQLITE_FULL:
        return InputError(f"{path}: the disk is full; what was acknowledged before is there")
    if code == sqlite3.SQLITE_CANTOPEN:
        return InputError(f"{path} cannot be opened; may it be read, and its folder written to?")
    if code in DAMAGED:
        return InputError(f"{path} is damaged, or not {WHAT} ({reason})")
    return InputError(f"{path} cannot be read or written ({reason})")
