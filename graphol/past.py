"""What a predictor said before it was told, so that its scores become probabilities."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol.api import Matrix, Prediction, Vector
from graphol.tempering import LOOSE, evidence, fit_weights, probabilities, usual_lead

MOST = 500
"""Answers that are kept, the latest; older ones are of a model that knew less."""


class Past:
    """The latest scores with the labels that followed; whoever calls holds the predictor's lock.

    Each was given before its label was known, so they are held out by themselves.
    """

    def __init__(self) -> None:
        self._kept: deque[tuple[Vector, int]] = deque(maxlen=MOST)

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, prediction: Prediction, label: float, numbers: Sequence[int]) -> None:
        """One more, where something bore on the node; classes by their place in ``numbers``."""
        if prediction.known and label in numbers:
            row = scores_of(prediction, numbers)
            if np.isfinite(row).all():
                self._kept.append((row, numbers.index(int(label))))

    def probabilities(self, said: Sequence[Prediction], numbers: Sequence[int]) -> Matrix:
        """Of every class, a row for each prediction; rows sum to 1."""
        K = len(numbers)
        kept, y = np.zeros((len(self), K)), np.zeros(len(self), dtype=np.int64)
        for i, (row, label) in enumerate(self._kept):
            kept[i, : len(row)], y[i] = row, label
            kept[i, len(row) :] = min(float(row.min(initial=0.0)), 0.0)  # classes that came later
        new = np.array([scores_of(each, numbers) for each in said]).reshape(-1, K)
        known = np.array([each.known for each in said], dtype=bool)
        always = np.ones(len(kept), dtype=bool)
        model = kept if len(kept) else new  # no answer depends on what else is asked
        lead = usual_lead(kept, always) if (model < 0).any() else None
        Z = evidence(np.vstack([kept, new]), np.append(always, known), lead)[None]
        w = fit_weights(Z[:, : len(kept)], y, np.ones(1), LOOSE)
        p = probabilities(w, Z[:, len(kept) :])
        shares = np.bincount(y, minlength=K) + 1.0
        p[~known] = shares / shares.sum()
        return p

    def columns(self) -> dict[str, NDArray[Any]]:
        """As arrays of a file."""
        rows = [row for row, _ in self._kept]
        return {
            "past_label": np.array([label for _, label in self._kept], dtype=np.int64),
            "past_width": np.array([len(row) for row in rows], dtype=np.int64),
            "past_scores": np.concatenate(rows) if rows else np.zeros(0),
        }

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], K: int) -> Past:
        """Of a file; an older one has none."""
        self = cls()
        if "past_label" not in arrays:
            return self
        label, width, scores = (arrays[f"past_{key}"] for key in ("label", "width", "scores"))
        whole = label.dtype.kind == "i" and width.dtype.kind == "i" and scores.dtype.kind == "f"
        if not whole or not (label.ndim == width.ndim == scores.ndim == 1):
            raise ValueError("what was said in the past is no columns of numbers")
        if len(label) != len(width) or len(label) > MOST or width.sum() != len(scores):
            raise ValueError("what was said in the past has columns of other lengths")
        fits = ((width > 0) & (width <= K) & (label >= 0) & (label < width)).all()
        if not fits or not np.isfinite(scores).all():
            raise ValueError("what was said in the past is of no such classes")
        ends = np.cumsum(width)
        for k, a, b in zip(label.tolist(), (ends - width).tolist(), ends.tolist(), strict=True):
            self._kept.append((scores[a:b].astype(float), k))
        return self


def scores_of(prediction: Prediction, numbers: Sequence[int]) -> Vector:
    """One score per class; where a learner has none, 1 for the class that it said."""
    K, scores = len(numbers), prediction.scores
    if scores is not None and np.shape(scores) == (K,):
        return np.asarray(scores, dtype=float).copy()
    if scores is not None and np.size(scores) == 1 and K == 2:
        margin = float(np.asarray(scores).ravel()[0])
        return np.array([-margin, margin])
    found = np.zeros(K)
    if prediction.label in numbers:
        found[numbers.index(int(prediction.label))] = 1.0
    return found
