"""Columns: what is declared is in the rows, and is shown as declared."""

from __future__ import annotations

import math

import pytest

from graphol import simulate
from graphol.comparing import compare
from graphol.report.columns import COST, GAME, figures, regrets
from graphol.report.regret import regret
from graphol.report.table import Column
from graphol.testing.games import signal_game

SBM = "sbm:nodes=60,classes=3"


@pytest.mark.parametrize(
    ("column", "row", "text"),
    [
        (Column("a"), {"a": "two\n lines"}, "two lines"),
        (Column("a"), {}, ""),
        (Column("a", form=".2f"), {"a": math.nan}, ""),
        (Column("a", form=".2f"), {"a": None}, ""),
        (Column("a", form=".1f", scale=100), {"a": 0.25}, "25.0"),
        (Column("a", form=".1f", spread="s"), {"a": 1, "s": 2, "repeats": 2}, "1.0 ± 2.0"),
        (Column("a", form=".1f", spread="s"), {"a": 1, "s": 2, "repeats": 1}, "1.0"),
        (Column("a", form=".1f", of=lambda row: "none known"), {}, "none known"),
        (Column("a", form=".1f", of=lambda row: row["b"] - row["c"]), {"b": 3, "c": 1}, "2.0"),
    ],
)
def test_cells(column, row, text):
    assert column.cell(row) == text


def test_titles():
    assert [Column("a").title, Column("a", "b").title, Column("a", "b", "%").title] == [
        "a", "b", "b %",
    ]  # fmt: skip
    assert COST[-1].title == "µs/round"


@pytest.mark.parametrize(
    ("learner", "data"),
    [("oslg", SBM), ("adam", signal_game("real")), ("da-iht:s=2", signal_game())],
)
def test_every_column_of_a_simulation_is_a_key_of_its_row(learner, data):
    result = simulate(learner, data, repeats=2)
    assert {column.key for column in (*GAME, *figures(result))} <= result.row().keys()
    found = compare([learner, "gpa" if learner != "adam" else "adam:alpha=0.1"], data, repeats=2)
    assert {column.key for column in found.columns} <= found.rows()[0].keys()


def test_every_column_of_regret_is_a_key_of_its_row():
    row = regret(simulate("oslg", SBM, repeats=2)).row()
    columns = regrets(row)
    assert {column.key for column in columns} <= row.keys()
    assert columns[-1].cell(row) == "yes"
    assert columns[-1].cell(row | {"bound_of_mean": True}) == "yes (mean)"
    none = row | {"bound": None, "bound_holds": None, "bound_note": "not applicable: noise"}
    assert [column.cell(none) for column in columns[-2:]] == ["not applicable", ""]
