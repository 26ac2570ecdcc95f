"""What every linear solver promises."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.api import LinearSolver
from graphol.errors import GrapholError
from graphol.testing.games import blocks

TOLERANCE = 1e-6


def _systems() -> dict[str, Any]:
    """Regular and singular systems on a graph with an isolated node."""
    from scipy.sparse import csr_array, diags_array

    graph = blocks(30)
    L = graph.laplacian("combinatorial")
    some = np.zeros(graph.n)
    some[[0, 7, 29]] = 1.0
    connected = graph.largest_component().laplacian("combinatorial")
    return {
        "L + I": csr_array(L + diags_array(np.ones(graph.n))),
        "L + I_S": csr_array(L + diags_array(some)),
        "L of a connected graph": connected,
        "L with an isolated node": L,
    }


def _in_range(A: Any, k: int) -> np.ndarray:
    """k right-hand sides that A can reach."""
    x = np.random.default_rng(1).normal(size=(A.shape[0], k))
    return np.asarray(A @ x)


def meets_its_tolerance(solver: LinearSolver) -> None:
    """The answer solves the system, and the reported residual is the true one."""
    for name, A in _systems().items():
        B = _in_range(A, 3)
        prepared = solver.prepare(A)
        X = prepared.solve(B)
        residual = np.linalg.norm(A @ X - B, axis=0) / np.linalg.norm(B, axis=0)
        assert residual.max() < TOLERANCE, f"{name}: residual {residual.max():.3g}"
        assert prepared.residual <= 10 * max(residual.max(), 1e-15), f"{name}: misreported"
        assert prepared.residual >= 0.1 * residual.max(), f"{name}: misreported"
        assert prepared.iterations >= 0


def agrees_with_the_pseudo_inverse(solver: LinearSolver) -> None:
    """On a singular system the answer is the one without a null-space part."""
    for name, A in _systems().items():
        B = _in_range(A, 3)
        exact = np.linalg.pinv(A.toarray(), rcond=1e-11, hermitian=True) @ B
        X = solver.prepare(A).solve(B)
        assert np.allclose(X, exact, atol=1e-4 * abs(exact).max()), f"{name}: not the pinv solution"


def takes_vectors_and_blocks(solver: LinearSolver) -> None:
    """One right-hand side or many: same numbers, matching shapes."""
    for A in _systems().values():
        B = _in_range(A, 3)
        prepared = solver.prepare(A)
        X = prepared.solve(B)
        one = prepared.solve(B[:, 0])
        assert X.shape == B.shape and one.shape == (A.shape[0],)
        assert np.allclose(X[:, 0], one, atol=1e-4 * max(1.0, abs(one).max()))


def zero_gives_zero(solver: LinearSolver) -> None:
    """b = 0 is a system too."""
    for A in _systems().values():
        assert not solver.prepare(A).solve(np.zeros(A.shape[0])).any()


def refuses_what_has_no_solution(solver: LinearSolver) -> None:
    """b outside the range of a singular A, or NaN, is an error and not a number."""
    systems = _systems()
    A = systems["L of a connected graph"]
    bad = {"outside the range": np.ones(A.shape[0]), "NaN": np.full(A.shape[0], np.nan)}
    for what, b in bad.items():
        try:
            solver.prepare(A).solve(b)
        except GrapholError as reason:
            assert "\n" not in str(reason)
        else:
            raise AssertionError(f"a right-hand side {what} was accepted")


CHECKS = [
    meets_its_tolerance,
    agrees_with_the_pseudo_inverse,
    takes_vectors_and_blocks,
    zero_gives_zero,
    refuses_what_has_no_solution,
]
