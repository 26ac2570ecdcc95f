"""Cells among cells that do harm, and a sweep that is killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from multiprocessing import active_children

import pytest

from graphol.errors import UsageError
from graphol.sweep.run import Means
from graphol.sweep.sweeping import Sweep, sweep

SBM = "sbm:nodes=40,classes=2"
PLAN = {"learner": "poison", "dataset": SBM, "repeats": 1}


def said(poison, *blocks, **more):
    return {"plugin": str(poison), "block": [PLAN | each for each in blocks], **more}


def figures(store):
    """Everything that a folder holds of its cells but their times."""
    return {name: store.read(name).error_rates.tolist() for name in store.done()}


def test_a_poison_cell_costs_itself_alone(poison, tmp_path):
    harm = {"kill": "killed", "exit": "error", "hang": "timeout", "allocate": "memory",
            "raise": "error"}  # fmt: skip
    plan = said(poison, {"grid": {"at": [*range(8)]}}, {"grid": {"how": [*harm]}})
    found = sweep(plan, out=tmp_path / "out", jobs=2, timeout=3.0, memory=2_000_000_000)
    failed = found.failed()
    assert {f.recipe["learner"]["how"]: f.why for f in failed.values()} == harm
    assert {f.recipe["learner"]["how"]: f.tries for f in failed.values()} == {
        how: 2 if how == "kill" else 1 for how in harm
    }
    assert all("\n" not in f.error and f.error for f in failed.values())
    assert len(found.store.done()) == 8
    alone = sweep(said(poison, {"grid": {"at": [*range(8)]}}), out=tmp_path / "alone",
                  executor="serial")  # fmt: skip
    assert figures(found.store) == figures(alone.store)
    for name in failed:
        assert failed[name].command in found.store.log_path(name).read_text()


def check_poison(poison, tmp_path, cells=100, **means):
    harm = ["kill", "leave", "exit", "hang", "allocate", "raise"]
    plan = said(poison, {"grid": {"at": [*range(cells)]}}, {"grid": {"how": harm}})
    found = sweep(plan, out=tmp_path / "out", timeout=10.0, memory=2_000_000_000, **means)
    assert sorted(f.recipe["learner"]["how"] for f in found.failed().values()) == sorted(harm)
    assert len(found.store.done()) == cells


@pytest.mark.once
def test_poison_among_a_hundred(poison, tmp_path):
    check_poison(poison, tmp_path, jobs=2)


def test_a_failed_cell_is_tried_again_only_when_asked(poison, tmp_path):
    plan, out = said(poison, {"grid": {"how": ["raise", "none"]}}), tmp_path / "out"
    for tries, retry in ((1, False), (1, False), (2, True)):
        found = sweep(plan, out=out, executor="serial", retry_failed=retry)
        (failure,) = found.failed().values()
        assert failure.tries == tries and "ValueError: no such thing" in failure.error
    assert len(found.store.done()) == 1


def test_fail_fast_stops_at_the_first(poison, tmp_path):
    plan = said(poison, {"grid": {"how": ["raise"], "at": [*range(6)]}})
    found = sweep(plan, out=tmp_path / "out", executor="serial", fail_fast=True)
    assert len(found.failed()) == 1
    found = sweep(plan, out=tmp_path / "out", executor="serial")
    assert len(found.failed()) == 6


def test_progress_counts_every_cell(poison, tmp_path):
    told = []
    plan = said(poison, {"grid": {"how": ["raise", "none", "print"]}})
    sweep(plan, out=tmp_path / "out", executor="serial", progress=lambda *each: told.append(each))
    assert [each[:2] for each in told] == [(1, 3), (2, 3), (3, 3)] and told[-1][2] == 1


def test_means_are_checked():
    for wrong in ({"jobs": 0}, {"timeout": 0.0}, {"memory": -1}):
        with pytest.raises(UsageError, match=next(iter(wrong))):
            Means(**wrong)


def test_every_executor_gives_the_same_bytes(tmp_path, same_bytes):
    plan = {"learner": ["gpa", "molg-f"], "dataset": SBM, "repeats": 3}
    one = sweep(plan, out=tmp_path / "one", executor="serial").store
    two = sweep(plan, out=tmp_path / "two", jobs=1).store
    assert one.done() == two.done() and len(one.done()) == 6
    for name in one.done():
        assert same_bytes(one.path(name), two.path(name))


needs_dask = pytest.mark.skipif(sys.platform != "linux", reason="limits memory, kills")
quiet_dask = pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")


@pytest.mark.long
@needs_dask
@quiet_dask
def test_a_dask_worker_killed_in_the_middle_changes_nothing(poison, tmp_path, same_bytes):
    pytest.importorskip("distributed", reason="dask is not installed: graphol[dask]")
    plan = said(poison, {"grid": {"how": ["slow"], "at": [*range(30)]}})
    killed = []

    def kill(played, total, failed):
        """One of the two workers, a process of ours that has cells of its own."""
        if played < 5 or killed:
            return
        workers = [each for each in active_children() if "Dask" in each.name]
        assert len(workers) == 2 and played < total
        os.kill(workers[0].pid, signal.SIGKILL)
        killed.append(workers[0].pid)

    found = sweep(plan, out=tmp_path / "killed", executor="dask", jobs=2, progress=kill)
    alone = sweep(plan, out=tmp_path / "alone", executor="serial")
    assert len(killed) == 1 and found.failed() == {}
    assert found.store.done() == alone.store.done() and len(alone.store.done()) == 30
    for name in alone.store.done():
        assert same_bytes(found.store.path(name), alone.store.path(name))


@pytest.mark.once
@pytest.mark.long
@needs_dask
@quiet_dask
def test_poison_among_a_hundred_on_dask(poison, tmp_path):
    pytest.importorskip("distributed", reason="dask is not installed: graphol[dask]")
    check_poison(poison, tmp_path, executor="dask", jobs=2)


SLOW = """
plugin = "poison.py"
learner = "poison:how=slow"
dataset = "sbm:nodes=40,classes=2"
repeats = 16
"""
BASE = [sys.executable, "-c", "from graphol.cli import main; raise SystemExit(main())", "sweep"]


def kept(out):
    """How many cells are there, while somebody else makes more of them."""
    return len([*(out / "cells").glob("*.npz")])


def killed(out, file, seconds, *options):
    """Start the sweep, wait for its first cell, kill it so many seconds later; its exit code."""
    had = kept(out)
    call = [*BASE, str(file), "--out", str(out), "--quiet", *options]
    with subprocess.Popen(call, stdout=subprocess.DEVNULL) as running:
        while running.poll() is None and kept(out) <= had:
            time.sleep(0.01)
        time.sleep(seconds)
        running.send_signal(signal.SIGKILL)
    return running.returncode


def check_kills(same_bytes, folder, times, seed, *options):
    """A sweep that was killed so often ends as one that was not."""
    (folder / "plan.toml").write_text(SLOW)
    rng, kills, out = random.Random(seed), 0, folder / "killed-results"
    while kills < times:
        if killed(out, folder / "plan.toml", rng.uniform(0, 0.2), *options) == -signal.SIGKILL:
            kills += 1
        else:  # it was done before; it must have something left to do
            for path in (out / "cells").iterdir():
                if rng.random() < 0.8:
                    path.unlink()
    end = sweep(folder / "plan.toml", out=out, executor="serial")
    undisturbed = sweep(folder / "plan.toml", out=folder / "whole", executor="serial")
    assert end.store.done() == undisturbed.store.done() and len(end.store.done()) == 16
    for name in end.store.done():
        assert same_bytes(end.store.path(name), undisturbed.store.path(name))
    assert end.store.plan() == undisturbed.store.plan()
    left = [path.name for path in end.store.folder.rglob(".*")]
    assert left == []


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killed_at_any_moment_it_ends_as_if_it_had_not_been(poison, tmp_path, same_bytes):
    check_kills(same_bytes, tmp_path, 3, 0, "--executor", "serial")


@pytest.mark.once
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killed_fifty_times(poison, tmp_path, same_bytes):
    check_kills(same_bytes, tmp_path, 50, 1, "--jobs", "2")


def test_ctrl_c_says_what_is_done_and_how_to_go_on(poison, tmp_path):
    (tmp_path / "plan.toml").write_text(SLOW)
    out = tmp_path / "plan-results"
    call, pipe = [*BASE, str(tmp_path / "plan.toml"), "--jobs", "1"], subprocess.PIPE
    with subprocess.Popen(call, stdout=pipe, stderr=pipe, text=True) as running:
        while running.poll() is None and kept(out) < 3:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        answer, said = running.communicate(timeout=20)
    assert running.returncode == 130 and answer == ""
    assert " of 16 cells are done and kept; the same command goes on from there" in said
    assert said.endswith("graphol: interrupted\n")
    assert 3 <= len(Sweep.of(tmp_path / "plan.toml").store.done()) < 16


def test_there_are_no_more_workers_than_cells(tmp_path, monkeypatch):
    from graphol.executors.process import Process

    started, start = [], Process.start

    def count(self, workers, **limits):
        started.append(workers)
        return start(self, 1, **limits)

    monkeypatch.setattr(Process, "start", count)
    plan = {"learner": "gpa", "dataset": SBM, "repeats": 2}
    assert not sweep(plan, out=tmp_path, jobs=10**8).failed()
    assert started == [2]
