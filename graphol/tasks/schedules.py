"""Which labeling holds in which round: switches over time, tasks, or a sequence that is given."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import attrs
import numpy as np

from graphol.api import Features, Integers
from graphol.errors import UsageError
from graphol.latent import Clique, SupportTree


class Drawn(NamedTuple):
    """The rounds of one game, as columns of length T."""

    context: Integers
    """The vertex of the latent graph: the round, or the task."""
    active: Integers
    """The labeling that holds."""


class Schedule(Protocol):
    """When does which of K labelings hold?"""

    @property
    def rounds(self) -> int:
        """T."""

    @property
    def n_contexts(self) -> int:
        """How many contexts it has."""

    @property
    def latent(self) -> Features:
        """How near they are to each other."""

    @property
    def over_time(self) -> bool:
        """Are contexts rounds, so that a change of labeling is a switch?"""

    def draw(self, n_labelings: int, rng: np.random.Generator) -> Drawn:
        """One game."""


class _OverTime:
    """Contexts are rounds, the leaves of a support tree."""

    over_time = True

    @property
    def rounds(self) -> int:
        """T."""
        raise NotImplementedError

    @property
    def n_contexts(self) -> int:
        """One per round."""
        return self.rounds

    @property
    def latent(self) -> SupportTree:
        """A support tree with a leaf per round."""
        return SupportTree(leaves=self.rounds)


@attrs.frozen
class Switches(_OverTime):
    """One labeling at a time; at ``switches`` random rounds another takes over.

    >>> Switches(rounds=6, switches=2).draw(3, np.random.default_rng(1)).active
    array([2, 2, 0, 1, 1, 1])
    """

    rounds: int
    switches: int

    def __attrs_post_init__(self) -> None:
        if self.rounds < 1:
            raise UsageError(f"a switching game has at least 1 round, got {self.rounds}")
        if not 0 <= self.switches < self.rounds:
            raise UsageError(
                f"{self.switches} switches do not fit into {self.rounds} rounds; "
                f"take 0 to {self.rounds - 1}, or more rounds"
            )

    def draw(self, n_labelings: int, rng: np.random.Generator) -> Drawn:
        """Rounds of switches without replacement, the next labeling any of the others."""
        times = 1 + rng.choice(self.rounds - 1, self.switches, replace=False)
        steps = np.zeros(self.rounds, dtype=np.int64)
        steps[0] = rng.integers(n_labelings)
        steps[np.sort(times)] = rng.integers(1, n_labelings, size=self.switches)
        return Drawn(np.arange(self.rounds), np.cumsum(steps) % n_labelings)


@attrs.frozen
class Sequence(_OverTime):
    """The labelings in a sequence that is given, round by round."""

    active: Integers = attrs.field(eq=False)

    @property
    def rounds(self) -> int:
        """As many as are given."""
        return len(self.active)

    def draw(self, n_labelings: int, rng: np.random.Generator) -> Drawn:
        """The sequence, whatever ``rng`` is."""
        if not ((self.active >= 0) & (self.active < n_labelings)).all():
            raise UsageError(f"the sequence names labelings beyond 0 to {n_labelings - 1}")
        return Drawn(np.arange(self.rounds), self.active)


@attrs.frozen
class Tasks:
    """Tasks in random order; each has one of the labelings, drawn evenly, for the whole game."""

    rounds: int
    tasks: int
    over_time = False

    def __attrs_post_init__(self) -> None:
        if self.rounds < 1 or self.tasks < 2:
            raise UsageError(
                f"a multitask game has at least 1 round and 2 tasks, got {self.rounds} "
                f"and {self.tasks}"
            )

    @property
    def n_contexts(self) -> int:
        """One per task."""
        return self.tasks

    @property
    def latent(self) -> Clique:
        """No task is nearer than another."""
        return Clique(vertices=self.tasks)

    def draw(self, n_labelings: int, rng: np.random.Generator) -> Drawn:
        """Labelings of the tasks, then a task for every round."""
        of_task = rng.integers(n_labelings, size=self.tasks)
        task = rng.integers(self.tasks, size=self.rounds)
        return Drawn(task, of_task[task])
