"""The printed table as files: where --csv, --tex, --markdown and --parquet put it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from graphol.report.table import Column

ENDINGS = {"csv": "csv", "tex": "tex", "markdown": "md", "parquet": "parquet"}


class Tables(NamedTuple):
    """The files that were asked for."""

    csv: Path | None = None
    tex: Path | None = None
    markdown: Path | None = None
    parquet: Path | None = None

    def check(self, *, force: bool) -> None:
        """Refuse what could not be written, before anything is computed."""
        for option, path in self._given():
            from graphol.report.export import check_export

            check_export(path, force=force, ending=ENDINGS[option])

    def write(
        self,
        rows: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        columns: Sequence[Column | str] | None,
        *,
        force: bool,
    ) -> None:
        """One row or several, with these columns, into every file."""
        for _, path in self._given():
            from graphol.report.export import export

            export([rows] if isinstance(rows, Mapping) else rows, columns, path, force=force)

    def _given(self) -> Iterator[tuple[str, Path]]:
        return ((name, path) for name, path in self._asdict().items() if path is not None)
