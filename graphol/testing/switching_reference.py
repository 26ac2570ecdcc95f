"""Slow twins of the learners for switching games, written for the eye and for nothing else.

They have the whole Gram matrix G, keep every mistake as a summand of its own, and return their
predictions; :mod:`graphol.testing.reference` has the twins of the other learners.
"""

from __future__ import annotations

import numpy as np

from graphol.api import Integers, Matrix, Vector


def _sign(f: float) -> int:
    return 1 if f >= 0 else -1


def _best(f: Vector, but: int = -1) -> int:
    """The class with the largest score, apart from one; ties go to the lowest."""
    return max((k for k in range(len(f)) if k != but), key=lambda k: (f[k], -k))


def context_perceptron(
    G: Matrix, nodes: Integers, contexts: Integers, y: Integers, K: int
) -> list[int]:
    """A kernel perceptron for every context; K = 1: signs."""
    mistakes: dict[int, dict[int, Vector]] = {}  # per context: node, and what it adds to each class
    predicted = []
    for i, j, label in zip(nodes.tolist(), contexts.tolist(), y.tolist(), strict=True):
        mine = mistakes.setdefault(j, {})
        f = np.zeros(K)
        for s, c in mine.items():  # as they joined
            f = f + G[i, s] * c
        guess = _sign(f[0]) if K == 1 else _best(f)
        predicted.append(guess)
        if guess != label:
            c = mine.setdefault(i, np.zeros(K))
            if K == 1:
                c[0] += label
            else:
                c[label] += 1
                c[_best(f, but=label)] -= 1
    return predicted


def multitask_perceptron(
    G: Matrix, nodes: Integers, tasks: Integers, y: Integers, p: int, b: float
) -> list[int]:
    """The perceptron on pairs, with the kernel G times the inverse of A, which is inverted."""
    inverse = np.linalg.inv((1 + b) * np.eye(p) - b / p * np.ones((p, p)))
    F = np.zeros((p, len(G)))  # a function on the nodes for every task
    predicted = []
    for i, a, label in zip(nodes.tolist(), tasks.tolist(), y.tolist(), strict=True):
        guess = _sign(F[a, i])
        predicted.append(guess)
        if guess != label:
            F += label * np.outer(inverse[:, a], G[:, i])
    return predicted


def tracking_perceptron(
    G: Matrix, nodes: Integers, y: Integers, phi: float | None
) -> tuple[list[int], Vector]:
    """The perceptron f = G c, its norm c'Gc found afresh; predictions and the last c."""
    c = np.zeros(len(G))
    predicted = []
    for i, label in zip(nodes.tolist(), y.tolist(), strict=True):
        guess = _sign(float(G[i] @ c))
        predicted.append(guess)
        if guess != label:
            c[i] += label
            norm = float(c @ G @ c)
            if phi is not None and norm > phi:
                c *= np.sqrt(phi / norm)
    return predicted, c


def _shared_out(w: Vector, share: float) -> Vector:
    shared: Vector = (1 - share) * w / w.sum() + share / len(w)
    return shared


def perceptron_bank(
    G: Matrix, nodes: Integers, y: Integers, K: int, beta: float, share: float
) -> tuple[list[int], Vector]:
    """K kernel perceptrons, of which the heaviest plays; predictions and the last weights."""
    F = np.zeros((K, len(G)))
    w = np.full(K, 1 / K)
    predicted = []
    for i, label in zip(nodes.tolist(), y.tolist(), strict=True):
        said = [_sign(f[i]) for f in F]
        k = max(
            range(K), key=lambda k: (float(w[k].round(12)), -k)
        )  # equal but for rounding is equal
        predicted.append(said[k])
        if said[k] != label:
            F[k] += label * G[:, i]
        w = w * np.exp([-beta * (p != label) for p in said])
        w = _shared_out(w, share)
    return predicted, w


def weighted_majority(
    said: Integers, y: Integers, K: int, beta: float, share: float
) -> tuple[list[int], Vector]:
    """The vote on what N members said, (T, N), each label shown; K = 1: signs."""
    N = said.shape[1]
    w = np.full(N, 1 / N)
    predicted = []
    for row, label in zip(said.tolist(), y.tolist(), strict=True):
        if K == 1:
            predicted.append(_sign(round(sum(w * row), 12)))
        else:
            behind = np.zeros(K)
            for e in range(N):
                behind[row[e]] += w[e]
            predicted.append(_best(behind.round(12)))
        w = w * [beta if said_e != label else 1.0 for said_e in row]
        w = _shared_out(w, share)
    return predicted, w
