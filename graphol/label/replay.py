"""What follows from the log: the classes, who says what of which node, and what was taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphol.graph import MOST_CLASSES as MOST_OF_A_GRAPH
from graphol.label.events import Event

MOST_CLASSES = 1000
"""Of a project, those that were merged included: a person has to choose among them."""
assert MOST_CLASSES <= MOST_OF_A_GRAPH

Said = tuple[int, str]
"""A node's row and an annotator."""


class Class(NamedTuple):
    """A class of a project: its number never changes, its name may."""

    number: int
    name: str


class Standing(NamedTuple):
    """What one annotator says of one node, all answers that stand taken together."""

    label: int | None
    """The number of the class, as it was said."""
    denied: frozenset[int]
    """The classes that it is not."""
    unsure: bool
    number: int
    """The event that said the last of it; 0 where there was none but skips."""
    by_bit: bool = False
    """Was the class said by a yes?"""


NONE: frozenset[int] = frozenset()
NOTHING = Standing(None, NONE, False, 0)


class Replay:
    """The log so far; :meth:`apply` adds an event, or raises ValueError and changes nothing.

    An annotator's last answer about a node counts. A class and a yes replace what was said before;
    a no adds a class that it is not, and takes back that class if it was said; "cannot tell" takes
    back the class and leaves the noes; a skip changes nothing.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.names: list[str] = []
        self.into: list[int] = []
        """What every class counts as: itself, or the one it was merged into."""
        self.last = 0
        self.standing: dict[Said, Standing] = {}
        self.answers = 0
        """Answers that stand, skips included."""
        self.retracted = 0
        self.growth: list[Event] = []
        self._live: dict[str, int] = {}
        self._former: dict[str, int] = {}
        self._units: dict[int, list[Event]] = {}
        self._about: dict[Said, list[Event]] = {}
        self._done: dict[str, list[int]] = {}
        self._undone: dict[str, list[int]] = {}
        self._asked: dict[int, frozenset[int]] = {}
        """What a no was about, where classes had been merged into the one asked about."""

    # classes

    @property
    def live(self) -> tuple[Class, ...]:
        """The classes that count as themselves, in the order of their numbers."""
        return tuple(Class(k, name) for k, name in enumerate(self.names) if self.into[k] == k)

    def resolved(self, label: int) -> int:
        """What a class counts as."""
        while self.into[label] != label:
            label = self.into[label]
        return label

    def called(self, name: str) -> int | None:
        """The class of this name; or that which once had it, if none has it now."""
        found = self._live.get(name, self._former.get(name))
        return None if found is None else self.resolved(found)

    def is_taken(self, name: str) -> bool:
        """Has a class this name now?"""
        return name in self._live

    def members(self, label: int) -> frozenset[int]:
        """The class and all that were merged into it."""
        return frozenset(k for k in range(len(self.into)) if label in self._way(k))

    def _way(self, label: int) -> Iterator[int]:
        yield label
        while self.into[label] != label:
            label = self.into[label]
            yield label

    # answers

    def active(self) -> list[Event]:
        """The answers that stand, in the order of the log."""
        return sorted((e for events in self._about.values() for e in events), key=_number)

    def last_done(self, annotator: str) -> int | None:
        """The event that an undo of this annotator takes back."""
        done = self._done.get(annotator)
        return done[-1] if done else None

    def last_undone(self, annotator: str) -> int | None:
        """The event that a redo says again."""
        undone = self._undone.get(annotator)
        return undone[-1] if undone else None

    def apply(self, event: Event) -> None:
        """One event more."""
        if event.number != self.last + 1:
            raise ValueError(f"event {event.number} follows event {self.last}")
        if event.is_answer:
            self._answer(event)
        else:
            getattr(self, "_" + event.kind.replace("-", "_"))(event)
        self.last = event.number

    def _answer(self, event: Event) -> None:
        if event.row is None or not 0 <= event.row < self.n:
            raise ValueError(f"there is no row {event.row}")
        if (event.kind in ("label", "bit")) != (event.label is not None):
            raise ValueError(f"{event.kind} with the class {event.label}")
        if (event.kind == "bit") != (event.yes is not None):
            raise ValueError(f"{event.kind} with yes={event.yes}")
        for label in (event.label, event.predicted):
            if label is not None:
                self._check_class(label)
        if event.batch is None:
            self._said(event.annotator, event.number, [event])
        else:
            unit = self._units.get(event.batch)
            if unit is None or self.last_done(event.annotator) != event.batch:
                raise ValueError(f"there is no import {event.batch} to belong to")
            unit.append(event)
        if event.yes is False and event.label is not None:
            asked = self.members(event.label)
            if len(asked) > 1:
                self._asked[event.number] = asked
        self._about.setdefault((event.row, event.annotator), []).append(event)
        self.answers += 1
        self._stand((event.row, event.annotator))

    def _said(self, annotator: str, number: int, unit: list[Event]) -> None:
        self._units[number] = unit
        self._done.setdefault(annotator, []).append(number)
        for gone in self._undone.pop(annotator, ()):
            del self._units[gone]

    def _import(self, event: Event) -> None:
        self._said(event.annotator, event.number, [])

    def _undo(self, event: Event) -> None:
        if event.target is None or event.target != self.last_done(event.annotator):
            raise ValueError(f"event {event.target} is not what {event.annotator} said last")
        self._done[event.annotator].pop()
        self._undone.setdefault(event.annotator, []).append(event.target)
        self._change(event.target, back=True)

    def _redo(self, event: Event) -> None:
        if event.target is None or event.target != self.last_undone(event.annotator):
            raise ValueError(f"event {event.target} is not what {event.annotator} took back last")
        self._undone[event.annotator].pop()
        self._done.setdefault(event.annotator, []).append(event.target)
        self._change(event.target, back=False)

    def _change(self, number: int, *, back: bool) -> None:
        """Take a unit of answers out, or put it in again."""
        unit = self._units[number]
        for each in unit:
            assert each.row is not None
            about = self._about.setdefault((each.row, each.annotator), [])
            if back:
                about.remove(each)
            else:
                about.append(each)  # all that its annotator said later is taken back
        for said in {(each.row, each.annotator) for each in unit if each.row is not None}:
            self._stand(said)
        self.answers -= len(unit) if back else -len(unit)
        self.retracted += len(unit) if back else -len(unit)

    def _stand(self, said: Said) -> None:
        events = self._about[said]
        if events:
            self.standing[said] = self._together(events)
        else:
            del self._about[said]
            self.standing.pop(said, None)

    def _together(self, events: list[Event]) -> Standing:
        label, denied, unsure, number, by_bit = NOTHING
        for event in events:
            if event.kind == "skip":
                continue
            number, unsure = event.number, event.kind == "unsure"
            if unsure:
                label = None
            elif event.kind == "label" or event.yes:
                label, denied, by_bit = event.label, NONE, event.kind == "bit"
            else:
                assert event.label is not None
                asked = self._asked.get(event.number) or frozenset({event.label})
                denied |= asked
                label = None if label in asked else label
        return Standing(label, denied, unsure, number, by_bit and label is not None)

    # classes, as events

    def _check_class(self, label: int) -> None:
        if not 0 <= label < len(self.names):
            raise ValueError(f"there is no class {label}")

    def _add_class(self, event: Event) -> None:
        if event.text is None or self.is_taken(event.text) or event.label != len(self.names):
            raise ValueError(f"no class {event.label} of the name {event.text!r:.80} can be added")
        if event.label >= MOST_CLASSES:
            raise ValueError(f"more than {MOST_CLASSES} classes")
        self._live[event.text] = event.label
        self.names.append(event.text)
        self.into.append(event.label)

    def _rename_class(self, event: Event) -> None:
        self._check_live(event.label)
        assert event.label is not None
        if event.text is None or self.is_taken(event.text):
            raise ValueError(f"class {event.label} cannot be called {event.text!r:.80}")
        before = self.names[event.label]
        del self._live[before]
        self._former[before] = event.label
        self._live[event.text] = event.label
        self.names[event.label] = event.text

    def _merge_class(self, event: Event) -> None:
        self._check_live(event.label)
        self._check_live(event.target)
        assert event.label is not None and event.target is not None
        if event.label == event.target:
            raise ValueError(f"class {event.label} is merged into itself")
        name = self.names[event.label]
        del self._live[name]
        self._former[name] = event.label
        self.into[event.label] = event.target

    def _check_live(self, label: int | None) -> None:
        if label is None or not 0 <= label < len(self.into) or self.into[label] != label:
            raise ValueError(f"there is no class {label}")

    def _add_nodes(self, event: Event) -> None:
        from graphol.label.growth import joining

        self.n += len(joining(event, self.n).ids)
        self.growth.append(event)


def _number(event: Event) -> int:
    return event.number
