"""The JSON interface, a dozen routes and a few; the page uses nothing else.

Every route takes plain values and gives plain values; nothing of a request is a path.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs

from graphol.errors import UsageError, near, shown
from graphol.label.session import Session

TOKEN = re.compile(r"[A-Za-z0-9_-]{8,100}")
MOST = 1000
"""Rows of one reply."""


class Download(NamedTuple):
    """A file in place of JSON."""

    content: bytes
    kind: str
    name: str = ""


@attrs.define
class Asked:
    """What a request gave: its values, and who sent it."""

    values: dict[str, Any]
    annotator: Any
    renamed: str | None = None
    """The name by which a browser goes from now on."""

    def value(self, name: str) -> Any:
        """One that must be there."""
        if name not in self.values:
            raise UsageError(f"{name} is missing; GET /api says what this route takes")
        return self.values[name]

    def whole(self, name: str, usual: int, least: int, most: int) -> int:
        """A whole number, in the query or in JSON."""
        text = str(self.values.get(name, usual))
        if not re.fullmatch(r"[0-9]{1,15}", text) or not least <= int(text) <= most:
            raise UsageError(f"{name} must be from {least} to {most}, got {shown(text)}")
        return int(text)

    @property
    def token(self) -> str:
        """What the sender calls this event."""
        found = self.value("token")
        if not (isinstance(found, str) and TOKEN.fullmatch(found)):
            raise UsageError(
                "token must be 8 to 100 letters, digits, - and _, another for every answer; "
                f"got {shown(found)}"
            )
        return found


class Endpoint(NamedTuple):
    """One route."""

    method: str
    path: str
    takes: str
    about: str
    answer: Callable[[Session, Asked], Any]


def _answer(session: Session, asked: Asked) -> Any:
    ticket = asked.values.get("ticket")
    if not (ticket is None or isinstance(ticket, str)):
        raise UsageError(f"ticket must be a text, got {shown(ticket)}")
    return session.answer(
        asked.annotator, asked.value("node"), asked.value("kind"), asked.values.get("value"),
        asked.token, ticket,
    )  # fmt: skip


def _rename(session: Session, asked: Asked) -> Any:
    name, new = asked.value("name"), asked.value("new")
    return session.rename_class(asked.annotator, name, new, asked.token)


def _merge(session: Session, asked: Asked) -> Any:
    name, into = asked.value("name"), asked.value("into")
    return session.merge_class(asked.annotator, name, into, asked.token)


def _call(session: Session, asked: Asked) -> Any:
    asked.annotator = asked.renamed = session.checked_annotator(asked.value("name"))
    return session.next(asked.annotator)


def _events(session: Session, asked: Asked) -> Any:
    after, limit = asked.whole("after", 0, 0, 2**50), asked.whole("limit", 100, 1, MOST)
    return session.events(after, limit)


def _export(session: Session, asked: Asked) -> Any:
    what = asked.values.get("what", "labels")
    if what not in session.EXPORTS:
        raise UsageError(f"what cannot be {shown(what)}; {near(str(what), session.EXPORTS)}")
    return Download(session.export(what), "text/csv; charset=utf-8", f"{what}.csv")


def _picture(session: Session, asked: Asked) -> Any:
    content, kind = session.picture(asked.value("node"))
    return Download(content, kind)


def _listed(session: Session, asked: Asked) -> Any:
    return {"routes": [list(each[:4]) for each in ROUTES]}


ROUTES = (
    Endpoint("GET", "/api", "", "this list", _listed),
    Endpoint(
        "GET", "/api/next", "", "the node to ask about, those after it, and how it goes",
        lambda session, asked: session.next(asked.annotator),
    ),
    Endpoint(
        "POST", "/api/answer", "node, kind (label, bit, skip, unsure), value, token, ticket",
        "an answer, on disk when the reply comes; the reply is that of /api/next", _answer,
    ),
    Endpoint(
        "POST", "/api/undo", "token", "take back your last answer",
        lambda session, asked: session.undo(asked.annotator, asked.token),
    ),
    Endpoint(
        "POST", "/api/redo", "token", "say again what you took back last",
        lambda session, asked: session.redo(asked.annotator, asked.token),
    ),
    Endpoint(
        "POST", "/api/again", "", "ask again what you skipped",
        lambda session, asked: session.again(asked.annotator),
    ),
    Endpoint(
        "GET", "/api/classes", "", "the classes, and how many nodes have them",
        lambda session, asked: session.classes(),
    ),
    Endpoint(
        "POST", "/api/classes", "name, token", "add a class",
        lambda session, asked: session.add_class(asked.annotator, asked.value("name"), asked.token),
    ),
    Endpoint("POST", "/api/classes/rename", "name, new, token", "call a class otherwise", _rename),
    Endpoint(
        "POST", "/api/classes/merge", "name, into, token", "count one class as another", _merge
    ),
    Endpoint(
        "GET", "/api/node", "node", "a node: its texts, its guess, who said what",
        lambda session, asked: session.node(asked.value("node")),
    ),
    Endpoint(
        "GET", "/api/neighbourhood", "node", "what lies around a node, with coordinates",
        lambda session, asked: session.neighbourhood(asked.value("node")),
    ),
    Endpoint("GET", "/api/picture", "node", "the picture of a node", _picture),
    Endpoint(
        "GET", "/api/suggest", "n", "the nodes worth asking next, each with a reason",
        lambda session, asked: session.suggest(asked.whole("n", 20, 1, MOST)),
    ),
    Endpoint(
        "GET", "/api/progress", "", "errors, estimates, counts",
        lambda session, asked: session.progress(asked.annotator),
    ),
    Endpoint(
        "GET", "/api/disagreements", "", "nodes on which annotators disagree, and who with whom",
        lambda session, asked: session.disagreements(),
    ),
    Endpoint("GET", "/api/events", "after, limit", "the log", _events),
    Endpoint(
        "GET", "/api/export", "what (labels, votes, predictions, events)", "a CSV file", _export
    ),
    Endpoint("POST", "/api/annotator", "name", "go by this name from now on", _call),
)  # fmt: skip
