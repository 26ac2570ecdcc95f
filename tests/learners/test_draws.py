"""Draws that need no state: the same in Python and compiled, and uniform."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from graphol.learners import _draws
from graphol.learners.draws import seed_from, uniform


@given(seed=st.integers(0, 2**62 - 1), t=st.integers(0, 2**40))
def test_compiled_draws_are_the_same_bit_by_bit(seed, t):
    assert _draws.uniform(seed, t) == uniform(seed, t)


def test_many_draws_of_many_seeds_are_the_same():
    rng = np.random.default_rng(0)
    for seed in (0, 1, 2**62 - 1, *(seed_from(rng) for _ in range(20))):
        assert [_draws.uniform(seed, t) for t in range(500)] == [
            uniform(seed, t) for t in range(500)
        ]


def test_draws_are_uniform_within_a_seed_and_across_seeds():
    """A hundred bins and pairs of neighbours, at fixed seeds; p-values are not extreme."""
    one = np.array([uniform(12345, t) for t in range(20000)])
    across = np.array([uniform(seed, 7) for seed in range(20000)])
    for draws in (one, across):
        assert draws.min() >= 0 and draws.max() < 1
        counts = np.histogram(draws, bins=100, range=(0, 1))[0]
        assert 1e-3 < chisquare(counts).pvalue < 1 - 1e-3
        pairs = np.histogram2d(draws[::2], draws[1::2], bins=10, range=[[0, 1]] * 2)[0]
        assert 1e-3 < chisquare(pairs.ravel()).pvalue < 1 - 1e-3
