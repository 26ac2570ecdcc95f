"""Tables over switching games: who plays what, what is told, what is concluded."""

from __future__ import annotations

import json
import shlex

import attrs
import numpy as np
import pytest

import graphol
from graphol import seeding
from graphol.bounds.switching import measures, tracking_ball
from graphol.cli import main
from graphol.errors import UsageError
from graphol.reproduce import jmlr15, run
from graphol.reproduce.conclusions import PUBLISHED, switching
from graphol.reproduce.switching import Course

GRID = "switching-grid:rows=6,cols=6,T=160,S=4"
TASKS = "multitask-sbm:nodes=40,classes=4,degree_in=6,T=160,tasks=5"
WINNOW = f"{PUBLISHED} of matrix-winnow (told)"


def small(table, *labels):
    return attrs.evolve(table, entries=tuple(e for e in table.entries if e.label in labels))


@pytest.fixture(scope="module")
def switched():
    table = small(
        jmlr15.SWITCHING, "kernel-perceptron", "tracking-perceptron (told)", WINNOW,
        "majority of perceptron, banks", "oracle: segment", "oracle: labeling",
    )  # fmt: skip
    return run(table, datasets=[GRID], repeats=range(2, 5), seed=7)


def hidden(repeat, seed=7, dataset=GRID):
    """The game of a repeat, drawn again by hand."""
    task = graphol.make("dataset", dataset).load(seeding.fresh_data(seed, repeat))
    return task, task.stream(seeding.order(seed, repeat))


def cell(rows, learner, metric="mistakes"):
    (row,) = [row for row in rows if (row.learner, row.metric) == (learner, metric)]
    return row


def test_what_is_told_is_measured_in_every_repeat(switched):
    told = cell(switched.rows, WINNOW).trials
    balls = cell(switched.rows, "tracking-perceptron (told)").trials
    for trial, other in zip(told, balls, strict=True):
        found = measures(*hidden(trial["repeat"]))
        assert trial["params"]["K"] == found.K
        assert trial["params"]["theta"] == pytest.approx(found.theta, rel=1e-9)
        assert other["params"]["phi"] == pytest.approx(tracking_ball(found), rel=1e-9)
    assert len({trial["params"]["theta"] for trial in told}) == 3  # data are drawn anew
    bound = cell(switched.rows, WINNOW, "bound")
    assert bound.verdict == "above T: says nothing"
    assert cell(switched.rows, WINNOW).verdict == "no published figure"
    for trial in bound.trials:
        found = measures(*hidden(trial["repeat"]))
        c = 5 * np.log(5 / 3) - 2
        value = found.K * found.theta / c * np.log(found.K * (found.n + found.p))
        assert trial["measured"] == pytest.approx(value, rel=1e-6)


def test_relative_is_the_ratio_of_the_means(switched):
    plain = cell(switched.rows, "kernel-perceptron").measured
    for row in switched.rows:
        if row.metric == "relative":
            assert row.measured == pytest.approx(cell(switched.rows, row.learner).measured / plain)


def test_the_oracles_play_the_same_rounds(switched):
    """One perceptron per labeling, by hand, on the stream that all others play.

    A grid is symmetric, so a sum may be 0 but for rounding: whoever meets that is not compared.
    """
    compared = 0
    for label, of in (("oracle: labeling", "active"), ("oracle: segment", "segment")):
        for trial in cell(switched.rows, label).trials:
            task, stream = hidden(trial["repeat"])
            P = np.linalg.pinv(task.graph.laplacian().toarray(), hermitian=True)
            G = P + np.diagonal(P).max()
            segment = np.searchsorted(stream.marks, np.arange(len(stream)), side="right")
            contexts = stream.active if of == "active" else segment
            f, wrong, tied = {}, 0, False
            for i, j, y in zip(stream.node, contexts, stream.truth, strict=True):
                c = f.setdefault(int(j), np.zeros(task.graph.n))
                tied |= 0 < abs(G[i] @ c) < 1e-9
                if (1 if G[i] @ c >= 0 else -1) != y:
                    wrong += 1
                    c[i] += y
            assert tied or trial["measured"] == wrong
            compared += not tied
    assert compared >= 4


