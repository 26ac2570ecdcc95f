"""One-vs-rest ridge models, updated on their own mistakes: a compiled stream in look-ahead blocks.

The models do not know of each other, so each plays the whole stream alone, in blocks as in
:mod:`graphol.compiled.per_class`. Their scores are kept to choose a class. A model that always
asks needs P on its mistakes only, which are few, so u = P x is then taken one at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.compiled import blocks

BLOCK = 96
ask: Any = None  # the rules, bound by `compiled`
decide: Any = None


def play(P, W, stretch, always, asking, deciding, out):
    """Play the stretch; P (M, d, d) and W (M, d) change in place; M = 1 model predicts a sign.

    With ``always`` a model wants every label and ``ask`` is not called.
    """
    X, row, told, answered, first = (
        stretch.rows, stretch.row, stretch.told, stretch.answered, stretch.first,
    )  # fmt: skip
    predicted, updates, query = out.predicted, out.updates, out.query
    M, d = W.shape
    T = len(row)
    scores = out.scores if len(out.scores) else np.empty((T, M))
    updates[:] = 0
    query[:] = False
    x = np.empty((BLOCK, d))
    U = np.empty((BLOCK, d))
    R = np.empty(BLOCK)
    f = np.empty(BLOCK)
    V = np.empty((BLOCK, d))  # sqrt(c) u of every update in the block
    g = np.empty(BLOCK)  # sqrt(c) x_a'u for the rounds still to come
    step = np.empty(BLOCK)
    for k in range(M):
        Pk, w = P[k], W[k]
        for lo in range(0, T, BLOCK):
            m = min(BLOCK, T - lo)
            for i in range(m):
                x[i] = X[row[lo + i]]
            np.dot(x[:m], w, f[:m])
            if not always:
                np.dot(x[:m], Pk, U[:m])
                blocks.leverages(U, x[:m], R)
            n = 0
            for i in range(m):
                t = lo + i
                scores[t, k] = f[i]
                if not always and not ask(R[i], first + t, *asking):
                    continue
                query[t] = True
                if not answered[t]:
                    continue
                y = 1.0 if (told[t] == 1 if M == 1 else told[t] == k) else -1.0
                if not decide(f[i], y, *deciding):
                    continue
                v = V[n]
                if always:
                    np.dot(Pk, x[i], v)
                else:
                    v[:] = U[i]
                for q in range(n):
                    vq = V[q]
                    vx = np.dot(vq, x[i])
                    for e in range(d):
                        v[e] -= vx * vq[e]
                root = np.sqrt(1.0 / (1.0 + np.dot(v, x[i])))
                for e in range(d):
                    v[e] *= root
                step[n] = root * (y - f[i])
                np.dot(x[i + 1 : m], v, g[i + 1 : m])
                for a in range(i + 1, m):
                    f[a] += step[n] * g[a]
                    R[a] -= g[a] ** 2
                n += 1
                updates[t] += 1
            if n:
                blocks.downdate(Pk, V[:n])
                for q in range(n):
                    vq = V[q]
                    for e in range(d):
                        w[e] += step[q] * vq[e]
    for t in range(T):
        if M == 1:
            predicted[t] = 1 if scores[t, 0] >= 0 else -1
        else:
            best = 0
            for k in range(1, M):
                if scores[t, k] > scores[t, best]:
                    best = k
            predicted[t] = best
