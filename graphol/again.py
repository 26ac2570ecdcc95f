"""The task of saved results, loaded and embedded again from their recipe."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Embedding, Learner
from graphol.arena import Arena, Watcher
from graphol.errors import GrapholError, InputError, UsageError
from graphol.plan import Plan
from graphol.registry import registry
from graphol.results import HASHES
from graphol.simulation import Simulation
from graphol.tasks import NodeTask, SequenceTask, SwitchTask


def with_tasks(results: Sequence[Simulation], watcher: Watcher | None = None) -> list[Simulation]:
    """The results with the tasks that were played; what is not the same today is refused.

    Data is loaded once, and embedded once in every way, for all results of one recipe.
    """
    arenas: dict[str, Arena] = {}
    found = []
    for result in results:
        fresh = result.recipe["engine"].get("fresh_data")
        source = f"{result.recipe['dataset']} {result.recipe['seed']} {fresh}"
        if source not in arenas:
            arenas[source] = _arena(result, watcher)
        learner = registry().restore("learner", result.recipe["learner"])
        embedding = result.recipe["embedding"]
        if embedding is not None:
            embedding = registry().restore("embedding", embedding)
        played = _with_task(result, arenas[source], learner, embedding)
        for i, trace in enumerate(played.traces):
            stream = played.stream(i)
            same = np.array_equal(stream.node, trace.node)
            if not (same and np.array_equal(stream.truth, trace.label)):
                raise InputError(
                    f"{result.recipe['task']}: repeat {played.repeats[i]} does not ask today what "
                    "was asked; play it again"
                )
        found.append(played)
    return found


def _with_task(
    result: Simulation, arena: Arena, learner: Learner, embedding: Embedding | None
) -> Simulation:
    if not result.recipe["engine"].get("fresh_data"):
        return attrs.evolve(result, task=arena.task(learner, embedding)[1])
    plan = Plan(repeats=1, seed=arena.seed, fresh_data=True)
    tasks = arena.tasks(learner, embedding, plan)
    return attrs.evolve(result, drawn=lambda repeat: tasks(repeat).task)


def _arena(result: Simulation, watcher: Watcher | None) -> Arena:
    recipe = result.recipe
    seed, fresh = recipe["seed"], bool(recipe["engine"].get("fresh_data"))
    rng = seeding.fresh_data(seed, result.repeats[0]) if fresh else seeding.data(seed)
    try:
        dataset = registry().restore("dataset", recipe["dataset"])
        task = dataset.load(rng)
    except GrapholError as reason:
        raise type(reason)(f"the data of {recipe['task']} is not to be had: {reason}") from None
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
    return Arena(dataset if fresh else task, seed, watcher)
