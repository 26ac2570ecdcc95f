"""Every solver on every graph, one process each: `python tests/bench/solvers_table.py`.

Prints a markdown table: setup, 1 and 64 right-hand sides (processor seconds of one thread),
iterations, largest relative residual, memory beyond the graph's. A cell that takes longer than
--limit seconds or more than 6 GB of address space is given up and says so. Real graphs
are read from $GRAPHOL_DATA. Half an hour for everything; --graphs and --solvers choose.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = 64
SOLVERS = ("cholmod", "splu", "approx-chol", "cg", "amg", "auto:columns=1", "auto:columns=64")


def cell(file: str, spec: str) -> None:
    """One solver on one stored matrix, as JSON, a line after each step."""
    import numpy as np
    from scipy.sparse import csr_array, load_npz

    import graphol

    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
    solver = graphol.make("solver", spec)
    warm = csr_array(
        np.diag(np.r_[2.0, np.full(48, 2.0), 2.0]) - np.eye(50, k=1) - np.eye(50, k=-1)
    )
    for name in {spec.split(":")[0], "splu", "cg", "approx-chol"}:  # compile everything first
        for columns in (1, 9):
            graphol.make("solver", name).prepare(warm).solve(np.ones((50, columns)))
    A = csr_array(load_npz(file))
    B = np.random.default_rng(0).standard_normal((A.shape[0], COLUMNS))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {}
    start = time.thread_time()
    prepared = solver.prepare(A)
    found["setup"] = time.thread_time() - start
    found["explain"] = getattr(prepared, "explain", "")
    for columns in (1, COLUMNS):
        if spec.startswith("auto") and spec != f"auto:columns={columns}":
            continue
        start = time.thread_time()
        prepared.solve(B[:, :columns])
        found[f"solve{columns}"] = time.thread_time() - start
        found |= {"iterations": prepared.iterations, "residual": prepared.residual}
        found["memory"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(json.dumps(found), flush=True)


def run(file: str, spec: str, limit: float) -> dict:
    """What a cell says before it ends or is ended."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--cell", file, spec],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=limit)
        why = err.strip().splitlines()[-1].split(": ", 1)[-1] if process.returncode else ""
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
        why = f"more than {limit:.0f} s"
    lines = [line for line in out.splitlines() if line.startswith("{")]  # plugins may print
    return (json.loads(lines[-1]) if lines else {}) | ({"failure": why} if why else {})


def main() -> None:
    """The table."""
    from scipy.sparse import save_npz
    from solver_graphs import GRAPHS, system

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--limit", type=float, default=60)
    asked = parser.parse_args()
    print("| graph (n) | solver | setup | 1 | 64 | iterations | residual | MB | |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in GRAPHS.items():
            if not any(name.startswith(wanted) for wanted in asked.graphs.split(",")):
                continue
            A = system(make())
            file = str(Path(folder) / "graph.npz")
            save_npz(file, A)
            for spec in asked.solvers.split(","):
                row = run(file, spec, asked.limit)
                times = [
                    f"{row[key]:.3f}" if key in row else ""
                    for key in ("setup", "solve1", "solve64")
                ]
                rest = [
                    str(row.get("iterations", "")),
                    f"{row['residual']:.0e}" if "residual" in row else "",
                    f"{row['memory']:.0f}" if "memory" in row else "",
                    row.get("failure") or row.get("explain", ""),
                ]
                cells = [f"{name} ({A.shape[0]:,})", f"`{spec}`", *times, *rest]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cell"]:
        cell(*sys.argv[2:])
    else:
        main()
