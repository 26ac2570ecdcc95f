"""Which parameters: the choice among candidates on shuffles that never score."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Embedding, Feedback, Learner
from graphol.arena import Arena, Watcher, embedding_for
from graphol.candidates import Candidate, candidates
from graphol.errors import UsageError
from graphol.interval import CONFIDENCE, Interval, check_confidence, paired
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.results import FIXED
from graphol.runner import check_by, simulate_by
from graphol.simulation import Simulation
from graphol.tasks import NodeTask, SequenceTask, SignalTask

SHUFFLES = 5
"""That choose, unless somebody says how many."""

T = TypeVar("T")


def combinations(grid: Mapping[str, Sequence[T]]) -> Iterator[dict[str, T]]:
    """All combinations of the grid's values; of an empty grid the empty one.

    >>> list(combinations({"b": (1, 10), "phi": (5,)}))
    [{'b': 1, 'phi': 5}, {'b': 10, 'phi': 5}]
    """
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


@attrs.frozen(eq=False)
class Tuned:
    """What was chosen on held-out shuffles, and how it does on fresh ones."""

    candidates: tuple[Candidate, ...]
    rehearsals: tuple[Simulation | None, ...]
    """Of every candidate, on the held-out shuffles; None where its model overflowed."""
    chosen: int
    result: Simulation
    """The chosen one on fresh shuffles."""
    usual: Simulation | None
    """The setting as it was given, on the same; None where its model overflowed."""
    confidence: float
    notes: tuple[str, ...]

    @property
    def candidate(self) -> Candidate:
        """The chosen one."""
        return self.candidates[self.chosen]

    @property
    def rehearsal(self) -> Simulation:
        """The chosen one on the held-out shuffles."""
        found = self.rehearsals[self.chosen]
        assert found is not None
        return found

    @property
    def difference(self) -> Interval | None:
        """Error rate of the chosen less that of the usual setting; None if they are no pairs."""
        if self.usual is None or not _same_questions(self.result, self.usual):
            return None
        return paired(self.result.error_rates, self.usual.error_rates, self.confidence)

    def settings(self) -> list[dict[str, Any]]:
        """Every candidate and how it did on the held-out shuffles, in the order of the grid."""
        found = []
        for i, (each, played) in enumerate(zip(self.candidates, self.rehearsals, strict=True)):
            row = None if played is None else played.row(self.confidence)
            figures = ("error_rate_mean", "error_rate_std", "updates_mean", "queries_mean")
            found.append(
                {
                    "setting": str(each),
                    "values": dict(each.values),
                    "chosen": i == self.chosen,
                    "shuffles": len(self.rehearsal.repeats),
                }
                | {f"held_out_{key}": None if row is None else row[key] for key in figures}
                | {"us_per_round": None if row is None else row["us_per_round"]}
            )
        return found

    def row(self) -> dict[str, Any]:
        """The chosen setting's row on fresh shuffles, with how it was chosen after twelve keys."""
        row, gap = self.result.row(self.confidence), self.difference
        rehearsal = self.rehearsal
        usual = None if self.usual is None else self.usual.error_rate_mean
        return (
            dict(list(row.items())[:FIXED])
            | {
                "setting": str(self.candidate),
                "chosen": dict(self.candidate.values),
                "settings": len(self.candidates),
                "shuffles": len(rehearsal.repeats),
                "held_out_error_rate_mean": rehearsal.error_rate_mean,
                "held_out_error_rate_std": rehearsal.error_rate_std,
                "default_error_rate_mean": usual,
                "difference": None if gap is None else gap.mean,
                "difference_low": None if gap is None else gap.low,
                "difference_high": None if gap is None else gap.high,
                "confidence": self.confidence,
                "interval": "paired t",
                "differs": None if gap is None else gap.differs,
            }
            | {key: value for key, value in row.items() if key != "notes"}
            | {"notes": list(self.notes), "held_out": self.settings()}
        )


