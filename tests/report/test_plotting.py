"""Curves into axes: what is drawn is what was played, and all of it can be told apart."""

from __future__ import annotations

import attrs
import matplotlib.pyplot as plt
import numpy as np
import pytest

import graphol
from graphol.errors import UsageError


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def played():
    return graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=3)


def test_the_line_is_the_error_so_far(played):
    axes = graphol.plot(played)
    (line,) = axes.get_lines()
    x, y = line.get_data()
    for at in (0, 10, -1):
        t = int(x[at])
        wrong = [trace.loss[:t].mean() for trace in played.traces]
        assert y[at] == pytest.approx(np.mean(wrong))
    assert "error rate so far" in axes.get_ylabel()


def test_a_window_is_that_of_the_last_rounds(played):
    (line,) = graphol.plot(played, window=10).get_lines()
    x, y = line.get_data()
    t = int(x[-1])
    assert y[-1] == pytest.approx(np.mean([r.loss[t - 10 : t].mean() for r in played.traces]))
    with pytest.raises(UsageError, match="window must be >= 1"):
        graphol.plot(played, window=0)


def test_own_axes_are_drawn_into(played):
    axes = plt.subplots()[1]
    assert graphol.plot([played, played], axes) is axes
    labels = [line.get_label() for line in axes.get_lines()]
    assert labels == ["gpa (1)", "gpa (2)"]


def test_the_range_is_that_of_the_data(played):
    """The first rounds, where everybody errs, do not squash the rest."""
    traces = [attrs.evolve(played, traces=played.traces)]
    axes = graphol.plot(traces)
    late = np.concatenate([line.get_ydata()[len(line.get_ydata()) // 20 :] for line in axes.lines])
    low, high = axes.get_ylim()
    assert low <= late.min()
    assert late.max() <= high <= max(2 * late.max(), late.max() + 0.2)


def test_many_learners_can_be_told_apart(played):
    many = {f"learner {i}": played for i in range(25)}
    axes = graphol.plot(many)
    looks = [(x.get_color(), x.get_linestyle(), x.get_marker()) for x in axes.get_lines()]
    assert len(set(looks)) == 25
    axes.figure.canvas.draw()
    drawn, beside = axes.get_window_extent(), axes.get_legend().get_window_extent()
    assert beside.x0 >= drawn.x1
    assert beside.x1 <= axes.figure.bbox.x1


def test_comparisons_are_drawn_by_their_labels():
    compared = graphol.compare(["gpa", "molg-f"], "sbm:nodes=60,classes=2", repeats=2)
    assert [x.get_label() for x in graphol.plot(compared).get_lines()] == ["gpa", "molg-f"]


def test_whatever_holds_simulations_will_do(played):
    assert len(graphol.plot({"a": played, "b": played}.values()).get_lines()) == 2


@pytest.mark.parametrize("nothing", [[], {}, ["gpa"], "gpa", {"a": 1}, None, 7])
def test_nothing_is_refused_in_one_line(nothing):
    with pytest.raises(UsageError, match="nothing to draw: give simulations"):
        graphol.plot(nothing)


def test_several_data_sets_are_drawn_one_by_one():
    found = graphol.compare(["gpa", "oslg"], ["sbm:nodes=60", "sbm:nodes=80"], repeats=1)
    with pytest.raises(UsageError, match=r"this comparison has 2; draw each") as refused:
        graphol.plot(found)
    exec(str(refused.value).rpartition("draw each: ")[2], {"graphol": graphol, "found": found})
    assert len(plt.get_fignums()) == 2
