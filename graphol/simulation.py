"""What the games of one kind leave: traces, scores, recipe, and the folder they are kept in."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Stream, Task, Vector
from graphol.atomic import replacing
from graphol.engine import first_rounds
from graphol.errors import InputError, UsageError
from graphol.registry import registry
from graphol.trace import Trace


@attrs.frozen(eq=False)
class Simulation:
    """The traces of all repeats and the recipe that made them."""

    traces: tuple[Trace, ...]
    scores: tuple[dict[str, float], ...]
    """Further scores of each repeat, where the task has some."""
    recipe: dict[str, Any]
    """Learner, dataset, feedback and embedding with all their parameters; seed; versions; graph."""
    notes: tuple[str, ...] = ()
    """What was repaired in the data and what is odd about it, each with a count."""
    task: Task | None = None
    """What was played, with its features; not saved."""
    weights: tuple[Mapping[str, Vector], ...] = ()
    """Of each repeat's linear model, where the learner has one; not saved."""

    def each(self, figure: Callable[[Trace], float]) -> Vector:
        """A figure of every repeat; with several games in it (one per class) their mean."""
        repeats: dict[int, list[float]] = {}
        for i, trace in enumerate(self.traces):
            repeats.setdefault(trace.meta.get("repeat", i), []).append(figure(trace))
        return np.array([np.mean(games) for games in repeats.values()])

    @property
    def error_rates(self) -> Vector:
        """The share of wrong predictions in every repeat."""
        return self.each(lambda trace: trace.error_rate)

    @property
    def updates(self) -> Vector:
        """Class models changed in every repeat."""
        return self.each(lambda trace: trace.n_updates)

    @property
    def queries(self) -> Vector:
        """Labels or bits revealed in every repeat."""
        return self.each(lambda trace: trace.n_queries)

    @property
    def error_rate_mean(self) -> float:
        """Mean over repeats of the share of wrong predictions."""
        return float(self.error_rates.mean())

    @property
    def error_rate_std(self) -> float:
        """Sample standard deviation of the same; 0 for one repeat."""
        rates = self.error_rates
        return float(np.std(rates, ddof=1)) if len(rates) > 1 else 0.0

    def row(self) -> dict[str, Any]:
        """The table's row; its first twelve keys are fixed."""
        recipe = self.recipe
        return {
            "learner": recipe["learner"]["name"],
            "dataset": recipe["task"],
            "feedback": recipe["feedback"]["name"],
            "embedding": recipe["embedding"] and recipe["embedding"]["name"],
            "params": {k: v for k, v in recipe["learner"].items() if k != "name"},
            "rounds": len(self.traces[0]),
            "repeats": len(self.error_rates),
            "error_rate_mean": self.error_rate_mean,
            "error_rate_std": self.error_rate_std,
            "updates_mean": float(self.updates.mean()),
            "queries_mean": float(self.queries.mean()),
            "us_per_round": float(np.mean([trace.us_per_round for trace in self.traces])),
            **{
                f"{name}_mean": float(np.mean([scores[name] for scores in self.scores]))
                for name in self.scores[0]
            },
            "seed": recipe["seed"],
            "graph_hash": recipe["graph_hash"],
            "versions": recipe["versions"],
            "notes": list(self.notes),
            "command": recipe.get("command"),
            "recipe": {key: recipe[key] for key in ("dataset", "feedback", "embedding", "engine")},
        }

    def stream(self, repeat: int) -> Stream:
        """What the learner was asked in a repeat, vectors included, round by round."""
        assert self.task is not None
        number = self.traces[repeat].meta["repeat"]
        stream = self.task.stream(seeding.order(self.recipe["seed"], number))
        return first_rounds(stream, len(self.traces[repeat]))

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """One trace per repeat and a ``meta.json``; each file is whole or not there."""
        folder = Path(folder)
        open_folder(folder, force=force)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as name:
            new = Path(name)  # complete before anything old is touched
            for repeat, trace in enumerate(self.traces):
                trace.save(new / f"trace-{repeat:03d}.npz")
            with replacing(new / "meta.json") as temporary:
                summary = self.recipe | {"summary": self.row()}
                temporary.write_text(json.dumps(summary, indent=1) + "\n")
            for old in result_files(folder):
                old.unlink()
            for file in result_files(new):
                file.rename(folder / file.name)


def open_folder(folder: Path, *, force: bool) -> None:
    """Make the folder for results, or say why not, before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{folder} is not a folder; name another with --out") from None
    except OSError as reason:
        raise InputError(f"cannot make the folder {folder}: {reason.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write into {folder}; name another folder with --out")
    if result_files(folder) and not force:
        raise UsageError(f"{folder} holds results already; add --force to replace them")


def result_files(folder: Path) -> list[Path]:
    """What :meth:`Simulation.save` left in a folder."""
    return [*folder.glob("trace-*.npz"), *folder.glob("meta.json")]


def versions() -> dict[str, str]:
    """Versions of what can change a figure: Python, graphol, the numerics and every plugin."""
    found = {"python": platform.python_version()}
    for package in ("graphol", "numpy", "scipy", "numba"):
        found[package] = importlib.metadata.version(package)
    for plugin in registry().plugins:
        if plugin.name != "builtin" and not plugin.failure:
            found[f"plugin {plugin.name}"] = plugin.owner
    return found
