import sys
import types

import numpy as np
import pytest
from graphol_cholmod.cholmod import Cholmod
from scipy.sparse import csc_array, csr_array, dia_array, diags_array

import graphol
import graphol.testing


@graphol.testing.solver_checks(Cholmod())
def test_conforms(component, check):
    check(component)


def system(n=60, seed=0):
    """A random weighted graph plus a diagonal, dense."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) < 0.1, 1) * rng.uniform(0.1, 2, (n, n))
    W = W + W.T
    return np.diag(W.sum(axis=1) + rng.random(n)) - W


def test_log_determinant():
    A = system()
    assert Cholmod().prepare(A).logdet == pytest.approx(np.linalg.slogdet(A)[1], rel=1e-12)
    assert Cholmod().prepare([[1.0, -1.0], [-1.0, 1.0]]).logdet == -np.inf


def test_rank_one_updates():
    """A new edge and a heavier diagonal, against the dense inverse; the old factor stays."""
    A, rng = system(), np.random.default_rng(1)
    C = np.zeros((60, 2))
    C[3, 0], C[40, 0], C[7, 1] = np.sqrt(2), -np.sqrt(2), 1.5
    old = Cholmod().prepare(A)
    new = old.updated(C)
    B = rng.standard_normal((60, 3))
    np.testing.assert_allclose(new.solve(B), np.linalg.solve(A + C @ C.T, B), rtol=1e-9)
    np.testing.assert_allclose(old.solve(B), np.linalg.solve(A, B), rtol=1e-9)
    assert new.logdet == pytest.approx(np.linalg.slogdet(A + C @ C.T)[1], rel=1e-10)
    with pytest.raises(graphol.InputError, match="singular system cannot be updated"):
        Cholmod().prepare([[1.0, -1.0], [-1.0, 1.0]]).updated(np.ones((2, 1)))


def test_what_would_not_fit_is_refused_before_it_is_tried():
    rng = np.random.default_rng(5)
    i, j = rng.integers(0, 4000, (2, 16_000))
    S = csr_array((np.ones(16_000), (i, j)), shape=(4000, 4000))
    S = csr_array(S + S.T)
    A = csr_array(diags_array(S.sum(axis=1) + 1) - S)
    with pytest.raises(graphol.InputError, match=r"more than 1e\+06 non-zeros; use solver auto"):
        Cholmod(max_fill=1e6).prepare(A)


def test_the_fill_is_counted_exactly():
    from graphol_cholmod.adapter import symbolic

    A = csc_array(system(200, 2))
    face = symbolic(A, 1e9)
    face.factorise(A)
    if hasattr(face.factor, "apply_P"):  # 0.4; supernodes may store some zeros
        L = face.factor.L()
        assert np.count_nonzero(L.toarray()) <= face.fill.nonzeros <= L.nnz


def test_auto_uses_it():
    grid = graphol.make("dataset", "grid:rows=60,cols=60").load(np.random.default_rng(0)).graph
    prepared = graphol.make("solver", "auto:columns=64").prepare(grid.laplacian("combinatorial"))
    assert prepared.choice == "cholmod"
    assert "cholmod" in prepared.explain


def test_without_it_only_the_speed_changes(monkeypatch):
    from graphol.registry import registry

    grid = graphol.make("dataset", "grid:rows=60,cols=60").load(np.random.default_rng(0)).graph
    L = grid.laplacian("combinatorial")
    B = np.random.default_rng(1).standard_normal((grid.n, 3))
    B -= B.mean(axis=0)
    found = {}
    for plugins in ("cholmod", ""):
        monkeypatch.setenv("GRAPHOL_PLUGINS", plugins)
        registry.cache_clear()
        prepared = graphol.make("solver", "auto:columns=64").prepare(L)
        found[prepared.choice] = prepared.solve(B)
    registry.cache_clear()
    with_it, without = found.values()
    assert next(iter(found)) == "cholmod" and len(found) == 2
    np.testing.assert_allclose(with_it, without, atol=1e-6 * np.abs(with_it).max())


class NewFactor:
    """What scikit-sparse 0.5 calls CholeskyFactor, by dense algebra."""

    def __init__(self, A, *, order):
        assert order == "default"
        self.A = None
        self.colcount = np.arange(A.shape[0], 0, -1)

    def factorize(self, A):
        self.A = A.toarray()
        self.L = csc_array(np.linalg.cholesky(self.A))
        self.D = dia_array(np.eye(len(self.A)))
        return self

    def solve(self, b):
        return np.linalg.solve(self.A, b)

    def copy(self):
        new = object.__new__(NewFactor)
        vars(new).update(vars(self))
        return new

    def update(self, C):
        return self.factorize(csc_array(self.A + (C @ C.T).toarray()))


def test_the_newer_interface(monkeypatch):
    """The same adapter over the names of 0.5 (which SuiteSparse < 7.4 cannot build)."""
    import sksparse

    module = types.SimpleNamespace(CholeskyFactor=NewFactor, CholmodError=np.linalg.LinAlgError)
    monkeypatch.setitem(sys.modules, "sksparse.cholmod", module)
    monkeypatch.setattr(sksparse, "cholmod", module)
    test_log_determinant()
    test_rank_one_updates()
    with pytest.raises(graphol.InputError, match=r"more than 1e\+01 non-zeros"):
        Cholmod(max_fill=10).prepare(system())
