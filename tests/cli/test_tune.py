"""``graphol tune``, from the outside."""

from __future__ import annotations

import csv
import json
import shlex

import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python

SMALL = ("--dataset", "sbm:nodes=80,classes=2", "--repeats", 2, "--shuffles", 2)
GRID = ("-g", "phi=1,50", "-g", "embedding.dim=3,8")
CALL = ("tune", "--learner", "molg-f", *SMALL, *GRID)


def test_the_row_and_the_command_that_plays_it_again(run):
    result = run(*CALL)
    head, line, command = result.out.splitlines()
    assert (result.code, result.err) == (0, "")
    assert "held-out %" in head and "as given %" in head
    row = json.loads(run(*CALL, "--json").out)
    assert row["setting"] in line and row["command"] == command
    again = json.loads(run(*shlex.split(command)[1:], "--json").out)
    assert again["error_rate_mean"] == row["error_rate_mean"]
    assert f"{100 * row['held_out_error_rate_mean']:.2f}" in line
    assert f"{100 * row['error_rate_mean']:.2f}" in line
    assert row["settings"] == len(row["held_out"]) == 4 and row["schema"] == 1


def test_all_settings_and_the_files_hold_what_is_printed(run, tmp_path):
    path, tex = tmp_path / "t.csv", tmp_path / "t.tex"
    lines = run(*CALL, "--all", "--csv", path, "--tex", tex).out.splitlines()
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["setting"] for row in rows] == [
        "phi=1 embedding.dim=3", "phi=1 embedding.dim=8", "phi=50 embedding.dim=3",
        "phi=50 embedding.dim=8",
    ]  # fmt: skip
    for row, line in zip(rows, lines[1:5], strict=True):
        assert f"{row['held-out %']} ± {row['held-out % std']}" in line
        assert line.endswith("chosen") == (row["chosen"] == "chosen")
    assert lines[5] == "" and lines[6].startswith("learner")
    assert rows[0]["held-out %"] in tex.read_text()


def test_out_and_plot(run, tmp_path):
    out, plot = tmp_path / "out", tmp_path / "p.svg"
    row = json.loads(run(*CALL, "--json", "--out", out, "--plot", plot).out)
    kept = json.loads(run("report", out, "--json").out)
    assert kept["error_rate_mean"] == row["error_rate_mean"]
    assert "as given" in plot.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to choose from"),
        (("-g", "phy=1,2"), "did you mean 'phi'?"),
        (("-g", "phi"), "-g: 'phi' is not of the form key=value"),
        (("-g", "phi=1,"), "phi must be a number, got ''"),
        (("-g", "phi=1,2", "-g", "phi=3,4"), "-g: 'phi' is given twice"),
        (("-g", "dataset.nodes=60,80"), "is generated"),
        ((*GRID, "--shuffles", 0), "shuffles must be >= 1, got 0"),
        ((*GRID, "--csv", "t.tex"), "this table ends in .csv"),
        ((*GRID, "--markdown", "no/t.md"), "there is no folder"),
        ((*GRID, "--confidence", 1), "confidence must be > 0 and < 1"),
    ],
)
def test_wrong_calls_are_one_line(refused, arguments, message):
    assert message in refused("tune", "--learner", "molg-f", *SMALL, *arguments)
