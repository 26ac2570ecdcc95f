"""What a report needs of one repeat: figures, a thinned curve, errors of classes; no trace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from graphol.api import Integers, Target, Vector
from graphol.report.curve import cumulative_error
from graphol.report.regret import Regret, Regrets
from graphol.results import HASHES
from graphol.simulation import Simulation
from graphol.trace import Trace

POINTS = 60
"""Of a curve; more cannot be seen in a small figure."""
RULES = (
    "rounds", "noise", "delay", "fresh_data", "one_vs_rest", "fuse", "strategy", "first", "every",
)  # fmt: skip
"""What of a plan belongs to the protocol: how a game is played, whoever plays."""


@attrs.frozen
class Hindsight:
    """Regret and bound of one repeat, as far as they are known."""

    bound: float | None = None
    """The most mistakes that are allowed."""
    holds: bool | None = None
    mistakes: float | None = None
    best: float | None = None
    """Mistakes of the best fixed model in hindsight."""
    of_mean: bool = False
    """Is it a bound on the mean over the learner's own draws?"""

    @property
    def regret(self) -> float | None:
        """Mistakes beyond those of that model."""
        if self.mistakes is None or self.best is None:
            return None
        return self.mistakes - self.best


@attrs.frozen(eq=False)
class Outcome:
    """One repeat of one learner on one data set by one protocol."""

    learner: Mapping[str, Any]
    dataset: Mapping[str, Any]
    embedding: Mapping[str, Any] | None
    feedback: Mapping[str, Any]
    rules: Mapping[str, Any]
    """Rounds, noise, delay and so on, where they are not the usual."""
    task: str
    target: Target
    seed: int
    repeat: int
    played_on: str
    """Hashes of the graph and of what else the game is made of."""
    questions: str
    """Digest of what was asked and of the truth, round by round."""
    error: float
    queries: float
    updates: float
    us_per_round: float
    seconds: float
    rounds: Integers
    """Rounds at which the curve has a point, counted from 1."""
    curve: Vector
    """The error rate so far at those; NaN before the first round that counts."""
    by_class: Mapping[str, tuple[int, int]] = attrs.field(factory=dict)
    """Of every class, mistakes and rounds that count."""
    hindsight: Hindsight | None = None
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = attrs.field(factory=dict)
    command: str | None = None
    tuned: Mapping[str, Any] = attrs.field(factory=dict)
    """What was chosen for it on shuffles that do not score, by ``[block.tune]``, from what."""

    @property
    def pair(self) -> tuple[int, int, str, str]:
        """Outcomes of which this is equal were asked the same: they may be compared in pairs."""
        return self.seed, self.repeat, self.played_on, self.questions


def outcomes(result: Simulation, regrets: Regrets | None = None) -> Iterator[Outcome]:
    """One for every repeat of a simulation, which may be thrown away afterwards.

    >>> import graphol
    >>> played = graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=2)
    >>> [each.error for each in outcomes(played)] == played.error_rates.tolist()
    True
    """
    recipe = result.recipe
    figures = zip(result.error_rates, result.queries, result.updates, strict=True)
    for i, (repeat, (error, queries, updates)) in enumerate(
        zip(result.repeats, figures, strict=True)
    ):
        traces = result.traces[i * result.games : (i + 1) * result.games]
        rounds, curve = _thinned(traces)
        yield Outcome(
            learner=recipe["learner"],
            dataset=recipe["dataset"],
            embedding=recipe["embedding"],
            feedback=recipe["feedback"],
            rules={key: recipe["engine"][key] for key in RULES if recipe["engine"].get(key)},
            task=str(recipe["task"]),
            target=result.target,
            seed=recipe["seed"],
            repeat=repeat,
            played_on=" ".join(
                str(traces[0].meta.get(key, recipe.get(key, ""))) for key in ("graph_hash", *HASHES)
            ).strip(),
            questions=_digest(traces),
            error=float(error),
            queries=float(queries),
            updates=float(updates),
            us_per_round=float(np.mean([trace.us_per_round for trace in traces])),
            seconds=sum(float(trace.meta.get("elapsed_ns", 0)) for trace in traces) / 1e9,
            rounds=rounds,
            curve=curve,
            by_class=_by_class(traces, recipe.get("classes") or []) if result.games == 1 else {},
            hindsight=_hindsight(result, i, None if regrets is None else regrets.repeats[i]),
            notes=result.notes,
            versions=recipe["versions"],
            command=recipe.get("command"),
        )


def _thinned(traces: Sequence[Trace]) -> tuple[Integers, Vector]:
    """The mean curve of a repeat's games, at some rounds from the first to the last."""
    mean, _ = cumulative_error(traces)
    shown = np.unique(np.linspace(0, len(mean) - 1, min(POINTS, len(mean))).astype(np.int64))
    return shown + 1, mean[shown]


def _digest(traces: Sequence[Trace]) -> str:
    found = hashlib.sha256()
    for trace in traces:
        for column in (trace.node, trace.context, trace.label):
            kind = np.float64 if column.dtype.kind == "f" else np.int64
            found.update(np.ascontiguousarray(column, dtype=kind).tobytes())
    return found.hexdigest()[:16]


def _by_class(traces: Sequence[Trace], names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of every class, or sign, how often it was missed, and how often it was asked."""
    (trace,) = traces
    if trace.label.dtype.kind == "f":
        return {}
    found = {}
    for label in np.unique(trace.label[trace.scored]):
        asked = trace.scored & (trace.label == label)
        name = str(names[label]) if 0 <= label < len(names) else f"{label:+d}"
        found[name] = int(np.count_nonzero(trace.loss[asked])), int(np.count_nonzero(asked))
    return found


def _hindsight(result: Simulation, i: int, regret: Regret | None) -> Hindsight | None:
    if regret is not None:
        bound = regret.bound.value if regret.bound.name else None
        best = regret.hindsight.mistakes
        return Hindsight(bound, regret.bound.holds, regret.mistakes, best, regret.bound.mean_only)
    if not result.measures or result.measures[i].get("bound") is None:
        return None
    return Hindsight(float(result.measures[i]["bound"]), None, result.traces[i].n_mistakes)


def identity(*parts: Any) -> str:
    """A text that is the same for equal descriptions only."""
    return json.dumps(parts, sort_keys=True, default=str)
