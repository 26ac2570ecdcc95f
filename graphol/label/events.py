"""What happens to a project, one event after the other: the log, of which all else follows.

===============  ==================================================================
``label``        somebody says of a node which class it is
``bit``          somebody says whether a node is of one class, yes or no
``skip``         somebody wants to see another node instead
``unsure``       somebody cannot tell
``undo``         the last of an annotator's answers that stand, taken back
``redo``         the last that was taken back, said again
``import``       a file of labels; the ``label`` events that follow have it as batch
``add-class``    a class more
``rename-class`` another name for a class
``merge-class``  one class counts as another from here on
``add-nodes``    nodes that join the graph, with edges to those that are there
===============  ==================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, get_args
from zlib import crc32

import attrs

from graphol.errors import UNSEEN, UsageError, hint, near, shown

Answer = Literal["label", "bit", "skip", "unsure"]
Kind = Literal[
    "label", "bit", "skip", "unsure", "undo", "redo", "import",
    "add-class", "rename-class", "merge-class", "add-nodes",
]  # fmt: skip
ANSWERS: tuple[str, ...] = get_args(Answer)
KINDS: tuple[str, ...] = get_args(Kind)

LONGEST = 200
"""Characters of a name: of an annotator, of a class, and of a token."""
LARGEST = 2**53
"""Of a whole number in a file: what any program reads as it is."""


@attrs.frozen
class Event:
    """One line of the log; what does not belong to its kind is None.

    >>> moment = datetime(2030, 1, 2, 3, 4, tzinfo=UTC)
    >>> Event(1, moment, "ann", "label", row=5, label=0).as_dict()["time"]
    '2030-01-02T03:04:00.000000+00:00'
    """

    number: int
    """1, 2, 3, ... without gaps."""
    time: datetime
    """UTC."""
    annotator: str
    kind: Kind
    row: int | None = None
    """The node's."""
    label: int | None = None
    """The number of the class that was said, asked about, added, renamed or merged."""
    yes: bool | None = None
    predicted: int | None = None
    """The number of the class that a model guessed before it was told."""
    confidence: float | None = None
    """The probability that it gave to that."""
    target: int | None = None
    """The event taken back or said again; the class merged into."""
    batch: int | None = None
    """The import that it belongs to."""
    text: str | None = None
    """The name of a class or of a file; the nodes that join, as JSON."""
    token: str | None = None
    """What its sender calls it: sent twice, it is one event."""

    @property
    def is_answer(self) -> bool:
        """Does it say something of a node?"""
        return self.kind in ANSWERS

    def as_dict(self) -> dict[str, Any]:
        """As plain data, the time with its offset."""
        return attrs.asdict(self) | {"time": written(self.time)}


COLUMNS: tuple[str, ...] = (*(field.name for field in attrs.fields(Event)), "seal")
"""Of the table."""
FORM: dict[str, tuple[type, ...]] = {
    "number": (int,), "time": (str,), "annotator": (str,), "kind": (str,), "row": (int,),
    "label": (int,), "yes": (int,), "predicted": (int,), "confidence": (float, int),
    "target": (int,), "batch": (int,), "text": (str,), "token": (str,),
}  # fmt: skip
NEEDED = frozenset({"number", "time", "annotator", "kind"})


def written(moment: datetime) -> str:
    """A moment as text, in UTC, always of the same length, so that texts sort as moments do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(at: datetime | None) -> datetime:
    """The moment given, which must say its time zone, or else now; in UTC."""
    if at is None:
        return datetime.now(UTC)
    if at.utcoffset() is None:
        raise UsageError(
            f"the time {shown(at)} must be a datetime with a time zone, such as datetime.now(UTC)"
        )
    return at.astimezone(UTC)


def seal(values: Sequence[Any]) -> int:
    """A checksum of a row, which tells a bit that the disk has turned."""
    return crc32(repr(tuple(values)).encode("utf-8", "backslashreplace"))


def stored(event: Event) -> tuple[Any, ...]:
    """The event as a row of the table."""
    known = event.as_dict()
    known["yes"] = None if event.yes is None else int(event.yes)
    values = tuple(known[name] for name in COLUMNS[:-1])
    return (*values, seal(values))


def read(values: Sequence[Any]) -> Event:
    """An event from a row of the table; ValueError if it is none.

    >>> row = [1, "2030-01-02T03:04:00+00:00", "ann", "skip", 5, *[None] * 8]
    >>> read([*row, seal(row)]).time.hour
    3
    """
    found = dict(zip(COLUMNS, values, strict=True))
    if found.pop("seal") != seal(values[:-1]):
        raise ValueError("its seal is broken")
    for name, value in found.items():
        if value is None:
            if name in NEEDED:
                raise ValueError(f"it has no {name}")
        elif type(value) not in FORM[name]:
            raise ValueError(f"{name} is {shown(value)}")
        elif type(value) is int and not -1 < value < LARGEST:
            raise ValueError(f"{name} is {value}")
    if found["kind"] not in KINDS:
        raise ValueError(f"its kind is {shown(found['kind'])}")
    if found["yes"] not in (None, 0, 1):
        raise ValueError(f"yes is {found['yes']}")
    if found["confidence"] is not None and not 0 <= found["confidence"] <= 1:
        raise ValueError(f"confidence is {found['confidence']}")
    found["time"] = moment(datetime.fromisoformat(found["time"]))
    found["yes"] = None if found["yes"] is None else bool(found["yes"])
    return Event(**found)


def name_of(text: Any, what: str) -> str:
    """A name that somebody gave, without spaces around it; ``what`` it names, for the message.

    >>> name_of(" tea ", "class")
    'tea'
    """
    if not isinstance(text, str):
        raise UsageError(f"the name of the {what} must be a text, got {shown(text)}")
    name = text.strip()
    if not name:
        raise UsageError(f"the name of the {what} is empty")
    if len(name) > LONGEST:
        raise UsageError(
            f"the name of the {what} has {len(name)} characters, at most {LONGEST} are allowed"
        )
    if unseen := UNSEEN.search(name):
        raise UsageError(
            f"the name of the {what}, {shown(name)}, holds {unseen[0]!a}, which nobody can see; "
            "leave it out"
        )
    return name


def check_kind(kind: Any, value: Any) -> None:
    """Is it a kind of answer, and is the value what that kind needs?"""
    if kind not in ANSWERS:
        raise UsageError(f"an answer cannot be {shown(kind)}; {near(str(kind), ANSWERS)}")
    if kind in ("skip", "unsure"):
        if value is not None:
            raise UsageError(f"{kind} has no value, got {shown(value)}; leave it out")
    elif value is None:
        needs = "a class" if kind == "label" else 'a class and yes or no: ("tea", True)'
        raise UsageError(f"{kind} needs {needs}")
    elif kind == "bit" and not (
        isinstance(value, tuple | list) and len(value) == 2 and type(value[1]) is bool
    ):
        raise UsageError(
            f'bit needs a class and whether it is that one, as in ("tea", True); got {shown(value)}'
        )


def unknown_class(name: Any, live: Sequence[str]) -> UsageError:
    """The refusal of a class that there is not."""
    if not live:
        return UsageError(f"there is no class {shown(name)}, nor any other; add it first")
    said = hint(str(name), live) or f"; {near('', live)}"
    return UsageError(f"there is no class {shown(name)}{said}")
