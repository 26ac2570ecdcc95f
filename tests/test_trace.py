"""Traces are saved and read back; those of version 1 too."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest

import graphol
from graphol import InputError, Trace
from graphol.npz import read, write
from graphol.tasks.schedules import Tasks
from graphol.testing.games import switch_game

OLD = Path(__file__).parent / "golden" / "schema-1" / "1-gpa" / "trace-000.npz"


def trace(**more):
    return Trace(
        node=np.array([4, 2, 0]), predicted=np.array([1, 0, 1]), label=np.array([1, 1, 1]),
        revealed=np.array([1.0, np.nan, np.nan]), queried=np.ones(3, dtype=bool),
        updates=np.array([0, 0, 1]), loss=np.array([0.0, 1.0, 0.0]), scored=np.ones(3, dtype=bool),
        meta={"schema": 1}, **more,
    )  # fmt: skip


def test_further_columns_come_back(tmp_path):
    more = {"candidates": np.eye(3, dtype=bool), "cube": np.arange(12.0).reshape(3, 2, 2)}
    trace(context=np.array([7, 8, 9]), answered=np.array([1, 1, 0], bool), kept=more).save(
        tmp_path / "t.npz"
    )
    back = Trace.load(tmp_path / "t.npz")
    assert back.context.tolist() == [7, 8, 9] and back.n_queries == 2
    assert back.kept.keys() == more.keys() and back.kept["candidates"].dtype == bool
    for name, column in more.items():
        np.testing.assert_array_equal(back.kept[name], column)
    with np.load(tmp_path / "t.npz") as plain:  # numpy alone reads it
        np.testing.assert_array_equal(plain["candidates"], np.eye(3))
    back.save(tmp_path / "again.npz")
    assert Trace.load(tmp_path / "again.npz").kept.keys() == more.keys()


def test_contexts_are_kept():
    task = attrs.evolve(switch_game(), schedule=Tasks(rounds=90, tasks=5))
    context = task.stream(np.random.default_rng(0).spawn(4)[0]).context
    assert set(context.tolist()) == set(range(5))
    full = graphol.make("feedback", "full")
    for compiled in (True, False):
        rng = np.random.default_rng(0)
        run = graphol.play(task, graphol.make("learner", "gpa"), full, rng, compiled=compiled)
        assert run.trace.meta["compiled"] == compiled
        assert run.trace.context.tolist() == context.tolist()
        assert "marks" not in run.trace.meta


def test_marks_are_kept_and_cut_with_the_rounds():
    task = switch_game(rounds=90)
    marks = task.stream(np.random.default_rng(0).spawn(4)[0]).marks.tolist()
    for rounds in (None, marks[1], marks[1] + 1):
        rng, full = np.random.default_rng(0), graphol.make("feedback", "full")
        run = graphol.play(task, graphol.make("learner", "gpa"), full, rng, rounds=rounds)
        assert run.trace.meta["marks"] == [m for m in marks if m < (rounds or 90)]


def test_a_trace_of_version_1_is_read():
    arrays, meta = read(OLD, "trace")
    assert "context" not in arrays and "answered" not in arrays and "kept" not in meta
    back = Trace.load(OLD)
    assert (back.context == -1).all() and back.kept == {}
    assert back.n_queries == np.count_nonzero(~np.isnan(arrays["revealed"])) > 0


@pytest.mark.parametrize(
    ("kept", "arrays", "message"),
    [
        (["odd"], {}, "it lacks odd"),
        (["odd"], {"odd": np.zeros((4, 2))}, "not numbers of equal length"),
        (["odd"], {"odd": np.array(["a", "b", "c"])}, "not numbers of equal length"),
        (["odd"], {"odd": np.array(1.0)}, "not numbers of equal length"),
        ([], {"context": np.zeros((3, 2))}, "not numbers of equal length"),
        ([[]], {}, "no list of names"),
        ("odd", {}, "no list of names"),
        ([], {"scored": np.ones(3, dtype=int)}, "its column scored is int64"),
        ([], {"updates": np.full(3, np.nan)}, "its column updates is float64"),
        ([], {"loss": np.array([0.0, np.nan, 1.0])}, "a loss is no number"),
        ([], {"scored": np.zeros(3, dtype=bool)}, "no round counts"),
        ([], {"updates": np.array([1, -5, 0])}, "fewer than no updates"),
        ([], {"loss": np.full(3, 1e300)}, "the losses are not those of what was predicted"),
        ([], {"predicted": np.full(3, 77)}, "the losses are not those"),
        ([], {"predicted": np.full(3, np.nan)}, "the losses are not those"),
    ],
)
def test_damaged_columns_are_one_line(tmp_path, kept, arrays, message):
    whole = trace()
    columns = {name: getattr(whole, name) for name in Trace.columns()} | arrays
    write(tmp_path / "t.npz", columns, {"schema": 1, "kept": kept}, force=False)
    with pytest.raises(InputError, match=message) as error:
        Trace.load(tmp_path / "t.npz")
    assert "\n" not in str(error.value)


def test_a_time_that_is_no_number_is_one_line(tmp_path):
    whole = trace()
    whole.meta["elapsed_ns"] = "long"
    whole.save(tmp_path / "t.npz")
    with pytest.raises(InputError, match="its time is 'long'"):
        Trace.load(tmp_path / "t.npz")


@pytest.mark.parametrize(
    "marks",
    [None, 7, "12", {"1": 1}, [1.0], ["1"], [True], [-1], [3], [1, 1], [2, 1], [10**40], [[1]]],
)
def test_marks_that_are_no_rounds_are_one_line(tmp_path, marks):
    arrays, meta = trace().members()
    write(tmp_path / "t.npz", arrays, meta | {"marks": marks}, force=False)
    with pytest.raises(InputError, match="are not numbers of its 3 rounds in ascending order"):
        Trace.load(tmp_path / "t.npz")


@pytest.mark.parametrize("marks", [[], [0], [1, 2]])
def test_marks_come_back(tmp_path, marks):
    arrays, meta = trace().members()
    write(tmp_path / "t.npz", arrays, meta | {"marks": marks}, force=False)
    assert Trace.load(tmp_path / "t.npz").meta["marks"] == marks
