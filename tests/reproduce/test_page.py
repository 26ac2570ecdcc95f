"""The page of tables and figures: every cell as the terminal prints it, and nothing obeyed."""

from __future__ import annotations

import html
import re

import attrs

from graphol.report.table import table
from graphol.reproduce import OWN, run, run_kept
from graphol.reproduce.page import curves, page
from graphol.sweep.run import Means

EXPERIMENTS = {each.name: each for each in OWN}
BLOCKS = "sbm:nodes=60,classes=2"


def cells(text):
    """All cells of all tables of a page, row by row."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", text, flags=re.S)
    found = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.S) for row in rows]
    return [[html.unescape(re.sub("<[^>]+>", "", cell)) for cell in row] for row in found]


def test_every_cell_is_there_as_a_terminal_prints_it():
    result = run("kdd13-table2", datasets=[BLOCKS, "imdb"], quick=True, repeats=2)
    made = cells(page([result], "graphol reproduce kdd13-table2", "A table"))
    for heading, lines in result.experiment.tables(result.rows):
        printed = table(lines, result.experiment.columns(result.rows)).splitlines()
        assert not heading
        assert [" ".join(row).split() for row in made] == [line.split() for line in printed]


def test_a_figure_has_a_curve_for_every_metric_and_its_cells():
    figure = attrs.evolve(EXPERIMENTS["ijcai18-fig1"], values=(1.0, 10.0, 100.0))
    result = run(figure, datasets=[BLOCKS], repeats=2)
    drawn = [*curves(result)]
    metrics = {row.metric for row in result.rows}
    assert {each.title for each in drawn} == {f"{BLOCKS}: {metric}" for metric in metrics}
    text = page([result], "graphol reproduce ijcai18-fig1", "A figure")
    for row in result.rows:
        assert f"{row.learner}: {row.measured:.4g} at {row.at:g}" in html.unescape(text)


def test_verdicts_are_counted_table_by_table_and_failures_said(tmp_path):
    some = [EXPERIMENTS["kdd13-table2"], EXPERIMENTS["kdd13-fig1"]]
    results = run_kept(
        some, tmp_path, datasets=[BLOCKS], quick=True, repeats=2, means=Means(executor="serial")
    )
    rows = cells(page(results, "graphol reproduce all", "All"))
    counted = {row[0]: row for row in rows if row and row[0] in EXPERIMENTS}
    assert set(counted) == {"kdd13-table2", "kdd13-fig1"}
    count = sum(row.verdict == "no published figure" for row in results[0].rows)
    assert f"{count} no published figure" in counted["kdd13-table2"][-1]


def test_names_are_text_and_no_markup():
    evil = "</script><script>alert(1)</script>\x1b[2J"
    result = run("kdd13-table2", datasets=[BLOCKS], quick=True, repeats=2)
    told = attrs.evolve(
        result,
        rows=tuple(attrs.evolve(row, learner=evil) for row in result.rows),
        notes=(evil,),
        experiment=attrs.evolve(result.experiment, title=evil, reference=evil, notes=(evil,)),
    )
    text = page([told], evil, evil)
    assert "alert(1)</script>" not in text and "\x1b" not in text
    assert text.count("<script>") == 1 and "http://" not in text and "https://" not in text
