"""Tables that are played in parts: stopped, gone on with, damaged, failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import attrs
import pytest

from graphol.errors import InputError, UsageError
from graphol.executors.serial import Serial
from graphol.report.gather import gather
from graphol.reproduce import named, run, run_kept
from graphol.sweep.run import Means
from graphol.sweep.store import Store
from graphol.sweep.sweeping import sweep

SERIAL = Means(executor="serial")
GRID = "graphda-grid:train=20,validation=10,test=10"
BLOCKS = [f"sbm:nodes=60,classes={k}" for k in (2, 3)]


def figures(result):
    """All rows but those of times."""
    return [row.as_dict() for row in result.rows if row.metric != "seconds"]


def test_the_same_rows_as_in_one_go_and_nothing_is_played_twice(tmp_path):
    table = named("kdd13-table2")
    whole = run(table, datasets=BLOCKS, quick=True, repeats=2)
    (kept,) = run_kept([table], tmp_path, datasets=BLOCKS, quick=True, repeats=2, means=SERIAL)
    assert figures(kept) == figures(whole) and kept.notes == whole.notes
    files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("cells/*.json")}
    assert len(files) == 2
    (again,) = run_kept(
        [table], tmp_path, datasets=BLOCKS[::-1], quick=True, repeats=2, means=SERIAL
    )
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("cells/*.json")} == files
    assert sorted(map(str, figures(again))) == sorted(map(str, figures(whole)))


def test_what_is_done_needs_no_cluster(tmp_path, monkeypatch):
    call = {"datasets": BLOCKS[:1], "quick": True, "repeats": 2}
    (first,) = run_kept([named("kdd13-table2")], tmp_path, **call, means=SERIAL)
    monkeypatch.setattr(Serial, "start", lambda *_, **__: pytest.fail("it was started"))
    (again,) = run_kept([named("kdd13-table2")], tmp_path, **call, means=SERIAL)
    assert again.rows == first.rows


def test_report_says_who_reads_parts(tmp_path):
    call = {"datasets": BLOCKS[:1], "quick": True, "repeats": 2, "means": SERIAL}
    run_kept([named("kdd13-table2")], tmp_path, **call)
    with pytest.raises(InputError, match=r"graphol reproduce NAME --out .* --html FILE"):
        gather([tmp_path])


def test_a_damaged_part_is_played_again(tmp_path):
    table = named("kdd13-table2")
    call = {"datasets": BLOCKS[:1], "quick": True, "repeats": 2, "means": SERIAL}
    (first,) = run_kept([table], tmp_path, **call)
    (path,) = tmp_path.glob("cells/*.json")
    path.write_bytes(path.read_bytes()[:100])
    (again,) = run_kept([table], tmp_path, **call)
    assert figures(again) == figures(first)


def test_a_part_that_fails_costs_itself_alone(tmp_path, monkeypatch):
    table = named("kdd13-table2")
    plain = type(table).rows

    def rows(self, desk, dataset):
        if dataset == BLOCKS[0]:
            raise UsageError("not today")
        return plain(self, desk, dataset)

    with monkeypatch.context() as patch:
        patch.setattr(type(table), "rows", rows)
        (half,) = run_kept([table], tmp_path, datasets=BLOCKS, quick=True, repeats=2, means=SERIAL)
    there = {row.dataset for row in half.rows if row.measured is not None}
    assert there == {BLOCKS[1]}
    assert {row.verdict for row in half.rows if row.dataset == BLOCKS[0]} == {"failed: not today"}
    (failure,) = half.failures
    assert f"--datasets {BLOCKS[0]}" in failure.command and failure.command in half.notes[-1]
    with monkeypatch.context() as patch:
        patch.setattr(type(table), "rows", rows)
        fast = attrs.evolve(SERIAL, fail_fast=True)
        (less,) = run_kept(
            [table], tmp_path / "fast", datasets=BLOCKS, quick=True, repeats=2, means=fast
        )
    told = {row.dataset: row.verdict.partition(":")[0] for row in less.rows}
    assert told == {BLOCKS[0]: "failed", BLOCKS[1]: "not played"}
    (whole,) = run_kept([table], tmp_path, datasets=BLOCKS, quick=True, repeats=2, means=SERIAL)
    assert not whole.failures
    assert figures(whole) == figures(run(table, datasets=BLOCKS, quick=True, repeats=2))


CALL = [sys.executable, "-c", "import sys; from graphol.cli import main; sys.exit(main())"]
MANY = ",".join(f"sbm:nodes={n},classes=2" for n in range(100, 160, 10))
TABLE = ["reproduce", "kdd13-table2", "--quick", "--datasets", MANY, "--repeats", "3", "--json"]


def test_stopped_by_sigkill_it_goes_on_where_it_was(tmp_path):
    call = [*CALL, *TABLE, "--jobs", "1"]
    out = ["--out", str(tmp_path / "killed")]
    process = subprocess.Popen([*call, *out], stdout=subprocess.DEVNULL)
    while not [*tmp_path.glob("killed/cells/*.json")]:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("killed/cells/*.json")}
    done = subprocess.run([*call, *out], capture_output=True, text=True, check=True)
    after = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("killed/cells/*.json")}
    assert len(before) < len(after) == 6 and before.items() <= after.items()
    alone = subprocess.run(call, capture_output=True, text=True, check=True)
    one, other = (
        [row for row in json.loads(each.stdout) if row["metric"] != "seconds"]
        for each in (done, alone)
    )
    assert one == other


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_parts_in_processes_are_the_same(tmp_path):
    table = named("kdd13-table2")
    whole = run(table, datasets=BLOCKS, quick=True, repeats=2)
    (kept,) = run_kept(
        [table], tmp_path, datasets=BLOCKS, quick=True, repeats=2, means=Means(jobs=2)
    )
    assert figures(kept) == figures(whole)


def test_a_sweep_in_the_same_folder_is_left_alone(tmp_path):
    said = {"learner": "gpa", "dataset": BLOCKS[0], "repeats": 2}
    played = sweep(said, out=tmp_path, executor="serial")
    run_kept(
        [named("kdd13-table2")], tmp_path, datasets=BLOCKS[:1], quick=True, repeats=2, means=SERIAL
    )
    assert Store(tmp_path).planned().keys() == played.planned.cells.keys()
    assert Store(tmp_path).done() == {*played.planned.cells}
