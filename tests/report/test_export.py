"""Tables as files: read back, they hold what is printed; names do no harm in any of them."""

from __future__ import annotations

import csv
import importlib.util
import re

import pytest

from graphol import InputError, UsageError
from graphol.report.columns import GAME
from graphol.report.export import check_export, export
from graphol.report.table import Column, table

ERROR = Column("error", "error", "%", ".2f", 100, spread="std")
COLUMNS = (Column("name"), ERROR, Column("gap", form="+.2f"), Column("ends"), Column("none"))
ROWS = [
    {"name": "[*]a_b|c", "error": 0.12345, "std": 0.00111, "repeats": 3, "gap": -1.234},
    {"name": "50% & $x^2$ #1 {~}\\", "error": 0.2, "std": 0.1, "repeats": 3, "gap": 2.0,
     "ends": "-0.10 .. +0.20 *"},
    {"name": '=1+1,"quoted"', "error": 0.5, "std": 0.0, "repeats": 3, "gap": None,
     "ends": "+0.10 .. +0.20"},
]  # fmt: skip


def digits(text: str) -> list[str]:
    """All numbers in the printed lines behind the names."""
    return re.findall(r"\d+\.\d+", text)


def test_csv_read_back_holds_the_printed_figures(tmp_path):
    export(ROWS, COLUMNS, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    assert head == ["name", "error %", "error % std", "gap", "ends low", "ends high", "ends *"]
    assert lines == [
        ["[*]a_b|c", "12.35", "0.11", "-1.23", "", "", ""],
        ["50% & $x^2$ #1 {~}\\", "20.00", "10.00", "+2.00", "-0.10", "+0.20", "*"],
        ['\'=1+1,"quoted"', "50.00", "0.00", "", "+0.10", "+0.20", ""],
    ]
    printed = table(ROWS, COLUMNS)
    assert sorted(digits(printed)) == sorted(digits((tmp_path / "t.csv").read_text()))


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+2", "-2+3", "@SUM(A1)", "＝1", "--"])
def test_no_text_is_a_formula_and_no_number_a_text(tmp_path, name):
    rows = [{"name": name, "gap": -3.0}]
    export(rows, (Column("name"), Column("gap", form="+.1f")), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        _, (text, number) = csv.reader(file)
    assert text == f"'{name}" and float(number) == -3.0


def test_numbers_of_every_form_stay_numbers(tmp_path):
    values = [-3, 1e-9, -2.5e8, 12345, 0.0]
    rows = [{f"c{i}": value for i, value in enumerate(values)}]
    columns = [Column(f"c{i}", form="+.3g") for i in range(len(values))]
    export(rows, columns, tmp_path / "t.csv")
    line = (tmp_path / "t.csv").read_text().splitlines()[1].split(",")
    assert [float(cell) for cell in line] == [float(f"{value:.3g}") for value in values]


def unescaped_latex(text: str) -> str:
    back = {
        r"\textbackslash{}": "\\", r"\textasciicircum{}": "^", r"\textasciitilde{}": "~",
        r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\symbol{34}": '"',
        r"$\pm$": "±", r"$\mu$": "µ", "{[}": "[", "{*}": "*", "$-$": "-", "$+$": "+", "-{}-": "--",
        **{rf"\{mark}": mark for mark in "{}$&#%_"},
    }  # fmt: skip
    return re.sub("|".join(map(re.escape, back)), lambda found: back[found[0]], text)


def test_latex_escapes_what_it_must(tmp_path):
    export(ROWS, COLUMNS, tmp_path / "t.tex")
    text = (tmp_path / "t.tex").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrrl}" and lines[-1] == r"\end{tabular}"
    head, *body = (line for line in lines if line.endswith(r"\\"))
    assert head == r"name & error \% & gap & ends \\"
    for line, row in zip(body, ROWS, strict=True):
        cells = line.removesuffix(r" \\").split(" & ")
        assert [unescaped_latex(cell) for cell in cells] == [c.cell(row) for c in COLUMNS[:4]]
    assert r"{[}{*}]a\_b\textbar{}c & 12.35 $\pm$ 0.11 & $-$1.23 & " in body[0]
    for line in body:  # nothing is left that TeX would obey
        bare = re.sub(r"\\(textbackslash|textasciicircum|textasciitilde|textbar|symbol)\{\d*\}"
                      r"|\\[{}$&#%_\\]|\{[*\[]\}|\$(\\pm|[-+])\$", "", line)  # fmt: skip
        assert not re.search(r"[\\{}$#%_^~]", bare) and bare.count("&") == 3


def test_markdown_escapes_what_it_must(tmp_path):
    export(ROWS, COLUMNS, tmp_path / "t.md")
    head, sides, *body = (tmp_path / "t.md").read_text(encoding="utf-8").splitlines()
    assert head == "| name | error % | gap | ends |" and sides == "| --- | ---: | ---: | --- |"
    for line, row in zip(body, ROWS, strict=True):
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        plain = [re.sub(r"\\([^a-z\s])", r"\1", cell) for cell in cells]
        assert plain == [c.cell(row) for c in COLUMNS[:4]]
    assert body[0].startswith(r"| \[\*\]a\_b\|c | 12.35 ± 0.11 | -1.23 |") and body[1].endswith(
        r"\* |"
    )


def test_titles_are_told_apart_and_whole_tables_may_be_empty(tmp_path):
    export([{"x": 1, "y": 2}], (Column("x", "n"), Column("y", "n")), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "n,n (2)\n1,2\n"
    export([{"learner": None}], GAME, tmp_path / "e.csv")
    assert (tmp_path / "e.csv").read_text().strip() == ""


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="an extra")
def test_parquet_has_types_and_nulls(tmp_path):
    import pyarrow.parquet

    export(ROWS, (*COLUMNS, Column("repeats")), tmp_path / "t.parquet")
    found = pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pydict()
    assert found["name"] == [row["name"] for row in ROWS]  # no spreadsheet reads these
    assert found["error %"] == [12.35, 20.0, 50.0] and found["error % std"] == [0.11, 10.0, 0.0]
    assert found["gap"] == [-1.23, 2.0, None] and found["repeats"] == [3, 3, 3]
    assert found["ends low"] == [None, -0.1, 0.1] and found["ends *"] == [None, "*", None]


class TestRefusals:
    def test_parquet_without_pyarrow(self, tmp_path, monkeypatch):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        with pytest.raises(UsageError, match=r"pip install 'graphol\[parquet\]'"):
            check_export(tmp_path / "t.parquet")
        check_export(tmp_path / "t.csv")

    def test_endings(self, tmp_path):
        with pytest.raises(UsageError, match=r"ends in .csv, .md, .parquet or .tex; did you mean"):
            check_export(tmp_path / "t.cvs")
        with pytest.raises(UsageError, match=r"this table ends in .csv"):
            check_export(tmp_path / "t.tex", ending="csv")

    def test_what_is_there_stays(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("mine")
        with pytest.raises(UsageError, match="exists; add force=True"):
            export(ROWS, COLUMNS, path)
        assert path.read_text() == "mine"
        export(ROWS, COLUMNS, path, force=True)
        assert path.read_text().startswith("name,") and list(tmp_path.iterdir()) == [path]

    def test_folders(self, tmp_path, monkeypatch):
        with pytest.raises(UsageError, match="there is no folder"):
            check_export(tmp_path / "no" / "t.csv")
        monkeypatch.setattr("os.access", lambda *args: False)
        with pytest.raises(InputError, match="name another place for the table"):
            check_export(tmp_path / "t.csv")
