"""Seeds that leave a class out."""

from __future__ import annotations

import numpy as np

from graphol.api import Given, Integers
from graphol.errors import UsageError


def check_seeds(asks: str, label: Integers, given: Given, n_classes: int) -> None:
    """Refuse labels, those known already included, that leave out a class: no model of it."""
    seen = np.zeros(n_classes, dtype=bool)
    seen[label[label >= 0]] = True
    seen[given.labels] = True
    if not seen.all():
        k = int(np.argmin(seen))
        raise UsageError(
            f"{asks}: none of the {len(given.nodes)} labels given is of class {k} (of 0 to "
            f"{n_classes - 1}); give some of every class, e.g. seeds:per_class=5"
        )
