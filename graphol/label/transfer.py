"""Labels into a project and out of it, as files that other commands read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from graphol import node_ids
from graphol.atomic import check_place, replacing
from graphol.door import check_file
from graphol.errors import InputError, UsageError, hint, near, shown
from graphol.formats.delimited import read_columns
from graphol.formats.labels import stranger
from graphol.graph import Graph
from graphol.label import events as log
from graphol.label.events import Event
from graphol.label.stored import check_count
from graphol.label.votes import Labels, Said

if TYPE_CHECKING:
    from graphol.label.project import Project

Exported = Literal["labels", "votes", "events"]
ENDINGS: dict[str, tuple[str, ...]] = {
    "labels": (".csv",), "votes": (".csv",), "events": (".csv", ".jsonl"),
}  # fmt: skip
LABELS = ("node", "label")
VOTES = ("node", "label", "annotator", "says", "class", "number")
EVENTS = (
    "number", "time", "annotator", "kind", "node", "class", "yes", "predicted_class", "confidence",
    "row", "label", "predicted", "target", "batch", "text", "token",
)  # fmt: skip


class Imported(NamedTuple):
    """What became of the lines of a file."""

    new: int
    """Labels of nodes of which the annotator had said no class."""
    changed: int
    """Labels of nodes of which the annotator had said another."""
    known: int
    """Labels that the annotator had given already; no event."""
    unknown: int
    """Nodes that are not in the graph, left out."""
    classes: tuple[str, ...]
    """The classes that were added."""
    number: int | None
    """Of the import's event; None if there was nothing new."""


def export(project: Project, path: Path, what: str, policy: str, *, force: bool) -> int:
    """See :meth:`graphol.Project.export_labels`."""
    if what not in ENDINGS:
        raise UsageError(f"{shown(what)} cannot be exported; {near(str(what), ENDINGS)}")
    if path.suffix.lower() not in ENDINGS[what]:
        raise UsageError(f"{path}: a file of {what} ends in {' or '.join(ENDINGS[what])}")
    check_place(path, f"file of {what}", force=force)
    try:
        text, lines = content(project, what, policy, path.suffix.lower())
    except UnicodeEncodeError:
        raise UsageError(
            f"{path}: a node id holds half a character, which no file of text can hold"
        ) from None
    with replacing(path, force=force) as temporary:
        temporary.write_bytes(text)
    return lines


def content(
    project: Project, what: str, policy: str = "majority", ending: str = ".csv"
) -> tuple[bytes, int]:
    """What such a file holds, and how many lines; UnicodeEncodeError where no file can hold it."""
    if what == "events":
        events = project.events()  # nodes and classes that come meanwhile are more, not others
        ids, names = project.graph.ids, project.class_names()
        rows = [_event(each, ids, names) for each in events]
        columns: Sequence[str] = EVENTS
    else:
        found, said = project.said(policy)  # type: ignore[arg-type]
        ids = project.graph.ids
        rows = list(_votes(found, said, ids) if what == "votes" else _labels(found, ids))
        columns = VOTES if what == "votes" else LABELS
    return "".join(_lines(ending, columns, rows)).encode(), len(rows)


def _lines(ending: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if ending == ".jsonl":
        yield from (json.dumps(row) + "\n" for row in rows)
        return
    cells = [tuple(_cell(row[column]) for column in columns) for row in rows]
    spelt = (tuple(map(change, columns)) for change in (str, str.title, str.upper))
    there = set(cells)
    header = next((each for each in spelt if each not in there), columns)
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)  # never equal to a row, which would look like a second header
    writer.writerows(cells)
    yield file.getvalue()


def _cell(value: Any) -> str:
    return "" if value is None else str(value).lower() if type(value) is bool else str(value)


def _labels(found: Labels, ids: Sequence[Hashable]) -> Iterator[dict[str, Any]]:
    for row, label in enumerate(found.label.tolist()):
        if label >= 0:
            yield {"node": _name(ids[row]), "label": found.names[label]}


def _votes(
    found: Labels, said: Sequence[Said], ids: Sequence[Hashable]
) -> Iterator[dict[str, Any]]:
    name = {each.number: each.name for each in found.classes}
    for each in said:
        label = int(found.label[each.row])
        yield {
            "node": _name(ids[each.row]),
            "label": None if label < 0 else found.names[label],
            "annotator": each.annotator,
            "says": each.says,
            "class": None if each.label is None else name[each.label],
            "number": each.number,
        }


