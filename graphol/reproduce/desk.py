"""What the rows of one table share: a plan, data loaded once, and notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import attrs

from graphol.api import Embedding, Feedback, Learner
from graphol.arena import Arena, Silent, Watcher
from graphol.datasets.stored import Stored
from graphol.errors import InputError, UsageError
from graphol.folders import data_file
from graphol.plan import Plan
from graphol.registry import registry
from graphol.runner import simulate_by
from graphol.simulation import Simulation
from graphol.tasks import NodeTask
from graphol.tuning import best

WITHHELD = {
    "coauthor": "the co-authorship graph that the papers cut out of DBLP (dblp.org) is not "
    "redistributable; with a copy of your own use `graphol simulate --graph FILE --labels FILE`",
    "imdb": "the film graph that the papers made from IMDB (imdb.com/interfaces) is not "
    "redistributable; with a copy of your own use `graphol simulate --graph FILE --labels FILE`",
}
"""Data of the papers that nobody but its owners may pass on, and where it comes from."""

T = TypeVar("T")


class MissingData(Exception):
    """A data set is not on this machine; the text says how to get it."""


@attrs.define
class Desk:
    """One table's plan and data.

    Repeat r of seed s is the repeat r of ``graphol simulate --seed s``.
    """

    plan: Plan = attrs.field(factory=Plan)
    held_out: int = 5
    """Shuffles that tune; never one that scores."""
    quick: bool = False
    """Thin out the values that figures run through."""
    watcher: Watcher = attrs.field(factory=Silent)
    notes: list[str] = attrs.field(factory=list)
    """What the reader should know about what was left out."""
    _arenas: dict[str, Arena] = attrs.field(factory=dict, init=False)

    def check(self, dataset: str) -> None:
        """Refuse a name that nobody knows, before anything is played."""
        if dataset not in WITHHELD:
            registry().make("dataset", dataset)

    def arena(self, dataset: str) -> Arena:
        """The data, made once."""
        if dataset in WITHHELD:
            raise MissingData(WITHHELD[dataset])
        if dataset not in self._arenas:
            self._arenas[dataset] = Arena(dataset, self.plan.seed, self.watcher)
        return self._arenas[dataset]

    def task(self, dataset: str) -> NodeTask:
        """The labelled graph; MissingData if this machine does not have it."""
        arena = self.arena(dataset)
        try:
            task = arena.loaded
        except InputError as reason:
            if isinstance(arena.dataset, Stored) and data_file(arena.dataset.filename()) is None:
                raise MissingData(str(reason)) from None
            raise
        if not isinstance(task, NodeTask):
            raise UsageError(f"{dataset} is not a graph with classes of nodes")
        return task

    def thin(self, values: Sequence[T]) -> Sequence[T]:
        """All values; for a quick run every second one, and the last."""
        return sorted({*values[::2], values[-1]}, key=values.index) if self.quick else values

    def score(
        self,
        dataset: str,
        learner: Learner,
        embedding: Embedding,
        feedback: Feedback | None = None,
        rounds: int | None = None,
    ) -> Simulation:
        """Play the shuffles that score, whole or the first rounds of each."""
        plan = attrs.evolve(self.plan, rounds=rounds)
        return simulate_by(
            plan, [learner], self.arena(dataset),
            feedback=feedback, embedding=embedding, watcher=self.watcher,
        )[0]  # fmt: skip

    def tune(self, dataset: str, candidates: Sequence[Learner], embedding: Embedding) -> Learner:
        """The candidate that does best on the held-out shuffles."""
        return best(
            candidates, self.arena(dataset), self.plan, self.held_out,
            embedding=embedding, watcher=self.watcher,
        )  # fmt: skip
