"""One cell of a sweep: one learner, one data set, one repeat, and the name that follows from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from graphol.api import Dataset, Embedding, Feedback, Learner
from graphol.arena import embedding_for
from graphol.command import command
from graphol.errors import UsageError
from graphol.fusing import FUSER
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.sweep.provenance import data_hashes, known, versions, without_folders

DIGITS = 24
"""Hexadecimal digits of a name; among a million cells two share one by a chance of 1 in 10^16."""
PARTS = {
    "learner": "learner", "dataset": "dataset", "feedback": "feedback", "embedding": "embedding",
    "fuser": "learner",
}  # fmt: skip
"""What a cell consists of, and of which kind it is."""


def _learner(spec: Any) -> Any:
    return None if spec is None else registry().make("learner", spec)


def _dataset(spec: Any) -> Any:
    return registry().make("dataset", spec)


def _feedback(spec: Any) -> Any:
    return registry().make("feedback", spec)


def _embedding(spec: Any) -> Any:
    return None if spec is None else registry().make("embedding", spec)


def _alone(plan: Plan) -> Plan:
    """One repeat, and no other game beside it."""
    if len(plan.repeats) != 1:
        raise UsageError(f"a cell is one repeat, got {plan.which}")
    return attrs.evolve(plan, jobs=1)


@attrs.frozen
class Cell:
    """What is played, and how; equal cells have equal names, wherever they were planned.

    Parameters
    ----------
    learner, dataset
        As values, or as the command line writes them.
    feedback
        The protocol; by default the learner's own.
    embedding
        None is the usual one of the learner.
    plan
        Exactly one repeat.
    fuser
        Who weighs layers, where the plan has ``fuse``; the usual one where nothing is said.

    Examples
    --------
    >>> one = Cell("gpa", "sbm", plan=Plan(repeats=1))
    >>> one.name == Cell("gpa", "sbm:nodes=1000", feedback="full", plan=Plan(repeats=1)).name
    True
    >>> one.name == Cell("gpa", "sbm", plan=Plan(repeats=range(1, 2))).name
    False
    """

    learner: Learner = attrs.field(converter=_learner)
    dataset: Dataset = attrs.field(converter=_dataset)
    feedback: Feedback = attrs.field(kw_only=True, converter=_feedback)
    embedding: Embedding | None = attrs.field(default=None, kw_only=True, converter=_embedding)
    plan: Plan = attrs.field(kw_only=True, converter=_alone)
    fuser: Learner | None = attrs.field(kw_only=True, converter=_learner)

    @feedback.default
    def _own_feedback(self) -> Any:
        return self.learner.feedback

    @fuser.default
    def _usual_fuser(self) -> Any:
        return None if self.plan.fuse is None else FUSER

    @property
    def repeat(self) -> int:
        """The number of its repeat."""
        return self.plan.repeats[0]

    def recipe(self) -> dict[str, Any]:
        """Everything that can change a figure, as plain data."""
        usual = embedding_for(self.learner, self.embedding)
        made = [self.learner, self.dataset, self.feedback, usual, self.fuser]
        engine = self.plan.recipe() | {"held_out": self.plan.held_out, "keep": [*self.plan.keep]}
        return {
            "learner": describe(self.learner),
            "dataset": describe(self.dataset),
            "feedback": describe(self.feedback),
            "embedding": None if usual is None else describe(usual),
            "engine": engine,
            **({} if self.fuser is None else {"fuser": describe(self.fuser)}),
            "seed": self.plan.seed,
            "data": data_hashes(self.dataset),
            "versions": versions(each for each in made if each is not None),
        }

    @property
    def name(self) -> str:
        """The digest of the recipe: the same on every machine that has the same of everything."""
        return _digest(self)

    @property
    def command(self) -> str | None:
        """The ``graphol simulate`` line that plays it; None where there is none.

        Shuffles that tune have none: they are nobody's to score on.
        """
        if self.plan.held_out:
            return None
        asked = None if self.embedding is None else describe(self.embedding)
        return command(self.recipe() | {"embedding": asked}, registry().files)

    def sent(self) -> dict[str, Any]:
        """What another process needs to make it: components as plain data where a name will do.

        A class of a plugin file has no module that another process could import.
        """
        found: dict[str, Any] = {"plan": self.plan}
        for key in PARTS:
            value = getattr(self, key)
            plain = value is not None and known(value)
            found[key] = describe(value) if plain else value
        return found

    @property
    def about(self) -> str:
        """Its command; of a shuffle that tunes, who plays what."""
        usual = f"{self.learner.name} on {self.dataset.name}, held-out repeat {self.repeat}"
        return self.command or usual

    @property
    def place(self) -> tuple[str, int, str]:
        """Cells on the same data go together: a worker loads and embeds them once."""
        return repr(self.dataset), self.plan.seed, repr(self.embedding)

    def task(self, name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What a worker calls to play it, and with what."""
        from graphol.sweep.play import play

        return play, (name, self.sent(), plugin_files())

    @classmethod
    def received(cls, sent: Mapping[str, Any]) -> Cell:
        """The cell that was :meth:`sent`; plugin files must have been loaded."""
        made = {
            key: registry().restore(PARTS[key], value) if isinstance(value, dict) else value
            for key, value in sent.items()
        }
        return cls(**made)


def _digest(cell: Cell) -> str:
    recipe = cell.recipe()
    return name_of(recipe | {"dataset": without_folders(recipe["dataset"], cell.dataset)})


def name_of(recipe: Mapping[str, Any]) -> str:
    """The digest of plain data, whatever the order of its keys."""
    text = json.dumps(recipe, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def plugin_files() -> tuple[Path, ...]:
    """The plugin files of this process, for another one to load."""
    return tuple(path.resolve() for path in registry().files)
