"""Ratios between linear solvers: blocks against single columns, auto against the best.

Processor time of one thread, in turns, best of several. A small part of the table that
`python tests/bench/solvers_table.py` prints in full; docs/theory/solvers.md shows it.
"""

import functools
import os
import runpy
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import graphol
from graphol.registry import registry

HERE = Path(__file__).parent
FLOORS = tomllib.loads((HERE / "solver_floors.toml").read_text())
TOOLS = runpy.run_path(str(HERE / "solver_graphs.py"))
COLUMNS = 64
GRAPHS = {
    "grid 80 x 80": lambda: TOOLS["grid"](80, 80),
    "weighted grid 80 x 80": lambda: TOOLS["weighted"](TOOLS["grid"](80, 80), 6),
    "Barabási-Albert 4k": lambda: TOOLS["barabasi_albert"](4_000, 5),
    "random 4-regular 4k": lambda: TOOLS["regular"](4_000, 4),
    "Cora": TOOLS["GRAPHS"]["Cora"],
    "PubMed": TOOLS["GRAPHS"]["PubMed"],
}
REAL = {"Cora", "PubMed"}
pytestmark = pytest.mark.bench


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1, "blas"):
        yield


@functools.cache
def system(name):
    if name in REAL and "GRAPHOL_DATA" not in os.environ:
        pytest.skip("GRAPHOL_DATA is not set; set it to the folder of the real graphs")
    A = TOOLS["system"](GRAPHS[name]())
    return A, np.random.default_rng(0).standard_normal((A.shape[0], COLUMNS))


def best_of(times, *runs):
    best = [np.inf] * len(runs)
    for _ in range(times):
        for i, run in enumerate(runs):
            start = time.thread_time()
            run()
            best[i] = min(best[i], time.thread_time() - start)
    return best


@pytest.mark.parametrize("solver", ["approx-chol", "cg"])
@pytest.mark.parametrize("name", ["grid 80 x 80", "Cora", "PubMed"])
def test_blocks_beat_columns(name, solver, capsys):
    """64 columns together, against one after another through scipy's cg, same preconditioner."""
    from scipy.sparse.linalg import LinearOperator, cg

    A, B = system(name)
    prepared = graphol.make("solver", solver).prepare(A)
    n = A.shape[0]
    Z = np.empty((n, 1))

    def apply(v):
        prepared.apply(np.ascontiguousarray(v, dtype=float).reshape(n, 1), Z)
        return Z[:, 0].copy()

    M = LinearOperator((n, n), matvec=apply, dtype=float)
    some = 8 if n < 5000 else 3  # columns that are timed one by one

    def singly():
        for c in range(some):
            cg(A, B[:, c], rtol=1e-8, M=M)

    def ours_singly():
        for c in range(some):
            prepared.solve(B[:, c])

    prepared.solve(B), singly()
    together, scipys, ours = best_of(2, lambda: prepared.solve(B), singly, ours_singly)
    assert prepared.residual <= 1.01e-8
    ratio = min(scipys, ours) * COLUMNS / some / together
    floor = FLOORS["blocks"][solver]
    with capsys.disabled():
        print(
            f"\n{name:24} {solver:12} 64 columns {together:.3f} s, one by one: "
            f"scipy {scipys * COLUMNS / some / together:.1f}x, ours "
            f"{ours * COLUMNS / some / together:.1f}x (floor {floor})"
        )
    assert ratio >= floor


@pytest.mark.parametrize("columns", [1, COLUMNS])
@pytest.mark.parametrize("name", GRAPHS)
def test_auto_is_near_the_best(name, columns, capsys):
    """Setup and solve together, against every single solver that is installed."""
    A, B = system(name)
    B = B[:, :columns]
    rivals = [solver for solver in registry().offers("solver") if solver != "auto"]
    taken = {}
    for spec in (f"auto:columns={columns}", *rivals):

        def run(spec=spec):
            taken[spec] = graphol.make("solver", spec).prepare(A)
            taken[spec].solve(B)

        start = time.thread_time()
        try:
            run()  # compiles and warms up; what is hopeless is not run again
        except graphol.GrapholError:
            continue
        taken[spec] = (time.thread_time() - start, run, getattr(taken[spec], "choice", ""))
    quick = {
        spec: run for spec, (first, run, _) in taken.items()
        if spec.startswith("auto") or first < 3 * min(t for t, *_ in taken.values()) + 0.2
    }  # fmt: skip
    best = dict(zip(quick, best_of(2, *quick.values()), strict=True))
    auto = best.pop(f"auto:columns={columns}")
    winner = min(best, key=best.get)
    factor = auto / best[winner]
    with capsys.disabled():
        print(f"\n{name:24} {columns:2} auto {auto:.4f} s = {factor:.2f} x {winner}", end="")
    allowed = FLOORS["auto"]["factor"]
    assert auto <= allowed * best[winner] + FLOORS["auto"]["seconds"]
