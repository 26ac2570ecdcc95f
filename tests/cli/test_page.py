"""``graphol report --html``, from the outside."""

from __future__ import annotations

import json
import re
import shlex

import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python

SBM = ("--dataset", "sbm:nodes=90,classes=3")
CALL = ("compare", "--learners", "gpa,oslg", *SBM, "--repeats", 3)


@pytest.fixture
def kept(run, tmp_path):
    assert run(*CALL, "--out", tmp_path / "out").code == 0
    return tmp_path / "out"


def test_the_regret_of_a_sweep_loads_and_embeds_the_data_once(run, tmp_path, monkeypatch):
    from graphol.datasets.sbm import StochasticBlockModel
    from graphol.embeddings.spectral import Spectral

    plan, calls = tmp_path / "plan.toml", []
    plan.write_text('learner = ["gpa", "molg-f"]\ndataset = ["sbm:nodes=60,classes=2", '
                    '"sbm:nodes=70,classes=2"]\nrepeats = 3\ncompiled = false\n')  # fmt: skip
    run("sweep", plan, "--executor", "serial", "--quiet")
    for cls, method in ((StochasticBlockModel, "load"), (Spectral, "embed")):
        real = getattr(cls, method)
        monkeypatch.setattr(
            cls, method, lambda *a, real=real, cls=cls: calls.append(cls) or real(*a)
        )
    found = run("report", tmp_path / "plan-results", "--regret", "--html", tmp_path / "p.html")
    assert found.code == 0 and "best in hindsight" in (tmp_path / "p.html").read_text()
    assert calls.count(StochasticBlockModel) == 2 and calls.count(Spectral) == 2


def test_a_page_its_figures_and_the_printed_table(run, kept, tmp_path):
    html, svg = tmp_path / "page.html", tmp_path / "figures"
    found = run("report", kept, "--html", html, "--svg", svg, "--against", "gpa")
    assert (found.code, found.err) == (0, "")
    page = html.read_text()
    head, *lines = found.out.splitlines()
    assert "p Holm" in head and len(lines) == 2
    for line in lines:
        for number in re.findall(r"[-+]?\d+\.\d\d\b", line):
            assert number in page
    assert sorted(path.suffix for path in svg.iterdir()) == [".svg"] * len([*svg.iterdir()])
    assert any(path.name.startswith("curves-sbm") for path in svg.iterdir())
    rows = json.loads(run("report", kept, "--html", html, "--force", "--json").out)
    assert {row["label"] for row in rows} == {"gpa", "oslg"} and rows[0]["schema"] == 1


def test_the_page_says_the_command_that_makes_it_again(run, kept, tmp_path):
    html = tmp_path / "page.html"
    run("report", kept, "--html", html, "--against", "gpa", "--confidence", 0.9)
    first = html.read_text()
    (line,) = re.findall(r"<code>(graphol report .*?)</code>", first)
    words = shlex.split(line)
    assert words[0] == "graphol"
    assert run(*words[1:]).code == 0
    assert html.read_text() == first


def test_tables_of_a_page_go_into_files(run, kept, tmp_path):
    found = run("report", kept, "--html", tmp_path / "p.html", "--csv", tmp_path / "t.csv")
    assert found.code == 0
    head, *lines = (tmp_path / "t.csv").read_text().splitlines()
    assert "learner" in head and len(lines) == 2


def test_regret_and_bound_are_on_the_page(run, kept, tmp_path):
    run("report", kept, "--html", tmp_path / "p.html", "--regret")
    text = (tmp_path / "p.html").read_text()
    assert '<section id="regret">' in text and "best in hindsight" in text


def test_a_sweep_prints_its_leaderboard_and_how_far_it_is(run, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'repeats = 2\n[[block]]\nlearner = ["gpa", "oslg"]\ndataset = "sbm:nodes=60,classes=2"\n'
    )
    out = tmp_path / "plan-results"
    assert run("sweep", plan, "--executor", "serial", "--quiet").code == 0
    found = run("report", out)
    assert found.code == 0 and "oslg" in found.out and "planned" not in found.out
    next((out / "cells").iterdir()).unlink()
    found = run("report", out, "--html", tmp_path / "page.html")
    assert "3 of 4 planned cells are done, 0 failed" in found.out
    assert "3 of 4 planned cells are done" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("--html", "page.txt"), "a page ends in .html; rename it", 2),
        (("--html", "nowhere/page.html"), "there is no folder nowhere; make it first", 2),
        (("--html", "there.html"), "there.html exists; add --force to replace it", 2),
        (("--svg", "nowhere/figures"), "there is no folder nowhere; make it first", 2),
        (("--svg", "there.html"), "there.html is no folder; name another place", 2),
        (("--html", "p.html", "--against", "soba"), "'soba' is not one of those compared", 2),
        (("--html", "p.html", "--confidence", 2), "confidence must be > 0 and < 1, got 2.0", 2),
        (("--html", "p.html", "--plot", "a.png"), "--svg DIR has every figure", 2),
    ],
)
def test_wrong_calls_are_one_line(refused, kept, tmp_path, monkeypatch, arguments, message, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.html").write_text("mine")
    assert message in refused("report", kept, *arguments, code=code)
    assert (tmp_path / "there.html").read_text() == "mine" and not (tmp_path / "p.html").exists()


def test_figures_that_are_there_are_not_replaced(run, refused, kept, tmp_path):
    assert run("report", kept, "--svg", tmp_path / "f").code == 0
    assert "exists; add --force" in refused("report", kept, "--svg", tmp_path / "f")
    assert run("report", kept, "--svg", tmp_path / "f", "--force").code == 0
