"""Slow twins of the compiled kernels, written for the eye and for nothing else.

They keep A, never its inverse, solve afresh in every round, and follow the papers line by line.
Every twin plays a stream of rows X with labels y and K classes (K = 1: signs, y is -1 or +1) and
returns its predictions and updates, and where it may decline labels its queries too. ``answered``
says in which rounds an answer comes; None is all of them. A twin has its learner's name and
parameters, so that :func:`twin_of` finds it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphol.api import Integers, Learner, Matrix
from graphol.bases.draws import uniform
from graphol.params import describe

Played = tuple[list[int], list[int]]
Asked = tuple[list[int], list[int], list[bool]]
Answered = Sequence[bool] | None


def twin_of(learner: Learner, seed: int | None = None) -> Callable[..., Any]:
    """The twin of a learner of ours, with its parameters; ``seed`` is its state's, if it draws.

    A twin computes in double precision, whatever ``precision`` says.
    """
    twin = globals()[learner.name.replace("-", "_")]
    values = describe(learner)
    del values["name"]
    values.pop("precision", None)
    if "seed" in inspect.signature(twin).parameters:
        values["seed"] = seed
    return partial(twin, **values)


def _rounds(X: Matrix, y: Integers, answered: Answered) -> Iterator[tuple[Any, int, bool]]:
    """Vector, label and whether the label, or the bit, is revealed."""
    return zip(X, y.tolist(), [True] * len(X) if answered is None else answered, strict=True)


def _best(f: Sequence[Any], but: int = -1) -> int:
    """The class with the largest score, apart from one; ties go to the lowest."""
    return max((k for k in range(len(f)) if k != but), key=lambda k: (f[k], -k))


def _sign(f: Any) -> int:
    return 1 if f >= 0 else -1


def gpa(
    X: Matrix, y: Integers, K: int, *, when: str = "mistakes", answered: Answered = None
) -> Played:
    """Graph perceptron."""
    w = [np.zeros(X.shape[1]) for _ in range(K)]
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        f = [w_k @ x for w_k in w]
        guess = _sign(f[0]) if K == 1 else _best(f)
        predicted.append(guess)
        updates.append(0)
        if told and (guess != label or when == "always"):
            if K == 1:
                w[0] = w[0] + label * x
                updates[-1] = 1
            else:
                rival = _best(f, but=label)
                w[label] = w[label] + x
                w[rival] = w[rival] - x
                updates[-1] = 2
    return predicted, updates


def ollgc(X: Matrix, y: Integers, K: int, mu: float, *, answered: Answered = None) -> Played:
    """OLLGC: SSLGC that asks always."""
    predicted, updates, _ = sslgc(X, y, K, mu, None, answered=answered)
    return predicted, updates


def sslgc(
    X: Matrix, y: Integers, K: int, mu: float, kappa: float | None, *, answered: Answered = None
) -> Asked:
    """SSLGC: K models of one class against the rest, or for signs one model."""
    d = X.shape[1]
    A = [mu * np.eye(d) for _ in range(K)]
    b = [np.zeros(d) for _ in range(K)]  # w_k = A_k⁻¹ b_k
    predicted, updates, queries = [], [], []
    for t, (x, label, told) in enumerate(_rounds(X, y, answered), start=1):
        f = [b[k] @ np.linalg.solve(A[k], x) for k in range(K)]
        predicted.append(_sign(f[0]) if K == 1 else _best(f))
        updates.append(0)
        queries.append(False)
        for k in range(K):
            sign = label if K == 1 else (1 if label == k else -1)
            if kappa is not None:
                r = x @ np.linalg.solve(A[k] + np.outer(x, x), x)
                if not r > t**-kappa:
                    continue
            queries[-1] = True
            if told and _sign(f[k]) != sign:
                A[k] = A[k] + np.outer(x, x)
                b[k] = b[k] + sign * x
                updates[-1] += 1
    return predicted, updates, queries


def oslg(X: Matrix, y: Integers, K: int, b: float, *, answered: Answered = None) -> Played:
    """OSLG: on a mistake every class is told whether it is the one."""
    d = X.shape[1]
    A = b * np.eye(d)
    B = np.zeros((K, d))  # w_k = A⁻¹ B_k
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        u = np.linalg.solve(A, x)
        guess = _best([B_k @ u for B_k in B])
        predicted.append(guess)
        updates.append(0)
        if told and guess != label:
            A = A + np.outer(x, x)
            for k in range(K):
                B[k] += x if k == label else -x
            updates[-1] = K
    return predicted, updates


def msg(
    X: Matrix,
    y: Integers,
    K: int,
    b: float,
    delta: float,
    c: float,
    seed: int,
    *,
    answered: Answered = None,
) -> Asked:
    """MSG: asks by chance, less often the surer it is."""
    d = X.shape[1]
    A = b * np.eye(d)
    B = np.zeros((K, d))
    predicted, updates, queries = [], [], []
    for t, (x, label, told) in enumerate(_rounds(X, y, answered)):
        u = np.linalg.solve(A, x)
        f = [B_k @ u for B_k in B]
        unsure = c * np.sqrt(x @ u)
        guess = _best(f)
        sure = max(f[guess] - f[_best(f, but=guess)] - unsure, 0)
        predicted.append(guess)
        updates.append(0)
        queries.append(uniform(seed, t) < delta / (delta + sure))
        rival = _best(f, but=label)
        if told and queries[-1] and (guess != label or f[label] - f[rival] < unsure):
            A = A + np.outer(x, x)
            B[label] += x
            B[rival] -= x
            updates[-1] = 2
    return predicted, updates, queries


def molg_f(
    X: Matrix, y: Integers, K: int, b: float, phi: float, *, answered: Answered = None
) -> Played:
    """MOLG-F: updates on mistakes and on margins that are small against the uncertainty."""
    d = X.shape[1]
    A = b * np.eye(d)
    B = np.zeros((K, d))  # w_k = A⁻¹ B_k
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        u = np.linalg.solve(A, x)
        f = [B_k @ u for B_k in B]
        r = x @ u
        guess = _best(f)
        predicted.append(guess)
        updates.append(0)
        rival = _best(f, but=label)
        margin = (f[label] - f[rival]) * (1 - r)
        uncertainty = r / (2 * (1 - r))
        if told and (guess != label or margin < phi * uncertainty):
            a = 1 / (1 - r)
            A = A + a * np.outer(x, x)
            B[label] += a * x
            B[rival] -= a * x
            updates[-1] = 2
    return predicted, updates


def molg_b(
    X: Matrix,
    y: Integers,
    K: int,
    b: float,
    phi: float,
    exploration: float,
    *,
    answered: Answered = None,
) -> Played:
    """MOLG-B; of y it uses only whether the guess was right, as all bandits do."""
    d = X.shape[1]
    A = [b * np.eye(d) for _ in range(K)]
    B = np.zeros((K, d))
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        u = [np.linalg.solve(A_k, x) for A_k in A]
        r = [x @ u_k for u_k in u]
        h = [(B[k] @ u[k]) * (1 - r[k]) for k in range(K)]
        s = [r_k / (2 * (1 - r_k)) for r_k in r]
        guess = _best([h[k] + exploration * np.sqrt(s[k]) for k in range(K)])
        predicted.append(guess)
        updates.append(0)
        right = guess == label
        if told and (not right or h[guess] < phi * s[guess]):
            a = 1 / (1 - r[guess])
            A[guess] = A[guess] + a * np.outer(x, x)
            B[guess] += (a if right else -a) * x
            updates[-1] = 1
    return predicted, updates


def oslg_bandit(
    X: Matrix, y: Integers, K: int, b: float, alpha: float, *, answered: Answered = None
) -> Played:
    """OSLG-Bandit: plays the largest upper confidence bound and learns in every round."""
    d = X.shape[1]
    A = [b * np.eye(d) for _ in range(K)]
    B = np.zeros((K, d))
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        u = [np.linalg.solve(A_k, x) for A_k in A]
        guess = _best([B[k] @ u[k] + alpha * np.sqrt(x @ u[k]) for k in range(K)])
        predicted.append(guess)
        updates.append(0)
        if told:
            A[guess] = A[guess] + np.outer(x, x)
            B[guess] += x if guess == label else -x
            updates[-1] = 1
    return predicted, updates


def ridge(X: Matrix, y: Integers, K: int, b: float, *, answered: Answered = None) -> Played:
    """Ridge regression to the classes' indicators, all rounds so far solved for anew."""
    d = X.shape[1]
    A = b * np.eye(d)
    B = np.zeros((K, d))
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        u = np.linalg.solve(A, x)
        predicted.append(_best([B_k @ u for B_k in B]))
        updates.append(K if told else 0)
        if told:
            A = A + np.outer(x, x)
            B[label] += x
    return predicted, updates