def tune(
    learner: str | Learner,
    dataset: Any,
    grid: Mapping[str, Sequence[Any]],
    *,
    feedback: str | Feedback | None = None,
    embedding: str | Embedding | None = None,
    shuffles: int = SHUFFLES,
    confidence: float = CONFIDENCE,
    watcher: Watcher | None = None,
    plan: Plan | None = None,
    fuser: str | Learner | None = None,
    **keywords: Any,
) -> Tuned:
    """Choose parameters on held-out shuffles, and score the choice on fresh ones.

    Everything is checked, and every candidate started once, before the first game. Of the
    candidates :func:`choose` takes one. It and the setting as it was given then play the repeats of
    the plan, which no choice has seen.

    Parameters
    ----------
    learner
        Who plays; the parameters given here are those of the setting to beat.
    dataset, feedback, embedding, watcher, fuser, keywords
        See :func:`graphol.simulate`.
    grid
        Values by parameter: ``{"phi": [1, 10], "embedding.dim": [5, 20]}``. ``feedback.`` and
        ``dataset.`` go as well; a data set must ask the same questions for every value.
    shuffles
        Held out to choose by, at least 1.
    confidence
        Of the intervals, between 0 and 1.
    plan
        Repeats, seed and the rest as one value, in place of the keywords.

    Examples
    --------
    >>> found = tune("molg-f", "sbm:nodes=100", {"phi": [1, 100]}, shuffles=2, repeats=2)
    >>> found.row()["settings"], sorted(found.row()["chosen"])
    (2, ['phi'])
    """
    check_confidence(confidence)
    plan = plan or Plan(**keywords)
    # data drawn anew are those of no repeat that scores
    held_out = _held_out(plan, shuffles, first=plan.repeats.stop if plan.fresh_data else 0)
    usual = _usual(learner, dataset, feedback, embedding, grid)
    them = candidates(usual, grid)
    arenas = _arenas([*them, usual], plan, watcher)
    groups = _groups(them)
    for group in [*groups, [usual]]:
        first = group[0]
        check_by(
            held_out, [each.learner for each in group], _arena(first, arenas),
            feedback=first.feedback, embedding=first.embedding, watcher=watcher, fuser=fuser,
        )  # fmt: skip
    rehearsals = rehearse(held_out, them, arenas, watcher=watcher, fuser=fuser, patient=True)
    played = [i for i, each in enumerate(rehearsals) if each is not None]
    if not played:
        raise UsageError("every setting of the grid overflowed; choose smaller values")
    chosen = played[choose([each for each in rehearsals if each is not None])]

    def fresh(one: Candidate, *, patient: bool) -> Simulation | None:
        found = simulate_by(
            plan, [one.learner], _arena(one, arenas), feedback=one.feedback,
            embedding=one.embedding, watcher=watcher, patient=patient, fuser=fuser,
        )  # fmt: skip
        return next(iter(found), None)

    result = fresh(them[chosen], patient=False)
    assert result is not None
    same = them[chosen] == usual and _same_data(them[chosen].dataset, usual.dataset)
    before = result if same else fresh(usual, patient=True)
    notes = [f"{each} overflowed, and is out of the choice"
             for each, one in zip(them, rehearsals, strict=True) if one is None]  # fmt: skip
    if before is None:
        notes.append("the setting as given overflowed on the fresh shuffles")
    elif not _same_questions(result, before):
        notes.append("the setting as given was not asked the same, so there is no difference")
    if any(key.startswith("feedback.") for key in them[0].values):
        notes.append("settings differ in what is revealed, so their errors are of unlike games")
    return Tuned(
        tuple(them), tuple(rehearsals), chosen, result, before, confidence,
        (*result.notes, *notes),
    )  # fmt: skip


def best(
    learners: Sequence[Learner],
    arena: Arena,
    plan: Plan,
    shuffles: int,
    *,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
) -> Learner:
    """The learner that does best on ``shuffles`` held-out shuffles; see :func:`choose`."""
    if len(learners) == 1:
        return learners[0]
    vectors = None if embedding is None else registry().make("embedding", embedding)
    them = [Candidate(each, arena, embedding=vectors) for each in learners]
    rehearsals = rehearse(_held_out(plan, shuffles), them, [], watcher=watcher)
    return learners[choose([each for each in rehearsals if each is not None])]


def choose(rehearsals: Sequence[Simulation]) -> int:
    """Fewest updates among those within one standard error of the lowest error.

    The one-standard-error rule: what a few held-out shuffles cannot tell apart is decided by cost.
    Equally many updates (a learner that updates always, or on mistakes alone) leave the lowest
    error.
    """
    errors = [played.error_rate_mean for played in rehearsals]
    best = int(np.argmin(errors))
    shuffles = len(rehearsals[best].error_rates)
    limit = errors[best] + rehearsals[best].error_rate_std / np.sqrt(shuffles)
    good = [i for i, error in enumerate(errors) if error <= limit]
    updates = [float(played.updates.mean()) for played in rehearsals]
    return min(good, key=lambda i: (updates[i], errors[i]))


