"""x' exp(A) x for A = sum_s c_s x_s x_s', decided against a threshold by Lanczos quadrature.

Vectors of the Krylov space are v = a x + X z and are kept as (a, z, u = X'v), so that a step costs
one product with the Gram matrix of the support and nothing of the size of x. The Gram matrix is
never stored: its entries are g(i_s, i_t) + h(j_s, j_t), and each part has a product of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphol.jit import kept

TREE, CLIQUE, BLOCK = 0, 1, 2
EXACT = 1e-13
"""A squared residual so small, beside T's largest entry squared, is rounding: the space ends."""


class Support(NamedTuple):
    """The pairs learnt from, s = 1..M, as their products need them."""

    c: Any  # (M,) coefficients
    slot: Any  # (M,) which of the D distinct nodes
    G: Any  # (D, D) kernel between these
    kind: int  # of the latent part: TREE, CLIQUE or BLOCK
    place: Any  # (M,) which distinct context; of a tree the order of the pairs by leaf
    H: Any  # (E, E) kernel between the contexts, of a block
    unlike: float  # entry between two contexts of a clique; of a tree what a level takes away
    parent: Any  # of a tree: of every pair, then of every vertex above, see `tree`


@kept
def tree(leaf, height):
    """Parents in the tree above the sorted leaves, (N,): first of the pairs, then level by level.

    Vertices of one level with the same number are one. Above the top level, N stands for the root.
    """
    M = len(leaf)
    parent = np.empty(M * (height + 1), dtype=np.int64)
    key = leaf.copy()
    begin, count = 0, M
    for level in range(height):
        above = begin + count
        found = 0
        for e in range(count):
            number = key[e] >> (level > 0)
            if e == 0 or number != key[found - 1]:
                key[found] = number
                found += 1
            parent[begin + e] = above + found - 1
        begin, count = above, found
    parent[begin : begin + count] = begin + count
    return parent[: begin + count]


@kept
def multiply(support, d):
    """The Gram matrix of the support times d."""
    M = len(d)
    sums = np.zeros(len(support.G))
    for s in range(M):
        sums[support.slot[s]] += d[s]
    nodes = np.dot(support.G, sums)
    out = np.empty(M)
    for s in range(M):
        out[s] = nodes[support.slot[s]]
    if support.kind == TREE:
        _add_tree(support, d, out)
    elif support.kind == CLIQUE:
        among = np.zeros(len(support.H))
        total = 0.0
        for s in range(M):
            among[support.place[s]] += d[s]
            total += d[s]
        for s in range(M):
            out[s] += support.unlike * total + (1.0 - support.unlike) * among[support.place[s]]
    else:
        among = np.zeros(len(support.H))
        for s in range(M):
            among[support.place[s]] += d[s]
        contexts = np.dot(support.H, among)
        for s in range(M):
            out[s] += contexts[support.place[s]]
    return out


@kept
def _add_tree(support, d, out):
    """h = 1 - unlike * (levels at which two leaves differ): sums up the tree, then down again."""
    M, N, order = len(d), len(support.parent), support.place
    sums = np.zeros(N + 1)
    for r in range(M):
        sums[r] = d[order[r]]
    for e in range(N):
        sums[support.parent[e]] += sums[e]
    shared = np.zeros(N + 1)  # of the vertices on the way up, without the root
    levels = 0
    e = 0
    while e < N:  # the way up from the first pair
        e = support.parent[e]
        levels += 1
    levels -= 1
    for e in range(N - 1, -1, -1):
        above = support.parent[e]
        shared[e] = shared[above] + (sums[e] if e >= M else 0.0)
    for r in range(M):
        out[order[r]] += sums[N] - support.unlike * (levels * sums[N] - shared[r])


@kept
def quadrature(alpha, beta, m, b):
    """Nodes and weights of Gauss' rule of m points or, with beta[m - 1], of Radau's with b."""
    size = m if b == np.inf else m + 1
    T = np.zeros((size, size))
    for i in range(m):
        T[i, i] = alpha[i]
        if i + 1 < size:
            T[i, i + 1] = T[i + 1, i] = beta[i]
    if size > m:
        pivot = alpha[0] - b
        for i in range(1, m):
            pivot = alpha[i] - b - beta[i - 1] ** 2 / pivot
        T[m, m] = b + beta[m - 1] ** 2 / pivot
        if not pivot < 0.0:  # b is not above the spectrum, but for rounding
            T[m, m] = np.inf
            return np.array([np.inf]), np.ones(1)
    nodes, vectors = np.linalg.eigh(T)
    return nodes, vectors[0] ** 2


