"""A GraphDA stream as Python with pcst_fast plays it, run by an interpreter that has numpy < 2.

``python published_search.py STREAM.npz`` prints the milliseconds per round of both projections and
the last support. pcst_fast returns wrong nodes under numpy 2, so it gets an environment of its own.
"""

import json
import sys
import time

import numpy as np
from pcst_fast import pcst_fast


def project(v, edges, low, high):
    prizes = v * v
    costs = np.ones(len(edges))
    ascending = np.sort(prizes)

    def nodes(price):
        return pcst_fast(edges, prizes, price * costs, -1, 1, "gw", 0)[0]

    price = 2 * ascending[high - 1] or 2 * ascending[low - 1] or 2 * ascending[-1]
    below, calls, found = 0.0, 1, nodes(price)
    while len(found) > high and calls < 20:
        price *= 2
        calls, found = calls + 1, nodes(price)
    if len(found) >= low:
        return found
    while calls < 20:
        middle = (below + price) / 2
        calls, found = calls + 1, nodes(middle)
        if low <= len(found) <= high:
            return found
        if len(found) > high:
            below = middle
        else:
            price = middle
    return nodes(price)


def main(path):
    data = np.load(path)
    X, y, edges, s = data["X"], data["y"], data["edges"], int(data["s"])
    p = X.shape[1]
    mean, w, elapsed = np.zeros(p), np.zeros(p), 0.0
    support = np.zeros(0, dtype=int)
    for t in range(len(y)):
        slope = -y[t] / (1 + np.exp(y[t] * (w @ X[t])))
        mean = t / (t + 1) * mean + slope * X[t] / (t + 1)
        start = time.thread_time()
        head = project(mean, edges, p // 2, int(1.1 * (p // 2)))
        u = np.zeros(p)
        u[head] = -np.sqrt(t + 1) / 100 * mean[head]
        support = project(u, edges, s, int(1.1 * s))
        elapsed += time.thread_time() - start
        w = np.zeros(p)
        w[support] = u[support]
    print(json.dumps({"ms": 1e3 * elapsed / len(y), "support": np.sort(support).tolist()}))


main(sys.argv[1])