def rehearse(
    held_out: Plan,
    them: Sequence[Candidate],
    arenas: Sequence[tuple[Any, Arena]],
    *,
    watcher: Watcher | None = None,
    fuser: str | Learner | None = None,
    patient: bool = False,
) -> list[Simulation | None]:
    """What every candidate does on the held-out shuffles; None for one that overflows."""
    found: dict[int, Simulation] = {}
    for group in _groups(them):
        first = group[0]
        played = simulate_by(
            held_out, [each.learner for each in group], _arena(first, arenas),
            feedback=first.feedback, embedding=first.embedding, watcher=watcher, patient=patient,
            fuser=fuser,
        )  # fmt: skip
        by = [(one.recipe["learner"], one) for one in played]
        for each in group:
            found |= {id(each): one for told, one in by if told == describe(each.learner)}
    return [found.get(id(each)) for each in them]


def _held_out(plan: Plan, shuffles: int, *, first: int = 0) -> Plan:
    """The plan of the shuffles that choose, numbered from ``first`` on."""
    if shuffles < 1:
        raise UsageError(f"shuffles must be >= 1, got {shuffles}")
    return attrs.evolve(plan, repeats=range(first, first + shuffles), held_out=True)


def _usual(
    learner: str | Learner,
    dataset: Any,
    feedback: str | Feedback | None,
    embedding: str | Embedding | None,
    grid: Mapping[str, Any],
) -> Candidate:
    """The setting as it is given; protocol and embedding are made where the grid changes them."""
    make = registry().make
    who: Learner = make("learner", learner)
    named = {name.partition(".")[0].strip() for name in grid if "." in name}
    if "feedback" in named and feedback is None:
        feedback = who.feedback
    vectors = embedding_for(who, embedding) if "embedding" in named or embedding else None
    data = make("dataset", dataset) if isinstance(dataset, str) else dataset
    return Candidate(who, data, None if feedback is None else make("feedback", feedback), vectors)


def _groups(them: Sequence[Candidate]) -> list[list[Candidate]]:
    """Those that play the same games: same data, protocol and embedding."""
    found: list[list[Candidate]] = []
    for each in them:
        for group in found:
            one = group[0]
            if (one.embedding, one.feedback) == (each.embedding, each.feedback) and _same_data(
                one.dataset, each.dataset
            ):
                group.append(each)
                break
        else:
            found.append([each])
    return found


def _same_data(one: Any, other: Any) -> bool:
    return one is other or (attrs.has(type(one)) and type(one) is type(other) and one == other)


def _arenas(
    them: Sequence[Candidate], plan: Plan, watcher: Watcher | None
) -> list[tuple[Any, Arena]]:
    """Every data set loaded once; refused where there is nothing to hold out, or to compare."""
    found: list[tuple[Any, Arena]] = []
    for each in them:
        if not any(_same_data(each.dataset, data) for data, _ in found):
            given = each.dataset
            arena = given if isinstance(given, Arena) else Arena(given, plan.seed, watcher)
            found.append((given, arena))
    tasks = [arena.loaded for _, arena in found]
    for task in tasks:
        if isinstance(task, SequenceTask) or (isinstance(task, SignalTask) and task.given_order):
            raise UsageError(
                f"{task.name}: its rounds are given, so there are no other shuffles to choose by; "
                "tune on others"
            )
    if len(found) > 1:
        _check_alike([data for data, _ in found], tasks, plan)
    return found


def _check_alike(datasets: Sequence[Any], tasks: Sequence[Any], plan: Plan) -> None:
    """Another value must be another view of the same nodes and labels, not an easier problem."""
    why = "so the lowest error would choose the easiest; `graphol compare` plays on several"
    for data, task in zip(datasets, tasks, strict=True):
        rng = seeding.data(plan.seed)
        before = seeding.position(rng)
        data.load(rng)
        if seeding.position(rng) != before:
            raise UsageError(f"{task.name} is generated, {why}")
        first = tasks[0]
        alike = isinstance(task, NodeTask) and isinstance(first, NodeTask)
        if not alike or not np.array_equal(task.graph.labels, first.graph.labels):
            raise UsageError(f"{task.name}: not every value asks about the same nodes, {why}")


def _arena(each: Candidate, arenas: Sequence[tuple[Any, Arena]]) -> Any:
    return next((arena for data, arena in arenas if _same_data(data, each.dataset)), each.dataset)


def _same_questions(one: Simulation, other: Simulation) -> bool:
    return len(one.traces) == len(other.traces) and all(
        np.array_equal(a.node, b.node)
        and np.array_equal(a.label, b.label)
        and np.array_equal(a.scored, b.scored)
        for a, b in zip(one.traces, other.traces, strict=True)
    )
