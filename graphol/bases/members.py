"""What learners that play as one have in common, and whether they can at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from graphol.api import Learner, Needs, Problem
from graphol.errors import UsageError

Word = TypeVar("Word", bound=str)

TOGETHER: tuple[tuple[Needs, frozenset[str]], ...] = (
    ("nothing", frozenset({"nothing"})),
    ("graph", frozenset({"nothing", "graph"})),
    ("gram", frozenset({"nothing", "graph", "gram"})),
    ("rows", frozenset({"nothing", "graph", "gram", "rows"})),
    ("signals", frozenset({"nothing", "rows", "signals"})),
)
"""What a game must give, and whose needs it then meets: vectors of nodes have kernel entries too,
and a signal is a vector, but of no node."""


def shared(said: Sequence[tuple[Word, ...]], among: Iterable[str]) -> tuple[Word, ...]:
    """The words that all say, in the order of the first; none but those ``among``.

    >>> shared([("classes", "signs"), ("signs", "real")], among=("classes", "signs"))
    ('signs',)
    """
    return tuple(word for word in said[0] if word in among and all(word in each for each in said))


def least_needs(members: Sequence[Learner]) -> Needs | None:
    """The least that a game must give for all of them; None if none gives that.

    >>> import graphol
    >>> least_needs([graphol.make("learner", x) for x in ("kernel-perceptron", "gpa")])
    'rows'
    """
    wanted = {member.needs for member in members}
    return next((needs for needs, meets in TOGETHER if wanted <= meets), None)


def check_needs(name: str, members: Sequence[Learner], problem: Problem) -> None:
    """Refuse a game that gives one of them too little; what all need is checked before."""
    for member in members:
        if member.needs == "rows" and problem.dim == 0:
            raise UsageError(
                f"{name}: {member.name} needs a vector per node, which this embedding does not "
                "give; try --embedding spectral"
            )
        if member.needs == "gram" and problem.features is None:
            raise UsageError(f"{name}: {member.name} needs the nodes of a graph, not signals")


def names(members: Sequence[Any]) -> str:
    """For a message."""
    return ", ".join(dict.fromkeys(member.name for member in members))
