"""The curve of the error rate so far, its band, and the picture of both."""

from __future__ import annotations

import numpy as np
import pytest

import graphol
from graphol.errors import UsageError
from graphol.report.curve import cumulative_error, plot, recent_error
from graphol.simulation import Simulation
from graphol.trace import Trace


def result(traces, target="classes"):
    return Simulation(tuple(traces), (), {"task": "digits", "target": target})


def trace(loss, scored=None, real=False, **meta):
    loss = np.asarray(loss, dtype=float)
    T = len(loss)
    return Trace(
        node=np.arange(T),
        predicted=np.zeros(T) if real else np.zeros(T, dtype=np.int32),
        label=loss.astype(int),
        revealed=np.zeros(T),
        queried=np.ones(T, dtype=bool),
        updates=np.zeros(T, dtype=np.int32),
        loss=loss,
        scored=np.ones(T, dtype=bool) if scored is None else np.asarray(scored, dtype=bool),
        meta=meta,
    )


def test_mean_and_deviation_by_hand():
    mean, std = cumulative_error([trace([1, 0, 0, 1]), trace([0, 0, 1, 1])])
    np.testing.assert_allclose(mean, [0.5, 0.25, 1 / 3, 0.5])
    np.testing.assert_allclose(std, [np.sqrt(0.5), np.sqrt(0.125), 0, 0], atol=1e-15)


def test_it_ends_at_the_error_rate():
    rng = np.random.default_rng(0)
    traces = [trace(rng.random(50) < 0.3, rng.random(50) < 0.8) for _ in range(5)]
    mean, std = cumulative_error(traces)
    rates = [each.error_rate for each in traces]
    assert mean[-1] == pytest.approx(np.mean(rates))
    assert std[-1] == pytest.approx(np.std(rates, ddof=1))


def test_rounds_that_do_not_count_leave_a_gap():
    mean, std = cumulative_error([trace([1, 1, 0, 1], scored=[0, 0, 1, 1])])
    np.testing.assert_array_equal(mean, [np.nan, np.nan, 0, 0.5])
    np.testing.assert_array_equal(std, 0)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_the_same_traces_give_the_same_picture(tmp_path, ending, real):
    rng = np.random.default_rng(0)
    traces = [trace(rng.random(3000) < 0.3, np.arange(3000) > 5, real) for _ in range(3)]
    one, two = tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"
    for path in (one, two):
        plot({"gpa": result(traces, "real" if real else "classes")}, path)
    assert one.read_bytes() == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [one.name, two.name]
    if ending == "svg":
        text = one.read_text()
        assert ("mean squared error so far" if real else "error rate so far") in text
        assert "digits (mean ± std of 3)" in text and "gpa" in text


def test_one_round_one_trace(tmp_path):
    plot({"short": result([trace([1])])}, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_an_existing_picture_is_kept(tmp_path):
    path = tmp_path / "a.png"
    path.write_text("mine")
    with pytest.raises(UsageError, match="force=True"):
        plot({"x": result([trace([1, 0])])}, path)
    assert path.read_text() == "mine"
    plot({"x": result([trace([1, 0])])}, path, force=True)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("window", [1, 3, 50, 80])
def test_recent_errors_are_means_over_a_window(window):
    rng = np.random.default_rng(0)
    traces = [trace(rng.random(50) < 0.4, rng.random(50) < 0.7) for _ in range(4)]
    mean, std = recent_error(traces, window)
    for t in range(50):
        last = slice(max(0, t + 1 - window), t + 1)
        rates = [
            each.loss[last][each.scored[last]].mean() if each.scored[last].any() else np.nan
            for each in traces
        ]
        assert mean[t] == pytest.approx(np.mean(rates), nan_ok=True)
        assert std[t] == pytest.approx(np.std(rates, ddof=1), nan_ok=True)


def lines(path):
    """The dark vertical lines in the picture: how many, over both panels."""
    return path.read_text().count("opacity: 0.6")


def test_switches_are_drawn(tmp_path):
    """Of one repeat, or of repeats that are alike, in both panels; else those of the first."""
    rng = np.random.default_rng(0)

    def drawn(name, *marks):
        traces = [
            trace(rng.random(400) < 0.3, marks=each, repeat=5 + i) for i, each in enumerate(marks)
        ]
        plot({"x": result(traces, "signs")}, tmp_path / name)
        return lines(tmp_path / name), (tmp_path / name).read_text()

    count, text = drawn("one.svg", [30, 77, 200])
    assert count == 6 and "error rate, last 10 rounds" in text and "error rate so far" in text
    assert "lines: the labeling changes" in text and "repeat 5 alone" not in text
    assert drawn("alike.svg", [30, 77], [30, 77])[0] == 4
    count, text = drawn("several.svg", [30, 77, 200], [40])
    assert count == 3 and "repeat 5 alone; lines: the labeling changes" in text
    count, text = drawn("none.svg", [], [])
    assert count == 0 and "last 10 rounds" not in text
    assert drawn("later.svg", [], [40])[0] == 0


def test_files_give_the_same_picture(tmp_path):
    data = "switching-grid:rows=5,cols=5,T=120,S=4,centres=3"
    played = graphol.simulate("kernel-perceptron", data, repeats=2)
    plot({"x": played}, tmp_path / "one.svg")
    played.save(tmp_path / "kept")
    plot({"x": Simulation.load(tmp_path / "kept")}, tmp_path / "two.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert lines(tmp_path / "one.svg") == 4
