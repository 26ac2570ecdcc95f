r"""A logistic stack of experts, and the mixture that guards it: rules for both loops.

Experts' probabilities are floored, :math:`Q_{ek} = (P_{ek} + f/S) / (1 + f)` over the S classes
that are open, and the stack is a softmax over them with features :math:`\phi = \log Q`:

.. math:: p_k \propto \exp \sum_e (\theta_e + \theta_{e,c})\, \phi_{ek},

c the bucket of the node by its labelled neighbours. A label is one Newton step: with
:math:`v_k = \phi_k - \sum_l p_l \phi_l`, :math:`B^{-1} \leftarrow B^{-1} + \sum_k p_k v_k v_k^\top`
and :math:`\theta \leftarrow \theta + B v_y`.
"""

from __future__ import annotations

import numpy as np

from graphol.bases.asking import worth_asking
from graphol.bases.fixed_share import charge

BUCKETS = 4
"""Nodes with 0, 1, 2 or 3, and more labelled neighbours."""
RARE = 1e-3
"""Classes less likely than this are left out of the curvature."""
SURE = 1e-6
"""A wrong answer counts as having had at least this probability of being wrong."""
STEEP = 3.0
"""Scores with negative ones among them, of 1 at the most, are probabilities in this power of e."""


def bucket(label, indptr, indices, i):
    """By how many neighbours of node i have a label."""
    labelled = 0
    for j in indices[indptr[i] : indptr[i + 1]]:
        if label[j] >= 0:
            labelled += 1
    return labelled if labelled < 2 else 2 if labelled < 4 else 3


def floored(scores, is_open, floor, Q):
    """Fill Q (M, K) with probabilities of the open classes, made of every member's scores.

    Scores are divided by their sum (by the largest of them before, where that overflows). Members
    that say nothing find all classes alike.
    """
    S = is_open.sum()
    for e in range(len(Q)):
        q = np.where(is_open, scores[e], 0.0)
        if q.min() < 0.0:
            steep = STEEP / max(np.abs(q).max(), 1.0)
            q = np.where(is_open, np.exp(steep * q), 0.0)
        total = q.sum()
        if total == np.inf:
            q /= q.max()
            total = q.sum()
        if total > 0.0:
            q /= total
        else:
            q = np.where(is_open, 1.0 / S, 0.0)
        Q[e] = np.where(is_open, (q + floor / S) / (1.0 + floor), 0.0)


def mix(theta, weights, Q, is_open, c, phi, p, mixture):
    """Fill phi (E, K), what the stack says, p (K,), and the mixture of it with all members (K,)."""
    E = len(phi)
    z = np.zeros(len(p))
    for e in range(E):  # one by one, so that ties stay ties
        phi[e] = np.log(np.where(is_open, Q[e], 1.0))
        z += (theta[e] + theta[E * (1 + c) + e]) * phi[e]
    top = np.where(is_open, z, -np.inf).max()
    p[:] = np.where(is_open, np.exp(np.minimum(z - top, 0.0)), 0.0)
    p /= p.sum()
    mixture[:] = weights[0] * p
    for e in range(len(Q)):
        mixture += weights[1 + e] * Q[e]


def wanted(label, indptr, indices, i, mixture, counts, t, rate, voi):
    """Is the label of node i worth its price?"""
    if rate >= 1.0:
        return True
    around = 1.0
    for j in indices[indptr[i] : indptr[i + 1]]:
        if label[j] < 0:
            around += 1.0
    return worth_asking(mixture.max(), float(counts.sum()), around, t, rate, voi)


def absorb(B, v, w, c):
    """B⁻¹ <- B⁻¹ + w x x', in place; x is v (E,) in the first block and in that of bucket c."""
    E = len(v)
    own = slice(E * (1 + c), E * (2 + c))
    u = v @ (B[:E] + B[own])
    gain = w / (1.0 + w * max((u[:E] + u[own]) @ v, 0.0))
    B -= np.outer(u, gain * u)


def climb(theta, B, v, w, c):
    """theta <- theta + w B x, in place; x as in :func:`absorb`."""
    E = len(v)
    theta += w * (v @ (B[:E] + B[E * (1 + c) : E * (2 + c)]))


def learn(theta, B, weights, losses, Q, phi, p, mixture, c, heard, said):
    """Take in that the class is ``heard``, or, where that is -1, that it is not what was said.

    First all are charged what they lose, the mixture last in ``losses``; then the stack learns.
    """
    N = len(weights)
    came = np.empty(N + 1)  # how likely each found what came
    k = said if heard < 0 else heard
    came[0], came[1:N], came[N] = p[k], Q[:, k], mixture[k]
    if heard < 0:
        came = np.maximum(1.0 - came, SURE)
        came[N] = (weights * came[:N]).sum()  # what the bound is about
    losses -= np.log(np.maximum(came, 1e-300))
    charge(weights, came[:N], 0.0)
    centre = phi @ p
    v = phi[:, k] - centre
    if heard < 0:
        odds = p[k] / max(1.0 - p[k], SURE)
        absorb(B, v, odds, c)
        climb(theta, B, v, -odds, c)
        return
    for k in range(len(p)):
        if p[k] >= RARE:
            absorb(B, phi[:, k] - centre, p[k], c)
    climb(theta, B, v, 1.0, c)


def leave(weights, e):
    """Member e of the mixture has no weight any more; in place."""
    weights[e] = 0.0
    total = weights.sum()
    if total > 0.0:
        weights /= total
    else:
        weights[0] = 1.0  # the stack stays
