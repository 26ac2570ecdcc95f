"""A plan is checked once, when it is made."""

from __future__ import annotations

import pytest

from graphol.errors import UsageError
from graphol.plan import Plan


def test_a_number_stands_for_the_first_repeats():
    assert Plan(repeats=3).repeats == Plan(repeats=range(3)).repeats == range(3)
    assert (Plan(repeats=3).which, Plan(repeats=range(7, 8)).which) == ("0-2", "7-7")
    assert Plan().repeats == range(10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be >= 1, got 0"),
        ({"repeats": "3"}, "repeats must be a whole number, got '3'"),
        ({"repeats": range(5, 5)}, "repeats must be whole numbers one after another"),
        ({"repeats": range(-1, 2)}, "repeats must be whole numbers one after another"),
        ({"repeats": range(0, 9, 2)}, "repeats must be whole numbers one after another"),
        ({"repeats": 10**24}, "repeats must be at most 1000000, got 1000000000000000000000000"),
        ({"repeats": range(5, 10**7)}, "repeats must be at most 1000000, got 9999995"),
        ({"seed": 1.5}, "seed must be a whole number, got 1.5"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
        ({"jobs": 0}, "jobs must be >= 1, got 0"),
        ({"rounds": 0}, "rounds must be >= 1, got 0"),
        ({"delay": -1}, "delay must be >= 0 rounds, got -1"),
        ({"keep": ["score"]}, "a trace cannot keep 'score'; did you mean 'scores'"),
        ({"noise": 1.0}, "noise must be >= 0 and < 1, got 1.0"),
        ({"noise": float("nan")}, "noise must be >= 0 and < 1, got nan"),
    ],
)
def test_nonsense_is_one_line(options, message):
    with pytest.raises(UsageError) as error:
        Plan(**options)
    assert message in str(error.value) and "\n" not in str(error.value)
