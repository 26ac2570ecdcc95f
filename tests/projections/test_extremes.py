"""Projections at the ends of the floating-point range, and what they promise to the bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphol.fitting import misfit
from graphol.projections.ball import Ball
from graphol.projections.none import NoProjection
from graphol.projections.top_s import TopS

anything = arrays(np.float64, 5, elements=st.floats(allow_nan=False, allow_infinity=False))


@given(v=anything, radius=st.floats(1e-300, 1e300))
def test_ball_lands_inside_and_stays_there(v, radius):
    """Squares of 1e300 overflow and those of 1e-300 vanish; neither may show."""
    project = Ball(radius=radius).bind(None, 5)
    w, _ = project(v)
    assert math.hypot(*w) <= radius * (1 + 1e-15)
    assert np.array_equal(project(w)[0], w)
    if math.hypot(*v) < radius * (1 - 1e-15):
        assert np.array_equal(w, v)
    else:
        assert math.hypot(*w) == pytest.approx(radius, rel=1e-14)


@given(v=anything, s=st.integers(1, 5))
def test_top_s_keeps_entries_to_the_bit(v, s):
    project = TopS(s=s).bind(None, 5)
    w, support = project(v)
    assert np.array_equal(w[support], v[support])
    assert np.array_equal(project(w)[0], w)
    assert support.dtype == np.int64


def test_results_do_not_share_memory_with_the_vector():
    v = np.array([0.1, 0.2, 0.3])
    for projection in (NoProjection(), Ball(radius=9.0), TopS(s=3)):
        w, _ = projection.bind(None, 3)(v)
        assert np.array_equal(w, v)
        assert not np.shares_memory(w, v)


@pytest.mark.parametrize("cls", [NoProjection, Ball, TopS])
def test_fits_the_interface(cls):
    assert misfit("projection", cls) == ""