def test_courses(switched):
    row = cell(switched.rows, "kernel-perceptron")
    assert isinstance(row, Course) and row.at[-1] == 160
    assert row.course[-1] == pytest.approx(row.measured)
    assert row.first[-1] == row.trials[0]["measured"]
    assert list(row.switches) == hidden(2)[1].marks.tolist()
    assert cell(switched.rows, "kernel-perceptron", "relative").course == ()


def test_conclusions_are_read_off_the_rows(switched):
    said = switched.conclusions
    plain = cell(switched.rows, "kernel-perceptron")
    tracking = cell(switched.rows, "tracking-perceptron (told)")
    same = sum(
        a["measured"] == b["measured"] for a, b in zip(plain.trials, tracking.trials, strict=True)
    )
    assert f"{GRID}: tracking-perceptron makes as many mistakes as kernel-perceptron in " \
        f"{same} of 3 repeats" in said  # fmt: skip
    assert any("says nothing" in text and WINNOW in text for text in said)
    winnow = cell(switched.rows, WINNOW)
    for factor, verb in ((1.2, "loses to"), (0.8, "beats"), (1.0, "equals")):
        rows = [plain, attrs.evolve(winnow, measured=factor * plain.measured)]
        (text,) = switching(rows, "kernel-perceptron")
        assert f"matrix winnow {verb} kernel-perceptron" in text
        assert f"({100 * (factor - 1):+.0f} %)" in text


def test_commands_play_the_first_repeat(switched, capsys):
    for label in ("kernel-perceptron", WINNOW, "majority of perceptron, banks", "oracle: segment"):
        row = cell(switched.rows, label)
        capsys.readouterr()
        assert main([*shlex.split(row.command)[1:], "--json", "--quiet"]) == 0
        played = json.loads(capsys.readouterr().out)
        assert played["error_rate_mean"] * 160 == pytest.approx(row.trials[0]["measured"])


def test_tasks():
    table = small(
        jmlr15.MULTITASK, "independent perceptrons", "pooled perceptron", "multitask-perceptron",
        WINNOW, "oracle: labeling",
    )  # fmt: skip
    found = run(table, datasets=[TASKS], repeats=2, seed=1)
    first = cell(found.rows, "independent perceptrons", "relative")
    assert first.measured == 1.0
    bound = cell(found.rows, "multitask-perceptron", "bound")
    assert bound.measured >= cell(found.rows, "multitask-perceptron").measured
    theta = cell(found.rows, WINNOW).trials[1]["params"]["theta"]
    assert theta == pytest.approx(measures(*hidden(1, 1, TASKS)).theta, rel=1e-9)
    assert cell(found.rows, "pooled perceptron").switches == ()


@pytest.mark.parametrize(
    ("table", "dataset", "text"),
    [
        (jmlr15.SWITCHING, "sbm", "no game of several labelings"),
        (jmlr15.SWITCHING, f"{GRID},context=segment", "sets context itself"),
        (jmlr15.SWITCHING, TASKS, "a game of tasks, and jmlr15-switching .*; try switching-grid"),
        (jmlr15.MULTITASK, GRID, "that take turns, and jmlr15-multitask .*; try multitask-sbm"),
    ],
)
def test_refusals(table, dataset, text):
    with pytest.raises(UsageError, match=text):
        run(table, datasets=[dataset], repeats=1)


def test_usual_repeats(monkeypatch):
    seen = []
    monkeypatch.setattr(
        type(jmlr15.SWITCHING), "run", lambda self, desk, datasets: seen.append(desk.plan) or []
    )
    run(jmlr15.SWITCHING)
    run(jmlr15.SWITCHING, quick=True)
    assert [len(plan.repeats) for plan in seen] == [10, 3] and seen[0].fresh_data


def test_every_learner_is_spelled_as_the_command_line_reads_it():
    there = graphol.registry.registry().offers("learner")
    for table in (jmlr15.SWITCHING, jmlr15.MULTITASK):
        labels = [entry.label for entry in table.entries]
        assert len(set(labels)) == len(labels) and labels[0] == table.against
        for entry in table.entries:
            if entry.learner in there:
                entry.player("x")


def test_picture(switched, tmp_path):
    path = tmp_path / "courses.svg"
    switched.experiment.draw(switched.rows, path)
    again = tmp_path / "again.svg"
    switched.experiment.draw(switched.rows, again)
    assert path.read_bytes() == again.read_bytes() and b"<svg" in path.read_bytes()
    with pytest.raises(UsageError, match="nothing to draw"):
        switched.experiment.draw([], tmp_path / "none.svg")
