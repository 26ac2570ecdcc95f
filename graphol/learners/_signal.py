"""Learners of a sparse linear model over signals: compiled streams.

One loop for all of them; what a learner does with a gradient is its rule
``move(model, x, by, t, setting)``. The gradient is by * (x, 1), t counts answered rounds from 0,
and ``setting`` is whatever the rule needs. It answers False if the weights would not be finite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from graphol.learners._template import compiled
from graphol.learners.signal import TOO_LARGE
from graphol.projections._wgm import project


class Model(NamedTuple):
    """The arrays of a state that change; p + 1 weights, the last is the intercept."""

    w: Any
    average: Any
    dual: Any
    second: Any
    rounds: Any
    missed: Any
    memory: Any


class HeadTail(NamedTuple):
    """Two projections onto weighted graph models, and room for p numbers."""

    head: Any
    head_band: Any
    tail: Any
    tail_band: Any
    step: float
    room: Any


@njit(cache=True, nogil=True)
def score(w, x):  # type: ignore[no-untyped-def]
    """w'(x, 1)."""
    p = len(x)
    return np.dot(w[:p], x) + w[p]


@njit(cache=True, nogil=True)
def slope(real, s, y):  # type: ignore[no-untyped-def]
    """Derivative of the loss by the score s, see graphol.learners.losses."""
    if real:
        return s - y
    z = y * s
    if z > 0:
        small = np.exp(-z)
        return -y * small / (1.0 + small)
    return -y / (1.0 + np.exp(z))


def _play(model, setting, real, X, row, told, answered, predicted, updates):  # type: ignore[no-untyped-def]
    """Play the rows; the one in which the weights overflowed, or -1."""
    w, average, rounds, missed = model.w, model.average, model.rounds, model.missed
    for i in range(len(row)):
        x = X[row[i]]
        s = score(w, x)
        if not abs(s) < TOO_LARGE:
            return i
        predicted[i] = s if real else (1 if s >= 0 else -1)
        updates[i] = 0
        if not answered[i]:
            continue
        y, t = told[i], rounds[0]
        if not real:
            missed[0] += (s >= 0) != (y > 0)
            missed[1] += (score(average, x) >= 0) != (y > 0)
        if not move(model, x, slope(real, s, y), t, setting):  # type: ignore[name-defined] # noqa: F821
            return i
        for j in range(len(w)):
            average[j] = t / (t + 1.0) * average[j] + w[j] / (t + 1.0)
        rounds[0] = t + 1
        updates[i] = 1
    return -1


@njit(cache=True, nogil=True)
def dual_average(dual, x, by, t):  # type: ignore[no-untyped-def]
    """The mean of all gradients so far."""
    p = len(x)
    for j in range(p):
        dual[j] = t / (t + 1.0) * dual[j] + x[j] * by / (t + 1.0)
    dual[p] = t / (t + 1.0) * dual[p] + by / (t + 1.0)


@njit(cache=True, nogil=True)
def soft(v, by):  # type: ignore[no-untyped-def]
    """v moved towards 0 by as much as ``by``, and not beyond."""
    if v > by:
        return v - by
    return v + by if v < -by else 0.0


@njit(cache=True, nogil=True)
def largest(a, s):  # type: ignore[no-untyped-def]
    """The s-th largest entry, by Hoare's selection; a is put in another order."""
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


@njit(cache=True, nogil=True)
def keep_largest(w, s):  # type: ignore[no-untyped-def]
    """Set all but the s largest weights to 0; ties go to the lowest index, the intercept stays."""
    p = len(w) - 1
    size = np.abs(w[:p])
    if not np.isfinite(size.sum()):
        return False
    least, left = largest(size, s), s
    for j in range(p):
        left -= abs(w[j]) > least
    for j in range(p):
        if abs(w[j]) < least or (abs(w[j]) == least and left == 0):
            w[j] = 0.0
        elif abs(w[j]) == least:
            left -= 1
    return True


@njit(cache=True, nogil=True)
def shorten_groups(w, group, by):  # type: ignore[no-untyped-def]
    """Every group of weights shortened by ``by[group]``, and not beyond 0."""
    squares = np.zeros(len(by))
    for j in range(len(group)):
        squares[group[j]] += w[j] * w[j]
    norms = np.sqrt(squares)
    for j in range(len(group)):
        k = group[j]
        w[j] *= (norms[k] - by[k]) / norms[k] if norms[k] > by[k] else 0.0


