"""Several learners on one task and the same shuffles: who is better, and by how much surely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol.api import Embedding, Feedback, Learner
from graphol.arena import Watcher
from graphol.atomic import refuse_existing, replacing
from graphol.errors import UsageError, near
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.report.table import cells
from graphol.runner import simulate_by
from graphol.simulation import Simulation, open_folder, result_files

FIRST = 12  # keys of a simulation's row that are fixed
SUMMARY = "compare.json"


@attrs.frozen
class Paired:
    """A mean difference over repeats and its confidence interval by the paired t-test."""

    mean: float
    low: float | None
    """None with fewer than 2 repeats, which give no interval."""
    high: float | None

    @property
    def differs(self) -> bool | None:
        """Does the interval exclude 0?"""
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0


def paired(one: Sequence[float], other: Sequence[float], confidence: float = 0.95) -> Paired:
    """one - other, pair by pair: mean, and mean ± t sd / sqrt(n), t of n - 1 degrees of freedom.

    >>> found = paired([3.0, 4.0, 5.0], [1.0, 1.0, 1.0])
    >>> found.mean, round(found.low, 3), round(found.high, 3), found.differs
    (3.0, 0.516, 5.484, True)
    """
    difference = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    n, mean = len(difference), float(difference.mean())
    if n < 2:
        return Paired(mean, None, None)
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    t = float(stdtrit(n - 1, (1 + confidence) / 2))
    half = t * float(difference.std(ddof=1)) / np.sqrt(n)
    return Paired(mean, float(mean - half), float(mean + half))


@attrs.frozen(eq=False)
class Comparison:
    """What came out, one simulation per learner."""

    labels: tuple[str, ...]
    """The learners as the command line writes them."""
    results: tuple[Simulation, ...]
    against: int
    """The learner that the others are held against."""
    confidence: float
    notes: tuple[str, ...]

    def difference(self, i: int) -> Paired:
        """Error rate of learner i less that of the reference, over the repeats."""
        one, other = (self.results[k].error_rates.tolist() for k in (i, self.against))
        return paired(one, other, self.confidence)

    def rows(self) -> list[dict[str, Any]]:
        """One row per learner, with fixed keys; the first twelve are those of a simulation."""
        found = []
        for i, (label, result) in enumerate(zip(self.labels, self.results, strict=True)):
            row, difference = result.row(), self.difference(i)
            found.append(
                dict(list(row.items())[:FIRST])
                | {
                    "label": label,
                    "against": self.labels[self.against],
                    "difference": difference.mean,
                    "difference_low": difference.low,
                    "difference_high": difference.high,
                    "confidence": self.confidence,
                    "interval": "paired t",
                    "differs": None if i == self.against else difference.differs,
                }
                | {key: row[key] for key in ("seed", "graph_hash", "versions", "recipe", "command")}
            )
        return found

    def table(self) -> list[dict[str, Any]]:
        """The rows as a person reads them: differences in percentage points, * where they count."""
        reference = self.labels[self.against]
        interval = f"{100 * self.confidence:g} % paired t"
        lines = []
        for i, (label, result) in enumerate(zip(self.labels, self.results, strict=True)):
            percent, digits = 100.0, ".2f"
            if result.traces[0].predicted.dtype.kind != "i":
                percent, digits = 1.0, ".3g"  # mean squared errors are of any size
            difference, column = self.difference(i), {}
            if i != self.against:
                column[f"vs {reference}"] = f"{percent * difference.mean:+{digits}}"
                if difference.low is not None and difference.high is not None:
                    ends = (percent * end for end in (difference.low, difference.high))
                    text = " .. ".join(f"{end:+{digits}}" for end in ends)
                    column[interval] = text + (" *" if difference.differs else "")
            feedback = result.recipe["feedback"]["name"]
            lines.append({"learner": label, "feedback": feedback, **cells(result), **column})
        return lines

    @property
    def columns(self) -> list[str]:
        """The table's columns, those of all rows."""
        return list(dict.fromkeys(name for line in self.table() for name in line))

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """One folder per learner with its traces, and ``compare.json`` with the rows."""
        names = [_folder(i, r.recipe["learner"]["name"]) for i, r in enumerate(self.results)]
        for name, result in zip(names, self.results, strict=True):
            result.save(Path(folder) / name, force=force)
        for old in Path(folder).glob("[0-9]*-*"):  # of an earlier comparison of more learners
            if old.name not in names and (leftovers := result_files(old)):
                for file in leftovers:
                    file.unlink()
                if not any(old.iterdir()):
                    old.rmdir()
        with replacing(Path(folder) / SUMMARY, force=force) as temporary:
            temporary.write_text(json.dumps(self.rows(), indent=1) + "\n")


