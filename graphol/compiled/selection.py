"""What projections need of numpy and numba does slowly: thresholds, largest entries, group norms.

Each stands in for the plain function of its name, see :mod:`graphol.standins`. numba's minimum and
maximum look for NaN first, its partition takes twice as long as Hoare's selection, and its bincount
makes three arrays on the way.
"""

from __future__ import annotations

import numpy as np

from graphol.jit import kept, kernel


@kernel
def soft_threshold(v, by):
    """As :func:`graphol.projections.l1.soft_threshold`, of one number."""
    if abs(v) <= by:
        return 0.0
    return v - by if v > 0 else v + by


@kept
def nth_largest(a, s):
    """The s-th largest entry; a is put in another order."""
    wanted, low, high = len(a) - s, 0, len(a) - 1
    while low < high:
        pivot, i, j = a[(low + high) >> 1], low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return a[wanted]


@kept
def keep_largest(v, s):
    """As :func:`graphol.projections.top_s.keep_largest`."""
    size = np.abs(v)
    for j in range(len(v)):
        if not np.isfinite(v[j]):
            return False
    least, left = nth_largest(size, s), s
    for j in range(len(v)):
        left -= abs(v[j]) > least
    for j in range(len(v)):
        if abs(v[j]) < least or (abs(v[j]) == least and left == 0):
            v[j] = 0.0
        elif abs(v[j]) == least:
            left -= 1
    return True


@kept
def group_norms(v, group, count):
    """As :func:`graphol.projections.groups.group_norms`."""
    norms = np.zeros(count)
    for j in range(len(group)):
        norms[group[j]] += v[j] * v[j]
    for k in range(count):
        norms[k] = np.sqrt(norms[k])
    return norms
