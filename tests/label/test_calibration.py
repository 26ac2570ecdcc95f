"""Probabilities against definitions written slowly, and searches on a grid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphol.label.calibration import (
    MISLED,
    OFTEN,
    evidence,
    humbled,
    reliability,
    sharpness,
    shifted,
    weigh,
)
from graphol.label.expecting import expected
from graphol.tempering import FLOOR, fit_weights


def drawn(m=60, K=3, sharp=2.0, seed=0):
    """Evidence Z (m, K), and labels as likely as softmax(sharp Z) says."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(m, K))
    Z -= Z.mean(axis=1, keepdims=True)
    p = np.exp(sharp * Z)
    p /= p.sum(axis=1, keepdims=True)
    return Z, np.array([rng.choice(K, p=row) for row in p])


def slow_error(p, y, weight, bins=10):
    """Expected calibration error, bin by bin."""
    total = 0.0
    for b in range(bins):
        inside = [
            i
            for i in range(len(y))
            if b / bins < max(p[i]) <= (b + 1) / bins or (b == 0 and max(p[i]) == 0)
        ]
        if inside:
            w = sum(weight[i] for i in inside)
            right = sum(weight[i] * (np.argmax(p[i]) == y[i]) for i in inside) / w
            sure = sum(weight[i] * max(p[i]) for i in inside) / w
            total += w / sum(weight) * abs(right - sure)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_calibration_error_by_its_definition(seed):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(4), 50)
    p[0], p[1] = [1, 0, 0, 0], [0.5, 0.5, 0, 0]  # on the edges of bins
    y, weight = rng.integers(0, 4, 50), rng.random(50) + 0.1
    assert reliability(p, y, weight).error == pytest.approx(slow_error(p, y, weight))
    assert reliability(p, y).error == pytest.approx(slow_error(p, y, np.ones(50)))
    assert sum(each.answers for each in reliability(p, y).bins) == 50


def test_no_answers():
    assert reliability(np.zeros((0, 3)), np.zeros(0, dtype=int)).error == 0.0


@pytest.mark.parametrize(("usual", "spread"), [(1.0, 1.0), (3.0, 0.12), (0.7, 0.3)])
def test_sharpness_by_a_grid(usual, spread):
    Z, y = drawn()

    def cost(a, misled):
        p = np.exp(a * Z)
        p = (1 - misled) * p / p.sum(axis=1, keepdims=True) + misled / 3
        u, v = np.log(a / usual), np.log(misled / MISLED)
        held = 3 * np.log(1 + u**2 / (5 * spread**2)) + v**2 / (2 * OFTEN**2)
        return -np.log(p[np.arange(60), y]).sum() + held

    grid = itertools.product(np.exp(np.arange(-1, 2, 0.01)), np.exp(np.arange(-5, -1, 0.02)))
    least = min(cost(*each) for each in grid)
    assert cost(*sharpness(Z, y, usual, spread)) == pytest.approx(least, abs=0.05)  # nats


def test_enough_labels_lead_away_from_what_is_usual():
    few, many = (sharpness(*drawn(m, sharp=2.0), 0.7, 0.12)[0] for m in (5, 3000))
    assert abs(few - 0.7) < 0.2
    assert many == pytest.approx(2.0, rel=0.15)
    assert sharpness(*drawn(0), 0.7, 0.12) == (0.7, MISLED)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_nodes_that_mislead_do_not_blunt_what_is_said_of_the_others(share):
    """Of some the label is drawn without a look at what is said; the sharpness stays."""
    Z, y = drawn(4000, sharp=4.0)
    rng = np.random.default_rng(1)
    y = np.where(rng.random(4000) < share, rng.integers(0, 3, 4000), y)
    a, misled = sharpness(Z, y, 3.0, 0.12)
    assert a == pytest.approx(4.0, rel=0.2) and misled == pytest.approx(share, abs=0.04)


def test_weights_by_a_grid():
    (Z1, y), (Z2, _) = drawn(40), drawn(40, seed=1)
    Z, centre = np.array([Z1, Z2]), np.array([0.5, 0.5])

    def cost(w):
        p = np.exp(w[0] * Z1 + w[1] * Z2)
        p /= p.sum(axis=1, keepdims=True)
        return -np.log(p[np.arange(40), y]).sum() + 2.0 * ((w - centre) ** 2).sum()

    grid = [np.array([a, b]) for a in np.arange(0, 3, 0.02) for b in np.arange(0, 1, 0.02)]
    np.testing.assert_allclose(fit_weights(Z, y, centre, 4.0), min(grid, key=cost), atol=0.02)


