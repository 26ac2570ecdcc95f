"""The task of saved results, loaded and embedded again from their recipe."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Dataset, Embedding, Learner, Task
from graphol.arena import Arena, Watcher
from graphol.errors import GrapholError, InputError, UsageError
from graphol.plan import Plan
from graphol.registry import registry
from graphol.results import HASHES
from graphol.simulation import Simulation
from graphol.tasks import NodeTask, SequenceTask, SwitchTask

MOST_ARENAS = 4
"""Data sets, each of one seed, that are kept for the results that come after."""


def with_tasks(results: Sequence[Simulation], watcher: Watcher | None = None) -> list[Simulation]:
    """The results with the tasks that were played; what is not the same today is refused.

    Data is loaded once, and embedded once in every way, for all results of one recipe.
    """
    again = Again(watcher, len(results))
    return [again(result) for result in results]


class Again:
    """Gives one result after the other its task; the data of the last ones is kept.

    Parameters
    ----------
    watcher
        Is told what is loaded.
    most
        Data sets, each of one seed, that are kept.
    """

    def __init__(self, watcher: Watcher | None = None, most: int = MOST_ARENAS) -> None:
        self._watcher, self._most = watcher, most
        self._arenas: OrderedDict[str, tuple[Arena, Task]] = OrderedDict()

    def __call__(self, result: Simulation) -> Simulation:
        """The result with its task."""
        arena = self._arena(result)
        learner = registry().restore("learner", result.recipe["learner"])
        embedding = result.recipe["embedding"]
        if embedding is not None:
            embedding = registry().restore("embedding", embedding)
        played = _with_task(result, arena, learner, embedding)
        for i, trace in enumerate(played.traces):
            stream = played.stream(i)
            same = np.array_equal(stream.node, trace.node)
            if not (same and np.array_equal(stream.truth, trace.label)):
                raise InputError(
                    f"{result.recipe['task']}: repeat {played.repeats[i]} does not ask today what "
                    "was asked; play it again"
                )
        return played

    def _arena(self, result: Simulation) -> Arena:
        fresh = result.recipe["engine"].get("fresh_data")
        first = result.repeats[0] if fresh else ""  # whose draw is looked at
        source = f"{result.recipe['dataset']} {result.recipe['seed']} {fresh} {first}"
        if source not in self._arenas:
            dataset, task = _loaded(result)
            arena = Arena(dataset if fresh else task, result.recipe["seed"], self._watcher)
            self._arenas[source] = arena, task
        self._arenas.move_to_end(source)
        if len(self._arenas) > self._most:
            self._arenas.popitem(last=False)
        arena, task = self._arenas[source]
        _check(result, task)
        return arena


def _with_task(
    result: Simulation, arena: Arena, learner: Learner, embedding: Embedding | None
) -> Simulation:
    if not result.recipe["engine"].get("fresh_data"):
        return attrs.evolve(result, task=arena.task(learner, embedding)[1])
    plan = Plan(repeats=1, seed=arena.seed, fresh_data=True)
    tasks = arena.tasks(learner, embedding, plan)
    return attrs.evolve(result, drawn=lambda repeat: tasks(repeat).task)


def _loaded(result: Simulation) -> tuple[Dataset, Task]:
    recipe = result.recipe
    seed, fresh = recipe["seed"], bool(recipe["engine"].get("fresh_data"))
    rng = seeding.fresh_data(seed, result.repeats[0]) if fresh else seeding.data(seed)
    try:
        dataset: Dataset = registry().restore("dataset", recipe["dataset"])
        return dataset, dataset.load(rng)
    except GrapholError as reason:
        raise type(reason)(f"the data of {recipe['task']} is not to be had: {reason}") from None


def _check(result: Simulation, task: Task) -> None:
    """Refuse what is not the same today, and what cannot be looked back on."""
    recipe = result.recipe
    fresh = bool(recipe["engine"].get("fresh_data"))
    if recipe["engine"].get("fuse"):
        raise UsageError(
            f"{recipe['task']}: regret looks back on one task, but these results are of --fuse"
        )
    if result.games > 1 or (fresh and not isinstance(task, SwitchTask)):
        raise UsageError(
            f"{recipe['task']}: regret looks back on one task, but these results are of "
            "--one-vs-rest or --fresh-data"
        )
    for trace in result.traces:
        played = trace.meta.get("graph_hash")
        if task.graph.hash != played:
            raise InputError(
                f"{recipe['task']} is another graph today (hash {task.graph.hash}, played on "
                f"{played}); play again, or bring back the data"
            )
    hashes = task.hashes if isinstance(task, NodeTask | SwitchTask | SequenceTask) else {}
    for key, what in HASHES.items():
        if hashes.get(key) != recipe.get(key):
            raise InputError(
                f"{recipe['task']} is another game today, not with the same {what}; play again, "
                "or bring back the data"
            )
