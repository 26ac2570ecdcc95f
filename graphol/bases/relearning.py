"""Learners that learn all labels anew, whether one more is told or many are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphol.api import Given, Instance, Integers, Prediction, Reveal
from graphol.bases.usual import UsualLearner
from graphol.errors import UsageError


class Relearner(UsualLearner):
    """Base of learners whose state has the labels known so far, ``label`` (n,), -1 elsewhere."""

    __slots__ = ()

    def relearn(self, state: Any, given: Given, before: Integers) -> int:
        """Learn ``state.label``, which was ``before``; how many class models changed."""
        raise NotImplementedError

    def n_classes(self, state: Any) -> int:
        """K."""
        raise NotImplementedError

    def update(self, state: Any, instance: Instance, prediction: Prediction, reveal: Reveal) -> int:
        """Every class model, unless the label was known; the last label of a node counts."""
        assert reveal.label is not None
        return self._learn(state, Given(np.array([instance.node]), np.array([int(reveal.label)])))

    def fit(self, state: Any, given: Given) -> int:
        """All labels in one go; what validation labels may choose is chosen if these are first."""
        self._check_classes(state, given)
        return self._learn(state, given)

    def _learn(self, state: Any, given: Given) -> int:
        before = state.label.copy()
        state.label[given.nodes] = given.labels
        return 0 if np.array_equal(before, state.label) else self.relearn(state, given, before)

    def _check_classes(self, state: Any, given: Given) -> None:
        """Refuse labels, those known already included, that leave out a class: no model of it."""
        seen = np.zeros(self.n_classes(state), dtype=bool)
        seen[state.label[state.label >= 0]] = True
        seen[given.labels] = True
        if not seen.all():
            raise UsageError(
                f"{self.name}: none of the {len(given.nodes)} labels given is of class "
                f"{int(np.argmin(seen))} (of 0 to {len(seen) - 1}); give some of every class, e.g. "
                "seeds:per_class=5"
            )
