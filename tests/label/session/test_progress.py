"""What is said of the model's guesses, against what is known of made-up ones."""

import numpy as np
import pytest

from graphol.label.session.progress import (
    CALIBRATED,
    FEW,
    Looks,
    calibrated,
    report,
    tempered,
    wilson,
)
from graphol.label.votes import Guess


def guesses(sure, right):
    return [
        Guess(i, i, 0, bool(r), float(p)) for i, (p, r) in enumerate(zip(sure, right, strict=True))
    ]


def test_an_interval_of_a_share_covers_it():
    rng = np.random.default_rng(0)
    held = 0
    for share in rng.uniform(0.02, 0.5, 400):
        found = wilson(int(rng.binomial(80, share)), 80)
        held += found.low <= share <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_calibration_finds_how_sure_one_may_be():
    """Guesses are right as often as sigma(-0.5 + 0.7 logit(confidence))."""
    rng = np.random.default_rng(1)
    sure = rng.uniform(0.3, 0.98, 4000)
    chance = 1 / (1 + np.exp(-(-0.5 + 0.7 * np.log(sure / (1 - sure)))))
    found = calibrated(sure, rng.random(4000) < chance)
    np.testing.assert_allclose(found.mean, [-0.5, 0.7], atol=0.15)


def test_few_answers_leave_confidence_nearly_as_it_is():
    a, b = calibrated(np.array([0.9, 0.8]), np.array([True, True])).mean
    assert 0.8 < 1 / (1 + np.exp(-(a + b * np.log(0.8 / 0.2)))) < 0.92


@pytest.mark.parametrize("many", [60, 300])
def test_what_is_said_of_the_rest_holds_though_the_hard_nodes_are_asked(many):
    """A node is asked the sooner the less sure the model is; the rest is surer, and better."""
    rng = np.random.default_rng(2)
    held, far = 0, []
    for _ in range(20):
        sure = rng.beta(4, 2, 3000) * 0.7 + 0.28
        right = rng.random(3000) < 1 / (1 + np.exp(-(0.3 + 0.8 * np.log(sure / (1 - sure)))))
        order = np.argsort(sure + rng.normal(0, 0.15, 3000))
        asked, rest = order[:many], order[many:]
        looks = Looks()
        looks.look(many, sure[rest])
        found = report(guesses(sure[asked], right[asked]), looks, len(rest))
        truth = right[rest].mean()
        held += found.rest.low <= truth <= found.rest.high
        far.append(abs(found.rest.value - truth))
        assert found.error.value > 1 - found.rest.value  # asked nodes are the harder ones
    assert held >= 17 and np.mean(far) < 0.09


def test_too_little_to_tell():
    looks = Looks()
    looks.look(5, np.full(100, 0.8))
    found = report(guesses([0.8] * (FEW - 1), [True] * (FEW - 1)), looks, 100)
    assert found.error is None and found.rest is None and found.curve == []
    assert all("too early" in each.why for each in found.left)
    many = CALIBRATED + 5
    found = report(guesses([0.8] * many, [True] * many), looks, 100)
    assert found.rest is not None
    assert any("trend" in each.why for each in found.left if each.answers is None)


def test_answers_left_of_an_error_that_falls_as_a_power():
    """The rest errs 2 / sqrt(m) after m answers: 5 % after 1600, and we are at 400."""
    rng = np.random.default_rng(3)
    looks = Looks()
    sure, right = [], []
    for m in range(1, 401):
        if m % 8 == 0:
            looks.look(m, np.full(5000, 1 - min(2 / np.sqrt(m), 0.9)))
    for p in rng.uniform(0.2, 0.98, 1000):
        sure.append(p)
        right.append(rng.random() < p)
    found = {each.target: each for each in report(guesses(sure, right), looks, 100_000).left}
    wanted = found[0.95]
    assert 800 <= wanted.answers <= 2000 and wanted.low <= 1200 <= (wanted.high or 1e9)
    assert found[0.7].answers == 0
    near = {each.target: each for each in report(guesses(sure, right), looks, 300).left}
    assert near[0.95].answers is None and near[0.95].why


def test_a_curve_ends_with_the_share_of_all():
    right = np.random.default_rng(4).random(500) < 0.7
    found = report(guesses(np.full(500, 0.7), right), Looks(), 100)
    assert found.curve[-1] == (500, pytest.approx(float((~right).mean())))
    assert len(found.curve) <= 120 and found.wrong == int((~right).sum())


def test_probabilities_keep_their_order_when_the_first_is_set():
    rng = np.random.default_rng(5)
    for _ in range(50):
        p = rng.dirichlet(np.ones(5))
        most = rng.uniform(0.25, 0.99)
        q = tempered(p, most)
        assert q.sum() == pytest.approx(1) and q.max() == pytest.approx(most, abs=1e-3)
        np.testing.assert_array_equal(np.argsort(p), np.argsort(q))
