"""Planted weights: the grid against dense formulas, the optimisers against the grid."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from graphol.errors import UsageError
from graphol.reproduce import aistats19, run
from graphol.reproduce.planted import (
    EPS,
    MU_0,
    Case,
    dense_laplacians,
    draw,
    grid_maximum,
    objectives,
)

GRAPHS = Case("I", 14, 0.4, (1.0, 0.5), 3, 0.25)
STARS = Case("II", 14, 0.7, (1.5, 0.5), 3, 0.5)


def likelihood(drawn, weights):
    """By the definition, with the centres of stars left in."""
    layers, S, Y = drawn
    A = np.zeros((layers.vertices, layers.vertices))
    for u, v, w, i in zip(layers.u, layers.v, layers.w, layers.layer, strict=True):
        d = np.zeros(len(A))
        d[u], d[v] = 1, -1
        A += weights[i] / MU_0 * w * np.outer(d, d)
    A[: layers.n, : layers.n] += EPS * np.eye(layers.n)
    Sigma = np.eye(len(S)) + np.linalg.inv(A)[np.ix_(S, S)]
    return -Y.shape[1] * np.linalg.slogdet(Sigma)[1] - MU_0 * np.trace(
        Y.T @ np.linalg.solve(Sigma, Y)
    )


@pytest.mark.parametrize("case", [GRAPHS, STARS])
def test_the_grid_is_that_of_the_definition(case):
    drawn = draw(case, np.random.default_rng(3), vectors=7)
    slow = np.array([[likelihood(drawn, (a, b)) for b in case.values] for a in case.values])
    np.testing.assert_allclose(objectives(drawn, case.values), slow, rtol=1e-7)
    i, j = np.unravel_index(slow.argmax(), slow.shape)
    np.testing.assert_allclose(grid_maximum(drawn, case.values), case.values[[i, j]])


def test_a_star_without_its_centre():
    drawn = draw(STARS, np.random.default_rng(1))
    for i, L in enumerate(dense_laplacians(drawn.layers)):
        w = np.zeros(14)
        w[drawn.layers.u[drawn.layers.layer == i]] = 1.0
        np.testing.assert_allclose(L, np.diag(w) - np.outer(w, w) / w.sum(), atol=1e-12)


@pytest.mark.parametrize("case", [GRAPHS, STARS])
def test_labels_have_the_covariance_of_the_model(case):
    drawn = draw(case, np.random.default_rng(5), vectors=100_000)
    L1, L2 = dense_laplacians(drawn.layers)
    whole = case.weights[0] * L1 + case.weights[1] * L2 + MU_0 * EPS * np.eye(case.n)
    wanted = np.linalg.inv(whole)[np.ix_(drawn.seeds, drawn.seeds)] + np.eye(3) / MU_0
    white = np.linalg.solve(np.linalg.cholesky(wanted), drawn.Y)
    np.testing.assert_allclose(white @ white.T / 100_000, np.eye(3), atol=0.02)


def test_learned_weights_are_near_the_maximum():
    case = Case("I", 40, 0.3, (1.0, 0.5), 2, 0.1)
    table = attrs.evolve(aistats19.TABLE1, cases=(case,), published={})
    found = run(table, repeats=range(3, 9), seed=2)
    assert {row.repeats for row in found.rows} == {2}
    rows = {row.learner: row for row in found.rows}
    assert [trial["repeat"] for trial in rows["exact"].trials] == [3, 4]
    assert rows["exact"].measured < 2 * case.step
    assert (
        "exact" in found.conclusions[0] and "is below twice the step, 0.2" in found.conclusions[0]
    )
    for trial in rows["exact"].trials:  # no point of the grid is likelier
        drawn = draw(case, np.random.default_rng([2, trial["repeat"] + 1]))
        learned = likelihood(drawn, trial["weights"])
        assert learned >= objectives(drawn, case.values).max() - 1e-6 * abs(learned)
        again = np.abs(np.array(trial["weights"]) - trial["grid"]).sum()
        assert trial["measured"] == pytest.approx(again)
    assert "--repeats 3-4 --seed 2" in rows["exact"].command


def test_refusal():
    with pytest.raises(UsageError, match="draws its own graphs and has no 'cora'"):
        run("aistats19-table1", datasets=["cora"])


def test_every_printed_case_is_played():
    assert [case.name for case in aistats19.TABLE1.cases] == [*aistats19.TABLE1.published]
    assert [case.instances for case in aistats19.TABLE1.cases] == [25, 25, 9, 9, 9]
