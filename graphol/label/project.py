"""A project: a graph that people label, in one file that loses nothing."""

from __future__ import annotations

import functools
import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import attrs
import numpy as np

from graphol import node_ids
from graphol.door import FilePath
from graphol.errors import InputError, UsageError, in_one_line, shown
from graphol.graph import Graph
from graphol.label import agreement, votes
from graphol.label import events as log
from graphol.label.events import Event
from graphol.label.growth import described, grown, joining
from graphol.label.project_file import opened, said
from graphol.label.replay import Class, Replay
from graphol.label.stored import MAKER, check_count, insert, read_about, read_graph, write
from graphol.label.texts import picture_in, read_texts
from graphol.label.votes import Bit, Guess, Labels, Policy

P = ParamSpec("P")
T = TypeVar("T")


class Row(int):
    """The row of a node, which is not to be mistaken for an id."""


def _locked(method: Callable[Concatenate[Project, P], T]) -> Callable[Concatenate[Project, P], T]:
    """One thread at a time, in the process that opened the file."""

    @functools.wraps(method)
    def run(self: Project, *given: P.args, **options: P.kwargs) -> T:
        with self._lock:
            self._check_open()
            return method(self, *given, **options)

    return run  # type: ignore[return-value]


class Project:
    """A graph, its texts, its classes and every answer, in one ``.graphol`` file.

    The file is SQLite. An answer is an event, which is on the disk when :meth:`answer` returns, and
    is never changed: undo, another name for a class, two classes that become one and nodes that
    join are events, too. All else follows from them. Several processes, and several threads of
    each, may read and write one file; everybody sees the others' events. See
    docs/reference/project.md for the file.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> graph = Graph.from_edges(["ann", "bob"], ["bob", "cyd"])
    >>> project = Project.create(folder.name + "/p.graphol", graph, classes=["tea", "coffee"])
    >>> project.answer("bob", "label", "tea", annotator="me").number
    3
    >>> project.labels().label.tolist()
    [-1, 0, -1]
    >>> _ = project.undo("me")
    >>> project.labels().label.tolist()
    [-1, -1, -1]
    >>> project.close(); folder.cleanup()
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, readonly: bool) -> None:
        """Use :meth:`create` or :meth:`open`."""
        self.path = path
        self.readonly = readonly
        self._connection = connection
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._open = True
        with said(path):
            self._about = read_about(connection)
            self._base = read_graph(connection, path, self._about)
            self._replay = Replay(self._base.n)
            self._grown = self._base
            self._joined: list[dict[str, str]] = []
            self._refresh()

    @classmethod
    def create(
        cls,
        path: FilePath,
        graph: Graph,
        *,
        nodes: Mapping[Hashable, Mapping[str, Any]] | None = None,
        classes: Sequence[str] = (),
        title: str = "",
        answers: Mapping[Hashable, str] | None = None,
        pictures: FilePath | None = None,
        annotator: str = MAKER,
    ) -> Project:
        """A new project, whole or not there; a file that is there is refused.

        Parameters
        ----------
        path
            The file to make, usually ``NAME.graphol``.
        graph
            The graph; its labels, if it has some, are left out: see ``answers``.
        nodes
            What is known of a node by its id: title, description, link, picture, other columns.
        classes
            What there is to choose among; more may come.
        title
            What the project is about.
        answers
            Labels that are known already, by node id; their classes are added.
        pictures
            The folder that holds the files named in the column ``picture``.
        annotator
            Whose ``classes`` and ``answers`` are.
        """
        path = Path(path)
        who = log.name_of(annotator, "annotator")
        write(path, graph, nodes or {}, classes, title, answers or {}, pictures, who)
        return cls.open(path)

    @classmethod
    def open(cls, path: FilePath, readonly: bool = False) -> Project:
        """The project of a file, checked; ``readonly`` never writes to it."""
        path = Path(path)
        connection = opened(path, readonly=readonly)
        try:
            return cls(path, connection, readonly=readonly)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Let go of the file; twice is once."""
        with self._lock:
            if self._open and os.getpid() == self._process:
                self._connection.close()
            self._open = False

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None,
        where: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    # what there is

    @property
    def title(self) -> str:
        """What the project is about."""
        return str(self._about["title"])

    @property
    def created(self) -> str:
        """When, as a text in UTC."""
        return str(self._about["created"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of texts that nodes began with."""
        return tuple(self._about["columns"])

    @property
    def first_nodes(self) -> int:
        """How many nodes the graph had before any joined."""
        return self._base.n

    @property
    @_locked
    def graph(self) -> Graph:
        """The graph without labels, with all nodes that have joined."""
        self._refresh()
        if self._grown.n < self._replay.n:
            self._regrow()
        return self._grown

    @property
    def hash(self) -> str:
        """Of the graph as it is now."""
        return self.graph.hash

    @property
    @_locked
    def classes(self) -> tuple[Class, ...]:
        """The classes that count, each with its number, which never changes, and its name."""
        self._refresh()
        return self._replay.live

    @property
    @_locked
    def last(self) -> int:
        """The number of the last event."""
        self._refresh()
        return self._replay.last

    @_locked
    def class_number(self, given: str | int) -> int:
        """The number of a class by its name, also a former one, or by its number, if merged."""
        self._refresh()
        return self._class(given)

    def row(self, node: Hashable) -> Row:
        """The row of the node with this id."""
        return Row(self.graph.index(node_ids.plain(node)))

    @_locked
    def texts(self, row: int) -> dict[str, str]:
        """What is known of a node: title, description, link, picture, other columns."""
        self._refresh()
        self._check_row(row)
        if row >= self._base.n and self.graph is not None:
            return dict(self._joined[row - self._base.n])
        with said(self.path):
            found = self._connection.execute(
                "SELECT texts FROM node WHERE row = ?", (int(row),)
            ).fetchone()
            return {} if found is None else read_texts(found[0])

    def picture(self, row: int) -> tuple[Path, str] | None:
        """The file of a node's picture and its kind, such as ``image/png``, if there is one.

        It is a picture, and lies in the folder of pictures itself, whatever the project says.
        """
        name, folder = self.texts(row).get("picture"), self._about["pictures"]
        return None if name is None or folder is None else picture_in(folder, name)

    # what is said

    @_locked
    def answer(
        self,
        node: Hashable,
        kind: str,
        value: Any = None,
        *,
        annotator: str,
        token: str | None = None,
        predicted: str | int | None = None,
        confidence: float | None = None,
        at: datetime | None = None,
    ) -> Event:
        """What an annotator says of a node; on the disk when this returns.

        Parameters
        ----------
        node
            Its id, or its row as :class:`Row`; a plain whole number is a row where no id is one.
        kind
            ``label``, ``bit``, ``skip`` or ``unsure``.
        value
            The class of a label; ``(class, True or False)`` of a bit. Classes by name or number.
        annotator
            Who says it.
        token
            A text of the sender's own: the same token again is the same event, and says nothing
            more.
        predicted
            The class that a model guessed before.
        confidence
            The probability that it gave to it.
        at
            When, with a time zone; now by default.
        """
        log.check_kind(kind, value)
        if confidence is not None and not 0 <= confidence <= 1:
            raise UsageError(f"confidence must be from 0 to 1, got {shown(confidence)}")
        event = Event(
            0, log.moment(at), log.name_of(annotator, "annotator"), kind,  # type: ignore[arg-type]
            confidence=None if confidence is None else float(confidence), token=_token(token),
        )  # fmt: skip

        def filled() -> Event:
            label, yes = (value[0], value[1]) if kind == "bit" else (value, None)
            return attrs.evolve(
                event,
                row=self._row_of(node),
                label=None if label is None else self._class(label),
                yes=yes,
                predicted=None if predicted is None else self._class(predicted),
            )

        return self._append(event, filled, ("row", "label", "yes"))

    @_locked
    def undo(self, annotator: str, token: str | None = None) -> Event:
        """Take back what this annotator said last and has not taken back; an import as a whole."""
        return self._back("undo", annotator, token)

    @_locked
    def redo(self, annotator: str, token: str | None = None) -> Event:
        """Say again what this annotator took back last, if nothing was said since."""
        return self._back("redo", annotator, token)

    def _back(self, kind: Any, annotator: str, token: str | None) -> Event:
        who = log.name_of(annotator, "annotator")
        event = Event(0, log.moment(None), who, kind, token=_token(token))

        def filled() -> Event:
            back = kind == "undo"
            target = self._replay.last_done(who) if back else self._replay.last_undone(who)
            if target is None:
                raise UsageError(f"{who} has {'said' if back else 'taken back'} nothing yet")
            return attrs.evolve(event, target=target)

        return self._append(event, filled, ())

    @_locked
    def add_class(self, name: str, *, annotator: str = MAKER, token: str | None = None) -> Event:
        """A class more; the event's ``label`` is its number."""
        event = self._about_classes("add-class", annotator, token, text=log.name_of(name, "class"))

        def filled() -> Event:
            self._check_free(event.text)
            check_count(len(self._replay.names) + 1)
            return attrs.evolve(event, label=len(self._replay.names))

        return self._append(event, filled, ("text",))

    @_locked
    def rename_class(
        self, given: str | int, name: str, *, annotator: str = MAKER, token: str | None = None
    ) -> Event:
        """Another name for a class; the old one still finds it, while no other class has it."""
        event = self._about_classes(
            "rename-class", annotator, token, text=log.name_of(name, "class")
        )

        def filled() -> Event:
            label = self._class(given)
            self._check_free(event.text)
            return attrs.evolve(event, label=label)

        return self._append(event, filled, ("text",))

    @_locked
    def merge_class(
        self, given: str | int, into: str | int, *, annotator: str = MAKER,
        token: str | None = None,
    ) -> Event:  # fmt: skip
        """Every answer of one class counts as the other's, those to come too."""
        event = self._about_classes("merge-class", annotator, token)

        def filled() -> Event:
            label, target = self._class(given), self._class(into)
            if label == target:
                raise UsageError(f"{shown(given)} and {shown(into)} are one class already")
            return attrs.evolve(event, label=label, target=target)

        return self._append(event, filled, ())

    @_locked
    def add_nodes(
        self,
        nodes: Mapping[Hashable, Mapping[str, Any]] | Iterable[Hashable],
        edges: Iterable[Sequence[Any]] = (),
        *,
        annotator: str = MAKER,
        token: str | None = None,
    ) -> Event:
        """Nodes that join, by their ids, with texts if it is a mapping.

        Every edge is two ids and perhaps a weight, and one of its nodes at least is new. What they
        have of node features is not known, and is 0.
        """
        event = Event(
            0, log.moment(None), log.name_of(annotator, "annotator"), "add-nodes",
            token=_token(token),
        )  # fmt: skip
        nodes = nodes if isinstance(nodes, Mapping) else list(nodes)
        edges = list(edges)

        def filled() -> Event:
            return attrs.evolve(event, text=described(self.graph, nodes, edges))

        return self._append(event, filled, ())

    # what follows

    @_locked
    def events(self, after: int = 0, limit: int | None = None) -> list[Event]:
        """The log: events with a number above ``after``, ``limit`` of them at the most."""
        with said(self.path):
            rows = self._connection.execute(
                f"SELECT {', '.join(log.COLUMNS)} FROM event WHERE number > ? ORDER BY number "
                "LIMIT ?",
                (after, -1 if limit is None else limit),
            )
            return [self._event(row) for row in rows]

    @_locked
    def labels(self, policy: Policy = "majority") -> Labels:
        """What all answers come to: see :class:`graphol.label.votes.Labels`."""
        self._refresh()
        return votes.labels(self._replay, policy)

    def labelled(self, policy: Policy = "majority") -> Graph:
        """The graph with these labels, -1 where there is none."""
        with self._lock:
            graph, found = self.graph, self.labels(policy)
        return graph.labelled(np.array(found.label), found.names)

    @_locked
    def bits(self) -> list[Bit]:
        """What stands of every yes and no."""
        self._refresh()
        return votes.bits(self._replay)

    @_locked
    def guesses(self) -> list[Guess]:
        """Whether the model was right about each node, when it was first told of it."""
        self._refresh()
        return votes.guesses(self._replay)

    def disagreements(self) -> list[dict[str, Any]]:
        """Every two annotators with a node in common: how often they agree, and Cohen's kappa."""
        return agreement.pairwise(self.labels().votes)

    @_locked
    def progress(self, policy: Policy = "majority") -> dict[str, Any]:
        """How far it is: counts of nodes, answers, classes and annotators, as plain data."""
        self._refresh()
        found, guessed, standing = self.labels(policy), self.guesses(), self._replay.standing
        active = self._replay.active()
        by_class = np.bincount(found.label[found.label >= 0], minlength=len(found.classes))
        who: dict[str, int] = {}
        for event in active:
            who[event.annotator] = who.get(event.annotator, 0) + 1
        return {
            "nodes": self._replay.n,
            "labelled": int(by_class.sum()),
            "answered": len({row for row, _ in standing}),
            "unsure": len({row for (row, _), each in standing.items() if each.unsure}),
            "skipped": len({event.row for event in active if event.kind == "skip"}),
            "answers": self._replay.answers,
            "taken_back": self._replay.retracted,
            "events": self._replay.last,
            "disputed": len(found.disagreements),
            "guesses": len(guessed),
            "wrong": sum(not each.right for each in guessed),
            "classes": [
                {"number": each.number, "name": each.name, "nodes": int(count)}
                for each, count in zip(found.classes, by_class, strict=True)
            ],
            "annotators": [{"name": name, "answers": who[name]} for name in sorted(who)],
        }

    # inside

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

    def _regrow(self) -> None:
        n, more = self._base.n, []
        for event in self._replay.growth:
            more.append(joining(event, n))
            n += len(more[-1].ids)
        with said(self.path):
            self._grown = grown(self._base, more)
        self._joined = [texts for each in more for texts in each.texts]

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

    @_locked
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

    def _about_classes(
        self, kind: Any, annotator: str, token: str | None, text: str | None = None
    ) -> Event:
        who = log.name_of(annotator, "annotator")
        return Event(0, log.moment(None), who, kind, text=text, token=_token(token))

    def _class(self, given: str | int) -> int:
        """The number of a class that counts."""
        if type(given) is int and 0 <= given < len(self._replay.names):
            return self._replay.resolved(given)
        found = self._replay.called(given.strip()) if isinstance(given, str) else None
        if found is None:
            raise log.unknown_class(given, [each.name for each in self._replay.live])
        return found

    def _check_free(self, name: str | None) -> None:
        if name is not None and self._replay.is_taken(name):
            raise UsageError(
                f"there is a class {shown(name)} already; merge the two if they are one"
            )

    def _row_of(self, node: Hashable) -> int:
        if isinstance(node, Row):
            return self._check_row(node)
        node = node_ids.plain(node)
        graph = self.graph
        if type(node) is int:
            if not _numbered(graph):
                return self._check_row(node)
            if not _numbered(graph, by_row=True):
                raise UsageError(
                    f"{node} may be the id of a node or its row; say Row({node}), or "
                    f"project.row({node}) if it is an id"
                )
        return graph.index(node)

    def _check_row(self, row: int) -> int:
        if not 0 <= row < self._replay.n:
            raise UsageError(f"there is no row {row}; {self.path} has {self._replay.n} nodes")
        return int(row)


@functools.lru_cache(maxsize=8)
def _numbered(graph: Graph, *, by_row: bool = False) -> bool:
    """Are there whole numbers among the ids; or are these the rows themselves?"""
    if by_row:
        return graph.ids == tuple(range(graph.n))
    return int in {type(node) for node in graph.ids}


def _token(token: str | None) -> str | None:
    return None if token is None else log.name_of(token, "token")
