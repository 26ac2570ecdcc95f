"""Scores of a linear model: how much of the true support it found, how well it predicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphol.api import Integers, Matrix, Target, Vector
from graphol.errors import Overflow

LARGEST_LOSS = 1e150
"""Squared errors up to here can be averaged, and their deviation still fits into a float."""

CALMER = "rescale samples and targets, or take smaller steps"
"""What to do about a model that overflows."""


class Held(NamedTuple):
    """Samples that are held out."""

    samples: Matrix  # (N, p)
    truth: Vector  # (N,)


def support_scores(w: Vector, support: Integers | None) -> dict[str, float]:
    """Precision, recall and F1 of the weights that are not 0, and their share of all.

    >>> support_scores(np.array([0.5, 0.0, -1.0, 0.0]), np.array([2, 3]))
    {'nonzero_ratio': 0.5, 'precision': 0.5, 'recall': 0.5, 'f1': 0.5}
    """
    found = np.flatnonzero(w)
    scores = {"nonzero_ratio": len(found) / len(w)}
    if support is not None:
        both = len(np.intersect1d(found, support))
        scores["precision"] = both / len(found) if len(found) else 0.0
        scores["recall"] = both / len(support) if len(support) else 0.0
        scores["f1"] = 2 * both / (len(found) + len(support)) if both else 0.0
    return scores


def held_out_scores(w: Vector, held: Held, target: Target) -> dict[str, float]:
    """Accuracy and two areas under the curve for signs, mean squared error for numbers.

    ``auc`` is the chance that a positive sample scores above a negative one; ``auc_labels`` is the
    same computed from predicted labels, which is what Zhou, Chen and Ying (KDD 2019) report.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scores = held.samples @ w[:-1] + w[-1]
        mse = float(np.mean((scores - held.truth) ** 2)) if target == "real" else 0.0
    if np.isnan(scores).any() or mse > LARGEST_LOSS:
        raise Overflow(f"the scores of the held-out samples are out of range; {CALMER}")
    if target == "real":
        return {"mse": mse}
    labels = np.where(scores >= 0, 1.0, -1.0)
    return {
        "accuracy": float(np.mean(labels == held.truth)),
        "auc": auc(scores, held.truth),
        "auc_labels": auc(labels, held.truth),
    }


def auc(scores: Vector, truth: Vector) -> float:
    """Area under the ROC curve; NaN if one class is missing.

    >>> auc(np.array([0.9, 0.2, 0.2, 0.1]), np.array([1, 1, -1, -1]))
    0.875
    """
    positive = truth > 0
    n, m = int(positive.sum()), int((~positive).sum())
    if n == 0 or m == 0:
        return float("nan")
    _, which, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[which]  # ties share their mean rank
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * m))
