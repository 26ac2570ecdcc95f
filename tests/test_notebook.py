"""What notebooks show: nothing unescaped, the figures of the tables, frames of either library."""

from __future__ import annotations

import importlib.util
import re
import sys
import types

import numpy as np
import pytest

import graphol
from graphol.errors import UsageError

EVIL = "<script>alert('x')</script>&\x1b[31m"


@pytest.fixture(scope="module")
def played():
    return graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=3)


@pytest.fixture(scope="module")
def compared():
    return graphol.compare(["gpa", "molg-f"], "sbm:nodes=60,classes=2", repeats=3)


def evil_graph() -> graphol.Graph:
    graph = graphol.Graph.from_edges(["a", EVIL, "c", "d"], [EVIL, "c", "d", "a"], name=EVIL)
    return graph.labelled([0, 1, 0, -1], [EVIL, "two"]).noted(EVIL)


def texts(html: str) -> list[str]:
    return re.findall(r"<t[hd]>(.*?)</t[hd]>", html)


def test_a_simulation_shows_its_row(played):
    html = played._repr_html_()
    assert "gpa" in texts(html)
    error, std = 100 * played.error_rate_mean, 100 * played.error_rate_std
    assert f"{error:.2f} ± {std:.2f}" in texts(html)


def test_a_comparison_shows_its_table(compared):
    html = compared._repr_html_()
    assert html.count("<tr>") == 3
    for result in compared.results:
        assert f"{100 * result.error_rate_mean:.2f}" in html


def test_a_graph_shows_its_sizes():
    assert texts(evil_graph()._repr_html_())[-4:] == ["4", "4", "2", "3"]


def test_names_do_no_harm():
    graph = evil_graph()
    played = graphol.simulate("gpa", graph, repeats=2)
    compared = graphol.compare(["gpa", "molg-f"], graph, repeats=2)
    for shown in (graph, played, compared):
        html = shown._repr_html_()
        assert "&lt;script&gt;" in html
        assert "<script" not in html
        assert "\x1b" not in html
        assert set(re.findall(r"</?(\w+)", html)) <= {
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "p",
        }


def test_a_reproduction_shows_its_rows():
    from graphol.reproduce import run

    result = run("kdd13-table2", datasets=["sbm:nodes=60,classes=2"], quick=True)
    frame = result.to_frame()
    assert list(frame["measured"]) == [row.measured for row in result.rows]
    assert list(frame["verdict"]) == [row.verdict for row in result.rows]
    html = result._repr_html_()
    assert html.count("<tr>") == len(result.rows) + 1
    assert all(row.learner in html for row in result.rows)


def test_frames_have_the_figures(played, compared):
    frame = played.to_frame()
    assert list(frame["repeat"]) == [0, 1, 2]
    np.testing.assert_array_equal(frame["error_rate"], played.error_rates)
    np.testing.assert_array_equal(frame["queries"], played.queries)
    rows = compared.to_frame()
    assert list(rows["label"]) == ["gpa", "molg-f"]
    assert list(rows["error_rate_mean"]) == [x.error_rate_mean for x in compared.results]


def test_the_frame_of_a_graph_makes_the_graph_again():
    graph = graphol.Graph.from_edges(["a", "b", "c"], ["b", "c", "a"], [1.0, 2.5, 3.0])
    frame = graph.to_frame()
    again = graphol.Graph.from_edges(
        list(frame["source"]), list(frame["target"]), list(frame["weight"]), ids=graph.ids
    )
    assert again.hash == graph.hash


def hide(monkeypatch, *names):
    """As if these were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name in names else find(name, *more),
    )


def test_polars_stands_in_for_pandas(monkeypatch, played):
    polars = pytest.importorskip("polars", reason="polars is not here; `pip install polars`")
    hide(monkeypatch, "pandas")
    frame = played.to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["error_rate"].to_list() == list(played.error_rates)


def test_a_library_gets_plain_columns(monkeypatch, played):
    """Whichever is there: names, and lists of Python's own numbers and texts."""
    hide(monkeypatch, "pandas")
    stand_in = types.SimpleNamespace(DataFrame=dict)
    monkeypatch.setitem(sys.modules, "polars", stand_in)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: name == "polars" or None)
    frame = played.to_frame()
    assert frame["error_rate"] == list(played.error_rates)
    assert {type(value) for column in frame.values() for value in column} <= {int, float, str}


def test_neither_is_one_line(monkeypatch, played):
    hide(monkeypatch, "pandas", "polars")
    with pytest.raises(UsageError, match="pip install pandas"):
        played.to_frame()
