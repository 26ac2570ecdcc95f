"""What ``auto`` chooses, why, and what it does when its choice gives up."""

from typing import Any, ClassVar

import attrs
import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, kron

from graphol import InputError
from graphol.linalg.pcg import NotConverged
from graphol.linalg.shape import Shape
from graphol.linalg.solvers.auto import Auto, Chosen
from graphol.linalg.solvers.cg import ConjugateGradients
from graphol.linalg.solvers.splu import SuperLU
from graphol.linalg.system import LaplacianSystem
from graphol.registry import registry


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch):
    monkeypatch.setenv("GRAPHOL_PLUGINS", "")
    registry.cache_clear()
    yield
    registry.cache_clear()


def laplacian(S, diagonal=1e-2):
    return csr_array(diags_array(S.sum(axis=1) + diagonal) - S)


def grid(k):
    line = diags_array([1.0, 1.0], offsets=[-1, 1], shape=(k, k))
    eye = diags_array(np.ones(k))
    return csr_array(kron(eye, line) + kron(line, eye))


def expander(n, degree=8):
    rng = np.random.default_rng(0)
    i, j = np.tile(np.arange(n), degree // 2), rng.integers(0, n, n * degree // 2)
    S = csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    S.setdiag(0)
    return csr_array(S + S.T)


CASES = [  # clear ones: the second best takes several times as long
    ("expander", laplacian(expander(20_000)), 1, "cg"),
    ("grid", laplacian(grid(150)), 64, "splu"),
    ("grid", laplacian(grid(200), 1e-6), 1, "approx-chol"),
]


@pytest.mark.parametrize(("name", "A", "columns", "best"), CASES, ids=lambda x: str(x)[:10])
def test_chooses_and_says_why(name, A, columns, best):
    prepared = Auto(columns=columns).prepare(A)
    assert prepared.choice == best
    assert prepared.explain.startswith(f"{best}: ")
    assert f"{columns} right-hand side(s) of {A.shape[0]} rows" in prepared.explain
    assert "iterations" in prepared.explain and "\n" not in prepared.explain
    if columns > 1:
        assert "non-zeros" in prepared.explain
    b = np.random.default_rng(1).standard_normal(A.shape[0])
    x = prepared.solve(b)
    assert np.linalg.norm(A @ x - b) <= 1.01e-8 * np.linalg.norm(b)


def test_iterations_are_foreseen():
    """Within a factor of 2.5 of what cg then needs."""
    for A in (laplacian(expander(5000)), laplacian(grid(60), 1e-3)):
        expected = Shape(LaplacianSystem.of(A), 1, 1e-8).cg_iterations
        prepared = ConjugateGradients().prepare(A)
        prepared.solve(np.random.default_rng(1).standard_normal(A.shape[0]))
        assert 1 / 2.5 < expected / prepared.iterations < 2.5


@attrs.frozen
class Quitter:
    """Refuses, or gives up."""

    name: ClassVar[str] = "quitter"
    when: str = "prepare"

    def prepare(self, A: Any) -> Any:
        if self.when == "prepare":
            raise InputError("quitter: too large")
        return self

    def solve(self, B: Any) -> Any:
        raise NotConverged("quitter: no luck")


@pytest.mark.parametrize("when", ["prepare", "solve"])
def test_the_next_one_takes_over(when):
    A = laplacian(grid(10))
    chosen = Chosen(A, [Quitter(when), SuperLU()], "quitter: it is the best")
    x = chosen.solve(np.ones(100))
    np.testing.assert_allclose(A @ x, np.ones(100), rtol=1e-9)
    assert chosen.choice == "splu"
    assert "quitter gave up (quitter: " in chosen.explain
    with pytest.raises(InputError, match="quitter"):
        Chosen(A, [Quitter(when)], "").solve(np.ones(100))


def test_a_bad_right_hand_side_is_nobodys_failure():
    L = csr_array(diags_array(grid(5).sum(axis=1)) - grid(5))
    prepared = Auto().prepare(L)
    first = prepared.choice
    with pytest.raises(InputError, match="must sum to 0"):
        prepared.solve(np.ones(25))
    assert prepared.choice == first
