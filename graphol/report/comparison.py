"""Results of several learners on the same games: who is better, and by how much surely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol.api import Learner
from graphol.errors import GrapholError, InputError, UsageError, in_one_line, near
from graphol.interval import CONFIDENCE, Interval, check_confidence, paired
from graphol.notebook import frame_of_rows, html_table
from graphol.params import describe, kinds_inside
from graphol.place import Place, open_folder
from graphol.registry import registry
from graphol.report.columns import PLAYER, differences, figures
from graphol.report.table import Column, filled
from graphol.results import FIXED, HASHES, SUMMARY, compared, inner
from graphol.schema import json_text, stamped
from graphol.simulation import Simulation
from graphol.transaction import standing


@attrs.frozen(eq=False)
class Comparison:
    """One simulation per learner, all of the same repeats."""

    labels: tuple[str, ...]
    """The learners as the command line writes them."""
    results: tuple[Simulation, ...]
    against: int
    """The learner that the others are held against."""
    confidence: float
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        results: Sequence[Simulation],
        *,
        against: str | Learner | dict[str, Any] | None = None,
        confidence: float = CONFIDENCE,
        names: Sequence[str] = (),
    ) -> Comparison:
        """Hold results against each other: the repeats that all have, of the same games.

        ``names`` tell apart what has the same label. Games that are not the same are refused.
        """
        check_confidence(confidence)
        named = list(names) or [str(i + 1) for i in range(len(results))]
        labels = [label(result.recipe["learner"]) for result in results]
        labels = [
            f"{text} ({name})" if labels.count(text) > 1 else text
            for text, name in zip(labels, named, strict=True)
        ]
        chosen = reference(against, labels, [result.recipe["learner"] for result in results])
        common = sorted(set.intersection(*(set(result.repeats) for result in results)))
        notes = [*results[0].notes, *_told(results, labels)]
        if any(len(result.repeats) > len(common) for result in results):
            numbers = ", ".join(map(str, common))
            notes.append(f"not all have the same repeats; those that all have are shown: {numbers}")
        _check_recipes(results, named, common)
        shown = tuple(result.only(common) for result in results)
        _check_questions(shown, named)
        if chosen is None:
            chosen = int(np.argmin([result.error_rate_mean for result in shown]))
        return cls(tuple(labels), shown, chosen, confidence, tuple(notes))

    def difference(self, i: int) -> Interval:
        """Error rate of learner i less that of the reference, over the repeats."""
        one, other = self.results[i].error_rates, self.results[self.against].error_rates
        return paired(one, other, self.confidence)

    def rows(self) -> list[dict[str, Any]]:
        """One row per learner, with fixed keys; the first twelve are those of a simulation."""
        found = []
        for i, (text, result) in enumerate(zip(self.labels, self.results, strict=True)):
            row, difference = result.row(self.confidence), self.difference(i)
            found.append(
                dict(list(row.items())[:FIXED])
                | {
                    "label": text,
                    "against": self.labels[self.against],
                    "difference": difference.mean,
                    "difference_low": difference.low,
                    "difference_high": difference.high,
                    "confidence": self.confidence,
                    "interval": "paired t",
                    "differs": None if i == self.against else difference.differs,
                }
                | {key: value for key, value in row.items() if key != "notes"}
            )
        return found

    @property
    def columns(self) -> tuple[Column, ...]:
        """As a person reads the rows: differences in percentage points, * where they count."""
        first, against = self.results[0], self.labels[self.against]
        return (
            *PLAYER,
            *figures(first, self.confidence),
            *differences(first, against, self.confidence),
        )

    def to_frame(self) -> Any:
        """The rows as a frame of pandas or polars, one line per learner."""
        return frame_of_rows(self.rows())

    def _repr_html_(self) -> str:
        """The table, as a notebook shows it."""
        return html_table(filled(self.rows(), self.columns), self.notes)

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """One folder per learner with its traces, and ``compare.json`` with the rows.

        All of it is replaced at once, as :meth:`Simulation.save` does.
        """
        learners = [result.recipe["learner"]["name"] for result in self.results]
        opening = open_comparison(Path(folder), learners, force=force)
        with opening as place, place.replacing() as new:
            self.write(new)

    def write(self, new: Path) -> None:
        """The files, into a folder that does not count yet."""
        for i, result in enumerate(self.results):
            own = new / inner(i, result.recipe["learner"]["name"])
            own.mkdir(parents=True)
            result.write(own)
        (new / SUMMARY).write_text(json_text(stamped(self.rows())) + "\n", encoding="utf-8")


def label(learner: Learner | dict[str, Any], kind: str = "learner") -> str:
    """A learner as the command line writes it, with the parameters that are not the default's.

    All of them for the description of a learner that is not known here.

    >>> label(registry().make("learner", "molg-b:b=20,phi=10"))
    'molg-b:b=20'
    """
    given = learner if isinstance(learner, dict) else describe(learner)
    usual: dict[str, Any] = {"name": given["name"]}
    inside: dict[str, str] = {}
    try:
        cls = registry().find(kind, given["name"])
        usual, inside = describe(cls()), kinds_inside(cls)
    except GrapholError:  # of a plugin that is not here today
        pass
    order = [key for key in usual if key in given] + [key for key in given if key not in usual]
    changed = [
        f"{key}={_short(given[key], inside.get(key, ''))}"
        for key in order
        if key not in usual or given[key] != usual[key]
    ]
    return str(given["name"]) + (":" + ",".join(changed) if changed else "")


def _short(value: Any, kind: str) -> str:
    if _describes(value):
        text = label(value, kind)
        return f"({text})" if ":" in text else text
    if isinstance(value, list) and all(map(_describes, value)):
        return "+".join(f"({label(each, kind)})" for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _describes(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def reference(
    against: str | Learner | dict[str, Any] | None,
    labels: Sequence[str],
    described: Sequence[dict[str, Any]],
) -> int | None:
    """Which is ``against``: by its label, by its name if that says it, by value or description."""
    if against is None:
        return None
    names = [each["name"] for each in described]
    if isinstance(against, str):
        for known in (labels, names):
            if known.count(against) == 1:
                return known.index(against)
    value = against
    if isinstance(value, str) and ":" in value and value.partition(":")[0] in names:
        value = registry().make("learner", value)
    if not isinstance(value, str):
        value = value if isinstance(value, dict) else describe(value)
        if value in described:
            return list(described).index(value)
    what = against if isinstance(against, str) else label(against)
    raise UsageError(f"{what!r} is not one of those compared: {near(what, labels)}")


def _check_recipes(results: Sequence[Simulation], names: Sequence[str], common: list[int]) -> None:
    """Refuse what is not of the same games: differences repeat by repeat would mean nothing."""
    first, *others = results
    for other, name in zip(others, names[1:], strict=True):
        for key, what in (
            ("task", "data set"), ("graph_hash", "graph"), ("seed", "seed"), ("target", "target"),
            *HASHES.items(),
        ):  # fmt: skip
            one, two = first.recipe.get(key), other.recipe.get(key)
            if one != two:
                raise UsageError(
                    f"{names[0]} and {name} are not of the same games ({what} {one} and {two}); "
                    "report them one at a time"
                )
    if not common:
        raise UsageError(f"{', '.join(names)} have no repeat in common; report them one at a time")


def _check_questions(results: Sequence[Simulation], names: Sequence[str]) -> None:
    """The same, round by round: what was asked, and the truth."""
    for name, result in zip(names, results, strict=True):
        for i, (one, two) in enumerate(zip(results[0].traces, result.traces, strict=True)):
            asked = np.array_equal(one.node, two.node)
            if not (asked and np.array_equal(one.label, two.label)):
                raise UsageError(
                    f"repeat {result.repeats[i // result.games]} of {names[0]} ({len(one)} rounds) "
                    f"and of {name} ({len(two)}) did not ask the same; report them one at a time"
                )


def _told(results: Sequence[Simulation], labels: Sequence[str]) -> list[str]:
    """What a reader must know before holding these learners against each other."""
    by: dict[str, list[str]] = {}
    for result, text in zip(results, labels, strict=True):
        engine = result.recipe["engine"]
        odd = "".join(f", {key} {engine[key]:g}" for key in ("noise", "delay") if engine[key])
        by.setdefault(f"{result.recipe['feedback']['name']} feedback{odd}", []).append(text)
    if len(by) == 1:
        return []
    groups = "; ".join(f"{how}: {', '.join(who)}" for how, who in by.items())
    return [f"not all are told the same ({groups})"]


def open_comparison(
    folder: Path, learners: Sequence[str], *, force: bool
) -> AbstractContextManager[Place]:
    """Make the folder for results, or say why not, before anything is computed."""
    inside = [inner(i, name) for i, name in enumerate(learners)]
    return open_folder(folder, force=force, inside=inside)


def opened(folder: Path) -> tuple[list[Path], int | None, float]:
    """The folders of a comparison's results, whom it held the others against, how surely.

    A folder of a single simulation is its own only one.
    """
    path = standing(folder, SUMMARY)
    if not path.is_file():
        return [folder], None, CONFIDENCE
    names = compared(folder)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        against = [row["label"] for row in rows].index(rows[0]["against"])
        return [folder / name for name in names], against, float(rows[0]["confidence"])
    except Exception as reason:  # whatever comes of bytes that are not ours
        raise InputError(
            f"{path} is not of a comparison, or is damaged ({in_one_line(reason)})"
        ) from None