def test_who_is_right_gets_the_say():
    (Z, y), (noise, _) = drawn(200), drawn(200, seed=5)
    w = weigh(["a", "b"], np.array([noise, Z]), y).weights
    assert w[1] > 20 * w[0] > 0 or w[0] < 1e-3


def test_evidence_of_shares_and_margins():
    p = np.array([[0.7, 0.2, 0.1], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    known = np.array([True, True, False])
    Z = evidence(p, p.argmax(axis=1), known, 3)
    by_hand = np.log((p[0] + FLOOR / 3) / (1 + FLOOR))
    np.testing.assert_allclose(Z[0], by_hand - by_hand.mean())
    np.testing.assert_allclose(Z[1:], 0.0, atol=1e-12)
    m = np.array([[1.0, -1.0], [3.0, 1.0]])  # both lead by 1 above their mean
    np.testing.assert_allclose(
        evidence(m, m.argmax(axis=1), np.ones(2, bool), 2), np.log(2) * np.array([[1, -1], [1, -1]])
    )
    said = evidence(None, np.array([1]), np.array([True]), 3)
    assert said[0].argmax() == 1


def test_shares_are_found_again():
    """Equal shares are given, and 80 of 100 nodes are of the first class."""
    rng = np.random.default_rng(0)
    true = np.repeat([0, 1], [1600, 400])
    z = rng.normal(size=2000) + np.where(true == 0, 1.0, -1.0)  # likelihood ratio exp(2 z)
    p = 1 / (1 + np.exp(-2 * z))
    q, shares = shifted(np.stack([p, 1 - p], axis=1), np.array([0.5, 0.5]), 40)
    assert 0.7 < shares[0] < 0.8  # drawn to one half a little
    before, after = ((p > 0.5) == (true == 0)).mean(), (q.argmax(axis=1) == true).mean()
    assert after > before
    same, _ = shifted(np.stack([p, 1 - p], axis=1), np.array([0.5, 0.5]), 10**9)
    np.testing.assert_allclose(same[:, 0], p, atol=1e-4)


def test_few_answers_leave_doubt():
    p, shares = np.array([[1.0, 0.0]]), np.array([0.5, 0.5])
    np.testing.assert_allclose(humbled(p, shares, 4), [[0.9, 0.1]])
    np.testing.assert_allclose(humbled(p, shares, 0), [[0.75, 0.25]])


def test_the_estimate_weighs_classes_by_their_shares():
    y = np.repeat([0, 1], 100)
    right = np.concatenate([np.ones(90), np.zeros(10), np.ones(30), np.zeros(70)]).astype(bool)
    found = expected(right, y, np.array([0.9, 0.1]), 0)
    assert found.mean == pytest.approx(0.9 * 0.9 + 0.1 * 0.3, abs=0.01)
    assert found.low < found.mean < found.high and found.tells
    few = expected(right[95:105], y[95:105], np.array([0.5, 0.5]), 0)
    assert not few.tells and "too few" in str(few)
    assert "nothing tells" in str(expected(right[:0], y[:0], np.array([0.5, 0.5]), 0))


def test_the_estimate_and_the_mean_probability_by_their_precision():
    y = np.repeat([0, 1], 100)
    right = np.random.default_rng(0).random(200) < 0.8
    shares = np.array([0.5, 0.5])
    alone, both = expected(right, y, shares, 0), expected(right, y, shares, 0, 0.6)
    own = (alone.high - alone.low) / 3.92
    a, b = own**-2, 0.05**-2
    assert both.mean == pytest.approx((a * alone.mean + b * 0.6) / (a + b), abs=0.002)
    assert (both.high - both.low) / 2 == pytest.approx(1.4 * 1.96 * (a + b) ** -0.5, rel=0.02)
    few = expected(right[98:102], y[98:102], shares, 0, 0.99)
    assert few.high - few.low > 0.4 and not few.tells


@pytest.mark.once
def test_the_interval_holds():
    """In 95 % of draws, give or take what 2000 draws leave open."""
    rng, held = np.random.default_rng(0), 0
    shares, recall = np.array([0.6, 0.3, 0.1]), np.array([0.9, 0.7, 0.4])
    for seed in range(2000):
        y = np.repeat(np.arange(3), 20)
        found = expected(rng.random(60) < recall[y], y, shares, seed)
        held += found.low <= shares @ recall <= found.high
    assert 0.93 <= held / 2000 <= 0.985
