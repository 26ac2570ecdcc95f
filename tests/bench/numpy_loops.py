"""What a careful author would write in numpy, one loop per learner: what we are timed against.

They keep W and the inverses incrementally, update in place, allocate little and know nothing of
graphol's objects. ``draws`` are the learner's random numbers, made beforehand for all rounds.
"""

import numpy as np


def gpa(X, y, K, draws):
    W = np.zeros((K, X.shape[1]))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x, label = X[t], y[t]
        f = W @ x
        guess = predicted[t] = f.argmax()
        if guess != label:
            W[label] += x
            W[guess] -= x
    return predicted


def banditron(X, y, K, draws, gamma=0.05):
    W = np.zeros((K, X.shape[1]))
    predicted = np.empty(len(y), dtype=np.int32)
    explore = draws < gamma
    elsewhere = np.minimum((draws * K / gamma).astype(int), K - 1)
    for t in range(len(y)):
        x = X[t]
        best = (W @ x).argmax()
        played = predicted[t] = elsewhere[t] if explore[t] else best
        W[best] -= x
        if played == y[t]:
            W[played] += x / (gamma / K + (1 - gamma if played == best else 0))
    return predicted


def ollgc(X, y, K, draws, mu=1.0, kappa=None):
    d = X.shape[1]
    P, W = np.tile(np.eye(d) / mu, (K, 1, 1)), np.zeros((K, d))
    flat = P.reshape(K * d, d)
    outer = np.empty((d, d))
    predicted = np.empty(len(y), dtype=np.int32)
    signs = np.where(np.arange(K) == np.arange(K)[:, None], 1.0, -1.0)
    for t in range(len(y)):
        x, sign = X[t], signs[y[t]]
        f = W @ x
        predicted[t] = f.argmax()
        learn = (f >= 0) != (sign > 0)
        if kappa is not None:
            U = (flat @ x).reshape(K, d)
            r = U @ x
            learn &= r / (1 + r) > (t + 1) ** -kappa
        for k in np.flatnonzero(learn):
            u = P[k] @ x if kappa is None else U[k]
            c = 1 / (1 + x @ u)
            np.multiply.outer(c * u, u, out=outer)
            P[k] -= outer
            W[k] += c * (sign[k] - f[k]) * u
    return predicted


def sslgc(X, y, K, draws):
    return ollgc(X, y, K, draws, kappa=0.4)


