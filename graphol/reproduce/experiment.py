"""One table or figure of a paper: who plays, what is read off, what the paper says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Embedding, Learner, Vector
from graphol.params import describe
from graphol.registry import registry
from graphol.reproduce.desk import Desk, Games, MissingData, Scores, Setup, multi_class
from graphol.reproduce.verdict import Tolerance, verdict


@attrs.frozen
class Metric:
    """A number per shuffle, and how near to the paper's it has to be."""

    name: str
    of: Callable[[Scores], Vector] = attrs.field(eq=False)
    tolerance: Tolerance = attrs.field(factory=Tolerance)


@attrs.frozen
class Entry:
    """A learner in a table: on which vectors, with which parameters, tuned over which grid."""

    learner: str
    """As the command line writes it."""
    embedding: str
    metrics: tuple[Metric, ...]
    label: str = attrs.field()
    fixed: Mapping[str, Mapping[str, float]] = {}
    """What the paper sets for a data set; on others the learner's own default holds."""
    grid: Mapping[str, Sequence[float]] = {}
    """Tuned on held-out shuffles, all combinations; see :func:`choose`."""
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

    def vectors(self, dim: int | None = None) -> Embedding:
        """The embedding, of its own rank or of this one."""
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

    def as_dict(self) -> dict[str, Any]:
        """As plain data, in this order."""
        return attrs.asdict(self, recurse=False)


@attrs.frozen
class Experiment:
    """A table or figure that can be run; :meth:`rows` is what its kinds differ in."""

    name: str
    title: str
    reference: str
    datasets: tuple[str, ...]
    entries: tuple[Entry, ...]
    games: Games = multi_class
    notes: tuple[str, ...] = ()
    """What a reader must know to read the result."""
    row: ClassVar[type[Row]] = Row

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """All rows; a data set that is not there gives rows that say so, and a note."""
        found: list[Row] = []
        datasets = datasets or self.datasets
        for dataset in datasets:
            desk.check(dataset)
        for dataset in datasets:
            try:
                desk.task(dataset)
            except MissingData as reason:
                desk.notes.append(f"{dataset}: {reason}")
                found += self.absent(dataset)
            else:
                found += self.rows(desk, dataset)
        return found

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """What is measured on one data set."""
        raise NotImplementedError

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """The same rows without figures."""
        for entry in self.entries:
            for metric in entry.metrics:
                yield self.cell(dataset, entry, metric, None, None, **more)

    def paper(self, dataset: str, entry: Entry, metric: Metric) -> float | None:
        """The published figure, where it is known."""
        return None

    def cell(
        self,
        dataset: str,
        entry: Entry,
        metric: Metric,
        setup: Setup | None,
        values: Vector | None,
        **more: Any,
    ) -> Row:
        """One row from a number per shuffle, or from none."""
        mean = None if values is None else float(np.mean(values))
        std = None if values is None else float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        paper = self.paper(dataset, entry, metric)
        played = None if setup is None else describe(setup.learner)
        feedback = None if setup is None or setup.feedback is None else setup.feedback.name
        return self.row(
            table=self.name,
            dataset=dataset,
            learner=entry.label,
            metric=metric.name,
            paper=paper,
            paper_std=None,
            measured=mean,
            std=std,
            verdict=verdict(mean, paper, metric.tolerance),
            params=played and {key: value for key, value in played.items() if key != "name"},
            embedding=entry.embedding,
            feedback=feedback or (setup.learner.feedback if setup else None),
            repeats=0 if values is None else len(values),
            **more,
        )

    def setups(
        self, desk: Desk, dataset: str, dim: int | None = None
    ) -> Iterator[tuple[Entry, Setup]]:
        """Every entry that can play here, tuned."""
        chosen: dict[str, Any] = {}
        n_classes = desk.task(dataset).graph.n_classes
        for entry in self.entries:
            if entry.most_classes is not None and n_classes > entry.most_classes:
                desk.notes.append(
                    f"{dataset}: {entry.label} is left out, its state grows with the square of "
                    f"the {n_classes} classes"
                )
                continue
            taken = {key: getattr(chosen[label], key) for key, label in entry.same.items()}
            chosen[entry.label] = tune(
                desk, dataset, entry, entry.vectors(dim), self.games, **taken
            )
            yield entry, Setup(chosen[entry.label], entry.vectors(dim), self.games)


def tune(
    desk: Desk, dataset: str, entry: Entry, vectors: Embedding, games: Games, **taken: float
) -> Learner:
    """The entry's learner with the parameters of its grid that do best on held-out shuffles."""
    combinations = itertools.product(*entry.grid.values())
    players = [
        entry.player(dataset, **taken, **dict(zip(entry.grid, values, strict=True)))
        for values in combinations
    ]
    if len(players) == 1:
        return players[0]
    return players[
        choose(desk.rehearse(dataset, [Setup(player, vectors, games) for player in players]))
    ]


def choose(rehearsals: Sequence[Scores]) -> int:
    """Fewest updates among those within one standard error of the lowest error.

    The one-standard-error rule: what a few held-out shuffles cannot tell apart is decided by cost.
    Equally many updates (a learner that updates always, or on mistakes alone) leave the lowest
    error.
    """
    errors = [float(scores.error.mean()) for scores in rehearsals]
    best = int(np.argmin(errors))
    shuffles = rehearsals[best].error
    spread = float(np.std(shuffles, ddof=1)) if len(shuffles) > 1 else 0.0
    limit = errors[best] + spread / np.sqrt(len(shuffles))
    good = [i for i, error in enumerate(errors) if error <= limit]
    return min(good, key=lambda i: (float(rehearsals[i].updates.mean()), errors[i]))
