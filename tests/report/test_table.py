"""Tables are aligned, unwrapped, and leave out what is empty everywhere."""

from __future__ import annotations

from graphol.report.table import table


def test_texts_left_numbers_right():
    rows = [
        {"name": "a", "error %": "12.30 ± 0.40", "rounds": 5, "about": "one\n  two"},
        {"name": "long-name", "error %": "2.00 ± 0.10", "rounds": None, "about": ""},
    ]
    assert table(rows).splitlines() == [
        "name            error %  rounds  about",
        "a          12.30 ± 0.40       5  one two",
        "long-name   2.00 ± 0.10",
    ]


def test_columns_chosen_and_empty_ones_left_out():
    rows = [{"a": 1, "b": "", "c": "x"}, {"a": -2.5, "b": None, "c": "y"}]
    assert table(rows, ["c", "b", "a"]).splitlines() == ["c     a", "x     1", "y  -2.5"]


def test_nothing():
    assert table([]) == ""
