"""The columns a run leaves behind: facts only, everything else is derived from them.

A trace is one ``.npz`` of equally long arrays, one row per round, plus a member ``meta.json``, so
that numpy alone reads it.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import npz
from graphol.api import Integers, Vector
from graphol.errors import InputError

LATER = ("context", "answered", "known")
"""Columns that traces of version 1 do not have."""


@attrs.frozen(eq=False)
class Trace:
    """What happened in T rounds.

    >>> trace = Trace(
    ...     node=np.array([4, 2]), predicted=np.array([1, 0]), label=np.array([1, 1]),
    ...     revealed=np.array([1.0, np.nan]), queried=np.array([True, True]),
    ...     updates=np.array([0, 0]), loss=np.array([0.0, 1.0]), scored=np.array([True, True]),
    ... )
    >>> trace.error_rate, trace.n_queries
    (0.5, 1)
    """

    node: Integers = attrs.field(
        metadata={"kinds": "iu", "help": "row of the node asked; -1 for a whole signal"}
    )
    predicted: NDArray[Any] = attrs.field(
        metadata={"kinds": "iuf", "help": "class, sign or number said"}
    )
    label: NDArray[Any] = attrs.field(
        metadata={"kinds": "iuf", "help": "the truth, which the learner may not see"}
    )
    revealed: Vector = attrs.field(
        metadata={
            "kinds": "f",
            "help": "what the learner was shown, label or bit, noise included; NaN if nothing",
        }
    )
    queried: NDArray[np.bool_] = attrs.field(
        metadata={"kinds": "b", "help": "did the learner ask for the truth"}
    )
    updates: NDArray[np.int32] = attrs.field(
        metadata={"kinds": "iu", "help": "class models changed by the answer"}
    )
    loss: Vector = attrs.field(
        metadata={"kinds": "f", "help": "0 or 1; squared error for a real target"}
    )
    scored: NDArray[np.bool_] = attrs.field(
        metadata={"kinds": "b", "help": "does the round count in the error rate"}
    )
    context: Integers = attrs.field(
        metadata={"kinds": "iu", "help": "latent vertex or task asked about; -1 if there is none"}
    )
    answered: NDArray[np.bool_] = attrs.field(
        metadata={
            "kinds": "b",
            "help": "did anything come back: a label, a bit, or an answer of another kind",
        }
    )
    known: NDArray[np.bool_] = attrs.field(
        metadata={
            "kinds": "b",
            "help": "did anything that was learnt bear on the node; if not, it was a guess",
        }
    )
    kept: dict[str, NDArray[Any]] = attrs.field(factory=dict)
    """Further columns by name, one row per round: answers that are neither labels nor bits, under
    the name that their protocol gives them, and what was asked for (``scores``)."""
    meta: dict[str, Any] = attrs.field(factory=dict)

    @context.default
    def _no_context(self) -> Integers:
        return np.full(len(self.node), -1)

    @answered.default
    def _where_revealed(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.revealed)

    @known.default
    def _all_known(self) -> NDArray[np.bool_]:
        return np.ones(len(self.node), dtype=bool)

    @classmethod
    def columns(cls) -> dict[str, str]:
        """Name and meaning of every column."""
        return {f.name: f.metadata["help"] for f in attrs.fields(cls) if "help" in f.metadata}

    def __len__(self) -> int:
        return len(self.node)

    @property
    def error_rate(self) -> float:
        """Mean loss of the rounds that count: for classes and signs the share of mistakes."""
        return float(self.loss[self.scored].mean()) if self.scored.any() else 0.0

    @property
    def known_share(self) -> float:
        """Of the rounds that count, the share in which anything bore on the node."""
        return float(self.known[self.scored].mean()) if self.scored.any() else 1.0

    @property
    def known_error_rate(self) -> float:
        """Mean loss of those rounds; NaN if there are none."""
        among = self.scored & self.known
        return float(self.loss[among].mean()) if among.any() else math.nan

    @property
    def n_mistakes(self) -> int:
        """Rounds that count and were wrong."""
        return int(np.count_nonzero(self.loss[self.scored]))

    @property
    def n_updates(self) -> int:
        """Class models changed, in all."""
        return int(self.updates.sum())

    @property
    def n_queries(self) -> int:
        """Rounds in which something was revealed."""
        return int(np.count_nonzero(self.answered))

    @property
    def us_per_round(self) -> float:
        """Microseconds of prediction and update per round."""
        return float(self.meta.get("elapsed_ns", 0)) / 1e3 / max(len(self), 1)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the trace, whole or not at all."""
        npz.write(Path(path), *self.members(), force=force)

    def members(self) -> tuple[npz.Members, dict[str, Any]]:
        """What its file consists of: arrays, and the meta data."""
        arrays = {name: getattr(self, name) for name in self.columns()} | self.kept
        return arrays, self.meta | {"kept": sorted(self.kept)}

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """Read a trace back; one of version 1 has no contexts, and answers are labels or bits."""
        return cls.of_members(*npz.read(Path(path), "trace"), path)

    @classmethod
    def of_members(cls, arrays: npz.Members, meta: dict[str, Any], path: str | Path) -> Trace:
        """What :meth:`members` gave, read from ``path``; all of it is checked."""
        kept = meta.pop("kept", [])
        if not isinstance(kept, list) or not all(isinstance(name, str) for name in kept):
            raise InputError(f"{path} is not a trace: `kept` in its meta data is no list of names")
        wanted = [name for name in cls.columns() if name not in LATER]
        kept = [name for name in kept if name not in cls.columns()]
        missing = [name for name in (*wanted, *kept) if name not in arrays]
        if missing:
            raise InputError(f"{path} is not a trace: it lacks {', '.join(missing)}")
        columns = {name: arrays[name] for name in cls.columns() if name in arrays}
        more = {name: arrays[name] for name in kept}
        kinds = {f.name: f.metadata["kinds"] for f in attrs.fields(cls) if "kinds" in f.metadata}
        lengths = {a.shape for a in columns.values()} | {a.shape[:1] for a in more.values()}
        numbers = {a.dtype.kind for a in (*columns.values(), *more.values())} <= set("biuf")
        if lengths != {(arrays["node"].size,)} or not numbers:
            raise InputError(f"{path} is not a trace: its columns are not numbers of equal length")
        for name, column in columns.items():
            if column.dtype.kind not in kinds[name]:
                raise InputError(f"{path} is not a trace: its column {name} is {column.dtype}")
        if not (columns["scored"].any() and np.isfinite(columns["loss"]).all()):
            raise InputError(f"{path} is not a trace: no round counts, or a loss is no number")
        if not isinstance(meta.get("elapsed_ns", 0), int | float):
            raise InputError(f"{path} is not a trace: its time is {meta['elapsed_ns']!r}")
        if not _are_rounds(meta.get("marks", []), len(arrays["node"])):
            raise InputError(
                f"{path} is not a trace: `marks` in its meta data are not numbers of its "
                f"{len(arrays['node'])} rounds in ascending order"
            )
        if columns["updates"].min() < 0:
            raise InputError(f"{path} is damaged: fewer than no updates in a round; play it again")
        if not _scores_itself(columns["label"], columns["predicted"], columns["loss"]):
            raise InputError(f"{path} is damaged: the losses are not those of what was predicted")
        return cls(**columns, kept=more, meta=meta)


def _are_rounds(marks: Any, T: int) -> bool:
    """Are these numbers of rounds, 0 to T - 1, each once and in their order?"""
    if not isinstance(marks, list) or not all(type(mark) is int for mark in marks):
        return False
    return all(a < b for a, b in itertools.pairwise([-1, *marks, T]))


def _scores_itself(label: NDArray[Any], predicted: NDArray[Any], loss: NDArray[Any]) -> bool:
    """Is the loss that of the predictions: 0 or 1, of numbers the squared error?"""
    if predicted.dtype.kind != "f":
        return bool(((label != predicted) == loss).all())
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.allclose((label - predicted) ** 2, loss, rtol=1e-9, atol=0))
