"""``graphol predict`` on labels that are known: is what it chooses as good as what it chose from?

Twenty labels of every class are given, drawn anew in every repeat; all other nodes are predicted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Given, Integers
from graphol.interval import deviation, interval, paired
from graphol.label.calibration import reliability
from graphol.label.choosing import Trial, usual
from graphol.label.predicting import labelled_task, predicted_by, prepared
from graphol.label.scoring import Everywhere
from graphol.params import describe
from graphol.registry import registry
from graphol.report.table import Column
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.spending import spend

PREDICT, EDGES = "predict", "predict, edges alone"
PROPAGATION = "label-propagation"
"""With class-mass normalisation, as it is by default."""
FEEDBACK = "seeds:per_class=20"
POINT, ERROR = 1.0, 5.0
"""How far it may be below the best single learner, and off with its probabilities, in per cent."""
ACCURACY, OFF, ESTIMATE = "accuracy_percent", "calibration_error_percent", "estimate_percent"


@attrs.frozen
class PredictRow(Row):
    """One learner, or all together, on one data set."""

    difference: float | None = None
    """Accuracy of ``predict`` less this one's, in points: above 0 it is ahead."""
    low: float | None = None
    high: float | None = None
    """Of its 95 % interval, paired by draws."""
    against: str = ""


@attrs.define(eq=False)
class Remembered:
    """A trial that answers the same question once."""

    trial: Trial
    known: dict[tuple[bytes, ...], Everywhere] = attrs.field(factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.trial, name)

    def says(self, given: Given, nodes: Integers) -> Everywhere:
        """As the trial."""
        key = given.nodes.tobytes(), given.labels.tobytes(), nodes.tobytes()
        if key not in self.known:
            self.known[key] = self.trial.says(given, nodes)
        return self.known[key]


