"""A project: a graph that people label, in one file that loses nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol import node_ids
from graphol.door import FilePath
from graphol.errors import GrapholError, InputError, UsageError, shown
from graphol.graph import Graph
from graphol.label import agreement, votes
from graphol.label import events as log
from graphol.label.events import Event
from graphol.label.growth import described, grown, joining
from graphol.label.project_file import opened, said
from graphol.label.project_log import Log, locked
from graphol.label.replay import Class
from graphol.label.stored import MAKER, check_count, read_about, read_graph, write
from graphol.label.texts import picture_in, read_texts
from graphol.label.transfer import Exported, Imported, export, take_in
from graphol.label.votes import Bit, Guess, Labels, Policy, Said


class Row(int):
    """The row of a node, which is not to be mistaken for an id."""


class Project(Log):
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
        with said(path):
            self._about = read_about(connection)
            self._base = self._grown = read_graph(connection, path, self._about)
            self._joined: list[dict[str, str]] = []
            self._kinds: tuple[Graph | None, bool, bool] = (None, False, False)
        super().__init__(path, connection, self._base.n, readonly=readonly)

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
    def first_hash(self) -> str:
        """Of the graph before any node joined: with the time, what tells projects apart."""
        return self._base.hash

    @property
    @locked
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
    @locked
    def classes(self) -> tuple[Class, ...]:
        """The classes that count, each with its number, which never changes, and its name."""
        self._refresh()
        return self._replay.live

    @locked
    def class_number(self, given: str | int) -> int:
        """The number of a class by its name, also a former one, or by its number, if merged."""
        self._refresh()
        return self._class(given)

    @locked
    def class_names(self) -> tuple[str, ...]:
        """By number, what each class is called; of one that was merged, the class it counts as."""
        self._refresh()
        found = self._replay
        return tuple(found.names[found.resolved(k)] for k in range(len(found.names)))

    @locked
    def called(self, name: str) -> int | None:
        """The number of the class with this name, also a former one; None if there is none."""
        self._refresh()
        return self._replay.called(name)

    def row(self, node: Hashable) -> Row:
        """The row of the node with this id."""
        return Row(self.graph.index(node_ids.plain(node)))

    @locked
    def texts(self, row: int) -> dict[str, str]:
        """What is known of a node: title, description, link, picture, other columns."""
        joined = self.graph.n > self._base.n
        self._check_row(row)
        if joined and row >= self._base.n:
            return dict(self._joined[row - self._base.n])
        with said(self.path):
            found = self._connection.execute(
                "SELECT row, texts, seal FROM node WHERE row = ?", (int(row),)
            ).fetchone()
            if found is not None and found[2] != log.seal(found[:2]):
                raise InputError(f"{self.path} is damaged: the texts of row {row} have changed")
            return {} if found is None else read_texts(found[1])

    def picture(self, row: int) -> tuple[Path, str] | None:
        """The file of a node's picture and its kind, such as ``image/png``, if there is one.

        It is a picture, and lies in the folder of pictures itself, whatever the project says.
        """
        name, folder = self.texts(row).get("picture"), self._about["pictures"]
        return None if name is None or folder is None else picture_in(folder, name)

    # what is said

    @locked
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

    @locked
    def undo(self, annotator: str, token: str | None = None) -> Event:
        """Take back what this annotator said last and has not taken back; an import as a whole."""
        return self._back("undo", annotator, token)

    @locked
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

    @locked
    def add_class(self, name: str, *, annotator: str = MAKER, token: str | None = None) -> Event:
        """A class more; the event's ``label`` is its number."""
        event = self._about_classes("add-class", annotator, token, text=log.name_of(name, "class"))

        def filled() -> Event:
            self._check_free(event.text)
            check_count(len(self._replay.names) + 1)
            return attrs.evolve(event, label=len(self._replay.names))

        return self._append(event, filled, ("text",))

    @locked
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

    @locked
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

    @locked
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

    @locked
    def labels(self, policy: Policy = "majority") -> Labels:
        """What all answers come to: see :class:`graphol.label.votes.Labels`."""
        self._refresh()
        return votes.labels(self._replay, policy)

    @locked
    def said(self, policy: Policy = "majority") -> tuple[Labels, list[Said]]:
        """The same, and what every annotator says of every node, as of one moment."""
        self._refresh()
        return votes.labels(self._replay, policy), votes.said(self._replay)

    def labelled(self, policy: Policy = "majority") -> Graph:
        """The graph with these labels, -1 where there is none."""
        with self._lock:
            graph, found = self.graph, self.labels(policy)
        return graph.labelled(np.array(found.label), found.names)

    @locked
    def bits(self) -> list[Bit]:
        """What stands of every yes and no."""
        self._refresh()
        return votes.bits(self._replay)

    @locked
    def guesses(self) -> list[Guess]:
        """Whether the model was right about each node, when it was first told of it."""
        self._refresh()
        return votes.guesses(self._replay)

    def disagreements(self) -> list[dict[str, Any]]:
        """Every two annotators with a node in common: how often they agree, and Cohen's kappa."""
        return agreement.pairwise(self.labels().votes)

    @locked
    def progress(self, policy: Policy = "majority") -> dict[str, Any]:
        """How far it is: counts of nodes, answers, classes and annotators, as plain data."""
        self._refresh()
        return votes.progress(self._replay, policy)

    # from files and to files

    def export_labels(
        self,
        path: FilePath,
        what: Exported = "labels",
        *,
        policy: Policy = "majority",
        force: bool = False,
    ) -> int:
        """Write labels, ``votes`` or ``events`` as a file, whole or not at all; how many lines.

        It is what was so at one moment, whoever labels meanwhile. Labels are a file ``node,label``,
        which every command reads with --labels; events end in ``.csv`` or ``.jsonl``.
        """
        return export(self, Path(path), what, policy, force=force)

    def import_labels(
        self,
        labels: FilePath | Mapping[Hashable, str],
        *,
        annotator: str,
        add_classes: bool = False,
        skip_unknown: bool = False,
    ) -> Imported:
        """Labels of a file ``node,label``, or by node id, as answers of an annotator: all or none.

        A label that the annotator has given already is no answer again. An undo takes the import
        back as a whole.

        Parameters
        ----------
        labels
            A file ``node,label``, or a mapping from ids to names of classes.
        annotator
            Whose answers they are.
        add_classes
            Add classes that there are not; they are anyway, where there is none yet.
        skip_unknown
            Leave out nodes that are not in the graph.
        """
        return take_in(self, labels, annotator, add_classes, skip_unknown)

    # inside

    @property
    def _numbered(self) -> bool:
        """Are there whole numbers among the ids?"""
        if self._kinds[0] is not self._grown:
            ids = self._grown.ids
            whole = any(type(node) is int for node in ids)
            self._kinds = self._grown, whole, whole and ids == tuple(range(len(ids)))
        return self._kinds[1]

    def _regrow(self) -> None:
        n, more = self._base.n, []
        for event in self._replay.growth:
            more.append(joining(event, n))
            n += len(more[-1].ids)
        try:
            self._grown = grown(self._base, more)
        except GrapholError as reason:  # of two that have one id, for example
            raise InputError(f"{self.path} is damaged: nodes cannot join ({reason})") from reason
        self._joined = [texts for each in more for texts in each.texts]

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
            if not self._numbered:
                return self._check_row(node)
            if not self._kinds[2]:
                raise UsageError(
                    f"{node} may be the id of a node or its row; say Row({node}), or "
                    f"project.row({node}) if it is an id"
                )
        return graph.index(node)

    def _check_row(self, row: int) -> int:
        if not 0 <= row < self._replay.n:
            raise UsageError(f"there is no row {row}; {self.path} has {self._replay.n} nodes")
        return int(row)


def _token(token: str | None) -> str | None:
    return None if token is None else log.name_of(token, "token")
