"""Crossed lists against nested loops."""

from __future__ import annotations

import pytest

from graphol.errors import UsageError
from graphol.sweep.grid import check_size, check_together, checked_grid, crossed, listed


def test_crossing_is_nested_loops():
    lists, together = {"a": [1, 2, 3], "b": "xy"}, {"c": [0, 1], "d": ["p", "q"]}
    wanted = [
        {"a": a, "b": b, "c": c, "d": d}
        for a in (1, 2, 3) for b in "xy" for c, d in ((0, "p"), (1, "q"))
    ]  # fmt: skip
    assert list(crossed(lists, together)) == wanted
    assert list(crossed({}, {})) == [{}]


def test_what_is_no_list_is_a_list_of_one():
    assert listed("molg-f") == ["molg-f"] and listed((1, 2)) == [1, 2]


@pytest.mark.parametrize("grid", [3, {"b": []}, {"b": [[1]]}, {"b": [{"c": 1}]}])
def test_what_is_no_grid_is_refused(grid):
    with pytest.raises(UsageError, match="grid"):
        checked_grid("grid", grid)


def test_lists_that_go_together_are_equally_long():
    with pytest.raises(UsageError, match="a has 1, b has 2"):
        check_together({"a": [1], "b": [1, 2]})


def test_a_product_beyond_sense_is_refused():
    check_size({"a": range(1000)}, 1000)
    with pytest.raises(UsageError, match="1001000 cells"):
        check_size({"a": range(1001)}, 1000)