def ridge_bandit(
    X: Matrix, y: Integers, K: int, b: float, alpha: float, *, answered: Answered = None
) -> Played:
    """OSLG-Bandit whose other classes learn -1 from a right answer."""
    d = X.shape[1]
    A = [b * np.eye(d) for _ in range(K)]
    B = np.zeros((K, d))
    predicted, updates = [], []
    for x, label, told in _rounds(X, y, answered):
        u = [np.linalg.solve(A_k, x) for A_k in A]
        guess = _best([B[k] @ u[k] + alpha * np.sqrt(x @ u[k]) for k in range(K)])
        predicted.append(guess)
        learning = [] if not told else range(K) if guess == label else [guess]
        updates.append(len(learning))
        for k in learning:
            A[k] = A[k] + np.outer(x, x)
            B[k] += x if k == label else -x
    return predicted, updates


def confidit(
    X: Matrix, y: Integers, K: int, alpha: float, eta: float, *, answered: Answered = None
) -> Played:
    """Confidit: A starts at (1 + alpha)² I, bounds have the width sqrt(eta x'A⁻¹x)."""
    return oslg_bandit(X, y, K, (1 + alpha) ** 2, np.sqrt(eta), answered=answered)


def _explore(best: int, K: int, gamma: float, draw: float) -> int:
    """Class k for a draw in [kγ/K, (k+1)γ/K), the best one for a draw above γ."""
    return next((k for k in range(K) if draw < (k + 1) * gamma / K), best)


