"""Projections against their definition: brute force, and the ball's own optimality condition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import graphol
from graphol.projections.ball import Ball
from graphol.projections.top_s import TopS

vectors = arrays(np.float64, 6, elements=st.floats(-1e3, 1e3))


@given(v=vectors, s=st.integers(1, 6))
def test_top_s_is_the_best_of_all_supports(v, s):
    w, support = TopS(s=s).bind(None, 6)(v)
    best = min(
        np.linalg.norm(v[list(set(range(6)) - set(kept))]) for kept in combinations(range(6), s)
    )
    assert np.linalg.norm(v - w) == pytest.approx(best, abs=1e-9)
    assert np.count_nonzero(w) <= s
    assert support.tolist() == np.flatnonzero(w).tolist()


def test_top_s_keeps_the_lowest_index_of_a_tie():
    w, support = TopS(s=2).bind(None, 4)(np.array([1.0, -1.0, 1.0, -1.0]))
    assert w.tolist() == [1, -1, 0, 0]
    assert support.tolist() == [0, 1]


@given(v=vectors, z=vectors, radius=st.floats(0.1, 10))
def test_ball_satisfies_the_variational_inequality(v, z, radius):
    """<v - Pv, z - Pv> <= 0 for every z of the ball characterises the nearest point."""
    project = Ball(radius=radius).bind(None, 6)
    w, _ = project(v)
    inside = z / max(1.0, np.linalg.norm(z) / radius)
    assert np.linalg.norm(w) <= radius * (1 + 1e-12)
    assert (v - w) @ (inside - w) <= 1e-9 * (1 + np.linalg.norm(v)) * (1 + radius)


@pytest.mark.parametrize("spec", ["none", "ball", "top-s:s=2"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_vectors_are_refused(spec, bad):
    project = graphol.make("projection", spec).bind(None, 3)
    with pytest.raises(graphol.InputError, match="NaN or infinity"):
        project(np.array([1.0, bad, 0.0]))
    with pytest.raises(graphol.InputError, match=r"length 3, got shape \(4,\)"):
        project(np.zeros(4))


def test_more_entries_than_there_are():
    with pytest.raises(graphol.UsageError, match=r"top-s: s must be <= 3, .* got 7"):
        TopS(s=7).bind(None, 3)
