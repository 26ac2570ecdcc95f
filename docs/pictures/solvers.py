"""Processor seconds to solve L x = b on square grids, against their size: one and 64 columns."""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array, kron

import graphol

SOLVERS = ("splu", "approx-chol", "cg")
SIDES = (32, 64, 128, 192)
LIMIT = 20.0


def grid(side):
    path = diags_array([np.ones(side - 1)] * 2, offsets=[-1, 1])
    return graphol.Graph(csr_array(kron(path, eye_array(side)) + kron(eye_array(side), path)))


def seconds(solver, A, B):
    start = time.process_time()
    solver.prepare(A).solve(B)
    return time.process_time() - start


figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.4), sharey=True)
for columns, axes in zip((1, 64), panels, strict=True):
    for name in SOLVERS:
        solver, spent = graphol.make("solver", name), []
        for side in SIDES:
            A = grid(side).laplacian("combinatorial")
            B = np.random.default_rng(0).standard_normal((side * side, columns))
            B -= B.mean(axis=0)
            if not spent:
                seconds(solver, A, B)  # compiles
            spent.append(min(seconds(solver, A, B) for _ in range(3)))
            if spent[-1] > LIMIT:
                break
        axes.loglog([side**2 for side in SIDES[: len(spent)]], spent, "o-", label=name)
        print(name, f"{columns} columns", *(f"{s:.4f}" for s in spent))
    axes.set(xlabel="nodes of the grid", title=f"{columns} right-hand side{'s' * (columns > 1)}")
panels[0].set_ylabel("processor seconds, all in all")
panels[0].legend()
figure.savefig("picture.svg")
