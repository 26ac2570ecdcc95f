"""What a predictor was told, in order: enough to tell another learner the same again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Appendable, Reveal
from graphol.tickets import Open

FORM = np.dtype([
    ("number", np.int64),  # of the ticket
    ("context", np.int64),
    ("row", np.int32),
    ("said", np.int32),  # what was predicted then
    ("told", np.int32),  # a label, a bit, or the place of an answer of another kind
    ("classes", np.int32),  # how many there were when it was told
    ("kind", np.int8),
    ("query", np.bool_),  # was the truth asked for?
])  # fmt: skip
"""One answer, 34 bytes; room for more is doubled when it is used up."""
LABEL, BIT = 0, 1
KINDS = ("label", "bit")
"""Those that every predictor knows; further ones are numbered as they come."""


class Told:
    """All answers so far, in the order in which they were learnt.

    Parameters
    ----------
    begun
        How many classes there were before the first.

    Examples
    --------
    >>> from graphol.api import Prediction
    >>> told = Told(2)
    >>> told.add(7, Open(3, Prediction(1), 0.0), Reveal(label=0), classes=2)
    >>> told.entries["row"].tolist(), told.reveal(0).label
    ([3], 0)
    """

    def __init__(self, begun: int) -> None:
        self.begun = begun
        self.kinds = [*KINDS]
        self.answers: list[NDArray[Any]] = []
        self._entries = Appendable(np.zeros(0, FORM))

    def __len__(self) -> int:
        return len(self._entries.values)

    @property
    def entries(self) -> NDArray[Any]:
        """One of :data:`FORM` per answer; what is there does not change any more."""
        return self._entries.values

    def add(self, number: int, asked: Open, reveal: Reveal, classes: int) -> None:
        """One more."""
        if reveal.label is not None:
            kind, told = LABEL, int(reveal.label)
        elif reveal.correct is not None:
            kind, told = BIT, int(reveal.correct)
        else:
            if reveal.kind not in self.kinds:
                self.kinds.append(reveal.kind)
            kind, told = self.kinds.index(reveal.kind), len(self.answers)
            self.answers.append(np.array(reveal.answer))
        said, query = int(asked.prediction.label), bool(asked.prediction.query)
        self._entries.append((number, asked.context, asked.row, said, told, classes, kind, query))

    def reveal(self, at: int) -> Reveal:
        """An answer as the learner gets it."""
        entry = self.entries[at]
        kind, told = int(entry["kind"]), int(entry["told"])
        if kind == LABEL:
            return Reveal(label=told)
        if kind == BIT:
            return Reveal(correct=bool(told))
        return Reveal(answer=self.answers[told], kind=self.kinds[kind])

    def columns(self) -> dict[str, NDArray[Any]]:
        """All of them as members of a file, each column an array."""
        found = {f"told_{name}": self.entries[name].copy() for name in FORM.names or ()}
        if self.answers:
            forms = [f"{a.dtype.str}:{','.join(map(str, a.shape))}" for a in self.answers]
            found["told_form"] = np.array(forms)
            bits = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in self.answers]
            found["told_bits"] = np.concatenate(bits)
        return found

    def meta(self) -> dict[str, Any]:
        """The rest, as plain data."""
        return {"begun": self.begun, "kinds": self.kinds[len(KINDS) :]}

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Told:
        """As they were written; a ValueError says what is wrong with them."""
        begun, kinds = meta["begun"], meta["kinds"]
        if type(begun) is not int or not 2 <= begun < 2**31:
            raise ValueError(f"{begun!r:.30} is no number of classes to begin with")
        if not (isinstance(kinds, list) and all(type(kind) is str for kind in kinds)):
            raise ValueError("the kinds of answers are no texts")
        self = cls(begun)
        self.kinds += kinds
        columns = {name: arrays[f"told_{name}"] for name in FORM.names or ()}
        length = len(columns["number"])
        entries = np.zeros(length, FORM)
        for name, column in columns.items():
            if column.shape != (length,) or column.dtype != FORM[name]:
                raise ValueError("the columns of what was told do not fit together")
            entries[name] = column
        self._entries = Appendable(entries)
        if "told_form" in arrays:
            self.answers = _answers(arrays["told_form"], arrays["told_bits"])
        return self

    def check(self, nodes: int, asked: int, contexts: int, labels: Any, classes: int) -> None:
        """Raise a ValueError unless all is about nodes, tickets, contexts and labels there are."""
        e = self.entries
        own = e["kind"] > BIT
        fits = (
            (e["row"] >= 0) & (e["row"] < nodes) & (e["number"] >= 0) & (e["number"] < asked)
            & (e["context"] >= -1) & (e["context"] < contexts)
            & (e["classes"] >= self.begun) & (e["classes"] <= classes)
            & (e["kind"] >= 0) & (e["kind"] < len(self.kinds))
            & np.isin(e["said"], labels)
            & ((e["kind"] != LABEL) | np.isin(e["told"], labels))
            & ((e["kind"] != BIT) | np.isin(e["told"], (0, 1)))
        )  # fmt: skip
        if not fits.all() or (np.diff(e["classes"]) < 0).any() or self.begun > classes:
            raise ValueError("what was told is about nodes, tickets or classes that there are not")
        if (e["told"][own] != np.arange(len(self.answers))).any():
            raise ValueError("the answers of other kinds do not fit together")


def _answers(forms: NDArray[Any], bits: NDArray[Any]) -> list[NDArray[Any]]:
    """Answers of other kinds, each of a dtype and a shape, from their bytes."""
    if forms.ndim != 1 or forms.dtype.kind != "U" or bits.ndim != 1 or bits.dtype != np.uint8:
        raise ValueError("the answers of other kinds have no form")
    found, start = [], 0
    for form in forms.tolist():
        kind, _, lengths = form.partition(":")
        shape = tuple(int(length) for length in lengths.split(",") if length)
        dtype = np.dtype(kind)
        if dtype.kind not in "biuf" or any(length < 0 for length in shape):
            raise ValueError(f"an answer is {form!r:.30}")
        end = start + dtype.itemsize * math.prod(shape)
        part = bits[start:end]
        if len(part) != end - start or (dtype.kind == "b" and part.max(initial=0) > 1):
            raise ValueError("the answers of other kinds are cut short")
        found.append(part.view(dtype).reshape(shape).copy())
        start = end
    if start != len(bits):
        raise ValueError("the answers of other kinds are longer than they say")
    return found
