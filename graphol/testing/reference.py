"""Slow twins of the compiled kernels, written for the eye and for nothing else.

They keep A, never its inverse, solve afresh in every round, and follow the papers line by line.
"""

from __future__ import annotations

import numpy as np

from graphol.api import Integers, Matrix


def gpa(X: Matrix, y: Integers, K: int, *, always: bool = False) -> tuple[list[int], list[int]]:
    """Graph perceptron: predictions and updates of a stream of rows X with labels y."""
    w = [np.zeros(X.shape[1]) for _ in range(K)]
    predicted, updates = [], []
    for x, label in zip(X, y, strict=True):
        f = [w_k @ x for w_k in w]
        guess = f.index(max(f))
        predicted.append(guess)
        updates.append(0)
        if guess != label or always:
            rival = max((k for k in range(K) if k != label), key=lambda k: (f[k], -k))
            w[label] = w[label] + x
            w[rival] = w[rival] - x
            updates[-1] = 2
    return predicted, updates


def molg_f(X: Matrix, y: Integers, K: int, b: float, phi: float) -> tuple[list[int], list[int]]:
    """MOLG-F: predictions and updates."""
    d = X.shape[1]
    A = b * np.eye(d)
    B = np.zeros((K, d))  # w_k = A⁻¹ B_k
    predicted, updates = [], []
    for x, label in zip(X, y, strict=True):
        u = np.linalg.solve(A, x)
        f = [B_k @ u for B_k in B]
        r = x @ u
        guess = f.index(max(f))
        predicted.append(guess)
        updates.append(0)
        rival = max((k for k in range(K) if k != label), key=lambda k: (f[k], -k))
        margin = (f[label] - f[rival]) * (1 - r)
        uncertainty = r / (2 * (1 - r))
        if guess != label or margin < phi * uncertainty:
            a = 1 / (1 - r)
            A = A + a * np.outer(x, x)
            B[label] += a * x
            B[rival] -= a * x
            updates[-1] = 2
    return predicted, updates


def molg_b(
    X: Matrix, y: Integers, K: int, b: float, phi: float, exploration: float
) -> tuple[list[int], list[int]]:
    """MOLG-B: predictions and updates; of y it uses only whether the guess was right."""
    d = X.shape[1]
    A = [b * np.eye(d) for _ in range(K)]
    B = np.zeros((K, d))
    predicted, updates = [], []
    for x, label in zip(X, y, strict=True):
        u = [np.linalg.solve(A_k, x) for A_k in A]
        r = [x @ u_k for u_k in u]
        h = [(B[k] @ u[k]) * (1 - r[k]) for k in range(K)]
        s = [r_k / (2 * (1 - r_k)) for r_k in r]
        value = [h[k] + exploration * np.sqrt(s[k]) for k in range(K)]
        guess = value.index(max(value))
        predicted.append(guess)
        updates.append(0)
        right = guess == label
        if not right or h[guess] < phi * s[guess]:
            a = 1 / (1 - r[guess])
            A[guess] = A[guess] + a * np.outer(x, x)
            B[guess] += (a if right else -a) * x
            updates[-1] = 1
    return predicted, updates
