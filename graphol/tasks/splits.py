"""Games on a split of the nodes: some are learnt from, some choose, some are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import (
    Features,
    Feedback,
    Integers,
    Labelled,
    Learner,
    PlaysSplit,
    Problem,
    Split,
    State,
    Stream,
    Target,
    Task,
    Wish,
)
from graphol.errors import InputError, UsageError
from graphol.graph import Graph


def check_split(split: Split, labels: Integers, name: str) -> None:
    """Refuse a split that overlaps itself, or has nodes that are not there or have no label."""
    parts = split._asdict()
    for part, nodes in parts.items():
        if len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(labels)):
            raise InputError(f"{name}: the {part} part of its split has nodes that are not there")
        if (labels[nodes] < 0).any():
            count = int(np.count_nonzero(labels[nodes] < 0))
            raise InputError(f"{name}: {count} node(s) of the {part} part have no label")
        if part != "validation" and not len(nodes):
            raise InputError(f"{name}: the {part} part of its split is empty")
    every = np.concatenate([*parts.values()])
    twice = len(every) - len(np.unique(every))
    if twice:
        raise InputError(
            f"{name}: its split overlaps itself, {twice} node(s) are named twice; "
            "put every node into one part"
        )


def draw_split(
    wish: Wish,
    labels: Integers,
    names: Sequence[str],
    name: str,
    rng: np.random.Generator,
) -> Split:
    """So many nodes of every class, then validation and test nodes, evenly from the others.

    >>> split = draw_split(Wish(per_class=1, validation=2), np.array([0, 1, 0, 1, 0, -1]), "ab",
    ...                    "toy", np.random.default_rng(0))
    >>> [len(part) for part in split]
    [2, 2, 1]
    """
    order = rng.permutation(np.flatnonzero(labels >= 0))
    of = labels[order]
    counts = {int(k): int(np.count_nonzero(of == k)) for k in np.unique(of)}
    rarest = min(counts, key=lambda k: counts[k])
    if counts[rarest] < wish.per_class:
        raise UsageError(
            f"{name}: class {names[rarest]} has {counts[rarest]} labelled node(s), "
            f"per_class={wish.per_class} wants more; take per_class={counts[rarest]} or less"
        )
    train = np.zeros(len(order), dtype=bool)
    for k in counts:
        train[np.flatnonzero(of == k)[: wish.per_class]] = True
    rest = order[~train]
    wanted = wish.validation + (1 if wish.test is None else wish.test)
    if len(rest) < wanted:
        raise UsageError(
            f"{name}: {len(rest)} labelled node(s) are left beside {np.count_nonzero(train)} to "
            f"learn from, validation and test want {wanted}; take fewer"
        )
    last = None if wish.test is None else wanted
    return Split(order[train], rest[: wish.validation], rest[wish.validation : last])


@runtime_checkable
class Splittable(Task, Protocol):
    """A task whose nodes can be split."""

    def drawn(self, wish: Wish, rng: np.random.Generator) -> Split:
        """The split that came with the data, or one that is drawn."""


@attrs.frozen(eq=False)
class SplitTask:
    """A task on a split: the training nodes, then the test nodes, each in the task's order."""

    task: Task
    split: Split

    @property
    def name(self) -> str:
        """The task's."""
        return self.task.name

    @property
    def graph(self) -> Graph:
        """The task's."""
        return self.task.graph

    @property
    def target(self) -> Target:
        """The task's."""
        return self.task.target

    def embedded(self, embed: Callable[[Graph], Features]) -> SplitTask:
        """This task with the nodes' features filled in."""
        return attrs.evolve(self, task=self.task.embedded(embed))

    def problem(self, rng: np.random.Generator) -> Problem:
        """The task's."""
        return self.task.problem(rng)

    def stream(self, rng: np.random.Generator) -> Stream:
        """Training rounds and test rounds; validation nodes stand aside."""
        whole = self.task.stream(rng)
        at = np.full(self.graph.n, -1)
        at[whole.node] = np.arange(len(whole))

        def of(part: NDArray[Any]) -> NDArray[Any]:
            return np.sort(at[part])

        rounds, held = (
            np.concatenate([of(self.split.train), of(self.split.test)]),
            of(self.split.validation),
        )
        return attrs.evolve(
            whole,
            truth=whole.truth[rounds],
            node=whole.node[rounds],
            row=whole.row[rounds],
            validation=Labelled(whole.node[held], whole.truth[held]),
        )

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """The task's."""
        return self.task.score(learner, state, trace)


def on_split(task: Task, feedback: Feedback, rng: np.random.Generator) -> tuple[Task, Feedback]:
    """The task and the protocol on the split that the protocol wants, if it wants one."""
    if not isinstance(feedback, PlaysSplit) or feedback.wish is None:
        return task, feedback
    if not isinstance(task, Splittable):
        raise UsageError(
            f"{task.name} is no graph with classes of nodes, so it has no split; "
            f"give {feedback.name} a number of labels instead: {feedback.name}:count=100"
        )
    split = task.drawn(feedback.wish, rng)
    return SplitTask(task, split), feedback.on(split)