def banditron(
    X: Matrix, y: Integers, K: int, gamma: float, seed: int, *, answered: Answered = None
) -> Played:
    """Banditron: a perceptron whose update is right on average over the exploration."""
    W = np.zeros((K, X.shape[1]))
    predicted, updates = [], []
    for t, (x, label, told) in enumerate(_rounds(X, y, answered)):
        best = _best([w @ x for w in W])
        played = _explore(best, K, gamma, uniform(seed, t))
        p = [(1 - gamma) * (k == best) + gamma / K for k in range(K)]
        predicted.append(played)
        updates.append(0)
        if told:
            change = np.zeros((K, X.shape[1]))
            if played == label:
                change[played] += x / p[played]
            change[best] -= x
            W = W + change
            updates[-1] = 2 if played == label and played != best else 1
    return predicted, updates


def soba(
    X: Matrix, y: Integers, K: int, a: float, gamma: float, seed: int, *, answered: Answered = None
) -> Played:
    """SOBA: A over all pairs (class, dimension); learns from right answers only."""
    d = X.shape[1]
    A = a * np.eye(K * d)
    theta = np.zeros(K * d)
    total = 0.0  # of the m that were accepted
    w = np.zeros(K * d)
    predicted, updates = [], []
    for t, (x, label, told) in enumerate(_rounds(X, y, answered)):
        f = [w_k @ x for w_k in w.reshape(K, d)]
        best = _best(f)
        played = _explore(best, K, gamma, uniform(seed, t))
        p = (1 - gamma) * (played == best) + gamma / K
        predicted.append(played)
        updates.append(0)
        if not told or played != label:
            continue
        e = np.eye(K)
        g = np.kron(e[_best(f, but=label)] - e[label], x) / p
        z = np.sqrt(p) * g
        m = ((w @ z) ** 2 + 2 * w @ g) / (1 + z @ np.linalg.solve(A, z))
        if total + m >= 0:
            total += m
            A = A + np.outer(z, z)
            theta = theta - g
            w = np.linalg.solve(A, theta)
            updates[-1] = 2
    return predicted, updates