def oslg(X, y, K, draws, b=1.0):
    d = X.shape[1]
    P, W = np.eye(d) / b, np.zeros((K, d))
    outer, step = np.empty((d, d)), np.empty((K, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x, label = X[t], y[t]
        f = W @ x
        guess = predicted[t] = f.argmax()
        if guess != label:
            u = P @ x
            c = 1 / (1 + x @ u)
            np.multiply.outer(c * u, u, out=outer)
            P -= outer
            f += 1
            f[label] -= 2
            np.multiply.outer(f, c * u, out=step)
            W -= step
    return predicted


def msg(X, y, K, draws, b=1.0, delta=0.1, c=0.1):
    d = X.shape[1]
    P, W = np.eye(d) / b, np.zeros((K, d))
    outer, step = np.empty((d, d)), np.empty((K, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x, label = X[t], y[t]
        f = W @ x
        u = P @ x
        r = x @ u
        guess = predicted[t] = f.argmax()
        top = f[guess]
        f[guess] = -np.inf
        second = f.argmax()
        f[guess] = top
        unsure = c * np.sqrt(r)
        if draws[t] * (delta + max(top - f[second] - unsure, 0.0)) >= delta:
            continue
        rival = second if guess == label else guess
        if guess != label or top - f[rival] < unsure:
            gain = 1 / (1 + r)
            np.multiply.outer(gain * u, u, out=outer)
            P -= outer
            np.negative(f, out=f)
            f[label] += 1
            f[rival] -= 1
            np.multiply.outer(f, gain * u, out=step)
            W += step
    return predicted


def molg_f(X, y, K, draws, b=10.0, phi=10.0):
    d = X.shape[1]
    P, W = np.eye(d) / b, np.zeros((K, d))
    outer, step = np.empty((d, d)), np.empty((K, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x, label = X[t], y[t]
        u = P @ x
        f = W @ x
        r = x @ u
        guess = predicted[t] = f.argmax()
        top = f[label]
        if guess == label:
            f[label] = -np.inf
            rival = f.argmax()
            f[label] = top
        else:
            rival = guess
        if guess != label or (top - f[rival]) * (1 - r) < phi * r / (2 * (1 - r)):
            np.multiply.outer(u, u, out=outer)
            P -= outer
            np.negative(f, out=f)
            f[label] += 1
            f[rival] -= 1
            np.multiply.outer(f, u, out=step)
            W += step
    return predicted


def molg_b(X, y, K, draws, b=10.0, phi=10.0, exploration=0.05):
    d = X.shape[1]
    P, W = np.tile(np.eye(d) / b, (K, 1, 1)), np.zeros((K, d))
    flat = P.reshape(K * d, d)
    outer = np.empty((d, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x = X[t]
        U = (flat @ x).reshape(K, d)
        r = np.einsum("kd,d->k", U, x)  # row by row, so that exact ties stay ties
        f = W @ x
        s = r / (2 * (1 - r))
        h = f * (1 - r)
        k = predicted[t] = (h + exploration * np.sqrt(s)).argmax()
        right = k == y[t]
        if not right or h[k] < phi * s[k]:
            u = U[k]
            np.multiply.outer(u, u, out=outer)
            P[k] -= outer
            W[k] += ((1.0 if right else -1.0) - f[k]) * u
    return predicted


def oslg_bandit(X, y, K, draws, b=1.0, width=0.05):
    d = X.shape[1]
    P, W = np.tile(np.eye(d) / b, (K, 1, 1)), np.zeros((K, d))
    flat = P.reshape(K * d, d)
    outer = np.empty((d, d))
    predicted = np.empty(len(y), dtype=np.int32)
    for t in range(len(y)):
        x = X[t]
        U = (flat @ x).reshape(K, d)
        r = np.einsum("kd,d->k", U, x)  # row by row, so that exact ties stay ties
        f = W @ x
        k = predicted[t] = (f + width * np.sqrt(r)).argmax()
        u, c = U[k], 1 / (1 + r[k])
        np.multiply.outer(c * u, u, out=outer)
        P[k] -= outer
        W[k] += c * ((1.0 if k == y[t] else -1.0) - f[k]) * u
    return predicted


def confidit(X, y, K, draws):
    return oslg_bandit(X, y, K, draws, b=4.0, width=0.1)


def soba(X, y, K, draws, a=1.0, gamma=0.05):
    d = X.shape[1]
    P, W = np.eye(K * d) / a, np.zeros((K, d))
    by_class, w = P.reshape(K, d, K * d), W.reshape(K * d)
    outer = np.empty_like(P)
    predicted = np.empty(len(y), dtype=np.int32)
    explore = draws < gamma
    elsewhere = np.minimum((draws * K / gamma).astype(int), K - 1)
    surplus = 0.0
    for t in range(len(y)):
        x, label = X[t], y[t]
        f = W @ x
        best = f.argmax()
        played = predicted[t] = elsewhere[t] if explore[t] else best
        if played != label:
            continue
        p = gamma / K + (1 - gamma if played == best else 0)
        top = f[label]
        f[label] = -np.inf
        j = f.argmax()
        difference = f[j] - top
        u = x @ by_class[j]
        u -= x @ by_class[label]
        u *= 1 / np.sqrt(p)
        leverage = (u[j * d : (j + 1) * d] - u[label * d : (label + 1) * d]) @ x / np.sqrt(p)
        m = (difference**2 + 2 * difference) / p / (1 + leverage)
        if surplus + m < 0:
            continue
        surplus += m
        w -= (difference + 1) / np.sqrt(p) / (1 + leverage) * u
        u *= 1 / np.sqrt(1 + leverage)
        np.multiply.outer(u, u, out=outer)
        P -= outer
    return predicted
