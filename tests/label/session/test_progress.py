"""What is said of the model's guesses, against what is known of made-up ones."""

import numpy as np
import pytest

from graphol.label.session.progress import (
    CHECKS,
    FEW,
    Check,
    calibrated,
    likely,
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
    np.testing.assert_allclose(found, [-0.5, 0.7], atol=0.15)


def test_few_answers_leave_confidence_nearly_as_it_is():
    a, b = calibrated(np.array([0.9, 0.8]), np.array([True, True]))
    assert 0.8 < 1 / (1 + np.exp(-(a + b * np.log(0.8 / 0.2)))) < 0.92


def checks_of(rng, error, last, every=10):
    """Checks as they come, wrong with probability error(m) after m answers."""
    return [Check(m, bool(rng.random() >= error(m))) for m in range(every - 1, last, every)]


@pytest.mark.parametrize(("last", "least"), [(120, 0.9), (300, 0.9), (1500, 0.85)])
def test_what_is_said_of_the_rest_holds(last, least):
    """Errors fall as powers, or to a floor, which is no power."""
    rng = np.random.default_rng(2)
    held, far = [], []
    for turn in range(60):
        begin, power = rng.uniform(0.5, 0.9), rng.uniform(0.1, 0.5)
        floor = 0.15 if turn % 2 else 0.0

        def error(m, begin=begin, power=power, floor=floor):
            return floor + (begin - floor) * (1 + m / 10) ** -power

        found = report([], checks_of(rng, error, last), last, 10_000).rest
        held.append(found.low <= 1 - error(last) <= found.high)
        far.append(found.value - (1 - error(last)))
    assert np.mean(held) >= least and abs(np.mean(far)) < 0.05


def test_weights_are_what_bayes_says():
    """Against the likelihood of every pair, term by term."""
    from graphol.label.session.progress import ERRORS, POWERS

    checks = [Check(9, False), Check(19, True), Check(29, True)]
    found = likely(checks, 30)
    slow = np.empty_like(found)
    for i, error in enumerate(ERRORS):
        for j, power in enumerate(POWERS):
            p = 1.0
            for m, right in checks:
                wrong = min(max(error * ((m + 1) / 31) ** -power, 1e-3), 0.98)
                p *= 1 - wrong if right else wrong
            slow[i, j] = p
    np.testing.assert_allclose(found, slow / slow.sum(), atol=1e-12)


def test_too_little_to_tell():
    few = [Check(10 * k, True) for k in range(CHECKS - 1)]
    found = report(guesses([0.8] * (FEW - 1), [True] * (FEW - 1)), few, 70, 100)
    assert found.error is None and found.rest is None and found.curve == []
    assert all("too early to tell: 1 more" in each.why for each in found.left)


def test_answers_left_of_an_error_that_falls_as_a_power():
    """The rest errs 2 / sqrt(m) after m answers: 5 % after 1600, and we are at 400."""
    rng = np.random.default_rng(3)
    checks = checks_of(rng, lambda m: min(2 / np.sqrt(m + 1), 0.95), 400, every=1)
    found = {each.target: each for each in report([], checks, 400, 100_000).left}
    wanted = found[0.95]
    assert wanted.low <= 1200 <= (wanted.high or 1e9) and 400 <= wanted.answers <= 4000
    assert found[0.7].answers == 0 == found[0.7].high
    near = {each.target: each for each in report([], checks, 400, 300).left}
    assert near[0.95].answers is None and near[0.95].why
    even = checks_of(rng, lambda m: 0.4, 400, every=1)
    assert "not in sight" in report([], even, 400, 1000).left[-1].why


def test_a_curve_ends_with_the_share_of_all():
    right = np.random.default_rng(4).random(500) < 0.7
    found = report(guesses(np.full(500, 0.7), right), [], 500, 100)
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
