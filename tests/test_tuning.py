"""Which candidate is taken: the lowest error, or what costs less and cannot be told apart."""

from __future__ import annotations

import numpy as np

from graphol.simulation import Simulation
from graphol.trace import Trace
from graphol.tuning import choose, combinations

T = 20


def scores(errors, updates):
    """A rehearsal with these errors and so many updates in every shuffle."""
    traces = []
    for error in errors:
        loss = (np.arange(T) < error * T).astype(float)
        every = np.ones(T, dtype=bool)
        changed = np.zeros(T, dtype=np.int32)
        changed[0] = updates
        zeros = np.zeros(T, dtype=np.int64)
        traces.append(Trace(zeros, zeros, zeros, loss, every, changed, loss, every))
    return Simulation(tuple(traces), ({},) * len(traces), {})


class TestChoose:
    def test_lowest_error_where_it_stands_out(self):
        few, best = scores([0.4, 0.4, 0.4], 1), scores([0.2, 0.2, 0.2], 9)
        assert choose([few, best]) == 1

    def test_fewest_updates_within_one_standard_error(self):
        best, near = scores([0.2, 0.3, 0.4], 9), scores([0.25, 0.3, 0.4], 5)
        assert choose([best, near]) == 1
        assert choose([near, best]) == 0

    def test_lowest_error_for_as_many_updates(self):
        assert choose([scores([0.25, 0.3, 0.4], 9), scores([0.2, 0.3, 0.4], 9)]) == 1

    def test_one_shuffle_has_no_spread(self):
        assert choose([scores([0.25], 1), scores([0.2], 9)]) == 1


def test_all_combinations():
    assert list(combinations({})) == [{}]
    assert len(list(combinations({"a": (1, 2), "b": (3, 4, 5)}))) == 6
