"""Intervals of a mean and of paired differences, against scipy.stats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphol import UsageError
from graphol.interval import check_confidence, interval, paired, paired_p

rates = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30)


@given(rates, st.floats(0.5, 0.999))
@settings(deadline=None)  # the first call imports scipy.stats
def test_paired_interval_is_scipys(pairs, confidence):
    from scipy import stats

    one, other = map(np.array, zip(*pairs, strict=True))
    ours = paired(one, other, confidence)
    difference = one - other
    assert ours.mean == pytest.approx(difference.mean(), abs=1e-12)
    if difference.std() < 1e-9:  # scipy warns and gives NaN
        assert ours.low == pytest.approx(ours.high, abs=1e-8)
        return
    theirs = stats.ttest_rel(one, other).confidence_interval(confidence)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), rel=1e-9, abs=1e-12)
    assert ours.differs == (theirs[0] > 0 or theirs[1] < 0)


def test_one_pair_has_no_interval():
    found = paired([0.5], [0.25])
    assert (found.mean, found.low, found.high, found.differs) == (0.25, None, None, None)


def test_equal_differences_have_an_interval_of_width_zero():
    assert paired([1.0, 2.0], [0.5, 1.5]).differs is True
    assert paired([1.0, 2.0], [1.0, 2.0]).differs is False


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.floats(0.5, 0.999))
@settings(deadline=None)
def test_the_interval_of_a_mean_is_scipys(values, confidence):
    from scipy import stats

    ours, error = interval(values, confidence), stats.sem(values)
    assert ours.mean == pytest.approx(np.mean(values))
    if error < 1e-9:
        assert ours.low == pytest.approx(ours.high, abs=1e-7)
        return
    theirs = stats.t.interval(confidence, len(values) - 1, np.mean(values), error)
    assert (ours.low, ours.high) == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_one_value_has_no_interval():
    assert (interval([0.3]).low, interval([0.3]).high) == (None, None)


@pytest.mark.parametrize("confidence", [0, 1, -1, 1.5, float("nan")])
def test_confidence_is_between_0_and_1(confidence):
    with pytest.raises(UsageError, match="confidence must be > 0 and < 1"):
        check_confidence(confidence)


@given(rates)
@settings(deadline=None)
def test_p_of_pairs_is_scipys(pairs):
    from scipy import stats

    one, other = map(np.array, zip(*pairs, strict=True))
    if (one - other).std() > 1e-9:
        assert paired_p(one, other) == pytest.approx(stats.ttest_rel(one, other).pvalue, abs=1e-12)


def test_p_at_the_edges():
    assert paired_p([0.5], [0.25]) is None
    assert paired_p([1.0, 2.0], [1.0, 2.0]) == 1.0
    # but for rounding all the same: three signs that agree, by chance in 1 of 4 cases
    assert paired_p([0.3, 0.4, 0.8], [0.2, 0.3, 0.7]) == 0.25
