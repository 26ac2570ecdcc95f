"""Slow twins of the Gaussian learners for switching games, with dense posteriors over all nodes.

K (n, n) is the prior covariance. They look nothing up and keep no inverse: posteriors are of all
nodes, or found anew from all labels; which labeling held is summed over all courses of the chain.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.stats import norm

from graphol.api import Integers, Matrix, Vector


class Posterior:
    """A Gaussian over the labels of all nodes, label by label."""

    def __init__(self, K: Matrix, noise: float) -> None:
        self.mean, self.cov, self.noise = np.zeros(len(K)), K.copy(), noise
        self.labels = 0

    def learn(self, i: int, y: int) -> None:
        """Condition on one label."""
        gain = self.cov[:, i] / (self.cov[i, i] + self.noise)
        self.mean = self.mean + gain * (y - self.mean[i])
        self.cov = self.cov - np.outer(gain, self.cov[i])
        self.labels += 1

    def plus(self, i: int, doubt: float) -> float:
        """How likely +1 is at a node."""
        z = self.mean[i] / math.sqrt(self.cov[i, i] + self.noise)
        return float(doubt + (1 - 2 * doubt) * norm.cdf(z))


def gaussian_bank(
    K: Matrix, nodes: Integers, y: Integers, *,
    most: int, share: float, lag: int, noise: float, doubt: float,
) -> tuple[Vector, Vector, list[int]]:  # fmt: skip
    """Scores of all rounds, the last weights, and how many labels each labeling learnt."""
    bank = [Posterior(K, noise) for _ in range(most)]
    w = np.array([1.0] + [0.0] * (most - 1))
    past: list[tuple[Vector, Vector]] = []  # of every round: filtered posterior, likelihoods
    scores = []
    for t, (i, label) in enumerate(zip(nodes.tolist(), y.tolist(), strict=True)):
        open_ = min(most, 1 + sum(each.labels > 0 for each in bank))
        plus = np.array([each.plus(i, doubt) for each in bank[:open_]])
        scores.append(w[:open_] @ plus - 0.5)
        likelihood = plus if label > 0 else 1 - plus
        posterior = w[:open_] * likelihood / (w[:open_] @ likelihood)
        w = np.zeros(most)
        w[:open_] = (1 - share) * posterior + share / open_
        past.append((posterior, likelihood))
        if t >= lag:
            s = t - lag
            k = int(np.argmax(smoothed(past[s][0], [later for _, later in past[s + 1 :]], share)))
            bank[k].learn(int(nodes[s]), int(y[s]))
    return np.array(scores), w, [each.labels for each in bank]


def smoothed(posterior: Vector, later: list[Vector], share: float) -> Vector:
    """How likely each labeling held, given later likelihoods too: all courses of the chain."""
    total = np.zeros(len(posterior))
    for course in itertools.product(range(len(posterior)), *(range(len(each)) for each in later)):
        weight = posterior[course[0]]
        for before, now, likelihood in zip(course[:-1], course[1:], later, strict=True):
            move = share / len(likelihood) + (1 - share) * (before == now)
            weight *= move * likelihood[now]
        total[course[0]] += weight
    return total


def from_all(K: Matrix, examples: list[tuple[int, int]], noise: float) -> Posterior:
    """The posterior of some labels at once, each an observation of its own."""
    found = Posterior(K, noise)
    if examples:
        S, y = (np.array(column) for column in zip(*examples, strict=True))
        A = K[np.ix_(S, S)] + noise * np.eye(len(S))
        found.mean = K[:, S] @ np.linalg.solve(A, y)
        found.cov = K - K[:, S] @ np.linalg.solve(A, K[S])
    return found


def gaussian_tasks(
    K: Matrix, nodes: Integers, tasks: Integers, y: Integers, *,
    most: int, fresh: float, first: int, noise: float, doubt: float,
) -> tuple[Vector, dict[int, int]]:  # fmt: skip
    """Scores of all rounds, and the labeling that every task ended in."""
    examples: dict[int, list[tuple[int, int]]] = {}  # of every task
    of: dict[int, int] = {}
    evidence: dict[int, Vector] = {}
    scores = []

    def bank() -> list[Posterior]:
        members = ([a for a in of if of[a] == k] for k in range(most))
        return [from_all(K, [e for a in own for e in examples[a]], noise) for own in members]

    def popular() -> Vector:
        n = np.array([float(list(of.values()).count(k)) for k in range(most)])
        if 0.0 in n:
            n[n.tolist().index(0.0)] = fresh
        return np.asarray(n / n.sum())

    def likelihoods(labelings: list[Posterior], i: int, label: int) -> Vector:
        plus = np.array([each.plus(i, doubt) for each in labelings])
        return plus if label > 0 else 1 - plus

    for i, a, label in zip(nodes.tolist(), tasks.tolist(), y.tolist(), strict=True):
        labelings = bank()
        w = popular() * np.exp(evidence.get(a, np.zeros(most)))
        scores.append(w @ likelihoods(labelings, i, 1) / w.sum() - 0.5)
        right = (scores[-1] >= -1e-12) == (label > 0)
        examples.setdefault(a, []).append((i, label))
        if a in of and right and len(examples[a]) > first:
            evidence[a] = evidence[a] + np.log(likelihoods(labelings, i, label))
            continue
        of.pop(a, None)
        labelings = bank()  # without this task
        evidence[a] = sum(
            (np.log(likelihoods(labelings, *example)) for example in examples[a]), np.zeros(most)
        )
        with np.errstate(divide="ignore"):
            of[a] = int(np.argmax(np.log(popular()) + evidence[a]))
    return np.array(scores), of
