from typing import Any, NamedTuple

import numpy as np

from graphol import Appendable, Derived
from graphol.states import all_finite, parts, rebuilt
from graphol.testing.states import same


class Kernel(Derived):
    """Made of the problem."""


class Inner(NamedTuple):
    support: Appendable
    w: Any
    kernel: Any = None


class Outer(NamedTuple):
    share: Any
    members: Any
    best: Any


def state(offset=0.0):
    members = tuple(
        Inner(Appendable(np.arange(k)), np.arange(3.0) + k + offset, Kernel()) for k in range(2)
    )
    return Outer(np.ones(2) + offset, members, Inner(Appendable(np.zeros(0)), offset))


def test_paths_are_dotted_and_derived_parts_are_left_out():
    assert [*parts(state())] == [
        "share", "members.0.support", "members.0.w", "members.1.support", "members.1.w",
        "best.support", "best.w", "best.kernel",
    ]  # fmt: skip


def test_rebuilt_takes_parts_and_keeps_what_is_derived():
    old, fresh = state(0.25), state()
    back = rebuilt(fresh, parts(old))
    assert type(back) is Outer and type(back.members[1]) is Inner and type(back.members) is tuple
    assert same(back, old) and not same(fresh, old)
    assert back.members[0].kernel is fresh.members[0].kernel is not old.members[0].kernel


def test_one_bad_number_inside_a_member_is_found():
    bad = state()
    assert all_finite(bad)
    bad.members[1].w[2] = np.inf
    assert not all_finite(bad)
