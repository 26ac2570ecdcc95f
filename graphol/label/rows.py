"""A row per node in a file: CSV, or Parquet where that is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphol.atomic import check_place, replacing
from graphol.errors import UsageError, hint
from graphol.notes import DOUBTFUL

if TYPE_CHECKING:
    from graphol.label.predicting import Predicted

ENDINGS = ("csv", "parquet", "tsv")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With one of these begins what a spreadsheet takes for a formula."""


def check_rows(path: Path, *, force: bool) -> None:
    """Say that the file cannot be written before anything is computed."""
    ending = _ending(path)
    if ending not in ENDINGS:
        raise UsageError(f"{path}: labels go to .csv, .tsv or .parquet{hint(ending, ENDINGS)}")
    check_place(path, "labels", force=force)
    if ending == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise UsageError(f"{path}: Parquet needs pyarrow: `pip install 'graphol[parquet]'`")


def write_rows(found: Predicted, path: Path, *, force: bool = False) -> None:
    """All rows, whole or not at all; ids and classes as they are, quoted where CSV needs it."""
    check_rows(path, force=force)
    with replacing(path, force=force) as temporary:
        if _ending(path) == "parquet":
            _write_parquet(found, temporary)
        else:
            temporary.write_text(
                as_csv(found, "\t" if _ending(path) == "tsv" else ","), "utf-8", newline=""
            )


def as_csv(found: Predicted, between: str = ",") -> str:
    """The rows as text, with a heading.

    Yes and no stand for true and false; a probability has as many digits as it takes to read it
    back, at most six.
    """
    lines = [["node", "predicted", "given", "known", *columns(found.classes)]]
    for i, node in enumerate(found.graph.ids):
        said = found.classes[found.predicted[i]]
        probabilities = [f"{p:.6g}" for p in found.probabilities[i]]
        lines.append(
            [str(node), said, _yes(found.given[i] >= 0), _yes(found.known[i]), *probabilities]
        )
    return "".join(f"{between.join(_cell(each, between) for each in line)}\n" for line in lines)


def _cell(text: str, between: str) -> str:
    """In quotes where it has to be; Python's csv leaves a lone carriage return without."""
    if text.isalnum() or not {between, '"', "\n", "\r"} & {*text}:
        return text
    return '"' + text.replace('"', '""') + '"'


def _yes(value: Any) -> str:
    return "yes" if value else "no"


def columns(classes: Sequence[str]) -> list[str]:
    """What the columns of the probabilities are called."""
    return [f"p_{name}" for name in classes]


def formulas(found: Predicted) -> tuple[str, ...]:
    """A warning, where a spreadsheet would take an id or a class for something else."""
    return formulas_in([*found.classes, *found.graph.ids])


def formulas_in(texts: Iterable[Hashable]) -> tuple[str, ...]:
    """The same of any ids and classes.

    >>> formulas_in(["tea", "-1", 5])
    ()
    """
    names = [text for text in texts if isinstance(text, str)]
    odd = [text for text in names if text.startswith(FORMULA) and not _is_number(text)]
    if not odd:
        return ()
    return (
        f"{DOUBTFUL}{len(odd)} id(s) or class(es) such as {odd[0]!r} are formulas to a "
        "spreadsheet; import the column as text",
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _ending(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()


def _write_parquet(found: Predicted, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    ids: Any = list(found.graph.ids)
    if len({type(each) for each in ids}) > 1 or not isinstance(ids[0], int | float | str):
        ids = [str(each) for each in ids]
    data = {
        "node": ids,
        "predicted": [found.classes[k] for k in found.predicted],
        "given": found.given >= 0,
        "known": found.known,
        **dict(zip(columns(found.classes), found.probabilities.T, strict=True)),
    }
    pyarrow.parquet.write_table(pyarrow.table(data), path)
