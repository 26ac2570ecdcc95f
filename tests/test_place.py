"""Folders of results: old or new, whoever is killed; a user's own files stay; one writer."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import graphol
from graphol import InputError, Simulation, UsageError, simulate
from graphol.cli import main
from graphol.comparing import compare
from graphol.place import open_folder, own_files
from graphol.report.comparison import Comparison, open_comparison, opened
from graphol.transaction import DONE, NEW

pytestmark = pytest.mark.skipif(os.name != "posix", reason="flock, fork")

GOLDEN = Path(__file__).parent / "golden"
SBM = "sbm:nodes=60,classes=3"
MINE = {"notes.txt", "trace-mine.npz", "trace-1.npz"}


@pytest.fixture(scope="module")
def played():
    """Old results of three repeats with weights, new ones of two without."""
    old = simulate("da-iht:s=3", "digit-pixels:digit=1", repeats=3, rounds=20)
    return old, simulate("gpa", SBM, repeats=2)


@pytest.fixture(scope="module")
def contests():
    """Old results of three learners, new ones of two."""
    old = compare(["gpa", "oslg", "ollgc"], SBM, repeats=1)
    return old, compare(["gpa", "soba"], SBM, repeats=2)


def same(one, two):
    for a, b in zip(one.traces, two.traces, strict=True):
        if not (np.array_equal(a.node, b.node) and np.array_equal(a.predicted, b.predicted)):
            return False
    return one.recipe == two.recipe and any(one.weights) == any(two.weights)


def put_mine(folder):
    for name in MINE:
        (folder / name).write_text("mine")


@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.once)])
def test_old_or_new_results_whatever_step_the_run_was_killed_at(
    tmp_path, killed_at, monkeypatch, played, stride
):
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # for speed
    old, new = played
    old.save(tmp_path / "old")
    put_mine(tmp_path / "old")
    states = []
    for k in itertools.count(1, stride):
        folder = tmp_path / str(k)
        shutil.copytree(tmp_path / "old", folder)
        killed = killed_at(k, lambda folder=folder: new.save(folder, force=True))
        found = Simulation.load(folder)
        states.append(same(found, new))
        assert states[-1] or same(found, old)
        new.save(folder, force=True)
        assert set(os.listdir(folder)) == {"meta.json", "trace-000.npz", "trace-001.npz", *MINE}
        assert same(Simulation.load(folder), new)
        if not killed:
            break
    assert k > 40 and states == sorted(states) and not states[0] and states[-1]


@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.once)])
def test_comparisons_too(tmp_path, killed_at, monkeypatch, contests, stride):
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    old, new = contests
    old.save(tmp_path / "old")
    (tmp_path / "old" / "3-ollgc" / "mine").write_text("mine")
    states = []
    for k in itertools.count(1, stride):
        folder = tmp_path / str(k)
        shutil.copytree(tmp_path / "old", folder)
        killed = killed_at(k, lambda folder=folder: new.save(folder, force=True))
        found = [Simulation.load(path) for path in opened(folder)[0]]
        states.append(len(found) == 2)
        for one, two in zip(found, (new if states[-1] else old).results, strict=True):
            assert same(one, two)
        new.save(folder, force=True)
        left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert left == {*own_files(folder), "3-ollgc/mine"} and len(left) == 8
        if not killed:
            break
    assert k > 60 and states == sorted(states) and not states[0] and states[-1]


def test_one_kind_of_results_replaces_the_other(tmp_path, played, contests):
    """Or ``report`` would go on showing the one that was replaced."""
    _, one = played
    _, several = contests
    for first, second in ((one, several), (several, one)):
        folder = tmp_path / type(first).__name__
        first.save(folder)
        with pytest.raises(UsageError, match="holds results already; add "):
            second.save(folder)
        second.save(folder, force=True)
        left = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
        fresh = tmp_path / f"fresh {type(first).__name__}"
        second.save(fresh)
        assert left == {path.relative_to(fresh).as_posix() for path in fresh.rglob("*")}
        assert len(opened(folder)[0]) == (1 if isinstance(second, Simulation) else 2)


@pytest.mark.parametrize("name", ["schema-1", "schema-1/1-gpa", "schema-1-scores"])
def test_folders_of_earlier_versions_are_replaced_whole(tmp_path, name, played):
    folder = tmp_path / "out"
    shutil.copytree(GOLDEN / name, folder)
    put_mine(folder)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {*own_files(folder), *MINE}
    played[1].save(folder, force=True)
    assert set(os.listdir(folder)) == {"meta.json", "trace-000.npz", "trace-001.npz", *MINE}


@pytest.mark.parametrize("name", ["trace-002.npz", "trace-001.npz", "weights.npz", "meta.json"])
def test_a_file_of_our_names_that_is_not_of_the_results_stays(tmp_path, name, played):
    """One more than meta.json names, another's in place of ours, or none of ours at all."""
    _, new = played
    new.save(tmp_path)
    np.savez(tmp_path / name, a=np.arange(3))
    if not name.endswith(".npz"):
        os.replace(tmp_path / f"{name}.npz", tmp_path / name)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UsageError, match="is not of graphol's results there, so it stays"):
        new.save(tmp_path, force=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_trace_of_other_games_is_not_ours(tmp_path, played):
    _, new = played
    new.save(tmp_path / "a")
    simulate("gpa", SBM, repeats=2, seed=1).save(tmp_path / "b")
    shutil.copy(tmp_path / "b" / "trace-001.npz", tmp_path / "a" / "trace-001.npz")
    assert own_files(tmp_path / "a") == ["meta.json", "trace-000.npz"]


def test_the_second_writer_is_told_before_it_computes(tmp_path, capsys, monkeypatch):
    def played(*arguments, **options):
        raise AssertionError("a game was played")

    monkeypatch.setattr("graphol.runner.simulate_by", played)
    out = tmp_path / "out"
    call = ["simulate", "--learner", "gpa", "--dataset", SBM, "--out", str(out), "--force"]
    with open_folder(out, force=False):
        assert main(call) == 2
        assert main(["compare", "--learners", "gpa,oslg", *call[3:]]) == 2
    text = f"graphol: {out} is being written by process {os.getpid()} on "
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2 and all(line.startswith(text) for line in told)
    assert not out.exists()


def test_a_comparison_and_a_game_inside_it_do_not_write_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("graphol.runner.simulate_by", None)  # nothing is computed
    out = tmp_path / "out"
    one = ["simulate", "--learner", "gpa", "--dataset", SBM, "--out", str(out / "1-gpa")]
    all_ = ["compare", "--learners", "gpa,oslg", "--dataset", SBM, "--out", str(out)]
    with open_comparison(out, ["gpa", "oslg"], force=False):
        assert main(one) == 2
    with open_folder(out / "1-gpa", force=False):
        assert main(all_) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert f"{out / '1-gpa'} cannot be written: {out}, which it lies in, is being" in first
    assert f"{out} cannot be written: {out / '1-gpa'}, which lies in it, is being" in second
    assert not out.exists()


@pytest.mark.parametrize("call", ["savez", "rename"])
def test_a_full_disk_leaves_the_old_results(tmp_path, monkeypatch, played, call):
    old, new = played
    old.save(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*((np, "savez_compressed") if call == "savez" else (os, "rename")), full)
        with pytest.raises(InputError) as error:
            new.save(tmp_path, force=True)
    assert str(error.value) == f"cannot write into {tmp_path}: No space left on device"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_reader_meets_a_writer(tmp_path, monkeypatch, played):
    """Whoever reads while results are replaced gets the new ones, not half of each."""
    _, old = played
    new = simulate("gpa", SBM, repeats=3, seed=5)
    old.save(tmp_path)
    read, done = graphol.Trace.load, []

    def interrupted(path):
        if not done:
            done.append(new.save(tmp_path, force=True))
        return read(path)

    monkeypatch.setattr(graphol.Trace, "load", interrupted)
    assert same(Simulation.load(tmp_path), new)

    def always(path):
        new.save(tmp_path, force=True)
        return read(path)

    monkeypatch.setattr(graphol.Trace, "load", always)
    with pytest.raises(InputError, match="is being written again and again"):
        Simulation.load(tmp_path)


def test_a_folder_inside_another_set_reads_what_counts(tmp_path, killed_at, contests):
    """`report out/1-gpa` while the comparison around it was written but not tidied."""
    old, new = contests
    old.save(tmp_path)
    k = 40
    while not (tmp_path / DONE).exists():
        assert killed_at(k, lambda: new.save(tmp_path, force=True))
        k += 4
    assert same(Simulation.load(tmp_path / "1-gpa"), new.results[0])
    with pytest.raises(InputError, match="holds no results"):
        Simulation.load(tmp_path / "3-ollgc")  # is to go
    assert not (tmp_path / NEW).exists()


def test_names_that_lead_out_of_the_folder(tmp_path, contests):
    contests[0].save(tmp_path / "out")
    path = tmp_path / "out" / "compare.json"
    rows = json.loads(path.read_text())
    path.write_text(json.dumps([row | {"learner": "x/../../.."} for row in rows]))
    assert own_files(tmp_path / "out") == []
    with pytest.raises(InputError, match="is not of a comparison, or is damaged"):
        opened(tmp_path / "out")


def test_a_comparison_finds_what_is_in_its_way(tmp_path, contests):
    _, new = contests
    assert isinstance(new, Comparison)
    (tmp_path / "2-soba").write_text("mine")
    with pytest.raises(UsageError, match=r"2-soba is not of graphol's results there"):
        new.save(tmp_path, force=True)
    (tmp_path / "2-soba").unlink()
    (tmp_path / "2-soba").mkdir()
    (tmp_path / "2-soba" / "meta.json").write_text("{}")
    with pytest.raises(UsageError, match=r"2-soba/meta.json is not of graphol's results there"):
        new.save(tmp_path, force=True)
    assert {path.name for path in tmp_path.rglob("*")} == {"2-soba", "meta.json"}


def test_a_run_that_is_refused_leaves_no_folder(tmp_path, capsys):
    """Two learners of which one cannot play: found after the folder was made."""
    call = ["compare", "--learners", "gpa,molg-f", "--one-vs-rest", "--dataset", SBM, "--out"]
    assert main([*call, str(tmp_path / "new" / "out")]) == 2
    assert "molg-f predicts classes" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
    (tmp_path / "mine").mkdir()
    assert main([*call, str(tmp_path / "mine")]) == 2
    assert os.listdir(tmp_path) == ["mine"], "what was there stays"
