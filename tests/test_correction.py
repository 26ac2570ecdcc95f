"""Holm's correction against the procedure it sums up, and verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphol.correction import holm, verdict


def test_holm_by_hand():
    # in order .005 .01 .03 .04: times 4 3 2 1 = .02 .03 .06 .04, and .04 may not be below .06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.4, 0.9]) == pytest.approx([0.8, 0.9])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def rejected(ps: list[float], level: float) -> set[int]:
    """Holm's own words: from the smallest on, until one is above level / (how many are left)."""
    found: set[int] = set()
    for i in sorted(range(len(ps)), key=lambda i: ps[i]):
        if ps[i] * (len(ps) - len(found)) > level:
            break
        found.add(i)
    return found


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.001, 0.999))
def test_holm_rejects_what_the_step_down_procedure_does(ps, level):
    assert {i for i, p in enumerate(holm(ps)) if p <= level} == rejected(ps, level)


@given(st.lists(st.none() | st.floats(0, 1), max_size=12))
def test_what_was_not_tested_does_not_count(ps):
    found = holm(ps)
    assert [p is None for p in found] == [p is None for p in ps]
    tested = [p for p in ps if p is not None]
    assert [p for p in found if p is not None] == holm(tested)
    assert all(new >= old for new, old in zip(found, ps, strict=True) if old is not None)


def test_verdicts():
    assert verdict(-0.1, 0.04) == "win" and verdict(0.1, 0.04) == "loss"
    assert verdict(-0.1, 0.05) == verdict(0.0, 0.0) == "tie"
    assert verdict(-0.1, 0.04, level=0.01) == "tie"
    assert verdict(-0.1, None) is None
