"""The bank against dense posteriors of all nodes, smoothed over all courses of the chain."""

import numpy as np
import pytest

import graphol
from graphol.bases.memo import Memo
from graphol.testing.games import random_switch_game, switch_game, whole_gram
from graphol.testing.gaussian_reference import gaussian_bank
from graphol.testing.states import same


def prior(task, scale):
    return whole_gram(task.features, task.graph.n) * scale / task.features.rho


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("K", "share", "lag", "scale", "noise", "doubt"),
    [
        (1, 0.02, 0, 4.0, 0.05, 0.02),
        (1, 0.02, 3, 4.0, 0.05, 0.02),
        (3, 0.02, 0, 4.0, 0.05, 0.02),
        (3, 0.02, 3, 4.0, 0.05, 0.02),
        (3, 0.1, 1, 16.0, 0.3, 0.1),
        (4, 0.05, 3, 1.0, 0.1, 0.005),
        (2, 0.0, 2, 64.0, 0.05, 0.02),
        (8, 0.03, 2, 4.0, 0.05, 0.02),
    ],
)
def test_equals_its_dense_twin(play, K, share, lag, scale, noise, doubt, seed):
    task = random_switch_game(12 + 9 * seed, seed, rounds=120)
    spec = f"K={K},share={share},lag={lag},scale={scale},noise={noise},doubt={doubt}"
    run = play(task, f"gaussian-bank:{spec}", seed=seed, keep=("scores",))
    scores, w, learnt = gaussian_bank(
        prior(task, scale), run.trace.node, run.trace.label,
        most=K, share=share, lag=lag, noise=noise, doubt=doubt,
    )  # fmt: skip
    np.testing.assert_allclose(run.trace.kept["scores"].ravel(), scores, atol=1e-7)
    clear = np.abs(scores) > 1e-9
    assert (run.trace.predicted == np.where(scores >= 0, 1, -1))[clear].all()
    assert clear.sum() > 100
    np.testing.assert_allclose(run.state.weights, w, atol=1e-8)
    assert [int(each.seen.values.sum()) for each in run.state.labelings] == learnt
    assert sum(learnt) == 120 - lag and (K == 1 or learnt[1] > 0 or share == 0)


def test_labels_of_both_labelings_are_kept_apart(play):
    """One labeling is the other turned round; with the true number none is learnt twice."""
    run = play(switch_game(300), "gaussian-bank:K=2")
    for known in run.state.labelings:
        mixed = np.abs(known.total.values) < known.seen.values
        assert mixed.mean() < 0.1 and len(mixed) > 20


@pytest.mark.parametrize("delay", [0, 5])
def test_what_is_kept_between_predict_and_update_changes_nothing(play, monkeypatch, delay):
    task = random_switch_game(rounds=200)
    kept = play(task, "gaussian-bank", delay=delay)
    monkeypatch.setattr(Memo, "recall", lambda *_: None)
    afresh = play(task, "gaussian-bank", delay=delay)
    assert kept.trace.predicted.tolist() == afresh.trace.predicted.tolist()
    assert same(kept.state, afresh.state)


@pytest.mark.parametrize(
    "parameters", ["doubt=1e-9,share=0", "noise=4e-4", "scale=1e100,noise=1e96"]
)
@pytest.mark.parametrize("embedding", ["kernel", "spectral:dim=2"])
def test_numbers_at_the_end_of_their_range(play, parameters, embedding):
    task, embed = random_switch_game(30), graphol.make("embedding", embedding).embed
    task = task.embedded(lambda graph: embed(graph, np.random.default_rng(0)))
    run = play(task, f"gaussian-bank:{parameters}")
    assert run.state.weights.sum() == pytest.approx(1)
    assert all(np.isfinite(part.values).all() for each in run.state.labelings for part in each)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [("doubt=0", "doubt must be >= 1e-09"), ("doubt=1e-17", "doubt must be >= 1e-09"),
     ("doubt=0.5", "< 0.5"), ("noise=0", "noise must be > 0"), ("K=0", "K must be >= 1")],
)  # fmt: skip
def test_parameters_that_are_refused(parameters, says):
    """With less doubt 1 - p is 0 in doubles, and a label that comes all the same divides by it."""
    for name in ("gaussian-bank", "gaussian-tasks"):
        with pytest.raises(graphol.UsageError, match=says):
            graphol.make("learner", f"{name}:{parameters}")


def changed(state, name, entry, value):
    getattr(state.late, name)[entry] = value


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda s: s.weights.fill(0.5), "not shares of 1"),
        (lambda s: s.labelings[0].nodes.values.fill(3), "not distinct nodes"),
        (lambda s: changed(s, "waiting", 0, 4), "4 labels wait, at most 3"),
        (lambda s: changed(s, "waiting", 0, -1), "-1 labels wait"),
        (lambda s: changed(s, "node", 1, 99), "none of a node"),
        (lambda s: changed(s, "label", 1, 0), "none of a node"),
        (lambda s: changed(s, "posterior", (1, 0), -0.5), "none of a node"),
        (lambda s: changed(s, "likelihood", (1, 0), 1.5), "none of a node"),
    ],
)
def test_a_state_that_cannot_be(play, damage, says):
    task, learner = random_switch_game(30), graphol.make("learner", "gaussian-bank")
    state = play(task, learner).state
    learner.check_state(state, task.graph.n)
    damage(state)
    with pytest.raises(ValueError, match=says):
        learner.check_state(state, task.graph.n)
