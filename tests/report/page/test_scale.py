"""Places on an axis, by hand."""

import numpy as np
import pytest

from graphol.report.page.scale import Scale, over, said, ticks


@pytest.mark.parametrize("log", [False, True])
def test_places_go_with_values(log):
    scale = Scale(1.0, 100.0, 50.0, 250.0, log)
    assert scale(1.0) == 50 and scale(100.0) == pytest.approx(250)
    assert scale(10.0) == pytest.approx(150 if log else 50 + 200 * 9 / 99)


def test_ticks_are_round_inside_and_not_too_many():
    rng = np.random.default_rng(1)
    for _ in range(500):
        low = rng.normal() * 10.0 ** rng.integers(-4, 5)
        high = low + rng.random() * 10.0 ** rng.integers(-4, 5)
        found = ticks(low, high)
        assert 1 <= len(found) <= 6
        room = 1e-6 * (high - low)
        assert all(low - room <= value <= high + room for value in found)
    assert ticks(3.0, 3.0) == [3.0]


def test_a_scale_has_room_for_everything():
    for values in ([0.1, 0.3], [5.0], [0.0, 0.0], [], [1.0, 1000.0], [-3.0, 4.0]):
        scale = over(values, 0.0, 100.0, log=30)
        assert all(0 <= scale(value) <= 100 for value in values)
        assert scale.log == (values == [1.0, 1000.0])
        assert scale.ticks() and all(said(tick) for tick in scale.ticks())
