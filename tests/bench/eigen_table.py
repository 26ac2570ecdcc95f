"""The table of eigensolvers: `python tests/bench/eigen_table.py [GRAPH ...]`, some 20 minutes.

Every cell runs in a process of its own, for the sake of its peak of memory. The smallest d
eigenpairs of the normalised Laplacian of the largest component, residuals ||L v - λ v||.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

import graphol
from graphol.linalg.eigen import smallest_eigenpairs

SBM = "sbm:classes=10,degree_in=7,degree_out=3,nodes="
CASES = {
    "cora": ("cora", 100, ("ours", "eigsh", "sklearn", "lobpcg")),
    "cora-500": ("cora", 500, ("ours", "eigsh", "sklearn", "lobpcg")),
    "pubmed": ("pubmed", 100, ("ours", "eigsh", "sklearn", "lobpcg")),
    "sbm-100k": (SBM + "100000", 10, ("ours", "lobpcg")),
    "sbm-100k-100": (SBM + "100000", 100, ("ours", "lobpcg")),
    "sbm-1m": (SBM + "1000000", 10, ("ours", "lobpcg")),
}
"""Where eigsh and scikit-learn are left out they factorise: a billion non-zeros, no memory."""
LIMIT = 400  # seconds


class Measured(NamedTuple):
    """One cell."""

    wall: float
    cpu: float
    residual: float
    method: str


def ours(graph: Any, d: int) -> tuple[Any, Any, str]:
    pairs = smallest_eigenpairs(graph, "normalized", d, np.random.default_rng(0))
    return pairs.values, pairs.vectors, pairs.method


def eigsh(graph: Any, d: int) -> tuple[Any, Any, str]:
    """scipy's shift-invert as it is: its own SuperLU, default ordering."""
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import eigsh

    values, vectors = eigsh(
        csc_array(graph.laplacian("normalized")), d, sigma=-1e-3,
        v0=np.random.default_rng(0).standard_normal(graph.n),
    )  # fmt: skip
    return values, vectors, "shift-invert"


def sklearn(graph: Any, d: int) -> tuple[Any, Any, str]:
    """scikit-learn's spectral_embedding; it scales vectors by D^-1/2, which is undone here."""
    from scipy.sparse import csr_matrix
    from sklearn.manifold import spectral_embedding

    made = spectral_embedding(
        csr_matrix(graph.adjacency), n_components=d, drop_first=False, random_state=0
    )
    V = made * np.sqrt(graph.degrees)[:, None]
    V /= np.linalg.norm(V, axis=0)
    return np.einsum("ij,ij->j", V, graph.laplacian("normalized") @ V), V, "arpack"


def lobpcg(graph: Any, d: int) -> tuple[Any, Any, str]:
    """Without a preconditioner, to the same tolerance, 200 iterations at the most."""
    from scipy.sparse.linalg import lobpcg

    X = np.random.default_rng(0).standard_normal((graph.n, d))
    X[:, 0] = np.sqrt(graph.degrees)
    L = graph.laplacian("normalized")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, vectors = lobpcg(L, X, tol=1e-3, maxiter=200, largest=False)
    return values, vectors, "lobpcg"


METHODS = {"ours": ours, "eigsh": eigsh, "sklearn": sklearn, "lobpcg": lobpcg}


def measure(name: str, graph: Any, d: int) -> Measured:
    """Time and residual of one method."""
    wall, cpu = time.perf_counter(), time.process_time()
    values, V, method = METHODS[name](graph, d)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    L, worst = graph.laplacian("normalized"), 0.0
    for c in range(0, d, 16):
        part = V[:, c : c + 16]
        error = np.linalg.norm(L @ part - part * values[c : c + 16], axis=0)
        worst = max(worst, float(error.max()))
    return Measured(wall, cpu, worst, method)


def cell(case: str, name: str) -> None:
    """Measure in this process and print JSON."""
    dataset, d, _ = CASES[case]
    graph = graphol.make("dataset", dataset).load(np.random.default_rng(0)).graph
    graph = graph.largest_component()
    if name == "ours":  # compile, or read what was compiled
        small = graphol.make("dataset", SBM + "6000").load(np.random.default_rng(0)).graph
        ours(small.largest_component(), 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = measure(name, graph, d)._asdict()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(found | {"peak": peak / 1e3, "before": before / 1e3}))


def main(cases: list[str]) -> None:
    """Every cell in its own process."""
    heads = ("graph", "d", "method", "CPU s", "wall s", "residual", "peak MB")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)
    for case in cases or CASES:
        _, d, names = CASES[case]
        for name in names:
            command = [sys.executable, __file__, "--cell", case, name]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
                found = json.loads(done.stdout)
            except subprocess.TimeoutExpired:
                print(f"| {case} | {d} | {name} | > {LIMIT} | | | |", flush=True)
                continue
            except json.JSONDecodeError:
                why = done.stderr.strip().splitlines()[-1:]
                print(f"| {case} | {d} | {name} | failed: {why} | | | |", flush=True)
                continue
            method = f"{name}: {found['method']}" if name == "ours" else name
            print(
                f"| {case} | {d} | {method} | {found['cpu']:.2f} | {found['wall']:.2f} | "
                f"{found['residual']:.1e} | {found['peak']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cell"]:
        cell(*sys.argv[2:4])
    else:
        main(sys.argv[1:])