@attrs.frozen
class PredictTable(Experiment):
    """Everybody who is tried, and all together, on the same draws."""

    usual_repeats: ClassVar[int] = 20
    quick_repeats: ClassVar[int] = 2
    first_repeat: ClassVar[int] = 120
    in_all: ClassVar[bool] = False
    row: ClassVar[type[Row]] = PredictRow

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """What all say together, with its difference to each alone."""
        figures: dict[tuple[str, str], list[float]] = {}
        draws = list(desk.plan.repeats)
        players: dict[str, Remembered] = {}
        for draw in draws:
            desk.watcher.stage(f"{dataset}: draw {draw}")
            for key, value in self._draw(desk, dataset, draw, players):
                figures.setdefault(key, []).append(value)
        alone = [who for who, metric in figures if metric == ACCURACY and who in players]
        featured = [who for who in alone if players[who].trial.learner.name in _edges()]
        for together, others in ((PREDICT, alone), (EDGES, featured)):
            if (together, ACCURACY) in figures:
                yield from self._together(dataset, together, others, figures, draws)

    def _draw(
        self, desk: Desk, dataset: str, draw: int, players: dict[str, Remembered]
    ) -> Iterator[tuple[tuple[str, str], float]]:
        """All figures of one draw."""
        task, seed = desk.task(dataset), desk.plan.seed
        truth = task.graph.labels
        assert truth is not None
        given = spend(task, registry().make("feedback", FEEDBACK), draw).given
        shown = labelled_task(task, given)
        if not players:
            learners = usual(shown, len(given.nodes))
            learners.append(registry().make("learner", PROPAGATION))
            made, notes = prepared(shown, learners, None, seed, desk.watcher)
            desk.notes.extend(f"{dataset}: {note}" for note in notes)
            players.update((trial.learner.name, Remembered(trial)) for trial in made)
        for player in players.values():
            player.known.clear()
        nodes = np.sort(given.nodes)
        rest = np.flatnonzero(shown.graph.labels == -1)
        asked = truth[rest] >= 0
        for who, player in players.items():
            said = player.says(Given(nodes, truth[nodes]), rest)
            yield (who, ACCURACY), 100 * float((said.label == truth[rest])[asked].mean())
        tried: list[Any] = [each for who, each in players.items() if who != PROPAGATION]
        edges = [each for each in tried if each.trial.learner.name in _edges()]
        for together, some in ((PREDICT, tried), (EDGES, edges)):
            if together == EDGES and len(some) == len(tried):
                continue
            found = predicted_by(some, shown, draw, desk.watcher)
            p, y = found.probabilities[rest][asked], truth[rest][asked]
            right = p.argmax(axis=1) == y
            yield (together, ACCURACY), 100 * float(right.mean())
            yield (together, OFF), 100 * reliability(p, y).error
            mean, low, high = found.accuracy.mean, found.accuracy.low, found.accuracy.high
            if mean is not None and low is not None and high is not None:
                yield (together, ESTIMATE), 100 * mean
                yield (together, "covered_percent"), 100.0 * (low <= right.mean() <= high)

    def _together(
        self,
        dataset: str,
        together: str,
        others: Sequence[str],
        figures: dict[tuple[str, str], list[float]],
        draws: Sequence[int],
    ) -> Iterator[Row]:
        mine = figures[together, ACCURACY]
        best = max(others, key=lambda who: float(np.mean(figures[who, ACCURACY])))
        for who, metric in figures:
            if who == together:
                values = figures[who, metric]
                said = ""
                if metric == OFF:
                    said = "met" if np.mean(values) <= ERROR else "missed: above 5"
                yield self._row(dataset, together, metric, values, draws, verdict=said)
        for who in others:
            values = figures[who, ACCURACY]
            apart = paired(mine, values)
            said = ""
            if who == best:
                said = "met" if apart.mean >= -POINT else "missed: more than a point below"
                said = f"best alone, {said}"
            if who == PROPAGATION:
                met = "met" if apart.mean >= 0 else "missed: below"
                said = f"{said}; {met}" if said else met
            yield self._row(
                dataset, who, ACCURACY, values, draws, verdict=said,
                difference=apart.mean, low=apart.low, high=apart.high, against=together,
            )  # fmt: skip

    def _row(
        self,
        dataset: str,
        who: str,
        metric: str,
        values: Sequence[float],
        draws: Sequence[int],
        **more: Any,
    ) -> Row:
        learner = registry().make("learner", who) if who not in (PREDICT, EDGES) else None
        first, last = draws[0], draws[-1]
        return PredictRow(
            table=self.name, dataset=dataset, learner=who, metric=metric, paper=None,
            paper_std=None, measured=interval(values).mean, std=deviation(values),
            params=None if learner is None else describe(learner), embedding="",
            feedback=FEEDBACK, repeats=len(values),
            command=f"graphol reproduce {self.name} --datasets {dataset} --repeats {first}-{last}",
            trials=tuple(
                {"repeat": draw, "measured": value}
                for draw, value in zip(draws, values, strict=True)
            ),
            **more,
        )  # fmt: skip

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """One row that says so."""
        from graphol.reproduce.verdict import NO_DATA

        yield PredictRow(
            self.name, dataset, PREDICT, ACCURACY, None, None, None, None, NO_DATA, None, "",
            FEEDBACK, 0, None,
        )  # fmt: skip

    def columns(self, rows: Sequence[Row]) -> Sequence[Column]:
        """What a person reads of a row."""
        return (
            *map(Column, ("dataset", "learner", "metric")),
            Column("measured", form=".2f", spread="std"),
            Column("difference", "predict ahead by", form="+.2f"),
            Column("low", form="+.2f"),
            Column("high", form="+.2f"),
            Column("verdict"),
        )

    def conclusions(self, rows: Sequence[Row]) -> Sequence[str]:
        """Which promises are kept where, losses first."""
        found = []
        for row in rows:
            if "missed" in row.verdict and isinstance(row, PredictRow):
                what = row.against or row.learner
                figure = row.difference if row.difference is not None else row.measured
                found.append(
                    f"{row.dataset}, {what}: {row.learner} {row.metric}, {row.verdict} "
                    f"({figure:.2f})"
                )
        judged = [row for row in rows if "met" in row.verdict or "missed" in row.verdict]
        kept = sum("missed" not in row.verdict for row in judged)
        return (*found, f"{kept} of {len(judged)} promises are kept")


def _edges() -> tuple[str, ...]:
    from graphol.label.choosing import GRAPH

    return (*GRAPH, PROPAGATION)


TABLE = PredictTable(
    name="predict",
    title="graphol predict with nothing chosen by hand, twenty labels of every class",
    reference="none: graphol's own promise",
    datasets=("cora", "citeseer", "pubmed", "facebook-pages"),
    entries=(),
    notes=(
        "accuracy over all nodes whose label is not given; features are used where the data have "
        "them, 'edges alone' leaves them out",
        "promised: at least as right as label propagation with class-mass normalisation, at most "
        "a point below whoever is best alone by these very labels, probabilities off by at most 5",
        "constants were chosen on draws 0 to 4 of these data sets; by default 120 to 139 score",
    ),
)
