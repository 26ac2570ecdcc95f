"""Questions that were answered and wait for their truth."""

from __future__ import annotations

import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Prediction, Vector
from graphol.errors import UsageError

COLUMNS = ("number", "row", "context", "label", "query", "since", "width")
"""Of open tickets in a file, one entry each; their scores stand one after the other."""

clock = time.time
"""Seconds since 1970: ages go on while a predictor is on disk."""


@attrs.frozen(eq=False)
class Ticket:
    """A question that was answered and waits for its truth."""

    number: int
    node: Hashable
    label: str | int
    """The class, or sign, that was predicted, as the user named it."""
    scores: Vector | None
    query: bool
    """Would the learner pay to know the truth?"""
    predictor: str = ""
    """Mark of the predictor that was asked; one that is loaded goes on with a new one."""
    context: Hashable = None
    """What was given as context, if anything was."""
    known: bool = True
    """Did anything that was learnt bear on the node? If not, the label is a guess."""


class Open(NamedTuple):
    """What is kept of a ticket until it is told."""

    row: int
    prediction: Prediction
    since: float
    """When it was asked, by the clock."""
    context: int = -1


class Tickets:
    """The open tickets of one predictor, oldest first; whoever calls holds its lock.

    A ticket is recognised by its number and by a mark, which is drawn anew for a predictor that is
    made, loaded or copied: two that go on from one file number their next tickets alike.

    Parameters
    ----------
    max_age
        Seconds after which an open ticket expires, > 0; None: never.
    max_open
        How many may be open at once, >= 1, before the oldest expires; None: any number.
    """

    def __init__(self, max_age: Any = None, max_open: Any = None) -> None:
        number = isinstance(max_age, Real) and not isinstance(max_age, bool)
        if max_age is not None and not (number and 0 < max_age < math.inf):
            raise UsageError(f"max_age must be a number of seconds > 0, or None, got {max_age!r}")
        if max_open is not None and not (is_whole(max_open) and max_open >= 1):
            raise UsageError(f"max_open must be a whole number >= 1, or None, got {max_open!r}")
        self.max_age: float | None = None if max_age is None else float(max_age)
        self.max_open: int | None = None if max_open is None else int(max_open)
        self.asked = 0
        self.expired = 0
        self._open: OrderedDict[int, Open] = OrderedDict()
        self._marks = [(0, secrets.token_hex(8))]  # each with the first number it is for

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[int]:
        return iter(self._open)

    def __getitem__(self, number: int) -> Open:
        return self._open[number]

    @property
    def mark(self) -> str:
        """On the tickets that are handed out now."""
        return self._marks[-1][1]

    def renew(self) -> None:
        """Another mark for the tickets to come, since somebody else goes on from here as well."""
        self._marks.append((self.asked, secrets.token_hex(8)))

    def add(self, row: int, prediction: Prediction, context: int = -1) -> int:
        """The number of one more."""
        number = self.asked
        self.asked += 1
        self._open[number] = Open(row, prediction, clock(), context)
        self.sweep()
        return number

    def sweep(self) -> None:
        """Give up on those that are too old, or too many."""
        if self.max_age is not None:
            limit = clock() - self.max_age
            while self._open and next(iter(self._open.values())).since < limit:
                self._expire()
        while self.max_open is not None and len(self._open) > self.max_open:
            self._expire()

    def _expire(self) -> None:
        self._open.popitem(last=False)
        self.expired += 1

    def find(self, ticket: Any) -> int:
        """The number of a ticket, or of a number, that is open here; anything else is refused."""
        if not (isinstance(ticket, Ticket) or is_whole(ticket)):
            raise UsageError(f"a ticket is what ask() gave, or its number, got {ticket!r}")
        number = ticket.number if isinstance(ticket, Ticket) else int(ticket)
        if isinstance(ticket, Ticket) and ticket.predictor != self._mark_of(number):
            raise UsageError(
                f"ticket {number} (node {ticket.node!r}) is of another predictor, or was asked "
                "after the save that this one goes on from; ask again here"
            )
        self.sweep()
        if number not in self._open:
            limits = {"max_age": self.max_age, "max_open": self.max_open}
            why = ", ".join(f"{name}={at:g}" for name, at in limits.items() if at is not None)
            expired = f", or has expired ({why})" if why else ""
            raise UsageError(f"ticket {number} is unknown here, or was told already{expired}")
        return number

    def _mark_of(self, number: int) -> str:
        return next((mark for first, mark in reversed(self._marks) if first <= number), "")

    def close(self, number: int) -> None:
        """Its truth came, or never will."""
        del self._open[number]

    def columns(self) -> dict[str, NDArray[Any]]:
        """The open ones as members of a file, each column an array."""
        self.sweep()
        tickets = list(self._open.values())
        scores = [ticket.prediction.scores for ticket in tickets]
        given = [np.asarray(each).ravel() for each in scores if each is not None]
        width = [-1 if each is None else np.size(each) for each in scores]
        return {
            "ticket_number": np.array(list(self._open), dtype=np.int64),
            "ticket_row": np.array([ticket.row for ticket in tickets], dtype=np.int64),
            "ticket_context": np.array([ticket.context for ticket in tickets], dtype=np.int64),
            "ticket_label": np.array([t.prediction.label for t in tickets], dtype=np.int64),
            "ticket_query": np.array([t.prediction.query for t in tickets], dtype=bool),
            "ticket_since": np.array([ticket.since for ticket in tickets], dtype=np.float64),
            "ticket_width": np.array(width, dtype=np.int64),  # how many scores; -1: none were given
            "ticket_scores": np.concatenate(given) if given else np.zeros(0),
        }

    def meta(self) -> dict[str, Any]:
        """The rest, as plain data."""
        first = next(iter(self._open), self.asked)
        ends = [begin for begin, _ in self._marks[1:]] + [self.asked + 1]
        marks = [each for each, end in zip(self._marks, ends, strict=True) if end > first]
        return {
            "asked": self.asked, "expired": self.expired, "max_age": self.max_age,
            "max_open": self.max_open, "marks": marks,
        }  # fmt: skip

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Tickets:
        """As they were written; a ValueError says what is wrong with them."""
        try:
            self = cls(meta["max_age"], meta["max_open"])
        except UsageError as reason:
            raise ValueError(str(reason)) from None
        self.asked, self.expired = _count(meta["asked"]), _count(meta["expired"])
        marks = [(int(first), str(mark)) for first, mark in meta["marks"]]
        self._marks = [*marks, (self.asked, self.mark)]
        columns = [arrays[f"ticket_{name}"] for name in COLUMNS]
        number, row, context, label, query, since, width = columns
        lengths = {column.shape for column in columns}
        kinds = "".join(column.dtype.kind for column in columns)
        scores = arrays["ticket_scores"]
        if len(lengths) != 1 or number.ndim != 1 or kinds != "iiiibfi" or scores.ndim != 1:
            raise ValueError("the columns of the open tickets do not fit together")
        if len(number) and not (
            number[0] >= 0 and (np.diff(number) > 0).all() and number[-1] < self.asked
        ):
            raise ValueError("the numbers of the open tickets are out of order")
        if (width < -1).any() or width[width >= 0].sum() != len(scores):
            raise ValueError("the open tickets have more or fewer scores than they say")
        if not np.isfinite(since).all():
            raise ValueError("an open ticket was asked at no time")
        if scores.dtype.kind not in "biuf" or np.isnan(scores).any():
            raise ValueError("the scores of an open ticket are no numbers")
        end = np.cumsum(np.maximum(width, 0)).tolist()
        begin = [0, *end]
        parts = [
            None if w < 0 else scores[a:b].copy()
            for w, a, b in zip(width.tolist(), begin, end, strict=False)
        ]
        predictions = map(Prediction, label.tolist(), parts, query.tolist())
        tickets = map(Open, row.tolist(), predictions, since.tolist(), context.tolist())
        self._open.update(zip(number.tolist(), tickets, strict=True))
        self.sweep()
        return self

    @classmethod
    def read_list(cls, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Tickets:
        """As they were written before they had columns; they count as asked now."""
        self = cls()
        self.asked = _count(meta["asked"])
        for number, row, label, query in meta["waiting"]:
            if {*map(type, (number, row, label, query))} - {int, bool}:
                raise ValueError("an open ticket holds what is no number")
            if not 0 <= number < self.asked:
                raise ValueError(f"ticket {number} was never asked")
            scores = arrays.get(f"scores_{number}")
            if scores is not None and (scores.dtype.kind not in "biuf" or np.isnan(scores).any()):
                raise ValueError(f"the scores of ticket {number} are no numbers")
            self._open[number] = Open(row, Prediction(label, scores, query), clock())
        self._marks = [(self.asked, self.mark)]
        return self


def _count(value: Any) -> int:
    if not (is_whole(value) and 0 <= value < 2**62):
        raise ValueError(f"{value!r:.30} is no number of tickets")
    return int(value)


def is_whole(value: Any) -> bool:
    """Is it a whole number, and no truth value?"""
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
