"""Comparisons on several data sets: who wins where, corrected for all of them together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol.api import Learner
from graphol.correction import LOSS, TIE, WIN, holm, verdict
from graphol.errors import UsageError
from graphol.interval import paired_p
from graphol.notebook import frame_of_rows, html_table
from graphol.place import Place
from graphol.report.columns import CORRECTED, PLAYER, differences, figures
from graphol.report.comparison import Comparison, label, open_comparison, reference
from graphol.report.table import Column, filled
from graphol.results import SUMMARY, inner
from graphol.simulation import Simulation
from graphol.transaction import standing

NUMBERED = re.compile(r"(\d+)-.+")


@attrs.frozen(eq=False)
class Comparisons:
    """One comparison per data set and embedding, all against the same learner."""

    parts: tuple[Comparison, ...]

    @classmethod
    def of(
        cls, parts: Sequence[Comparison], *, against: str | Learner | dict[str, Any] | None = None
    ) -> Comparisons:
        """Hold all against one learner; by default the one of the best mean rank.

        Squared errors and error rates do not go into one table.
        """
        if len({part.results[0].target == "real" for part in parts}) > 1:
            raise UsageError(
                "some of these data sets ask for real numbers and some do not; compare them apart"
            )
        if against is None:
            shared = [x for x in parts[0].labels if all(x in part.labels for part in parts)]
            if not shared:
                raise UsageError("no learner played on all of these data sets; report them apart")
            against = min(shared, key=lambda x: _mean_rank(parts, x))
        chosen = [
            reference(against, part.labels, [each.recipe["learner"] for each in part.results])
            for part in parts
        ]
        return cls(
            tuple(
                attrs.evolve(part, against=i)
                for part, i in zip(parts, chosen, strict=True)
                if i is not None
            )
        )

    @property
    def against(self) -> str:
        """The learner that the others are held against."""
        first = self.parts[0]
        return first.labels[first.against]

    @property
    def level(self) -> float:
        """Below which a corrected p makes a win or a loss."""
        return 1 - self.parts[0].confidence

    @property
    def names(self) -> list[tuple[str, str]]:
        """Data set and embedding of every part, as the command line writes them."""
        found = [played_on(part.results) for part in self.parts]
        return [
            (f"{name} ({i + 1})", vectors) if found.count((name, vectors)) > 1 else (name, vectors)
            for i, (name, vectors) in enumerate(found)
        ]

    @property
    def titles(self) -> list[str]:
        """Short names of the parts, no two alike."""
        alike = len({vectors for _, vectors in self.names}) == 1
        return [name if alike else f"{name}, {vectors}" for name, vectors in self.names]

    def rows(self) -> list[dict[str, Any]]:
        """All rows of the parts, and what they are worth together: p, verdict and tally."""
        pairs = [(part, i) for part in self.parts for i in range(len(part.labels))]
        ps = [
            None
            if i == part.against
            else paired_p(part.results[i].error_rates, part.results[part.against].error_rates)
            for part, i in pairs
        ]
        tested, verdicts = sum(p is not None for p in ps), []
        rows = [row for part in self.parts for row in part.rows()]
        where = [
            name for part, name in zip(self.parts, self.names, strict=True) for _ in part.labels
        ]
        for row, p, adjusted, (data, vectors) in zip(rows, ps, holm(ps), where, strict=True):
            said = verdict(row["difference"], adjusted, self.level)
            verdicts.append((row["label"], said))
            row |= {
                "dataset_label": data, "embedding_label": vectors, "p": p, "p_holm": adjusted,
                "comparisons": tested, "verdict": said,
            }  # fmt: skip
        for row in rows:
            said_of = [said for text, said in verdicts if text == row["label"]]
            row |= {
                "wins": said_of.count(WIN), "ties": said_of.count(TIE),
                "losses": said_of.count(LOSS), "mean_rank": self.mean_rank(row["label"]),
            }  # fmt: skip
        return rows

    def tally(self) -> list[dict[str, Any]]:
        """One row per learner: wins, ties and losses against the reference, and its mean rank."""
        found: dict[str, dict[str, Any]] = {}
        for row in self.rows():
            keys = ("label", "wins", "ties", "losses", "mean_rank")
            counted = {key: row[key] for key in keys}
            if row["label"] == self.against:
                counted |= dict.fromkeys(("wins", "ties", "losses"))
            found.setdefault(row["label"], counted)
        return list(found.values())

    @property
    def says(self) -> str:
        """What the tally is of, in one line."""
        tested, many = self.rows()[0]["comparisons"], len(self.parts)
        several = len({vectors for _, vectors in self.names}) > 1
        what = (
            "pairs of data set and embedding" if several else f"data set{'s' if many > 1 else ''}"
        )
        return (
            f"against {self.against} on {many} {what}, by p Holm < {self.level:.3g} of {tested} "
            f"comparison{'s' if tested != 1 else ''}:"
        )

    def mean_rank(self, text: str) -> float | None:
        """The mean over the parts of the learner's rank; None where not all played everywhere."""
        if any(set(part.labels) != set(self.parts[0].labels) for part in self.parts):
            return None
        return _mean_rank(self.parts, text)

    @property
    def columns(self) -> tuple[Column, ...]:
        """As a person reads the rows; here the verdict marks what counts."""
        seen: dict[str, Column] = {}
        for part in self.parts:
            for column in figures(part.results[0], part.confidence):
                seen.setdefault(column.title, column)
        first = self.parts[0]
        several = len({vectors for _, vectors in self.names}) > 1
        return (
            Column("dataset_label", "dataset"),
            *((Column("embedding_label", "embedding"),) if several else ()),
            *PLAYER,
            *seen.values(),
            *differences(first.results[0], self.against, first.confidence, mark=False),
            *CORRECTED,
        )

    def to_frame(self) -> Any:
        """The rows as a frame of pandas or polars, one line per learner and data set."""
        return frame_of_rows(self.rows())

    def _repr_html_(self) -> str:
        """The table, as a notebook shows it."""
        return html_table(filled(self.rows(), self.columns), [self.says])

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """One folder per data set and embedding, each as :meth:`Comparison.save` writes it."""
        with ExitStack() as stack:
            learners = [[x.recipe["learner"]["name"] for x in part.results] for part in self.parts]
            datasets = [part.results[0].recipe["dataset"]["name"] for part in self.parts]
            places = open_comparisons(stack, Path(folder), datasets, learners[0], force=force)
            self.write(places)

    def write(self, places: Sequence[Place]) -> None:
        """Every part into its place."""
        for part, place in zip(self.parts, places, strict=True):
            with place.replacing() as new:
                part.write(new)


