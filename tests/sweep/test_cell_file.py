"""The file of a cell against the simulation it was made of."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

import graphol
from graphol import npz
from graphol.errors import InputError
from graphol.sweep import cell_file

GAMES = [
    ("molg-f", "sbm:nodes=60,classes=3", {}),
    ("gpa", "sbm:nodes=60,classes=3", {"one_vs_rest": True}),
    ("gpa", "sbm:nodes=40,classes=2", {"keep": "scores"}),
    ("adagrad", "digit-pixels", {"rounds": 20}),
]


def played(learner="gpa", dataset="sbm:nodes=40,classes=2", **more):
    return graphol.simulate(learner, dataset, repeats=range(2, 3), **more)


@pytest.mark.parametrize(("learner", "dataset", "more"), GAMES)
def test_what_is_read_is_what_was_played(tmp_path, learner, dataset, more):
    one = played(learner, dataset, **more)
    path = tmp_path / "a.npz"
    path.write_bytes(cell_file.to_bytes(one, "a", {"seed": 0}))
    back = cell_file.read(path)
    assert back.row() == one.row()
    assert back.recipe == one.recipe and back.repeats == one.repeats == (2,)
    for mine, theirs in zip(back.traces, one.traces, strict=True):
        assert mine.meta == theirs.meta
        for column, values in theirs.members()[0].items():
            np.testing.assert_array_equal(mine.members()[0][column], values)
    for mine, theirs in zip(back.weights, one.weights, strict=True):
        assert mine.keys() == theirs.keys()
        assert all((mine[key] == theirs[key]).all() for key in mine)
    figures = cell_file.read_meta(path)["figures"]
    assert figures["error_rate_mean"] == one.error_rate_mean


def test_numpy_alone_reads_it(tmp_path):
    path = tmp_path / "a.npz"
    one = played()
    path.write_bytes(cell_file.to_bytes(one, "a", {}))
    with np.load(path, allow_pickle=False) as file:
        np.testing.assert_array_equal(file["0.predicted"], one.traces[0].predicted)


def test_only_times_differ_between_two_games(tmp_path):
    one, two = tmp_path / "1.npz", tmp_path / "2.npz"
    first, second = played(), played()
    one.write_bytes(cell_file.to_bytes(first, "1", {}))
    two.write_bytes(cell_file.to_bytes(second, "2", {}))
    assert first.traces[0].meta["elapsed_ns"] != second.traces[0].meta["elapsed_ns"]
    assert cell_file.differing(one, two) == []
    two.write_bytes(cell_file.to_bytes(played(seed=1), "2", {}))
    assert "0.node" in cell_file.differing(one, two)


def without(path, *names):
    """The file as an earlier version would have written it."""
    arrays = npz.members(path, (npz.META,), "a cell", None)
    meta = json.loads(bytes(arrays.pop(npz.META)))
    kept = {key: values for key, values in arrays.items() if key not in names}
    path.write_bytes(npz.packed(kept, meta, path))


def test_a_column_that_a_later_version_added_has_its_default(tmp_path):
    path = tmp_path / "a.npz"
    one = played()
    path.write_bytes(cell_file.to_bytes(one, "a", {}))
    without(path, "0.known", "0.context")
    back = cell_file.read(path)
    assert back.traces[0].known.all() and (back.traces[0].context == -1).all()
    assert back.error_rate_mean == one.error_rate_mean


def test_a_column_that_is_not_known_here_is_left_alone(tmp_path):
    path = tmp_path / "a.npz"
    one = played()
    content = cell_file.to_bytes(one, "a", {})
    path.write_bytes(content)
    arrays = npz.members(path, (npz.META,), "a cell", None)
    meta = json.loads(bytes(arrays.pop(npz.META)))
    path.write_bytes(npz.packed(arrays | {"0.mood": np.zeros(40)}, meta, path))
    assert cell_file.read(path).error_rate_mean == one.error_rate_mean


@pytest.mark.parametrize("cut", [0, 100, 2000])
def test_a_damaged_file_is_refused_in_one_line(tmp_path, cut):
    path = tmp_path / "a.npz"
    path.write_bytes(cell_file.to_bytes(played(), "a", {})[:cut])
    for read in (cell_file.read, cell_file.read_meta):
        with pytest.raises(InputError, match=r"a\.npz"):
            read(path)


def test_a_trace_of_somebody_elses_losses_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(cell_file.to_bytes(played(), "a", {}))
    arrays = npz.members(path, (npz.META,), "a cell", None)
    meta = json.loads(bytes(arrays.pop(npz.META)))
    arrays["0.loss"] = 1 - arrays["0.loss"]
    path.write_bytes(npz.packed(arrays, meta, path))
    with pytest.raises(InputError, match="losses"):
        cell_file.read(path)


MUTATE = runpy.run_path(str(Path(__file__).parents[1] / "hostile" / "mutations.py"))["mutate"]


def test_a_mutated_file_is_used_or_refused(tmp_path):
    path, content = tmp_path / "a.npz", cell_file.to_bytes(played(), "a", {})
    used = refused = 0
    for k in range(100):
        path.write_bytes(MUTATE(content, [k, 3]))
        for read in (cell_file.read, cell_file.read_meta):
            try:
                read(path)
                used += 1
            except InputError:
                refused += 1
    assert used > 10 and refused > 10


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", "another"])
def test_a_file_that_is_not_this_cell_says_how_to_mend_it(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(cell_file.to_bytes(played(), "b", {}) if content == "another" else content)
    for read in (cell_file.read, cell_file.read_meta):
        with pytest.raises(InputError, match=r"a\.npz.*remove it, and .* plays it again"):
            read(path)
