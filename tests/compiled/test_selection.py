"""Stand-ins say what the plain functions say."""

import numpy as np
import pytest

from graphol.compiled import selection
from graphol.projections.groups import group_norms
from graphol.projections.l1 import soft_threshold
from graphol.projections.top_s import keep_largest
from graphol.standins import stand_in


def test_each_stands_in_for_the_function_of_its_name():
    for plain in (soft_threshold, keep_largest, group_norms):
        assert stand_in(plain) is getattr(selection, plain.__name__)


@pytest.mark.parametrize("by", [0.0, 0.5, 2.0])
def test_soft_threshold(by):
    v = np.array([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 1e300, -1e300, np.inf, -np.inf, np.nan])
    v = np.concatenate([v, np.random.default_rng(0).normal(size=100)])
    one_by_one = [selection.soft_threshold(each, by) for each in v]
    np.testing.assert_array_equal(one_by_one, soft_threshold(v, by))


@pytest.mark.parametrize("s", [1, 3, 8])
def test_keep_largest(s):
    rng = np.random.default_rng(s)
    for _ in range(50):
        v = rng.integers(-3, 4, size=8).astype(float)  # with ties
        ours, theirs = v.copy(), v.copy()
        assert selection.keep_largest(ours, s) == keep_largest(theirs, s)
        np.testing.assert_array_equal(ours, theirs)


def test_group_norms():
    rng = np.random.default_rng(0)
    v, group = rng.normal(size=20), rng.integers(0, 4, size=20)
    ours = selection.group_norms(v, group, 5)
    np.testing.assert_allclose(ours, group_norms(v, group, 5), rtol=1e-14)
