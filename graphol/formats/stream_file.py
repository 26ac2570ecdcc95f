"""Rounds of a game of signs as a table: a node, a context or a time, and the sign, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from graphol.api import Integers
from graphol.door import FilePath, reader
from graphol.errors import InputError, shown
from graphol.formats import numerals
from graphol.formats.delimited import Columns, check_table, read_columns

SIGNS = {"+1": 1, "1": 1, "-1": -1}


class StreamFile(NamedTuple):
    """The rounds, in their order; nodes and contexts as they are called there."""

    path: Path
    nodes: list[str]
    signs: Integers
    lines: list[int]
    """The line of each round."""
    contexts: list[str] | None
    """None where the rounds have times."""
    times: Integers | None
    """Whole numbers that do not decrease; None where the rounds have contexts."""
    notes: tuple[str, ...]

    def where(self, t: int) -> str:
        """How messages about round t begin."""
        return f"{self.path} line {self.lines[t]}"


@reader
def read_stream(path: FilePath) -> StreamFile:
    """A CSV or TSV file with the header ``node,context,sign``, ``node,time,sign`` or ``node,sign``.

    Without a second column the time is the number of the round. A sign is ``+1``, ``1`` or ``-1``.
    See :func:`graphol.formats.delimited.read_columns` for what counts as a row.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "stream.csv")
    ...     _ = file.write_text("node,time,sign\\nann,3,+1\\nbob,3,-1\\nann,7,-1\\n")
    ...     rounds = read_stream(file)
    >>> rounds.nodes, rounds.times.tolist(), rounds.signs.tolist()
    (['ann', 'bob', 'ann'], [3, 3, 7], [1, -1, -1])
    """
    path = check_table(path, "a stream of rounds")
    table = read_columns(path, ("node", "sign"), ("context", "time"))
    columns = table.columns
    if {"context", "time"} <= columns.keys():
        raise InputError(f"{path} has both a context and a time for every round; keep one of them")
    for name in columns.keys() & {"node", "context"}:
        for text, line in zip(columns[name], table.lines, strict=True):
            if not text:
                raise InputError(f"{path} line {line}: the {name} is empty")
    contexts = columns.get("context")
    return StreamFile(
        path=path,
        nodes=columns["node"],
        signs=np.array(
            [_sign(path, *each) for each in zip(columns["sign"], table.lines, strict=True)]
        ),
        lines=table.lines,
        contexts=contexts,
        times=None if contexts is not None else _times(path, table),
        notes=table.notes,
    )


def _sign(path: Path, text: str, line: int) -> int:
    if text not in SIGNS:
        raise InputError(f"{path} line {line}: the sign must be +1, 1 or -1, got {shown(text)}")
    return SIGNS[text]


def _times(path: Path, table: Columns) -> Integers:
    if "time" not in table.columns:
        return np.arange(len(table.lines))
    found: list[int] = []
    for text, line in zip(table.columns["time"], table.lines, strict=True):
        time = numerals.whole(text, f"{path} line {line}")
        if found and time < found[-1]:
            raise InputError(
                f"{path} line {line}: the time {time} is before {found[-1]} of the line above; "
                "rounds must be in the order of their times"
            )
        found.append(time)
    return np.array(found)
