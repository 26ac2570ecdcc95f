"""Where the results of a page come from, what failed, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphol.report.cast import Entry
from graphol.report.gather import DONE, FAILED, PLANNED
from graphol.report.page.material import Material
from graphol.report.page.parts import many
from graphol.report.page.tables import table
from graphol.report.page.text import element, safe
from graphol.report.table import Column

MOST_LINES = 200
"""Of a list of commands."""


def failures(material: Material) -> str:
    """How much of every learner and data set is there, and the cells that failed."""
    gathered, parts = material.gathered, []
    if gathered.failures:
        rows = [
            {
                "learner": each.learner,
                "dataset": each.dataset,
                "protocol": each.protocol,
                "seed": each.seed,
                "repeat": each.repeats.partition("-")[0],
                "tries": each.tries,
                "error": each.error,
                "command": each.command,
            }
            for each in gathered.failures
        ]
        columns = [
            Column("learner"), Column("dataset", "data set"), Column("protocol"), Column("seed"),
            Column("repeat"), Column("tries"), Column("error"), Column("command"),
        ]  # fmt: skip
        parts.append(
            table(rows, columns, "Cells that ended with an error are in no figure of this page.")
        )
    unfinished = any(row[PLANNED] != row[DONE] for row in gathered.progress)
    if unfinished:
        columns = [
            Column("learner"), Column("dataset", "data set"), Column(PLANNED), Column(DONE),
            Column(FAILED),
        ]  # fmt: skip
        parts.append("<h3>How much is there</h3>" + table(gathered.progress, columns))
    return "\n".join(parts)


def provenance(material: Material) -> str:
    """Where all of it comes from, and how to make it again."""
    entries = material.entries
    parts = []
    if material.command:
        parts.append(
            element("p", "This page is made again by")
            + element("pre", element("code", safe(material.command)))
        )
    versions = sorted({tuple(sorted(entry.outcome.versions.items())) for entry in entries})
    if len(versions) > 1:
        text = f"doubtful: the results are of {len(versions)} different sets of versions"
        parts.append(element("p", text, class_="doubt"))
    rows: list[Mapping[str, Any]] = [
        {
            "what": name,
            **{f"set {i + 1}": dict(each).get(name, "") for i, each in enumerate(versions)},
        }
        for name in sorted({name for each in versions for name, _ in each})
    ]
    if rows:
        columns = [
            Column("what", "package"),
            *(
                Column(f"set {i + 1}", "version" if len(versions) == 1 else f"set {i + 1}")
                for i in range(len(versions))
            ),
        ]
        parts.append("<h3>Versions</h3>" + table(rows, columns))
    parts.append("<h3>Data</h3>" + _data(entries))
    notes = [*material.gathered.notes]
    if material.twice:
        notes.append(f"{material.twice} game(s) are there twice; the first of each counts")
    said: dict[str, int] = {}
    for entry in entries:
        for note in dict.fromkeys(entry.outcome.notes):
            text = f"{entry.dataset}: {note}"
            said[text] = said.get(text, 0) + 1
    lines = [safe(note) for note in notes]
    lines += [f"{safe(text)} ({many(count, 'game')})" for text, count in sorted(said.items())]
    if lines:
        parts.append("<h3>Notes</h3>" + element("ul", "".join(element("li", x) for x in lines)))
    parts.append(_commands(entries))
    return "\n".join(parts)


def _data(entries: Sequence[Entry]) -> str:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.dataset, []).append(entry)
    rows = []
    for dataset, own in sorted(found.items()):
        hashes = sorted({entry.outcome.played_on.split(" ")[0] for entry in own})
        seeds = sorted({entry.outcome.seed for entry in own})
        repeats = sorted({entry.outcome.repeat for entry in own})
        rows.append(
            {
                "dataset": dataset,
                "graphs": len(hashes),
                "hashes": _few(hashes),
                "seeds": _ranges(seeds),
                "repeats": _ranges(repeats),
                "rounds": _ranges(sorted({int(entry.outcome.rounds[-1]) for entry in own})),
            }
        )
    columns = [
        Column("dataset", "data set"), Column("graphs"), Column("hashes", "hash of the graph"),
        Column("seeds"), Column("repeats"), Column("rounds"),
    ]  # fmt: skip
    return table(rows, columns)


def _commands(entries: Sequence[Entry]) -> str:
    """One per player and board: the first of its games."""
    found: dict[tuple[str, str, str], str] = {}
    for entry in entries:
        if entry.outcome.command:
            found.setdefault((entry.dataset, entry.protocol, entry.player), entry.outcome.command)
    if not found:
        return ""
    lines = [*found.values()][:MOST_LINES]
    more = len(found) - len(lines)
    text = "Commands that play the first results of every row"
    if more:
        text += f" ({more} more are left out)"
    return element(
        "details", element("summary", safe(text)) + element("pre", safe("\n".join(lines)))
    )


def _few(names: Sequence[str], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _ranges(numbers: Sequence[int]) -> str:
    """``0-19`` or ``1, 5, 7``."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return _few([str(value) for value in numbers], 6)
