"""A protocol with answers of its own and a learner for it, from one plugin file, to the report."""

from __future__ import annotations

import json

import numpy as np
import pytest

from graphol import Simulation

PLUGIN = '''
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

import graphol


@attrs.frozen
class NotThis:
    """One class that the truth is not, drawn evenly; a row of K bits."""

    name: ClassVar[str] = "not-this"
    reveals: ClassVar[str] = "excluded"
    on_request: ClassVar[bool] = False

    def blank(self, problem):
        return np.zeros(problem.n_classes, dtype=bool)

    def answer(self, problem, instance, truth, prediction, rng):
        K = problem.n_classes
        return np.arange(K) == (int(truth) + rng.integers(1, K)) % K

    def scored(self, rounds):
        return np.ones(rounds, dtype=bool)


class State(NamedTuple):
    against: np.ndarray  # (n, K)
    indptr: np.ndarray
    indices: np.ndarray


@attrs.frozen
class Doubter:
    """Says the class that fewest neighbours are known not to be of."""

    name: ClassVar[str] = "doubter"
    feedback: ClassVar[str] = "not-this"
    learns_from: ClassVar[tuple[str, ...]] = ("excluded",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "graph"

    def start(self, problem):
        S = problem.graph.adjacency
        return State(np.zeros((problem.graph.n, problem.n_classes)), S.indptr, S.indices)

    def predict(self, state, instance):
        scores = -state.against[instance.node]
        return graphol.Prediction(int(np.argmax(scores)), scores)

    def update(self, state, instance, prediction, reveal):
        row = slice(state.indptr[instance.node], state.indptr[instance.node + 1])
        state.against[state.indices[row]] += reveal.answer
        state.against[instance.node] += reveal.answer
        return 1


@graphol.hookimpl
def graphol_feedbacks():
    return [NotThis]


@graphol.hookimpl
def graphol_learners():
    return [Doubter]
'''


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "doubt.py"
    path.write_text(PLUGIN)
    return "--plugin", path


def test_from_a_file_to_the_report(run, plugin, tmp_path):
    out = tmp_path / "out"
    games = ("--dataset", "sbm:nodes=200,classes=4", "--repeats", 3)
    played = run("simulate", "--learner", "doubter", *plugin, *games, "--keep", "scores",
                 "--out", out)  # fmt: skip
    assert (played.code, played.err) == (0, "")
    back = Simulation.load(out)
    for trace in back.traces:
        rows = trace.kept["excluded"]
        assert rows.shape == (200, 4) and (rows.sum(axis=1) == 1).all()
        assert not rows[np.arange(200), trace.label].any()
        assert trace.kept["scores"].argmax(axis=1).tolist() == trace.predicted.tolist()
        assert np.isnan(trace.revealed).all() and trace.n_queries == 200
    assert back.error_rate_mean < 0.7  # 0.75 by luck
    assert run("report", out).out == played.out
    row = json.loads(run("report", out, "--json").out)
    row = row[0] if isinstance(row, list) else row
    assert row["queries_mean"] == 200 and row["feedback"] == "not-this"
    assert row["error_rate_mean"] == back.error_rate_mean


def test_it_conforms(run, plugin):
    for kind, name in (("feedback", "not-this"), ("learner", "doubter")):
        found = run("check", kind, name, *plugin)
        assert (found.code, found.err) == (0, ""), found.out
        assert "FAILED" not in found.out


def test_show_says_what_it_reveals(run, plugin):
    assert "reveals: excluded" in run("show", "not-this", *plugin).out
    assert "learns from: excluded" in run("show", "doubter", *plugin).out


def test_who_learns_from_labels_is_refused_in_one_line(run, plugin):
    found = run("simulate", "--learner", "gpa", "--feedback", "not-this", *plugin)
    assert (found.code, found.out) == (2, "")
    assert found.err == (
        "graphol: gpa learns from a label, but not-this feedback reveals excluded; "
        "try --feedback full\n"
    )


def test_a_protocol_without_its_methods_is_refused_in_one_line(run, tmp_path):
    path = tmp_path / "half.py"
    path.write_text(PLUGIN.replace("def blank(", "def blanc("))
    found = run("list", "feedbacks", "--plugin", path)
    assert found.code == 4 and "its feedback NotThis: it lacks blank" in found.err


def test_what_cannot_be_kept_is_refused(run):
    found = run("simulate", "--learner", "gpa", "--keep", "score")
    assert (found.code, found.out) == (2, "")
    assert found.err == "graphol: a trace cannot keep 'score'; did you mean 'scores'?\n"
