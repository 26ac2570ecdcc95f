"""Bounds by the cut: against a dense solve, all cuts of small graphs, and real games."""

from __future__ import annotations

import itertools

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.bounds import cuts
from graphol.bounds.ingredients import least
from graphol.learners.nodes.ollgc import Ollgc
from graphol.report.bounds import within
from graphol.report.regret import regret
from graphol.testing.learners import stays_within_its_bound

seeds = st.integers(0, 10**6)


def connected(seed, n):
    """A random tree with some edges more, and weights."""
    rng = np.random.default_rng(seed)
    ends = [(int(rng.integers(i)), i) for i in range(1, n)]
    ends += [tuple(rng.choice(n, 2, replace=False)) for _ in range(n // 2)]
    left, right = map(list, zip(*{(min(e), max(e)) for e in ends}, strict=True))
    return graphol.Graph.from_edges(left, right, weight=rng.uniform(0.5, 2.0, size=len(left)))


@given(seeds, st.integers(3, 7), st.floats(0.01, 10))
@settings(max_examples=15, deadline=None)
def test_ridge_in_hindsight_is_the_least_cut(seed, n, mu):
    """On all eigenvectors but the constant it is one solve with I + mu L, and no cut is better."""
    graph = connected(seed, n)
    y = np.random.default_rng(seed).choice([-1.0, 1.0], size=n)
    literal = graphol.make(
        "embedding", "spectral:dim=8,laplacian=combinatorial,trivial=drop,rows=raw"
    )
    X = literal.embed(graph, np.random.default_rng(0)).rows
    weights, L = graph.adjacency.toarray(), graph.laplacian().toarray()
    f = np.linalg.solve(np.eye(n) + mu * L, y - y.mean())
    smooth = np.sum((f - y) ** 2) + mu * f @ L @ f
    assert least(X, y[:, None], mu) == pytest.approx(smooth, rel=1e-6)
    for signs in itertools.product([-1.0, 1.0], repeat=n):
        g = np.array(signs)
        cut = weights[np.ix_(g > 0, g < 0)].sum()
        assert g @ L @ g == pytest.approx(4 * cut, abs=1e-9)
        assert smooth <= np.sum((g - g.mean() - y) ** 2) + 4 * mu * cut + 1e-9


def binary(seed, **options):
    """A game of one class against the rest on a block model, and its looking back."""
    spec = f"sbm:nodes=90,classes=3,degree_out={options.pop('degree_out', 3.0)}"
    task = graphol.make("dataset", spec).load(np.random.default_rng(seed))
    learner = graphol.make("learner", options.pop("learner"))
    dim = f"spectral:dim=12,laplacian=combinatorial,trivial={options.pop('trivial', 'drop')}"
    return graphol.simulate(
        learner, graphol.OneVsRest(task, 0), embedding=dim + ",rows=raw", repeats=1, seed=seed
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mu", [0.01, 1.0, 30.0])
def test_by_dense_algebra_and_in_real_games(seed, mu):
    played = binary(seed, learner=f"ollgc:mu={mu}")
    found = regret(played).repeats[0]
    by = {bound.name: bound for bound in found.stated}
    trace, stream = played.traces[0], played.stream(0)
    X, y = stream.rows[stream.row], trace.label.astype(float)
    d = X.shape[1]
    M = trace.predicted != trace.label
    A, v, own = mu * np.eye(d), np.zeros(d), []
    for x, target, wrong in zip(X, y, M, strict=True):
        if wrong:
            own.append((np.linalg.solve(A, v) @ x - target) ** 2)
            A, v = A + np.outer(x, x), v + target * x
    u = np.linalg.solve(mu * np.eye(d) + X.T @ X, X.T @ y)
    hindsight = mu * u @ u + np.sum((X @ u - y) ** 2)
    ratio = np.linalg.slogdet(A / mu)[1]
    close = {"rel": 1e-6, "abs": 1e-6}
    assert by["cut size"].value == pytest.approx(hindsight + ratio, **close)
    assert by["cut size"].measured == M.sum()
    theorem = by["KDD 2013, theorem 4"]
    theirs = np.sum((X[M] @ u - y[M]) ** 2)
    assert theorem.measured == pytest.approx((np.sum(own) - theirs) / 2, **close)
    assert theorem.value == pytest.approx(mu * u @ u / 2 + max(own) * ratio, **close)
    T, B = len(X), np.max(np.sum(X**2, axis=1))
    printed = hindsight / 2 + max(own) * d * np.log1p(T * B / (d * mu))
    assert by["KDD 2013, corollary 5, gamma of w"].value == pytest.approx(printed, **close)
    assert all(within(bound.measured, bound.value) for bound in found.stated if bound.proved)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mu", [1e-3, 1.0])
def test_they_hold_beside_a_bias_of_size_a_million(seed, mu):
    found = regret(binary(seed, learner=f"ollgc:mu={mu}", trivial="bias"))
    assert found.violations == []
    assert all(np.isfinite(row["bound_mean"]) for row in found.row()["stated_bounds"])


@pytest.mark.parametrize("learner", ["ollgc:mu=0.1", "ollgc", "sslgc:mu=0.1", "sslgc:kappa=0.1"])
def test_they_hold_with_several_classes(learner):
    found = regret(graphol.simulate(learner, "sbm:nodes=200,classes=4", repeats=3))
    assert found.violations == []
    rows = {row["name"]: row for row in found.row()["stated_bounds"]}
    assert all(row["holds"] for row in rows.values() if row["proved"])
    assert ("cut size" in rows) == learner.startswith("ollgc")


def test_the_printed_corollary_may_fail_and_is_no_violation():
    """A model that fits all labels has gamma near 0; the learner errs before it has learnt."""
    game = graphol.Finished(
        X=np.tile(np.eye(2), (10, 1)), y=-np.ones(20, dtype=int),
        predicted=np.where(np.arange(20) < 2, 1, -1), updates=(np.arange(20) < 2).astype(np.int32),
        n_classes=None, models=(),
    )  # fmt: skip
    stated = graphol.make("learner", "ollgc:mu=1e-4").stated_bounds(game)
    by = {bound.name: bound for bound in stated}
    assert game.wrong.sum() == 2
    assert by["KDD 2013, corollary 5"].value < 0.1 and not by["KDD 2013, corollary 5"].proved
    assert by["KDD 2013, corollary 5, gamma of w"].value > 2
    assert by["cut size"].value >= 2 and by["cut size"].proved


@pytest.mark.parametrize("T", [1, 50, 3000])
@pytest.mark.parametrize("kappa", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("mu", [0.01, 1.0, 1e4])
def test_the_largest_number_of_labels_by_trying_all(T, kappa, mu):
    d, B = 7, 2.5
    N = np.arange(1, 500_000)
    good = N[T**kappa * d * np.log1p(N * B / (mu * d)) >= N]
    found = cuts.labels_bought(T, d, mu, kappa, B)
    assert int(found) == (good.max() if len(good) else 0)


@pytest.mark.parametrize("kappa", [0.1, 0.3, 0.6])
def test_labels_are_those_of_the_game(kappa):
    played = binary(1, learner=f"sslgc:mu=0.01,kappa={kappa}")
    trace, stream = played.traces[0], played.stream(0)
    X = stream.rows[stream.row]
    asks, learns = cuts.asked(X, trace.label.astype(float), 0.01, kappa)
    np.testing.assert_array_equal(asks, trace.answered)
    np.testing.assert_array_equal(learns, trace.updates > 0)
    assert 0 < asks.sum() < len(X)
    learnt, printed = regret(played).repeats[0].stated
    A = 0.01 * np.eye(X.shape[1]) + X[learns].T @ X[learns]
    assert learnt.measured == learns.sum()
    assert learnt.value == pytest.approx(90**kappa * np.linalg.slogdet(A / 0.01)[1])
    assert within(learnt.measured, learnt.value)
    assert printed.measured == asks.sum() and not printed.proved


def test_late_answers_have_no_theorem():
    late = graphol.simulate("ollgc", "sbm:nodes=60,classes=2", repeats=1, delay=3)
    assert regret(late).row()["stated_bounds"] == []
    unlabelled = graphol.simulate(
        "ollgc", "sbm:nodes=60,classes=2", repeats=1, feedback="random-query:p=0.5"
    )
    assert regret(unlabelled).row()["stated_bounds"] == []


def test_the_kit_finds_a_bound_that_is_called_proved_and_fails():
    @attrs.frozen
    class Boaster(Ollgc):
        """Claims to err once."""

        name = "boaster"

        def stated_bounds(self, game):
            return [graphol.StatedBound("once", "mistakes", float(game.wrong.sum()), 1.0)]

    stays_within_its_bound(Ollgc())
    with pytest.raises(AssertionError, match="but once of 1"):
        stays_within_its_bound(Boaster())
