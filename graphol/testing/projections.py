"""What every projection promises."""

from __future__ import annotations

import numpy as np

from graphol.api import Approximate, BoundProjection, Projection
from graphol.errors import GrapholError
from graphol.graph import Graph

P = 12


def _bound(projection: Projection) -> BoundProjection:
    return projection.bind(Graph.from_edges(range(P - 1), range(1, P)), P)


def _vectors() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [*rng.normal(size=(20, P)), np.zeros(P), np.ones(P), -np.arange(P, dtype=float)]


def support_is_where_the_result_lives(projection: Projection) -> None:
    """Precision and recall of a support mean what they say."""
    project = _bound(projection)
    for v in _vectors():
        w, support = project(v)
        assert w.shape == v.shape and np.isfinite(w).all()
        assert np.array_equal(support, np.unique(support)), "the support must be sorted, once each"
        outside = np.setdiff1d(np.arange(P), support)
        assert not w[outside].any(), "the result is not zero outside its support"


def is_idempotent(projection: Projection) -> None:
    """A structured point is its own nearest structured point."""
    project = _bound(projection)
    for v in _vectors():
        w, _ = project(v)
        again, _ = project(w)
        assert np.allclose(again, w, atol=1e-12), "projecting twice is not projecting once"


def nothing_listed_is_nearer(projection: Projection) -> None:
    """No result for another vector is closer than its own, or the declared factor holds.

    One for which no factor is proved must at least not be farther away than 0.
    """
    project = _bound(projection)
    factor = projection.factor if isinstance(projection, Approximate) else 1.0
    results = [project(v)[0] for v in _vectors()]
    candidates, factor = ([np.zeros(P)], 1.0) if factor is None else (results, factor)
    for v in _vectors():
        distance = float(np.linalg.norm(v - project(v)[0]))
        nearest = min(float(np.linalg.norm(v - c)) for c in candidates)
        assert distance <= factor * nearest + 1e-9, f"{distance:.6g}, but {nearest:.6g} is possible"


def leaves_its_input_alone(projection: Projection) -> None:
    """A dual average is projected again and again; it must not change on the way."""
    project = _bound(projection)
    for v in _vectors():
        before = v.copy()
        project(v)
        assert np.array_equal(before, v)


def refuses_nan(projection: Projection) -> None:
    """No silent NaN."""
    project = _bound(projection)
    v = np.ones(P)
    v[3] = np.nan
    try:
        project(v)
    except GrapholError as reason:
        assert "\n" not in str(reason)
    else:
        raise AssertionError("a vector with NaN was accepted")


CHECKS = [
    support_is_where_the_result_lives,
    is_idempotent,
    nothing_listed_is_nearer,
    leaves_its_input_alone,
    refuses_nan,
]
