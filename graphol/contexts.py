"""What a question is about beside its node: contexts, as users name and as learners number them.

A context is a vertex of a latent graph (:mod:`graphol.latent`): a task, a user, a day. Whoever asks
without one asks about -1.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import attrs

from graphol import node_ids
from graphol.api import Features
from graphol.errors import UsageError, shown
from graphol.graph import Graph
from graphol.latent import Clique, Line, SupportTree

MOST_CONTEXTS = 2**40
"""Where nobody knows how many there are: as many as a tree over them can have leaves."""
FORMS: dict[str, tuple[type[Any], str]] = {
    "clique": (Clique, "vertices"),
    "line": (Line, "vertices"),
    "support-tree": (SupportTree, "leaves"),
}
"""Latent graphs in closed form, and what each calls the number of its contexts."""


@attrs.frozen(eq=False)
class Numbered:
    """Whole numbers, as many as a latent graph in closed form has, or any.

    >>> Numbered(Clique(3)).number(2)
    2
    """

    features: Features | None = None
    """How near they are to each other, where that is known."""

    @property
    def count(self) -> int | None:
        """How many there are; None: nobody knows."""
        form = _form(self.features)
        return None if form is None else int(form["count"])

    def number(self, context: Hashable) -> int:
        """The one that the user means."""
        count, found = self.count, node_ids.plain(context)
        if type(found) is int and 0 <= found < (MOST_CONTEXTS if count is None else count):
            return found
        allowed = ">= 0 and below 2^40" if count is None else f"from 0 to {count - 1}"
        raise UsageError(f"a context is a whole number {allowed}, got {shown(context)}")

    def record(self) -> dict[str, Any] | None:
        """As plain data."""
        return _form(self.features)


@attrs.frozen(eq=False)
class Named:
    """The nodes of a latent graph, by their ids.

    >>> days = Graph.from_edges(["mon", "tue"], ["tue", "wed"])
    >>> Named(days, None).number("tue")
    1
    """

    graph: Graph
    features: Features | None
    """None where nothing is embedded for the learner."""

    @property
    def count(self) -> int:
        """How many there are."""
        return self.graph.n

    def number(self, context: Hashable) -> int:
        """The row of the one that the user means."""
        try:
            return self.graph.index(context)
        except UsageError as reason:
            raise UsageError(f"a context is a node of the latent graph: {reason}") from None


Contexts = Numbered | Named


def checked_latent(latent: Any) -> Any:
    """A latent graph as a user may give it: None, one in closed form, or a Graph."""
    if latent is None or isinstance(latent, Graph):
        return latent
    form = _form(latent)
    if form is None:
        raise UsageError(
            "latent must be graphol.Clique(24), Line(24), SupportTree(24), or a graphol.Graph over "
            f"the contexts, got {shown(latent)}"
        )
    if type(node_ids.plain(form["count"])) is not int:
        raise UsageError(f"latent has a whole number of contexts, got {shown(latent)}")
    return latent


def _form(latent: Any) -> dict[str, Any] | None:
    for kind, (form, count) in FORMS.items():
        if type(latent) is form:
            return {"kind": kind, "count": node_ids.plain(getattr(latent, count))}
    return None


def restored_form(record: Mapping[str, Any]) -> Features:
    """The closed form that was recorded; a ValueError says what is wrong with it."""
    kind, count = record["kind"], record["count"]
    if not (isinstance(kind, str) and kind in FORMS and type(count) is int):
        raise ValueError(f"latent is {kind!r:.30} of {count!r:.30}")
    try:
        form: Features = FORMS[kind][0](count)
    except UsageError as reason:
        raise ValueError(str(reason)) from None
    return form