def _graphda(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    w, dual, memory, p = model.w, model.dual, model.memory, len(x)
    dual_average(dual, x, by, t)
    length = -np.sqrt(t + 1.0) / setting.step
    size, _ = project(setting.head, setting.head_band, dual[:p], memory[:1], setting.room)
    if size < 0:
        return False
    for j in range(p):
        setting.room[j] *= length
    size, _ = project(setting.tail, setting.tail_band, setting.room, memory[1:], w[:p])
    w[p] = length * dual[p]
    return size >= 0


def _graph_stoiht(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    w, gradient, memory, p = model.w, model.dual, model.memory, len(x)
    for j in range(p):
        gradient[j] = x[j] * by
    size, _ = project(setting.head, setting.head_band, gradient[:p], memory[:1], setting.room)
    if size < 0:
        return False
    length = setting.step / np.sqrt(t + 1.0)
    for j in range(p):
        setting.room[j] = w[j] - length * setting.room[j]
    gradient[:] = 0.0
    size, _ = project(setting.tail, setting.tail_band, setting.room, memory[1:], w[:p])
    return size >= 0


def _da_iht(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    s, gamma = setting
    w, dual = model.w, model.dual
    dual_average(dual, x, by, t)
    length = -np.sqrt(t + 1.0) / gamma
    for j in range(len(w)):
        w[j] = length * dual[j]
    return keep_largest(w, s)


def _stoiht(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    s, eta = setting
    w, p, length = model.w, len(x), eta / np.sqrt(t + 1.0)
    for j in range(p):
        w[j] -= length * (x[j] * by)
    w[p] -= length * by
    return keep_largest(w, s)


def _l1_rda(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    lam, gamma, rho = setting
    w, dual, p = model.w, model.dual, len(x)
    dual_average(dual, x, by, t)
    threshold, length = lam + gamma * rho / np.sqrt(t + 1.0), -np.sqrt(t + 1.0) / gamma
    for j in range(p):
        w[j] = length * soft(dual[j], threshold)
    w[p] = length * dual[p]
    return True


def _da_gl(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    lam, gamma, group, thresholds = setting
    w, dual, p = model.w, model.dual, len(x)
    dual_average(dual, x, by, t)
    for j in range(p + 1):
        w[j] = soft(dual[j], lam) if j < p else dual[j]
    shorten_groups(w, group, thresholds)
    length = -np.sqrt(t + 1.0) / gamma
    for j in range(p + 1):
        w[j] *= length
    return True


def _adagrad(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    lam, eta, epsilon = setting
    w, dual, second, p = model.w, model.dual, model.second, len(x)
    for j in range(p):
        second[j] += (x[j] * by) * (x[j] * by)
    second[p] += by * by
    dual_average(dual, x, by, t)
    for j in range(p + 1):
        cut = soft(dual[j], lam) if j < p else dual[j]
        w[j] = -eta * (t + 1.0) / (epsilon + np.sqrt(second[j])) * cut
    return True


def _adam(model, x, by, t, setting):  # type: ignore[no-untyped-def]
    alpha, beta1, beta2, epsilon = setting
    w, first, second, p = model.w, model.dual, model.second, len(x)
    begun, squared = 1.0 - beta1 ** (t + 1.0), 1.0 - beta2 ** (t + 1.0)
    for j in range(p + 1):
        g = x[j] * by if j < p else by
        first[j] = beta1 * first[j] + (1.0 - beta1) * g
        second[j] = beta2 * second[j] + (1.0 - beta2) * g * g
        w[j] -= alpha * (first[j] / begun) / (np.sqrt(second[j] / squared) + epsilon)
    return True


graphda = compiled(_play, "graphda", move=_graphda)
graph_stoiht = compiled(_play, "graph_stoiht", move=_graph_stoiht)
da_iht = compiled(_play, "da_iht", move=_da_iht)
stoiht = compiled(_play, "stoiht", move=_stoiht)
l1_rda = compiled(_play, "l1_rda", move=_l1_rda)
da_gl = compiled(_play, "da_gl", move=_da_gl)
adagrad = compiled(_play, "adagrad", move=_adagrad)
adam = compiled(_play, "adam", move=_adam)
