"""Mean ranks and the critical difference, against a published table and scipy."""

import numpy as np
import pytest
from scipy import stats

from graphol.report.ranks import critical_difference, mean_where_all, quantile, rank, tied_ranks

DEMSAR = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}
"""Table 5(a) of Demšar 2006, for 2 to 10 classifiers."""


@pytest.mark.parametrize("alpha", DEMSAR)
def test_the_published_table_of_critical_values(alpha):
    found = [quantile(k, alpha) for k in range(2, 11)]
    np.testing.assert_allclose(found, DEMSAR[alpha], atol=1.01e-3)


def test_the_published_example():
    """Four classifiers on fourteen data sets: a critical difference of 1.25, at 0.10 of 1.12."""
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert critical_difference(4, 14, 0.1) == pytest.approx(1.12, abs=5e-3)
    assert critical_difference(1, 14) is None and critical_difference(4, 1) is None


def test_ranks_against_scipy():
    rng = np.random.default_rng(1)
    for _ in range(50):
        values = rng.integers(0, 4, size=rng.integers(1, 8)) / 7
        np.testing.assert_array_equal(tied_ranks(values), stats.rankdata(values))


def test_under_the_null_two_differ_rarely():
    """Of all pairs at once: in 5 % of tables at most somebody is told apart from anybody."""
    rng, wrong, tables = np.random.default_rng(2), 0, 400
    for _ in range(tables):
        errors = {f"p{i}": {f"d{j}": rng.random() for j in range(10)} for i in range(4)}
        found = rank(errors)
        wrong += found.mean_ranks[-1] - found.mean_ranks[0] > found.critical
    assert wrong / tables < stats.binom.ppf(0.999, tables, 0.05) / tables


def test_groups_are_the_longest_stretches_that_do_not_differ():
    errors = {f"p{i}": {f"d{j}": float(i) for j in range(30)} for i in range(6)}
    found = rank(errors)
    assert found.mean_ranks == (1, 2, 3, 4, 5, 6)
    reach = int(found.critical)
    brute = [(i, i + reach) for i in range(6 - reach)] if reach else []
    assert found.groups == brute and reach >= 1


def test_who_is_not_everywhere_is_left_out():
    found = rank({"a": {"x": 1.0, "y": 1.0}, "b": {"x": 2.0}, "c": {"x": 0.0, "y": 5.0}})
    assert (found.players, found.left_out) == (("a", "c"), ("b",))
    assert rank({}) is None and mean_where_all([]) is None
    assert mean_where_all([{1: 0.5}, {2: 0.5}]) is None
