"""The log of a project in its file: read on, and added to, by threads and processes at once."""

from __future__ import annotations

import functools
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import attrs

from graphol.errors import InputError, UsageError, in_one_line, shown
from graphol.label import events as log
from graphol.label.events import Event
from graphol.label.project_file import said
from graphol.label.replay import Replay
from graphol.label.stored import insert

P = ParamSpec("P")
T = TypeVar("T")
L = TypeVar("L", bound="Log")


def locked(method: Callable[Concatenate[L, P], T]) -> Callable[Concatenate[L, P], T]:
    """One thread at a time, in the process that opened the file."""

    @functools.wraps(method)
    def run(self: L, *given: P.args, **options: P.kwargs) -> T:
        with self._lock:
            self._check_open()
            return method(self, *given, **options)

    return run  # type: ignore[return-value]


class Log:
    """An open file, what its events so far come to, and how events are added."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, nodes: int, *, readonly: bool
    ) -> None:
        self.path = path
        self.readonly = readonly
        self._connection = connection
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._open = True
        self._replay = Replay(nodes)
        self._refresh()

    def close(self) -> None:
        """Let go of the file; twice is once."""
        with self._lock:
            if self._open and os.getpid() == self._process:
                self._connection.close()
            self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None,
        where: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    @locked
    def events(self, after: int = 0, limit: int | None = None) -> list[Event]:
        """The log: events with a number above ``after``, ``limit`` of them at the most."""
        with said(self.path):
            rows = self._connection.execute(
                f"SELECT {', '.join(log.COLUMNS)} FROM event WHERE number > ? ORDER BY number "
                "LIMIT ?",
                (after, -1 if limit is None else limit),
            )
            return [self._event(row) for row in rows]

    @property
    @locked
    def last(self) -> int:
        """The number of the last event."""
        self._refresh()
        return self._replay.last

    @locked
    def write(self, build: Callable[[], list[Event]]) -> list[Event]:
        """All events that ``build()`` returns or none of them, numbered; nobody writes meanwhile.

        When it is called, everything that others have written is known.
        """
        if self.readonly:
            raise UsageError(f"{self.path} is open for reading only; nothing can be written to it")
        with said(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._refresh()
            first = self._replay.last + 1
            events = [attrs.evolve(e, number=first + k) for k, e in enumerate(build())]
            with said(self.path):
                insert(self._connection, events)
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        self._refresh()
        return events

    def _append(self, event: Event, filled: Callable[[], Event], same: Sequence[str]) -> Event:
        """One event more, or the one that has its token already, alike in ``same``."""
        found: list[Event] = []

        def build() -> list[Event]:
            before = self._with_token(event.token)
            if before is None:
                return [filled()]
            wanted = filled() if event.is_answer else event
            for name in ("annotator", "kind", *same):
                if self._meant(before, name) != self._meant(wanted, name):
                    raise UsageError(
                        f"the token {shown(before.token)} is that of event {before.number}, which "
                        f"says another {name}; a new answer needs a token of its own"
                    )
            found.append(before)
            return []

        return (self.write(build) or found)[0]

    def _meant(self, event: Event, name: str) -> Any:
        value = getattr(event, name)
        return self._replay.resolved(value) if name == "label" and value is not None else value

    def _with_token(self, token: str | None) -> Event | None:
        if token is None:
            return None
        with said(self.path):
            found = self._connection.execute(
                f"SELECT {', '.join(log.COLUMNS)} FROM event WHERE token = ?", (token,)
            ).fetchone()
        return None if found is None else self._event(found)

    def _check_open(self) -> None:
        if not self._open:
            raise UsageError(f"{self.path} was closed; open it again")
        if os.getpid() != self._process:
            raise UsageError(f"{self.path} was opened by another process; open it in this one")

    def _refresh(self) -> None:
        """Take in what other processes, and we, have written."""
        for event in self.events(self._replay.last):
            self._take_in(event)

    def _take_in(self, event: Event) -> None:
        try:
            self._replay.apply(event)
        except Exception as reason:
            raise InputError(
                f"{self.path} is damaged: event {event.number} cannot be ({in_one_line(reason)})"
            ) from reason

    def _event(self, row: Sequence[Any]) -> Event:
        try:
            return log.read(row)
        except Exception as reason:
            raise InputError(
                f"{self.path} is damaged: event {shown(row[0])} cannot be ({in_one_line(reason)})"
            ) from reason