@kept
def log_mean_exp(nodes, weights):
    """ln of sum_i w_i exp(node_i)."""
    top = nodes[-1]
    if top == np.inf:
        return np.inf
    total = 0.0
    for i in range(len(nodes)):
        total += weights[i] * np.exp(nodes[i] - top)
    return top + np.log(total)


@kept
def decide(support, xx, k, b, log_tau, most, rank):
    """Is x' exp(A) x >= tau? Certified by a lower bound (Gauss) or an upper one (Radau, node b).

    x has the products k (M,) with the support and xx with itself; b >= the largest eigenvalue of A;
    x and the support span at most ``rank`` dimensions, so that the Krylov space ends there. It has
    ended as well, unnoticed for rounding, where a node of Gauss' rule comes to lie above b.
    Answers the log of the bound that decided, and alpha (m,), beta (m,) of the m steps it took.
    """
    M = len(k)
    alpha, beta = np.zeros(most), np.zeros(most)
    length = np.sqrt(xx)
    a0, a1 = 0.0, 1.0 / length
    z0, z1, u0, u1 = np.zeros(M), np.zeros(M), np.zeros(M), k / length
    last, largest, lower = 0.0, 1.0, 0.0
    log_xx = np.log(xx)
    d = np.empty(M)
    for m in range(1, most + 1):
        al = 0.0
        for s in range(M):
            d[s] = support.c[s] * u1[s]
            al += u1[s] * d[s]
        product = multiply(support, d)
        a = -al * a1 - last * a0
        cross, square = 0.0, 0.0
        for s in range(M):
            z = d[s] - al * z1[s] - last * z0[s]
            u = product[s] - al * u1[s] - last * u0[s]
            z0[s], u0[s] = z, u
            cross += k[s] * z
            square += z * u
        square += a * (a * xx + cross)
        alpha[m - 1] = al
        largest = max(largest, abs(al), last)
        exact = m == rank or square <= EXACT * largest**2
        last = beta[m - 1] = 0.0 if exact else np.sqrt(square)
        nodes, weights = quadrature(alpha, beta, m, np.inf)
        if m > 1 and nodes[-1] > b + 1e-6 * largest:
            return lower, alpha[: m - 1], beta[: m - 1]
        lower = log_xx + log_mean_exp(nodes, weights)
        if exact or lower >= log_tau:
            return lower, alpha[:m], beta[:m]
        upper = log_xx + log_mean_exp(*quadrature(alpha, beta, m, b))
        if upper < log_tau:
            return upper, alpha[:m], beta[:m]
        if upper - lower < 1e-12 * (1.0 + abs(upper)):
            return lower, alpha[:m], beta[:m]
        a0, a1 = a1, a / last
        for s in range(M):
            z0[s], z1[s] = z1[s], z0[s] / last
            u0[s], u1[s] = u1[s], u0[s] / last
    return lower, alpha, beta


@kept
def raised(alpha, beta, xx, c, b):
    """An upper bound on the largest eigenvalue of A + c x x', c > 0, from the b >= that of A.

    b' is one if c x'(b' I - A)⁻¹x < 1, and Radau's rule is not below x'(b' I - A)⁻¹x; Gauss' is it
    where the last beta is 0. Beyond b + c x'x, which is always enough, nothing is looked for.
    """
    if beta[-1] == 0.0:
        nodes, weights = quadrature(alpha, beta, len(alpha), np.inf)
    else:
        nodes, weights = quadrature(alpha, beta, len(alpha), b)
    low, high = b, b + c * xx
    if nodes[-1] == np.inf:
        return high
    for _ in range(40):
        middle = 0.5 * (low + high)
        total = 0.0
        if middle > nodes[-1]:  # else it is no bound, and may be a node itself
            for i in range(len(nodes)):
                total += weights[i] / (middle - nodes[i])
        if total > 0.0 and c * xx * total < 1.0 - 1e-9:
            high = middle
        else:
            low = middle
    return high
