"""What a notebook shows of a result, and the result as a frame of pandas or polars."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from graphol.errors import UsageError, printable

LIBRARIES = ("pandas", "polars")


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A frame of pandas, or of polars where pandas is not installed; refused where neither is.

    What is no number, text or truth value becomes JSON text.

    >>> frame({"learner": ["gpa"], "params": [{"b": 2}]})["params"][0]
    '{"b": 2}'
    """
    plain = {name: [_cell(value) for value in values] for name, values in columns.items()}
    for library in LIBRARIES:
        if importlib.util.find_spec(library) is not None:
            return importlib.import_module(library).DataFrame(plain)
    raise UsageError("a frame needs pandas or polars: `pip install pandas`")


def frame_of_rows(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The same of rows; a key that a row does not have is None there."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return frame({key: [row.get(key) for row in rows] for key in keys})


def html_table(columns: Sequence[tuple[str, Sequence[str]]], notes: Sequence[str] = ()) -> str:
    """Titles and cells as an HTML table, with lines below it; every text is escaped.

    >>> html_table([("name", ["<b>"])])[26:]
    '</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{_text(title)}</th>" for title, _ in columns)
    lines = zip(*(cells for _, cells in columns), strict=True)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in line) + "</tr>" for line in lines
    )
    told = "".join(f"<p>{_text(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{told}"


def _text(value: object) -> str:
    return escape(printable(str(value)))


def _cell(value: Any) -> Any:
    if hasattr(value, "item"):  # a number of numpy, which may be a float as well
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value, default=str)
