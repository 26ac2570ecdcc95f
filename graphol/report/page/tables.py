"""Tables of a page: the columns that a terminal prints, sorted by a click, filtered by a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphol.report.page.text import element, safe
from graphol.report.table import Column, JsonRow, is_number

Extra = tuple[str, Callable[[JsonRow], str]]
"""A column of HTML of our own: its heading and its cells."""
CLASSES = ("n", "wide", "win", "loss")
"""Numbers, texts that wrap, and verdicts."""
LONG = 60
"""Characters of a cell that wraps."""
FEW = 6
"""Rows below which nobody filters."""


def table(
    rows: Sequence[JsonRow],
    columns: Sequence[Column],
    caption: str = "",
    *,
    lead: Callable[[JsonRow], str] | None = None,
    extra: Sequence[Extra] = (),
    place: int = 0,
    shade: Callable[[JsonRow, Column], float | None] | None = None,
    marked: Callable[[JsonRow], str] | None = None,
) -> str:
    """A table in a box of its own that scrolls.

    Parameters
    ----------
    rows, columns
        As for a terminal; a column that is empty in every row is left out.
    caption
        HTML, above it.
    lead
        HTML before the text of the first column: a mark.
    extra
        Columns of HTML.
    place
        After which of the others these stand, counted from 0.
    shade
        How strongly a cell is tinted, from 0 to 1.
    marked
        Class of a row.
    """
    kept = []
    for column in columns:
        cells = [column.cell(row) for row in rows]
        if any(cells):
            numbers = all(map(is_number, cells))
            kept.append((column, cells, numbers))
    head = []
    for i, (column, _, numbers) in enumerate(kept):
        button = element("button", safe(column.title), type="button")
        head.append(element("th", button, scope="col", class_="n" if numbers else None))
        if i == place:
            head += [element("th", safe(title), scope="col") for title, _ in extra]
    body = []
    for r, row in enumerate(rows):
        line = []
        for i, (column, cells, numbers) in enumerate(kept):
            text = safe(cells[r])
            value = row.get(column.key)
            exact = isinstance(value, int | float) and not isinstance(value, bool)
            sort = f"{value!r}" if numbers and exact and cells[r] else None
            tint = shade(row, column) if shade else None
            style = None if tint is None else f"--tint:{min(max(tint, 0), 1):.2f}"
            if i == 0:
                line.append(
                    element("th", (lead(row) if lead else "") + text, scope="row", data_v=sort)
                )
            else:
                kind = "n" if numbers else "wide" if len(text) > LONG else cells[r]
                known = kind if kind in CLASSES else None
                line.append(element("td", text, class_=known, data_v=sort, style=style))
            if i == place:
                line += [element("td", cell(row)) for _, cell in extra]
        body.append(element("tr", "".join(line), class_=marked(row) if marked else None))
    inside = (
        element("thead", element("tr", "".join(head))) + "<tbody>" + "\n".join(body) + "</tbody>"
    )
    many = "many" if len(rows) >= FEW else None
    label = {"tabindex": "0", "role": "region", "aria_label": "table"}
    return element(
        "div",
        (element("p", caption, class_="cap") if caption else "")
        + element("div", element("table", inside), class_="scroll", **label),
        class_="tablebox" + (f" {many}" if many else ""),
    )
