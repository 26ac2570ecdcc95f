"""Learners that play in the compiled loop of another: what they bring along, as one chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphol.api import Integers, Learner, NotCompiled, PlaysAlong, State, Stretch


class Chain(NamedTuple):
    """The steps of several learners: rules for numba, what is theirs, and what they understand."""

    rules: dict[str, Any]
    own: tuple[Any, ...]  # of the first, and then the same of those after it
    ears: Integers  # of each, see `graphol.compiled.along`


def chain(members: Sequence[Learner], states: Sequence[State], stretch: Stretch) -> Chain:
    """All of them, in this order; NotCompiled if one has no steps."""
    from graphol.compiled import along, bind

    foresee, hear = along.nobody_foresees, along.nobody_hears
    own: tuple[Any, ...] = ()
    ears: list[int] = []
    for member, state in zip(reversed(members), reversed(states), strict=True):
        if not isinstance(member, PlaysAlong):
            raise NotCompiled
        steps = member.along(state, stretch)
        foresee = bind(along.foresee, first=steps.foresee, rest=foresee)
        hear = bind(along.hear, first=steps.hear, rest=hear)
        own = (steps.own, own)
        ears.append(_ears(member))
    return Chain({"foresee_all": foresee, "hear_all": hear}, own, np.array(ears[::-1]))


def _ears(member: Learner) -> int:
    from graphol.compiled import along

    if "bit" not in member.learns_from:
        return along.LABELS
    return along.BOTH if "label" in member.learns_from else along.BITS
