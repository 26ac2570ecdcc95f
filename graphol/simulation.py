"""What the games of one kind leave: traces, scores, recipe, and the folder they are kept in."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import math
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol import notebook, npz, seeding
from graphol.api import Feedback, Stream, Target, Task, Vector
from graphol.declared import Member, check
from graphol.errors import InputError
from graphol.interval import CONFIDENCE, deviation, interval
from graphol.place import open_folder
from graphol.registry import registry
from graphol.results import HASHES, META, WEIGHTS, game_names, is_of, read_meta
from graphol.schema import FOLDER, plain
from graphol.tasks.splits import on_split
from graphol.trace import Trace
from graphol.transaction import standing, version

MOST_WEIGHTS = 1_000_000
"""Numbers in the weights of all repeats; larger models are not saved."""
READINGS = 5
"""How often a folder is read that others replace meanwhile."""


@attrs.frozen(eq=False)
class Simulation:
    """The traces of all repeats and the recipe that made them."""

    traces: tuple[Trace, ...]
    scores: tuple[dict[str, float], ...]
    """Further scores of each repeat, where the task has some."""
    recipe: dict[str, Any]
    """Learner, dataset, feedback and embedding with all their parameters; target and names of the
    classes; seed; versions; graph."""
    notes: tuple[str, ...] = ()
    """What was repaired in the data and what is odd about it, each with a count."""
    task: Task | None = None
    """What was played, with its features; not saved."""
    weights: tuple[Mapping[str, Vector], ...] = ()
    """Of each repeat's linear model, where the learner has one; saved up to a million numbers."""
    games: int = 1
    """Games per repeat, more than one for one class against the rest; their traces follow."""
    drawn: Callable[[int], Task] | None = None
    """The task of a repeat by its number, where each has data of its own; not saved."""
    feedback: Feedback | None = None
    """The protocol, which may have had the task split; not saved."""
    measures: tuple[Mapping[str, Any], ...] = ()
    """What was hidden in each game, as bounds measure it, where somebody asked for it."""

    @property
    def target(self) -> Target:
        """What was predicted: classes, signs or real numbers."""
        target: Target = self.recipe["target"]
        return target

    @property
    def repeats(self) -> tuple[int, ...]:
        """The number of each repeat, from which its order of play follows."""
        firsts = self.traces[:: self.games]
        return tuple(trace.meta.get("repeat", i) for i, trace in enumerate(firsts))

    def each(self, figure: Callable[[Trace], float]) -> Vector:
        """A figure of every repeat, the mean over its games."""
        values = np.array([figure(trace) for trace in self.traces], dtype=np.float64)
        means: Vector = values.reshape(-1, self.games).mean(axis=1)
        return means

    @property
    def error_rates(self) -> Vector:
        """Of each repeat the share of wrong predictions, or the mean squared error."""
        return self.each(lambda trace: trace.error_rate)

    @property
    def updates(self) -> Vector:
        """Class models changed in every repeat."""
        return self.each(lambda trace: trace.n_updates)

    @property
    def queries(self) -> Vector:
        """Answers that came back in every repeat."""
        return self.each(lambda trace: trace.n_queries)

    @property
    def error_rate_mean(self) -> float:
        """Mean over repeats of the error rate."""
        return float(self.error_rates.mean())

    @property
    def error_rate_std(self) -> float:
        """Sample standard deviation of the same; 0 for one repeat."""
        return deviation(self.error_rates)

    @property
    def layer_weights(self) -> dict[str, float]:
        """What a learner that weighs layers gives each, mean over the repeats; largest first."""
        sums: dict[str, float] = {}
        for trace in self.traces:
            for layer, weight in trace.meta.get("layer_weights", {}).items():
                sums[layer] = sums.get(layer, 0.0) + weight / len(self.traces)
        return dict(sorted(sums.items(), key=lambda pair: -pair[1]))

    def row(self, confidence: float = CONFIDENCE) -> dict[str, Any]:
        """The table's row; its first twelve keys are fixed."""
        recipe, within = self.recipe, interval(self.error_rates, confidence)
        return {
            "learner": recipe["learner"]["name"],
            "dataset": recipe["task"],
            "feedback": recipe["feedback"]["name"],
            "embedding": recipe["embedding"] and recipe["embedding"]["name"],
            "params": {k: v for k, v in recipe["learner"].items() if k != "name"},
            "rounds": len(self.traces[0]),
            "repeats": len(self.repeats),
            "error_rate_mean": self.error_rate_mean,
            "error_rate_std": self.error_rate_std,
            "updates_mean": float(self.updates.mean()),
            "queries_mean": float(self.queries.mean()),
            "us_per_round": float(np.mean([trace.us_per_round for trace in self.traces])),
            "error_rate_ci_low": within.low,
            "error_rate_ci_high": within.high,
            "confidence": confidence,
            "target": self.target,
            "known_mean": float(self.each(lambda trace: trace.known_share).mean()),
            "known_error_rate_mean": _number(self.each(lambda trace: trace.known_error_rate)),
            **{
                f"{name}_mean": float(np.mean([scores[name] for scores in self.scores]))
                for name in self.scores[0]
            },
            **({"layer_weights_mean": self.layer_weights} if self.layer_weights else {}),
            "seed": recipe["seed"],
            "graph_hash": recipe["graph_hash"],
            **{key: recipe[key] for key in HASHES if key in recipe},
            "versions": recipe["versions"],
            "notes": list(self.notes),
            **({"measures": [dict(each) for each in self.measures]} if self.measures else {}),
            "command": recipe.get("command"),
            "recipe": {key: recipe[key] for key in ("dataset", "feedback", "embedding", "engine")},
        }

    def to_frame(self) -> Any:
        """A frame of pandas or polars with a line per repeat: its number, its figures, its scores.

        >>> import graphol
        >>> frame = graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=3).to_frame()
        >>> list(frame["repeat"]), frame.shape
        ([0, 1, 2], (3, 6))
        """
        scores = {
            name: [float(np.mean([s[name] for s in self._scores_of(i)])) for i in self._numbers()]
            for name in (self.scores[0] if self.scores else ())
        }
        return notebook.frame(
            {
                "learner": [self.recipe["learner"]["name"]] * len(self.repeats),
                "dataset": [self.recipe["task"]] * len(self.repeats),
                "repeat": list(self.repeats),
                "error_rate": list(self.error_rates),
                "updates": list(self.updates),
                "queries": list(self.queries),
                **scores,
            }
        )

    def _repr_html_(self) -> str:
        """The table's row, as a notebook shows it."""
        row = self.row()
        error = f"{100 * row['error_rate_mean']:.2f}"
        if len(self.repeats) > 1:
            error += f" ± {100 * row['error_rate_std']:.2f}"
        if self.target == "real":
            error = f"{row['error_rate_mean']:.4g}"
        cells = {
            "learner": row["learner"], "dataset": row["dataset"], "feedback": row["feedback"],
            "rounds": row["rounds"], "repeats": row["repeats"],
            "squared error" if self.target == "real" else "error %": error,
            "queries": f"{row['queries_mean']:.1f}", "µs/round": f"{row['us_per_round']:.1f}",
        }  # fmt: skip
        return notebook.html_table([(key, [value]) for key, value in cells.items()], self.notes)

    def _numbers(self) -> range:
        return range(len(self.repeats))

    def _scores_of(self, i: int) -> tuple[dict[str, float], ...]:
        return self.scores[i * self.games : (i + 1) * self.games]

    def task_of(self, i: int) -> Task | None:
        """What was played in the i-th game, where it is known."""
        if self.task is not None or self.drawn is None:
            return self.task
        return self.drawn(self.repeats[i // self.games])

    def stream(self, i: int) -> Stream:
        """What the learner was asked in the i-th game, vectors included, round by round."""
        task = self.task_of(i)
        assert task is not None
        rng = seeding.order(self.recipe["seed"], self.repeats[i // self.games])
        if self.feedback is not None:
            task, _ = on_split(task, self.feedback, rng)
        stream = task.stream(rng)
        return stream.first(len(self.traces[i]))

    def only(self, repeats: Sequence[int]) -> Simulation:
        """The repeats of these numbers; no command plays exactly those."""
        if tuple(repeats) == self.repeats:
            return self
        firsts = [self.games * self.repeats.index(repeat) for repeat in repeats]
        kept = [first + k for first in firsts for k in range(self.games)]
        return attrs.evolve(
            self,
            recipe=self.recipe | {"command": None},
            traces=tuple(self.traces[i] for i in kept),
            scores=tuple(self.scores[i] for i in kept),
            weights=tuple(self.weights[i] for i in kept) if self.weights else (),
            measures=tuple(self.measures[i] for i in kept) if self.measures else (),
        )

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """One trace per repeat, a ``meta.json``, and ``weights.npz`` where there are some.

        The results in the folder are the old ones or these, whole, whenever the process is stopped.
        With ``force`` older results are replaced; files of your own are never touched.
        """
        with open_folder(Path(folder), force=force) as place, place.replacing() as new:
            self.write(new)

    def write(self, new: Path) -> None:
        """The files, into a folder that does not count yet."""
        names = game_names(self.repeats, self.games)
        for (_, game), trace in zip(names, self.traces, strict=True):
            npz.put(new / f"trace-{game}.npz", *trace.members())
        pairs = zip(names, self.weights, strict=True) if self.weights else ()
        weights = {f"{k}-{game}": w for (_, game), models in pairs for k, w in models.items()}
        if 0 < sum(w.size for w in weights.values()) <= MOST_WEIGHTS:
            npz.put(new / WEIGHTS, weights, {"schema": npz.SCHEMA})
        measures = [{"measures": each} for each in self.measures] or [{} for _ in names]
        played = [
            {"repeat": repeat, "scores": scores, **more}
            for (repeat, _), scores, more in zip(names, self.scores, measures, strict=True)
        ]
        more = {"notes": self.notes, "played": played, "summary": self.row()}
        whole = {"schema": FOLDER, **self.recipe, **plain(more)}
        (new / META).write_text(json.dumps(whole, indent=1) + "\n")

    @classmethod
    def load(cls, folder: str | Path) -> Simulation:
        """What :meth:`save` wrote, without the task.

        A folder of an earlier version has no scores of every repeat; a note says what is left out.

        >>> import graphol, tempfile
        >>> played = graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     played.save(folder)
        ...     back = Simulation.load(folder)
        >>> back.error_rate_mean == played.error_rate_mean, back.recipe == played.recipe
        (True, True)
        """
        folder = Path(folder)
        for _ in range(READINGS):
            before = version(folder, META)
            try:
                found = cls._load(folder)
            except InputError:
                if version(folder, META) == before:
                    raise
            else:
                if version(folder, META) == before:
                    return found
        raise InputError(f"{folder} is being written again and again; read it when that has ended")

    @classmethod
    def _load(cls, folder: Path) -> Simulation:
        meta = read_meta(folder)
        played, notes = meta.pop("played"), meta.pop("notes")
        repeats = list(dict.fromkeys(game["repeat"] for game in played))
        names = game_names(repeats, len(played) // len(repeats))
        traces = []
        for repeat, game in names:
            path = standing(folder, f"trace-{game}.npz")
            traces.append(Trace.load(path))
            if not is_of(traces[-1].meta, meta, repeat):
                raise InputError(f"{path} is not of the games in {META}; play them again")
        rounds = sorted({len(trace) for trace in traces})
        if len(rounds) > 1 and not meta["engine"].get("fresh_data"):
            raise InputError(
                f"{folder} holds games of {rounds[0]} and of {rounds[-1]} rounds on the same data; "
                "play them again"
            )
        if "target" not in meta:  # an earlier version did not say
            meta |= {"target": _target_of(traces[0]), "classes": []}
        scores = tuple(
            {name: math.nan if value is None else value for name, value in game["scores"].items()}
            for game in played
        )
        weights = _load_weights(standing(folder, WEIGHTS), [game for _, game in names])
        return cls(
            tuple(traces), scores, meta, tuple(notes), None, weights, len(names) // len(repeats),
            measures=tuple(game["measures"] for game in played if "measures" in game),
        )  # fmt: skip


def _number(values: Vector) -> float | None:
    """Their mean over those that are numbers, if any is one."""
    numbers = values[np.isfinite(values)]
    return float(numbers.mean()) if len(numbers) else None


def _target_of(trace: Trace) -> Target:
    if trace.predicted.dtype.kind == "f":
        return "real"
    return "signs" if trace.label.min() < 0 else "classes"


def _load_weights(path: Path, games: Sequence[str]) -> tuple[Mapping[str, Vector], ...]:
    if not path.is_file():
        return ()
    arrays, _ = npz.read(path, "file of weights")
    check(arrays, dict.fromkeys(arrays, Member("biuf", (None,), finite=False)), str(path))
    found: list[dict[str, Vector]] = []
    for game in games:
        own = [name for name in arrays if name.endswith(f"-{game}")]
        found.append({name.removesuffix(f"-{game}"): arrays[name] for name in own})
    return tuple(found)


@functools.cache
def installed(package: str) -> str:
    """The version of a package; looked up once, since that takes a millisecond."""
    return importlib.metadata.version(package)


def versions() -> dict[str, str]:
    """Versions of what can change a figure: Python, graphol, the numerics and every plugin."""
    found = {"python": platform.python_version()}
    for package in ("graphol", "numpy", "scipy", "numba"):
        found[package] = installed(package)
    for plugin in registry().plugins:
        if plugin.name != "builtin" and not plugin.failure:
            found[f"plugin {plugin.name}"] = plugin.owner
    return found