def open_folders(folder: Path, learners: Sequence[Learner], *, force: bool) -> None:
    """Make the folders for results, or say why not, before anything is computed."""
    open_folder(folder, force=force)
    refuse_existing(folder / SUMMARY, force=force)
    for i, learner in enumerate(learners):
        open_folder(folder / _folder(i, learner.name), force=force)


def _folder(i: int, name: str) -> str:
    return f"{i + 1}-{name}"


def label(learner: Learner) -> str:
    """A learner as the command line writes it, with the parameters that are not the default's.

    >>> label(registry().make("learner", "molg-b:b=20,phi=10"))
    'molg-b:b=20'
    """
    given, usual = describe(learner), describe(type(learner)())
    changed = [f"{key}={_short(value)}" for key, value in given.items() if value != usual[key]]
    return learner.name + (":" + ",".join(changed) if changed else "")


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return str(value["name"])
    return f"{value:g}" if isinstance(value, float) else str(value)


def players(specs: Sequence[str | Learner]) -> list[Learner]:
    """The learners, two or more and no two alike."""
    made: list[Learner] = [registry().make("learner", spec) for spec in specs]
    if len(made) < 2:
        raise UsageError(f"a comparison needs at least 2 learners, got {len(made)}")
    for i, learner in enumerate(made):
        if learner in made[:i]:
            raise UsageError(f"{label(learner)} is given twice; give its copy other parameters")
    return made


def reference(against: str | Learner | None, learners: Sequence[Learner]) -> int | None:
    """Which learner is ``against``: by its label, by its name if that says it, or by value."""
    if against is None:
        return None
    if not isinstance(against, str):
        if against not in learners:
            raise UsageError(f"{label(against)} is not one of the learners that are compared")
        return list(learners).index(against)
    labels = [label(learner) for learner in learners]
    names = [learner.name for learner in learners]
    if against in labels:
        return labels.index(against)
    if names.count(against) == 1:
        return names.index(against)
    if against.partition(":")[0] in names and ":" in against:
        made = registry().make("learner", against)
        if made in learners:
            return list(learners).index(made)
    raise UsageError(f"{against!r} is not one of those compared: {near(against, labels)}")


def compare(
    learners: Sequence[str | Learner],
    dataset: Any = "digits",
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    against: str | Learner | None = None,
    confidence: float = 0.95,
    watcher: Watcher | None = None,
    plan: Plan | None = None,
    **keywords: Any,
) -> Comparison:
    """Let several learners play the same games, and compare them shuffle by shuffle.

    The data is loaded and embedded once. Every setting is checked, and every learner started once,
    before the first game.

    Parameters
    ----------
    learners
        Who plays, two or more: names with parameters, or values.
    against
        Whom to hold the others against; by default the one with the fewest mistakes.
    confidence
        Of the intervals, between 0 and 1.
    feedback
        One protocol for all; by default everybody plays by their own.
    plan
        How the games are played; or ``repeats``, ``seed`` and so on, the keywords of a Plan.
    dataset, embedding, watcher
        See :func:`graphol.simulate`.

    Examples
    --------
    >>> found = compare(["gpa", "molg-f"], "sbm:nodes=200,classes=3", repeats=3)
    >>> [row["label"] for row in found.rows()], found.rows()[0]["against"]
    (['gpa', 'molg-f'], 'molg-f')
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence must be > 0 and < 1, got {confidence}")
    who = players(learners)
    chosen = reference(against, who)
    make = registry().make
    protocols: list[Feedback] = [make("feedback", feedback or each.feedback) for each in who]
    results = simulate_by(
        plan or Plan(**keywords),
        who,
        dataset,
        feedback=feedback,
        embedding=embedding,
        watcher=watcher,
    )
    if chosen is None:
        chosen = int(np.argmin([result.error_rate_mean for result in results]))
    notes = (*results[0].notes, *_unlike(who, protocols))
    return Comparison(tuple(map(label, who)), tuple(results), chosen, confidence, notes)


def _unlike(learners: Sequence[Learner], protocols: Sequence[Feedback]) -> list[str]:
    """What a reader must know before holding these learners against each other."""
    by: dict[str, list[str]] = {}
    for learner, protocol in zip(learners, protocols, strict=True):
        by.setdefault(protocol.name, []).append(label(learner))
    if len(by) == 1:
        return []
    groups = "; ".join(f"{name} feedback: {', '.join(who)}" for name, who in by.items())
    return [f"not all are told the same ({groups})"]
