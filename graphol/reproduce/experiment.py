"""One table or figure of a paper: who plays, what is read off, what the paper says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import attrs
import numpy as np

from graphol.api import Embedding, Learner, Vector
from graphol.arena import Silent, Watcher
from graphol.interval import deviation
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.report.columns import reproduced
from graphol.report.table import Column
from graphol.reproduce.desk import WITHHELD, Desk, MissingData
from graphol.reproduce.published import Cell
from graphol.reproduce.verdict import Tolerance, verdict
from graphol.simulation import Simulation
from graphol.tuning import combinations

HELD_OUT, QUICK_HELD_OUT = 5, 2


@attrs.frozen
class Metric:
    """A number per repeat, and how near to the paper's it has to be."""

    name: str
    of: Callable[[Simulation], Vector] = attrs.field(eq=False)
    tolerance: Tolerance | None = attrs.field(factory=Tolerance)
    """None: printed beside the paper's, not judged."""
    choice: str = ""
    """Whose it is, where a trial chooses by several rules."""


def params(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The learner's hyper-parameters."""
    return {key: value for key, value in recipe["learner"].items() if key != "name"}


@attrs.frozen
class Entry:
    """A learner in a table: on which vectors, with which parameters, tuned over which grid."""

    learner: str
    """As the command line writes it."""
    embedding: str
    """'' for the usual one of learners with these needs."""
    metrics: tuple[Metric, ...]
    label: str = attrs.field()
    fixed: Mapping[str, Mapping[str, float]] = {}
    """What the paper sets for a data set; on others the learner's own default holds."""
    grid: Mapping[str, Sequence[float]] = {}
    """Tuned on held-out shuffles, all combinations; see :func:`graphol.tuning.choose`."""
    same: Mapping[str, str] = {}
    """Parameters taken over from the entry with this label, which comes before this one."""
    most_classes: int | None = None
    """With more it is left out: the state grows with the square of their number."""

    @label.default
    def _as_written(self) -> str:
        return self.learner

    def player(self, dataset: str, **params: float) -> Learner:
        """The learner, with what is fixed for this data set and these parameters."""
        plain: Any = registry().make("learner", self.learner)
        learner: Learner = attrs.evolve(plain, **(dict(self.fixed.get(dataset, {})) | params))
        return learner

    def vectors(self, dim: int | None = None) -> Embedding | None:
        """The embedding, of its own rank or of this one."""
        if not self.embedding:
            return None
        plain: Any = registry().make("embedding", self.embedding)
        embedding: Embedding = plain if dim is None else attrs.evolve(plain, dim=dim)
        return embedding


@attrs.frozen
class Row:
    """One cell of a table; the first nine keys are fixed."""

    table: str
    dataset: str
    learner: str
    metric: str
    paper: float | None
    paper_std: float | None
    measured: float | None
    std: float | None
    verdict: str
    params: dict[str, Any] | None
    """All hyper-parameters that were played."""
    embedding: str
    feedback: str | None
    repeats: int
    command: str | None
    """Plays these repeats again or, where every trial is tuned, the first of them."""
    trials: tuple[dict[str, Any], ...] = ()
    """Where every trial is tuned: its repeat, figure and parameters."""

    def as_dict(self) -> dict[str, Any]:
        """As plain data, in this order."""
        return attrs.asdict(self, recurse=False) | {"trials": list(self.trials)}

    @property
    def place(self) -> tuple[Any, ...]:
        """Which cell of the table it is."""
        return self.dataset, self.learner, self.metric


@runtime_checkable
class Drawable(Protocol):
    """An experiment with a picture."""

    def draw(self, rows: Sequence[Row], path: Path, *, force: bool = False) -> None:
        """The picture, from the rows."""


@runtime_checkable
class Narrowing(Protocol):
    """An experiment of several games, which may take hours, and keeps what is finished."""

    def narrowed(
        self,
        *,
        games: Sequence[str] = (),
        learners: Sequence[str] = (),
        limit: float | None = None,
        out: Path | None = None,
    ) -> Experiment:
        """Some games and learners alone, within this many seconds a cell, kept in this folder."""


@attrs.frozen
class Experiment:
    """A table or figure that can be run; :meth:`rows` is what its kinds differ in."""

    name: str
    title: str
    reference: str
    datasets: tuple[str, ...]
    entries: tuple[Entry, ...]
    one_vs_rest: bool = False
    """Binary games, one for every class?"""
    notes: tuple[str, ...] = ()
    """What a reader must know to read the result."""
    quick_datasets: tuple[str, ...] = ()
    """Those of a quick run, where some take too long for one."""
    fresh_data: ClassVar[bool] = False
    usual_repeats: ClassVar[int] = 20
    """Where nobody says how many."""
    quick_repeats: ClassVar[int] = 3
    """Of a quick run."""
    first_repeat: ClassVar[int] = 0
    """The first of them."""
    row: ClassVar[type[Row]] = Row
    in_all: ClassVar[bool] = True
    """Is it a part of ``graphol reproduce all``, the papers' tables and figures?"""
    by_repeat: ClassVar[bool] = False
    """Is every repeat a trial of its own, whose rows can be joined with those of others?"""

    def desk(
        self,
        *,
        quick: bool = False,
        repeats: int | range | None = None,
        seed: int = 0,
        jobs: int = 1,
        watcher: Watcher | None = None,
    ) -> Desk:
        """What it is played with: its usual repeats, or those that are asked for."""
        usual, held_out = self.usual_repeats, HELD_OUT
        if quick:
            usual, held_out = min(usual, self.quick_repeats), QUICK_HELD_OUT
        first = self.first_repeat
        plan = Plan(
            repeats=range(first, first + usual) if repeats is None else repeats,
            seed=seed,
            jobs=jobs,
            one_vs_rest=self.one_vs_rest,
            fresh_data=self.fresh_data,
        )
        return Desk(plan, held_out, quick, watcher or Silent())

    def pieces(self, datasets: Sequence[str] = (), *, quick: bool = False) -> tuple[str, ...]:
        """Data sets, or what else it can be asked for one by one: those given, or its own."""
        return tuple(datasets) or (self.quick_datasets if quick else ()) or self.datasets

    def reads(self, dataset: str) -> Any:
        """The data set that one of these pieces is played on, as a value; None if there is none."""
        return None if dataset in WITHHELD else registry().make("dataset", dataset)

    def joined(self, rows: Sequence[Row]) -> Row:
        """One cell of the table from the rows that single repeats gave, where it is by repeat."""
        raise NotImplementedError

    def conclusions(self, rows: Sequence[Row]) -> Sequence[str]:
        """What the rows say, for those who read no rows."""
        return ()

    def tables(self, rows: Sequence[Row]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The rows as a person reads them, with a heading; a data set that is missing is a line."""
        there = {row.dataset for row in rows if row.measured is not None}
        lines = {
            (row.dataset, index if row.dataset in there else 0): row.as_dict()
            for index, row in enumerate(rows, start=1)
        }
        for (dataset, _), line in lines.items():
            if dataset not in there:
                line |= {"learner": "all", "metric": "", "paper": None}
        yield "", list(lines.values())

    def columns(self, rows: Sequence[Row]) -> Sequence[Column]:
        """What a person reads of a row."""
        return reproduced(rows[0].as_dict().get("x") if rows else None)

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """All rows; a data set that is not there gives rows that say so, and a note."""
        datasets = self.pieces(datasets, quick=desk.quick)
        for dataset in datasets:
            desk.check(dataset)
        missing = {dataset: self.missing(desk, dataset) for dataset in datasets}
        found: list[Row] = []
        for dataset in datasets:
            if missing[dataset]:
                desk.notes.append(missing[dataset])
                found += self.absent(dataset)
            else:
                found += self.rows(desk, dataset)
        return found

    def missing(self, desk: Desk, dataset: str) -> str:
        """Why a data set is not there, or ''; one that does not fit is refused."""
        try:
            desk.task(dataset)
        except MissingData as reason:
            return f"{dataset}: {reason}"
        return ""

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """What is measured on one data set."""
        raise NotImplementedError

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """The same rows without figures."""
        for entry in self.entries:
            for metric in entry.metrics:
                yield self.cell(dataset, entry, metric, None, None, **more)

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> Cell | None:
        """The published figure, where it is known."""
        return None

    def verdict(
        self, dataset: str, metric: Metric, measured: float | None, paper: Cell | None
    ) -> str:
        """What a cell is called."""
        return verdict(measured, None if paper is None else paper.value, metric.tolerance)

    def cell(
        self,
        dataset: str,
        entry: Entry,
        metric: Metric,
        played: Simulation | None,
        values: Vector | None,
        **more: Any,
    ) -> Row:
        """One row from a number per repeat, or from none."""
        mean = None if values is None else float(np.mean(values))
        std = None if values is None else deviation(values)
        paper = self.paper(dataset, entry, metric)
        recipe: dict[str, Any] = {} if played is None else played.recipe
        more.setdefault("command", recipe.get("command"))
        return self.row(
            table=self.name,
            dataset=dataset,
            learner=entry.label,
            metric=metric.name,
            paper=None if paper is None else paper.value,
            paper_std=None if paper is None else paper.std,
            measured=mean,
            std=std,
            verdict=self.verdict(dataset, metric, mean, paper),
            params=params(recipe) if recipe else None,
            embedding=entry.embedding,
            feedback=recipe["feedback"]["name"] if recipe else None,
            repeats=0 if values is None else len(values),
            **more,
        )

    def tuned(
        self, desk: Desk, dataset: str, dim: int | None = None
    ) -> Iterator[tuple[Entry, Learner, Embedding | None]]:
        """Every entry that can play here, its learner tuned, and its vectors."""
        chosen: dict[str, Learner] = {}
        n_classes = desk.task(dataset).graph.n_classes
        for entry in self.entries:
            if entry.most_classes is not None and n_classes > entry.most_classes:
                desk.notes.append(
                    f"{dataset}: {entry.label} is left out, its state grows with the square of "
                    f"the {n_classes} classes"
                )
                continue
            taken = {key: describe(chosen[label])[key] for key, label in entry.same.items()}
            candidates = [entry.player(dataset, **taken, **x) for x in combinations(entry.grid)]
            vectors = entry.vectors(dim)
            chosen[entry.label] = desk.tune(dataset, candidates, vectors)
            yield entry, chosen[entry.label], vectors


@attrs.frozen
class PrintedTable(Experiment):
    """A table with the cells that the paper printed, as far as they are known here."""

    published: Mapping[str, Mapping[str, Mapping[str, Cell | float]]] = {}
    """Metric, then entry's label, then data set."""
    best_of: Mapping[str, tuple[str, ...]] = {}
    """Further rows: whoever of these entries, by their labels, errs least."""

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> Cell | None:
        """The published figure, where it is known."""
        found = self.published.get(metric.name, {}).get(entry.label, {}).get(dataset)
        return found if found is None or isinstance(found, Cell) else Cell(float(found))

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """One row per entry and metric, and per metric of the best of several."""
        games: dict[str, tuple[Entry, Simulation]] = {}
        for entry, learner, vectors in self.tuned(desk, dataset):
            games[entry.label] = entry, desk.score(dataset, learner, vectors)
            yield from self._row(dataset, *games[entry.label])
        for label, among in self.best_of.items():
            if candidates := [games[each] for each in among if each in games]:
                entry, played = min(candidates, key=lambda game: game[1].error_rate_mean)
                yield from self._row(dataset, attrs.evolve(entry, label=label), played)

    def _row(self, dataset: str, entry: Entry, played: Simulation) -> Iterator[Row]:
        for metric in entry.metrics:
            yield self.cell(dataset, entry, metric, played, metric.of(played))

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """The same rows without figures."""
        yield from super().absent(dataset, **more)
        for label, among in self.best_of.items():
            for entry in [each for each in self.entries if each.label in among][:1]:
                for metric in entry.metrics:
                    named = attrs.evolve(entry, label=label)
                    yield self.cell(dataset, named, metric, None, None, **more)
