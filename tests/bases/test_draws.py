"""Draws that need no state: the same one by one and in a row, and uniform."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from graphol.bases.draws import stretch_of, uniform


@given(seed=st.integers(0, 2**62 - 1), t=st.integers(0, 2**40))
def test_a_stretch_draws_what_single_rounds_draw(seed, t):
    """Arrays wrap at 2⁶⁴ by themselves, Python's numbers do not: bit by bit the same."""
    assert stretch_of(seed, t, 5).tolist() == [uniform(seed, t + i) for i in range(5)]


def test_draws_are_those_of_splitmix64():
    """Its first outputs for seed 1234567, as published with the generator."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [uniform(1234567, t) for t in range(3)] == [(z >> 11) * 2.0**-53 for z in published]


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
