"""What leaves a session: CSV files, and pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from graphol.errors import InputError, UsageError
from graphol.label.project import Project
from graphol.label.session.outlook import Outlook

LARGEST_PICTURE = 20_000_000
"""Bytes."""


def labels(project: Project, outlook: Outlook) -> str:
    """``node,label``: the majority's; what ``graphol simulate --labels`` reads."""
    found = project.labels()
    ids, names = project.graph.ids, found.names
    rows = ([ids[i], names[k]] for i, k in enumerate(found.label.tolist()) if k >= 0)
    return _table(["node", "label"], rows)


def votes(project: Project, outlook: Outlook) -> str:
    """``node,annotator,label``: everybody's."""
    found = project.labels()
    ids, names = project.graph.ids, {each.number: each.name for each in found.classes}
    rows = (
        [ids[row], who, names[number]]
        for row, said in sorted(found.votes.items())
        for who, number in sorted(said.items())
    )
    return _table(["node", "annotator", "label"], rows)


def predictions(project: Project, outlook: Outlook) -> str:
    """``node,predicted,given,known,p_CLASS,...`` of every node, as the page's model sees it."""
    found, ids, said = project.labels(), project.graph.ids, outlook.said
    if said is None:
        raise UsageError("there are no predictions yet: the model needs answers and two classes")
    names, place = found.names, {name: k for k, name in enumerate(outlook.classes)}

    def row(i: int) -> list[Any]:
        given = int(found.label[i])
        p = said.probabilities[i].tolist()
        if given >= 0:
            p = [float(k == place.get(names[given])) for k in range(len(p))]
        label = names[given] if given >= 0 else outlook.classes[int(said.label[i])]
        known = bool(said.known[i]) or given >= 0
        return [ids[i], label, int(given >= 0), int(known), *(f"{x:.6g}" for x in p)]

    head = ["node", "predicted", "given", "known", *(f"p_{name}" for name in outlook.classes)]
    return _table(head, (row(i) for i in range(len(said.label))))


def events(project: Project, outlook: Outlook) -> str:
    """The log, a line for every event; times in UTC with their offset."""
    ids = project.graph.ids
    rows = []
    for event in project.events():
        plain = event.as_dict()
        plain["node"] = None if event.row is None else ids[event.row]
        rows.append(plain)
    head = ["number", "time", "annotator", "kind", "node", "label", "yes", "predicted",
            "confidence", "target", "batch", "text", "token"]  # fmt: skip
    return _table(head, ([row[name] for name in head] for row in rows))


def picture(project: Project, row: int) -> tuple[bytes, str]:
    """The picture of a node and its kind, if the project has one for it."""
    found = project.picture(row)
    if found is None:
        raise UsageError("this node has no picture")
    path, kind = found
    return _read(path), kind


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_PICTURE + 1)
    except OSError as reason:
        raise InputError(f"the picture cannot be read: {reason.strerror}") from None
    if len(content) > LARGEST_PICTURE:
        raise UsageError(f"the picture is larger than {LARGEST_PICTURE // 1_000_000} MB")
    return content


def _table(head: list[str], rows: Iterable[list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


EXPORTS: dict[str, Callable[[Project, Outlook], str]] = {
    "labels": labels,
    "votes": votes,
    "predictions": predictions,
    "events": events,
}
"""What there is, by its name."""
