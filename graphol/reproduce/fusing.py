"""What fusing is worth: a learner on one graph alone, on all layers added up, and on them fused."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from graphol.api import Learner, Vector
from graphol.arena import Arena, Watcher
from graphol.errors import UsageError
from graphol.fusing import FUSER
from graphol.interval import deviation, interval
from graphol.runner import simulate
from graphol.simulation import Simulation
from graphol.tasks import NodeTask


def fused_against_alone(
    dataset: Any,
    learner: str | Learner = "molg-f",
    *,
    labels: int = 100,
    fuser: str | Learner = FUSER,
    repeats: int | range = 20,
    seed: int = 0,
    watcher: Watcher | None = None,
) -> list[dict[str, Any]]:
    """Rows of a table: the error rate of an online learner on the first layer, the sum, the fusion.

    All play the same shuffles and learn from every label. Of none the first ``labels`` rounds are
    scored, since they are what fusing costs. The difference to the first layer alone is taken
    shuffle by shuffle, in percentage points, with its 95 % interval by the paired t-test.

    Parameters
    ----------
    dataset
        A data set's name, a Dataset or a Task: several layers, or one and node features.
    learner
        Who plays online.
    labels
        Labels of every shuffle that weigh the layers.
    fuser
        Who weighs them.
    repeats
        Shuffles.
    seed
        Of the shuffles.
    watcher
        Is told about stages and rounds done.
    """
    arena = Arena(dataset, seed, watcher)
    task = arena.loaded
    if not isinstance(task, NodeTask):
        raise UsageError(f"{task.name} is no graph with classes of nodes; it has no layers")
    plan: dict[str, Any] = {"repeats": repeats, "seed": seed, "watcher": watcher}
    alone = attrs.evolve(task, graphs=(_whole(task),))
    played = {task.graphs[0].name: simulate(learner, alone, **plan)}
    if len(task.graphs) > 1:
        played["sum of layers"] = simulate(learner, task, **plan)
    played["fused"] = simulate(learner, arena, fuse=labels, fuser=fuser, **plan)
    rates = {name: _after(result, labels) for name, result in played.items()}
    first = next(iter(rates.values()))
    return [
        {
            "on": name,
            "learner": played[name].recipe["learner"]["name"],
            "dataset": task.name,
            "labels_spent": labels,
            "repeats": len(rate),
            "error_rate_mean": float(rate.mean()),
            "error_rate_std": deviation(rate),
            **_against(rate, first, name == next(iter(rates))),
        }
        for name, rate in rates.items()
    ]


def _whole(task: NodeTask) -> Any:
    """The first layer, with the labels of the task."""
    graph = task.graph
    return task.graphs[0].labelled(graph.labels, graph.label_names)


def _after(result: Simulation, labels: int) -> Vector:
    """The error rate of every repeat without its first rounds."""
    rates = [trace.loss[labels:][trace.scored[labels:]].mean() for trace in result.traces]
    return np.array(rates)


def _against(rate: Vector, first: Vector, itself: bool) -> dict[str, Any]:
    if itself:
        return {"difference": None, "difference_low": None, "difference_high": None}
    within = interval(100 * (rate - first))
    return {
        "difference": float(100 * (rate - first).mean()),
        "difference_low": within.low,
        "difference_high": within.high,
    }
