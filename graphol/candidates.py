"""Settings to choose from: a grid over the parameters of learner, embedding, protocol and data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from graphol.api import Embedding, Feedback, Learner, Task
from graphol.errors import UsageError, near
from graphol.graph import Graph
from graphol.params import describe, read_params
from graphol.registry import registry

PARTS = ("learner", "embedding", "feedback", "dataset")
MOST = 10_000
"""Settings of one grid; more are a slip of the finger."""


@attrs.frozen
class Candidate:
    """Who plays by which protocol on what, and which values make it this one."""

    learner: Learner
    dataset: Any = attrs.field(eq=False)
    """A data set, or what was made of one."""
    feedback: Feedback | None = None
    """None is the learner's own."""
    embedding: Embedding | None = None
    """None is the usual one of the learner."""
    values: Mapping[str, Any] = attrs.field(factory=dict, eq=False)
    """By their names in the grid, as plain data."""

    def __str__(self) -> str:
        return " ".join(f"{key}={_short(value)}" for key, value in self.values.items())


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value["name"])
    return f"{value:g}" if isinstance(value, float) else str(value)


def candidates(usual: Candidate, grid: Mapping[str, Sequence[Any]]) -> list[Candidate]:
    """The usual setting with every combination of the grid's values.

    ``b`` is a parameter of the learner, ``embedding.dim`` one of the embedding; likewise
    ``feedback.`` and ``dataset.``. Texts are read as the command line reads them.

    >>> usual = Candidate(registry().make("learner", "molg-f"), "digits")
    >>> [each.learner.phi for each in candidates(usual, {"phi": ["1", 10]})]
    [1.0, 10.0]
    """
    if not grid:
        raise UsageError("there is nothing to choose from; name a parameter and its values, b=1,10")
    count = math.prod(len(values) for values in grid.values())
    if count > MOST:
        raise UsageError(
            f"the grid has {count} settings, at most {MOST} are played; leave some out"
        )
    read: dict[tuple[str, str], list[Any]] = {}
    for name, values in grid.items():
        part, key = _named(name)
        component = _part(usual, part, name)
        if (part, key) in read:
            raise UsageError(f"{name} is in the grid twice; drop one")
        read[part, key] = _values(part, component, key, values)
    if count < 2:
        raise UsageError(
            "the grid has one setting, which leaves nothing to choose; play it with "
            "`graphol simulate`"
        )
    found = []
    names = list(read)
    for chosen in itertools.product(*read.values()):
        changed: dict[str, Any] = {}
        for part in dict.fromkeys(part for part, _ in names):
            changes = {k: v for (p, k), v in zip(names, chosen, strict=True) if p == part}
            made = attrs.evolve(_part(usual, part, part), **changes)
            changed[part] = registry().make(part, made)
        plain = {_name(part, key): describe(changed[part])[key] for part, key in names}
        found.append(attrs.evolve(usual, **changed, values=plain))
    return found


def _named(name: str) -> tuple[str, str]:
    """``embedding.dim`` as embedding and dim; without a part it is the learner's."""
    part, dot, key = name.strip().partition(".")
    if not dot:
        part, key = "learner", part
    if part not in PARTS:
        raise UsageError(f"{name}: there is no part {part!r} of a game; {near(part, PARTS)}")
    return part, key.replace("-", "_")


def _name(part: str, key: str) -> str:
    return key if part == "learner" else f"{part}.{key}"


def _part(usual: Candidate, part: str, name: str) -> Any:
    """The component that has the parameter."""
    found = {
        "learner": usual.learner, "embedding": usual.embedding, "feedback": usual.feedback,
        "dataset": usual.dataset,
    }[part]  # fmt: skip
    if found is None:
        raise UsageError(f"{name}: {usual.learner.name} plays without {part} here; leave it out")
    if isinstance(found, Graph | Task) or not attrs.has(type(found)):
        raise UsageError(f"{name}: the {part} is given as a value; leave it out")
    return found


def _values(part: str, component: Any, key: str, values: Sequence[Any]) -> list[Any]:
    """The parameter's values, each tried alone; no two alike."""
    cls, found, made = type(component), [], []
    if isinstance(values, str) or not values:
        raise UsageError(f"{_name(part, key)}: the values must be a list of one or more")
    known = attrs.fields_dict(cls)
    if key not in known:
        raise UsageError(f"{cls.name} has no parameter {key!r}; {near(key, known)}")
    for value in values:
        read = read_params(cls, {key: value})[key] if isinstance(value, str) else value
        one = registry().make(part, attrs.evolve(component, **{key: read}))
        if one in made:
            raise UsageError(f"{_name(part, key)}: {value} is given twice; drop one")
        found.append(read)
        made.append(one)
    return found
