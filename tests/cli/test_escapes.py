"""What other people wrote into names, ids, labels and notes is shown, and never obeyed."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import graphol
from graphol.formats import write_npz

OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NAME = "\x1b]0;owned\x07\x9b2J\u202e数学.csv"


@pytest.fixture
def ring(tmp_path, monkeypatch):
    """A graph in a file whose name, ids, labels and notes all hold sequences for a terminal."""
    monkeypatch.chdir(tmp_path)
    n = 12
    ids = [f"\x1b[31m{i}" for i in range(n)]
    graph = graphol.Graph.from_edges(
        ids, [*ids[1:], ids[0]], labels=np.arange(n) % 2, label_names=("\x1b[1mx", "\x9by"),
        ids=ids, notes=("\x1b[2J note",),
    )  # fmt: skip
    write_npz(graph, NAME.replace(".csv", ".npz"))
    return NAME.replace(".csv", ".npz")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_answers_and_notes(run, ring, more):
    done = run("simulate", "--learner", "gpa", "--graph", ring, "--repeats", 1, *more)
    assert done.code == 0
    assert not OBEYED.search(done.out + done.err)
    assert "数学" in done.out and "note" in done.err
    if more:
        assert json.loads(done.out)["dataset"] == ring  # the escapes of JSON say the same


def test_errors(refused, ring, tmp_path):
    (tmp_path / "l.csv").write_text("node,label\n\x1b[5mnobody,x\n")
    for line in (
        refused("simulate", "--learner", "gpa", "--graph", ring, "--labels", "l.csv", code=3),
        refused("simulate", "--learner", "gpa", "--graph", NAME, code=3),
        refused("simulate", "--learner", NAME),
        refused("simulate", "--learner", "gpa", f"--{NAME}"),
        refused("datasets", "info", NAME),
    ):
        assert not OBEYED.search(line) and "\\x1b" in line


def test_an_error_in_python_is_shown_too():
    with pytest.raises(graphol.GrapholError) as error:
        graphol.make("learner", "\x1b[2J")
    assert not OBEYED.search(str(error.value))


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_plot_reads_no_formulas(run, tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    name = "$\\frac{$\x1b.csv"
    (tmp_path / name).write_text("source,target\na,b\nb,c\nc,d\n")
    (tmp_path / "l.csv").write_text("node,label\na,x\nb,y\nc,x\nd,y\n")
    call = ("simulate", "--learner", "gpa", "--graph", name, "--labels", "l.csv", "--repeats", 1)
    done = run(*call, "--plot", f"p.{ending}")
    assert done.code == 0, done.err
    assert (tmp_path / f"p.{ending}").stat().st_size > 1000
    if ending == "svg":
        assert "$\\frac{$\\x1b.csv" in (tmp_path / "p.svg").read_text()
