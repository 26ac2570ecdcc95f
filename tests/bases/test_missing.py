"""Labels that leave a class out are refused before anything is fitted."""

import numpy as np
import pytest

import graphol
from graphol.api import Given
from graphol.bases.missing import check_seeds

NONE = np.full(5, -1)


def test_the_class_is_named():
    given = Given(np.array([0, 1]), np.array([0, 2]))
    with pytest.raises(graphol.UsageError, match="^who: none of the 2 labels given is of class 1 "):
        check_seeds("who", NONE, given, 3)


def test_labels_that_are_known_already_count():
    label = NONE.copy()
    label[4] = 1
    check_seeds("who", label, Given(np.array([0, 1]), np.array([0, 2])), 3)
