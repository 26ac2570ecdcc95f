"""Labels one at a time and in one go end in the same; a class that is left out is refused."""

from typing import NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol.api import Given, Instance, Prediction, Reveal
from graphol.bases.relearning import Relearner


class State(NamedTuple):
    label: np.ndarray
    learnt: list


@attrs.frozen
class Who(Relearner):
    """Keeps what it is to learn."""

    name = "who"

    def n_classes(self, state):
        return 3

    def relearn(self, state, given, before):
        state.learnt.append((before.tolist(), state.label.tolist()))
        return 3


def fresh():
    return State(np.full(5, -1), [])


def tell(state, node, label):
    return Who().update(state, Instance(0, node), Prediction(0), Reveal(label=label))


def test_only_what_is_new_is_learnt():
    state = fresh()
    assert tell(state, 2, 1) == 3 and tell(state, 2, 1) == 0 and tell(state, 2, 0) == 3
    assert state.learnt == [
        ([-1, -1, -1, -1, -1], [-1, -1, 1, -1, -1]), ([-1, -1, 1, -1, -1], [-1, -1, 0, -1, -1]),
    ]  # fmt: skip


def test_the_class_that_is_left_out_is_named_and_nothing_is_learnt():
    state = fresh()
    with pytest.raises(graphol.UsageError, match=r"^who: none of the 2 labels given is of class 1"):
        Who().fit(state, Given(np.array([0, 1]), np.array([0, 2])))
    assert not state.learnt and (state.label == -1).all()


def test_labels_that_are_known_already_count():
    state = fresh()
    tell(state, 4, 1)
    assert Who().fit(state, Given(np.array([0, 1]), np.array([0, 2]))) == 3
    assert state.label.tolist() == [0, 2, -1, -1, 1]
