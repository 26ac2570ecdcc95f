"""A table as a file: CSV, LaTeX, Markdown or Parquet, with the numbers that are printed."""

from __future__ import annotations

import csv
import importlib.util
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from graphol.atomic import check_place, replacing
from graphol.errors import UsageError, hint
from graphol.report.table import Column, JsonRow, filled, is_number

ENDINGS = ("csv", "md", "parquet", "tex")
PAIR = re.compile(r"(\S+) ± (\S+)")
RANGE = re.compile(r"(\S+) \.\. (\S+)( \*)?")
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""How a cell begins that a spreadsheet would compute, if it is not a number."""
LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}",
    "`": r"\textasciigrave{}", "±": r"$\pm$", "[": "{[}", "*": "{*}", "µ": r"$\mu$",
}  # fmt: skip
MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&#!])")

Columns = list[tuple[str, list[str]]]


def check_export(path: Path, *, force: bool = False, ending: str = "") -> None:
    """Say that the table cannot be written before anything is computed.

    Without ``ending`` it is the path's own.
    """
    found = path.suffix.removeprefix(".").lower()
    if found not in ENDINGS:
        raise UsageError(
            f"{path}: a table ends in .csv, .md, .parquet or .tex{hint(found, ENDINGS)}"
        )
    if ending and found != ending:
        raise UsageError(f"{path}: this table ends in .{ending}; rename it, or ask for a .{found}")
    check_place(path, "table", force=force)
    if found == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise UsageError(f"{path}: Parquet needs pyarrow: `pip install 'graphol[parquet]'`")


def export(
    rows: Sequence[JsonRow],
    columns: Sequence[Column | str] | None,
    path: str | Path,
    *,
    force: bool = False,
) -> None:
    """Write the table that :func:`graphol.report.table.table` prints, by the ending of the path.

    The digits are those that are printed. LaTeX and Markdown have its cells. CSV and Parquet have
    one number per cell: ``a ± b`` is two columns, and ``a .. b`` with its mark three; what is not
    there is empty. Texts in CSV that a spreadsheet would take for a formula begin with an
    apostrophe.

    Parameters
    ----------
    rows
        As ``--json`` has them.
    columns
        Which of their figures, and how they are shown.
    path
        Ends in ``.csv``, ``.tex``, ``.md`` or ``.parquet``.
    force
        Replace a file that is there.
    """
    path = Path(path)
    check_export(path, force=force)
    ending, cells = path.suffix.removeprefix(".").lower(), filled(rows, columns)
    if ending == "parquet":
        with replacing(path, force=force) as temporary:
            _write_parquet(_apart(cells), temporary)
        return
    write: dict[str, Callable[[Columns], str]] = {
        "csv": as_csv, "tex": as_latex, "md": as_markdown,
    }  # fmt: skip
    with replacing(path, force=force) as temporary:
        temporary.write_bytes(write[ending](cells).encode())


def as_csv(cells: Columns) -> str:
    """Comma-separated values, a line of headings first."""
    text = io.StringIO()
    titles, values = zip(*_apart(cells), strict=True) if cells else ((), ())
    writer = csv.writer(text, lineterminator="\n")
    for line in (titles, *zip(*values, strict=True)):
        writer.writerow([_no_formula(cell) for cell in line])
    return text.getvalue()


def as_latex(cells: Columns) -> str:
    """A ``tabular`` that needs no package; signs of numbers are set as minus and plus."""
    sides = "".join("r" if all(map(is_number, column)) else "l" for _, column in cells)
    shown = [[_latex(title), *map(_latex, column)] for title, column in cells]
    head, *lines = (" & ".join(line) + r" \\" for line in zip(*shown, strict=True))
    return "\n".join(
        [rf"\begin{{tabular}}{{{sides}}}", r"\hline", head, r"\hline", *lines, r"\hline",
         r"\end{tabular}", ""]
    )  # fmt: skip


def as_markdown(cells: Columns) -> str:
    """A table with pipes; columns of numbers are right-aligned."""
    shown = [
        [title, "---:" if all(map(is_number, column)) else "---", *column]
        for title, column in cells
    ]
    lines = zip(*shown, strict=True)
    return "".join(
        "| " + " | ".join(line if i == 1 else map(_markdown, line)) + " |\n"
        for i, line in enumerate(lines)
    )


def _apart(cells: Columns) -> Columns:
    """One figure per column, and no title twice."""
    found: Columns = []
    for title, column in cells:
        given = [cell for cell in column if cell]
        if any(PAIR.fullmatch(cell) for cell in given) and all(map(is_number, given)):
            halves = [cell.partition(" ± ") for cell in column]
            found.append((title, [mean for mean, _, _ in halves]))
            found.append((f"{title} std", [std for _, _, std in halves]))
        elif all(RANGE.fullmatch(cell) for cell in given):
            parts = [RANGE.fullmatch(cell) for cell in column]
            for k, more in ((1, "low"), (2, "high"), (3, "*")):
                values = [(part[k] or "").strip() if part else "" for part in parts]
                if any(values):
                    found.append((f"{title} {more}", values))
        else:
            found.append((title, column))
    titles = [title for title, _ in found]
    return [
        (f"{title} ({titles[:i].count(title) + 1})" if title in titles[:i] else title, column)
        for i, (title, column) in enumerate(found)
    ]


def _no_formula(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) and not is_number(cell) else cell


def _latex(cell: str) -> str:
    text = "".join(LATEX.get(character, character) for character in cell).replace("--", "-{}-")
    if not (is_number(cell) or RANGE.fullmatch(cell)):
        return text
    return re.sub(r"(?<!\S)([-+])(?=\d)", r"$\1$", text)


def _markdown(cell: str) -> str:
    return MARKDOWN.sub(r"\\\1", cell)


def _write_parquet(cells: Columns, path: Path) -> None:
    """Whole numbers, numbers or texts, by column; null where there is nothing."""
    import pyarrow
    import pyarrow.parquet

    arrays = {title: pyarrow.array(_typed(column)) for title, column in cells}
    pyarrow.parquet.write_table(pyarrow.table(arrays), path)


def _typed(column: Sequence[str]) -> Sequence[int | float | str | None]:
    for kind in (int, float) if all(map(is_number, column)) else ():
        try:
            return [kind(cell) if cell else None for cell in column]
        except ValueError:
            continue
    return [cell or None for cell in column]