def played_on(results: Sequence[Simulation]) -> tuple[str, str]:
    """Data set and embedding, as the command line writes them; '' where nobody needs vectors."""
    vectors = [x.recipe["embedding"] for x in results if x.recipe["embedding"] is not None]
    names = dict.fromkeys(label(each, "embedding") for each in vectors)
    return label(results[0].recipe["dataset"], "dataset"), " and ".join(names)


def ranks(errors: Sequence[float]) -> list[float]:
    """1 for the lowest; those that are the same share the mean of their places.

    >>> ranks([0.3, 0.1, 0.3])
    [2.5, 1.0, 2.5]
    """
    values = np.asarray(errors, dtype=np.float64)
    below, same = (values[:, None] > values).sum(axis=1), (values[:, None] == values).sum(axis=1)
    return [float(rank) for rank in below + (same + 1) / 2]


def _mean_rank(parts: Sequence[Comparison], text: str) -> float:
    found = []
    for part in parts:
        errors = [result.error_rate_mean for result in part.results]
        found.append(ranks(errors)[part.labels.index(text)])
    return float(np.mean(found))


def open_comparisons(
    stack: ExitStack, folder: Path, datasets: Sequence[str], learners: Sequence[str], *, force: bool
) -> list[Place]:
    """Make the folders for the parts, or say why not, before anything is computed."""
    names = [inner(i, re.sub(r"[^\w.-]+", "-", name)) for i, name in enumerate(datasets)]
    for other in parts_in(folder):
        if other.name not in names:
            raise UsageError(
                f"{other} is of another comparison; remove it, or name another folder than {folder}"
            )
    if any(standing(folder, name).is_file() for name in (SUMMARY, "meta.json")):
        raise UsageError(f"{folder} holds results of one data set; name another folder")
    return [
        stack.enter_context(open_comparison(folder / name, learners, force=force)) for name in names
    ]


def parts_in(folder: Path) -> list[Path]:
    """The folders of a comparison on several data sets, in their order; none of another folder."""
    if not folder.is_dir() or standing(folder, SUMMARY).is_file():
        return []
    found = [
        (int(match[1]), each)
        for each in folder.iterdir()
        if (match := NUMBERED.fullmatch(each.name)) and standing(each, SUMMARY).is_file()
    ]
    return [each for _, each in sorted(found)]
