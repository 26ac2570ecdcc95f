"""What leaves a session: CSV files, and pictures."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from graphol.errors import InputError, UsageError
from graphol.label.project import Project
from graphol.label.session.outlook import Outlook
from graphol.label.transfer import content

LARGEST_PICTURE = 20_000_000
"""Bytes."""


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
        return [
            ids[i],
            label,
            _yes(given >= 0),
            _yes(known),
            *(f"{x:.6g}" for x in p),
        ]

    head = ["node", "predicted", "given", "known", *(f"p_{name}" for name in outlook.classes)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(row(i) for i in range(len(said.label)))
    return text.getvalue()


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


def _yes(value: bool) -> str:
    return "yes" if value else "no"


EXPORTS = ("labels", "votes", "predictions", "events")
"""What there is."""


def table(project: Project, what: str, outlook: Outlook) -> bytes:
    """A CSV file; all but the predictions are those of ``graphol project export``."""
    try:
        if what == "predictions":
            return predictions(project, outlook).encode()
        return content(project, what)[0]
    except UnicodeEncodeError:
        raise UsageError(
            "a node id holds half a character, which no file of text can hold"
        ) from None