def _event(event: Event, ids: Sequence[Hashable], names: Sequence[str]) -> dict[str, Any]:
    values = event.as_dict()
    values["node"] = None if event.row is None else _name(ids[event.row])
    for key, label in (("class", event.label), ("predicted_class", event.predicted)):
        values[key] = None if label is None else names[label]
    return {key: values[key] for key in EVENTS}


def _name(node: Hashable) -> str:
    """The id as a file of labels has it; one that would be read as another is refused."""
    text = str(node)
    if text != text.strip() or not text:
        raise UsageError(
            f"node {shown(node)} begins or ends with a space, which a file of labels cannot tell; "
            "take the labels in Python, with Project.labels"
        )
    return text


def take_in(
    project: Project,
    labels: Any,
    annotator: str,
    add_classes: bool,
    skip_unknown: bool,
) -> Imported:
    """See :meth:`graphol.Project.import_labels`."""
    who = log.name_of(annotator, "annotator")
    said, where = _read(labels)
    found: list[Imported] = []

    def build() -> list[Event]:
        known, unknown = _rows(project.graph, said, where, skip_unknown=skip_unknown)
        numbers, added = _classes(project, set(known.values()), where, add=add_classes)
        mine = {row: votes[who] for row, votes in project.labels().votes.items() if who in votes}
        now, begin = log.moment(None), project.last + len(added) + 1
        fresh = {row: numbers[name] for row, name in known.items()
                 if mine.get(row) != numbers[name]}  # fmt: skip
        changed = sum(row in mine for row in fresh)
        found[:] = [
            Imported(
                len(fresh) - changed, changed, len(known) - len(fresh), unknown, tuple(added),
                begin if fresh else None,
            )
        ]  # fmt: skip
        if not fresh:
            return []
        return [
            *(Event(0, now, who, "add-class", label=numbers[name], text=name) for name in added),
            Event(0, now, who, "import", text=where),
            *(Event(0, now, who, "label", row=row, label=label, batch=begin)
              for row, label in fresh.items()),
        ]  # fmt: skip

    project.write(build)
    return found[0]


def _read(labels: Any) -> tuple[dict[str, str], str]:
    """The names of classes by the text of the node's id, and what messages call their source."""
    if isinstance(labels, Mapping):
        given = {str(node_ids.plain(node)): name for node, name in labels.items()}
        return {node: log.name_of(name, "class") for node, name in given.items()}, "labels"
    path = check_file(labels)
    table = read_columns(path, LABELS)
    said: dict[str, str] = {}
    seen: dict[str, int] = {}
    for node, name, line in zip(table.columns["node"], table.columns["label"], table.lines,
                                strict=True):  # fmt: skip
        if not name:
            raise InputError(
                f"{path} line {line}: node {shown(node)} has an empty label; "
                "leave its line out if it is not known"
            )
        if node in seen:
            raise InputError(
                f"{path} line {line}: node {shown(node)} already has a label on line {seen[node]}"
            )
        seen[node] = line
        try:
            said[node] = log.name_of(name, "class")
        except UsageError as reason:
            raise InputError(f"{path} line {line}: {reason}") from None
    return said, path.name


def _rows(
    graph: Graph, said: Mapping[str, str], where: str, *, skip_unknown: bool
) -> tuple[dict[int, str], int]:
    row = {str(node): i for i, node in enumerate(graph.ids)}
    strangers = [node for node in said if node not in row]
    if strangers and not skip_unknown:
        raise InputError(
            f"{where}: {stranger(strangers[0], graph, len(strangers))}; add --skip-unknown to "
            "leave out what is not in it"
        )
    if not said:
        raise UsageError("there are no labels to import")
    if len(strangers) == len(said):
        raise InputError(f"{where}: none of its {len(said)} node(s) is in {graph.name}")
    return {row[node]: name for node, name in said.items() if node in row}, len(strangers)


def _classes(
    project: Project, names: set[str], where: str, *, add: bool
) -> tuple[dict[str, int], list[str]]:
    """The numbers of all classes, with those that are to be added."""
    numbers: dict[str, int] = {}
    missing: list[str] = []
    for name in sorted(names):
        number = project.called(name)
        if number is None:
            missing.append(name)
        else:
            numbers[name] = number
    live = [each.name for each in project.classes]
    if missing and live and not add:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InputError(
            f"{where}: there is no class {shown(missing[0])}{more}{hint(missing[0], live)}; add "
            "--add-classes to add what is new"
        )
    first = len(project.class_names())
    check_count(first + len(missing))
    return numbers | {name: first + k for k, name in enumerate(missing)}, missing
