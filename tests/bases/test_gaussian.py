"""A labeling learnt label by label against Gaussian regression written out."""

import numpy as np
import pytest

from graphol import UsageError, make
from graphol.bases.gaussian import LEAST_NOISE, Labeling

NOISE = 0.1


def kernel(n, rng):
    A = rng.normal(size=(n, 2 * n))
    return A @ A.T / n


def dense(K, examples, i):
    """Mean of f and variance of a label at node i, every example an observation of its own."""
    if not examples:
        return 0.0, K[i, i] + NOISE
    S, y = (np.array(column) for column in zip(*examples, strict=True))
    A = K[np.ix_(S, S)] + NOISE * np.eye(len(S))
    mean, cover = K[i, S] @ np.linalg.solve(A, y), K[i, S] @ np.linalg.solve(A, K[S, i])
    return mean, K[i, i] - cover + NOISE


@pytest.mark.parametrize("seed", range(6))
def test_learning_and_unlearning_in_any_order(seed):
    rng, n = np.random.default_rng(seed), 9
    K, known, examples = kernel(n, rng), Labeling.unknown(), []
    for _ in range(120):
        if examples and rng.random() < 0.4:
            i, y = examples.pop(int(rng.integers(len(examples))))
            known.unlearn(i, y, NOISE)
        else:
            i, y = int(rng.integers(n)), int(rng.choice([-1, 1]))
            known.learn(i, y, K[i, known.nodes.values], K[i, i], NOISE)
            examples.append((i, y))
        assert known.is_unknown == (not examples)
        for i in range(n):
            found = known.moments(K[i, known.nodes.values], K[i, i], NOISE)
            assert found == pytest.approx(dense(K, examples, i), abs=1e-9)
    known.check(n, NOISE)


def test_no_drift_with_the_least_noise_in_a_long_game():
    """A kernel of rank 5 over 25 nodes: B is as near to singular as it may be."""
    rng, n = np.random.default_rng(2), 25
    A = rng.normal(size=(n, 5))
    K = A @ A.T / np.square(A).sum(axis=1).max()
    known, examples = Labeling.unknown(), []
    for _ in range(4000):
        if examples and rng.random() < 0.48:
            i, y = examples.pop(int(rng.integers(len(examples))))
            known.unlearn(i, y, LEAST_NOISE)
        else:
            i, y = int(rng.integers(n)), int(rng.choice([-1, 1]))
            known.learn(i, y, K[i, known.nodes.values], K[i, i], LEAST_NOISE)
            examples.append((i, y))
    at, c = known.nodes.values, known.seen.values
    used = c > 0
    S, y = at[used], known.total.values[used] / c[used]
    C = np.linalg.inv(K[np.ix_(S, S)] + LEAST_NOISE * np.diag(1 / c[used]))
    for i in range(n):
        mean, variance = known.moments(K[i, at], K[i, i], LEAST_NOISE)
        assert mean == pytest.approx(K[i, S] @ C @ y, abs=1e-4)
        fresh = K[i, i] - K[i, S] @ C @ K[S, i] + LEAST_NOISE
        assert variance == pytest.approx(fresh, rel=1e-3)


@pytest.mark.parametrize("name", ["gaussian-bank", "gaussian-tasks"])
@pytest.mark.parametrize("given", ["noise=1e-300", "scale=1e50", "scale=1e100,noise=1e95"])
def test_a_noise_that_rounding_would_drown_is_refused(name, given):
    with pytest.raises(
        UsageError, match=f"{name}: noise must be at least scale / 10000 = .* raise"
    ):
        make("learner", f"{name}:{given}")


def test_what_was_taken_back_leaves_no_trace_in_b():
    rng = np.random.default_rng(1)
    K, known = kernel(4, rng), Labeling.unknown()
    for i in (0, 1, 2):
        known.learn(i, 1, K[i, known.nodes.values], K[i, i], NOISE)
    known.unlearn(1, 1, NOISE)
    assert (known._row(1) == 0).all()


@pytest.mark.parametrize(
    ("part", "values"),
    [("nodes", [0, 0]), ("nodes", [0, 9]), ("nodes", [0, -1]), ("seen", [0.0, 1.0]), ("B", [1.0]),
     ("B", [1.0, 0.0, -1.0]), ("B", [1.0, 2.0, 1.0]), ("B", [99.0, 0.0, 1.0]),
     ("B", [0.0, 0.0, 0.5]), ("alpha", [0.9, -0.9])],
)  # fmt: skip
def test_impossible_labelings(part, values):
    K, known = np.eye(4), Labeling.unknown()
    for i in (0, 1):
        known.learn(i, 1, K[i, known.nodes.values], 1.0, NOISE)
    bad = known._replace(**{part: type(known.B)(np.array(values))})
    with pytest.raises(ValueError, match="labeling"):
        bad.check(4, NOISE)