def kernel_perceptron(
    G: Matrix, nodes: Integers, y: Integers, K: int, *, answered: Answered = None
) -> Played:
    """Kernel perceptron, from the whole Gram matrix: every mistake is a summand of its own."""
    mistakes: list[tuple[int, Any]] = []  # node, and what it adds to every class
    predicted, updates = [], []
    for row, label, told in _rounds(G[nodes], y, answered):
        f = np.zeros(K)
        for i in dict.fromkeys(node for node, _ in mistakes):  # as they joined
            f = f + row[i] * sum(c for node, c in mistakes if node == i)
        guess = _sign(f[0]) if K == 1 else _best(list(f))
        predicted.append(guess)
        updates.append(0)
        if told and guess != label:
            c = np.zeros(K)
            if K == 1:
                c[0] = label
            else:
                c[label], c[_best(list(f), but=label)] = 1, -1
            mistakes.append((int(nodes[len(predicted) - 1]), c))
            updates[-1] = 1 if K == 1 else 2
    return predicted, updates


def propagated(L: Matrix, label: Integers, K: int, noise: float, eps: float) -> Matrix:
    """The F of label propagation by dense algebra; NaN where no label is in the component."""
    S = np.flatnonzero(label >= 0)
    reached = label >= 0
    while (found := reached | (L[reached] != 0).any(axis=0)).sum() > reached.sum():
        reached = found
    F = np.full((len(L), K), np.nan)
    Y = np.eye(K)[label[S]]
    if noise > 0:
        A, B = L + eps * np.eye(len(L)), np.zeros((len(L), K))
        A[S, S] += 1 / noise
        B[S] = Y / noise
        F[reached] = np.linalg.solve(A[np.ix_(reached, reached)], B[reached])
    else:
        U = np.flatnonzero(reached & (label < 0))
        A = L + eps * np.eye(len(L))
        F[S] = Y
        F[U] = np.linalg.solve(A[np.ix_(U, U)], -L[np.ix_(U, S)] @ Y)
    return F


def label_propagation(
    L: Matrix,
    nodes: Integers,
    y: Integers,
    K: int,
    noise: float,
    eps: float,
    prior: str,
    *,
    answered: Answered = None,
) -> Played:
    """Label propagation, everything solved for anew in every round."""
    label = np.full(len(L), -1)
    predicted, updates = [], []
    for i, (_, truth, told) in zip(nodes.tolist(), _rounds(L[nodes], y, answered), strict=True):
        F = propagated(L, label, K, noise, eps)
        counts = [int(np.sum(label == k)) for k in range(K)]
        wanted = counts if prior == "seen" else [1] * K
        mass = np.ones(K) if prior in ("none", "centred") else np.nansum(F, axis=0)
        f = [wanted[k] * F[i, k] / mass[k] if mass[k] > 0 else 0.0 for k in range(K)]
        if prior == "centred" and max(counts) > 0:
            f = [f[k] - sum(F[i]) * counts[k] / sum(counts) for k in range(K)]
        predicted.append(_best(counts if np.isnan(F[i]).any() else f))
        updates.append(K if told and label[i] != truth else 0)
        if told:
            label[i] = truth
    return predicted, updates
