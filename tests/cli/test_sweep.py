"""What a user types to run a sweep, to stop it, and to look at it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest

from graphol.cli.output import duration
from graphol.sweep import cell_file

TEXT = """
repeats = 2
dataset = "sbm:nodes=60,classes=2"

[[block]]
learner = ["gpa", "molg-f:b=20"]
compiled = false

[[cell]]
learner = "molg-f:b=1"
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def play(run, plan):
    def call(*options):
        return run("sweep", plan, "--executor", "serial", *options)

    return call


def test_it_prints_a_table_and_how_to_go_on(play, plan):
    first = play()
    assert first.code == 1
    lines = first.out.splitlines()
    assert lines[0].split()[:5] == ["learner", "dataset", "feedback", "rules", "error"]
    assert [line.split()[0] for line in lines[1:]] == ["gpa", "molg-f:b=20", "molg-f:b=1"]
    assert lines[1].split()[-1] == "2/2" and lines[3].split()[-2:] == ["0/1", "1"]
    assert f"graphol report {plan.parent / 'plan-results'} --html page.html" in first.err
    assert "1 cell(s) failed, the first with: molg-f: b must be > max" in first.err
    assert "--retry-failed" in first.err
    assert play() == first


def test_what_it_names_can_be_typed(run, tmp_path):
    file, out = tmp_path / "my plan.toml", tmp_path / "it's here"
    file.write_text(TEXT)
    said = run("sweep", file, "--executor", "serial", "--out", out).err
    for command in re.findall(r"`(graphol sweep .*?)`", said) + re.findall(
        "(graphol report .*)", said
    ):
        _, name, first, *rest = shlex.split(command)
        if name == "report":
            assert (first, rest) == (str(out), ["--html", "page.html"])
        else:
            assert (first, rest[:2]) == (str(file), ["--out", str(out)])
            assert rest[2:] == ["--retry-failed"] or run(*shlex.split(command)[1:]).code == 0


def test_what_is_no_file_has_no_place_beside_it(refused):
    assert "say where the cells are kept" in refused("sweep", os.devnull)


def test_json_has_the_rows_of_the_table(play):
    rows = json.loads(play("--json", "--quiet").out)
    assert [row["learner_label"] for row in rows] == ["gpa", "molg-f:b=20", "molg-f:b=1"]
    assert [(row["done"], row["cells"], row["failed"]) for row in rows] == [
        (2, 2, 0), (2, 2, 0), (0, 1, 1)
    ]  # fmt: skip
    assert all(row["schema"] == 1 for row in rows)


def test_status_and_why(play, run, refused, plan):
    before = run("sweep", plan, "--status")
    assert "missing     5" in before.out and "done        0" in before.out
    assert not (plan.parent / "plan-results").exists()
    first = play("--only", "learner=gpa", "--out", plan.parent / "plan-results")
    assert first.code == 0, first.err
    found = json.loads(run("sweep", plan, "--status", "--json").out)
    assert (found["cells"], found["done"], found["missing"], found["failed"]) == (5, 2, 3, 0)
    play()
    (failed,) = (plan.parent / "plan-results" / "failed").iterdir()
    said = run("sweep", plan, "--why", failed.stem[:10]).out
    for part in ("state    failed", "in       cell 1", "error    molg-f: b must be", "tries    1",
                 "graphol simulate --learner molg-f:b=1.0", "Traceback"):  # fmt: skip
        assert part in said
    done = next((plan.parent / "plan-results" / "cells").iterdir()).stem
    assert json.loads(run("sweep", plan, "--why", done, "--json").out)["state"] == "done"
    assert "no cell is called xyz" in refused("sweep", plan, "--why", "xyz")
    assert "5 cells begin so" in refused("sweep", plan, "--why", "")


def test_clean_removes_what_is_not_planned(play, run, plan):
    play()
    plan.write_text(TEXT.replace('"gpa", ', ""))
    assert "not planned 2" in run("sweep", plan, "--status").out
    said = run("sweep", plan, "--clean").out.splitlines()
    assert [line.split()[0] for line in said[:2]] == ["removed", "removed"]
    assert said[2].startswith("2 cells removed, ") and said[2].endswith("are left")
    assert json.loads(run("sweep", plan, "--clean", "--json").out) == []
    plan.write_text(TEXT)
    assert "missing     2" in run("sweep", plan, "--status").out


def test_merge(play, run, refused, plan, tmp_path):
    play("--only", "learner=gpa")
    play("--out", tmp_path / "other", "--only", "learner=molg-*")
    said = run("sweep", plan, "--merge", tmp_path / "other")
    assert said.out == f"2 cells copied from {tmp_path / 'other'}\n" and said.code == 0
    one, other = sorted((tmp_path / "other" / "cells").iterdir())
    name, meta = other.stem, cell_file.read_meta(other)
    played = cell_file.read(one)  # other figures under this name
    other.write_bytes(cell_file.to_bytes(played, name, meta["cell"]))
    line = refused("sweep", plan, "--merge", tmp_path / "other")
    assert line.startswith(f"cell {name} has other figures in ")
    shutil.copy(one, other)
    line = refused("sweep", plan, "--merge", tmp_path / "other", code=3)
    assert name in line and "remove it" in line


def test_dry_run_says_that_it_is_an_estimate(run, plan):
    said = run("sweep", plan, "--dry-run", "--only", "learner=gpa", "--jobs", 2).out
    assert said.startswith("5 cells, 2 of them to play\nabout ")
    assert "estimated from a probe of 100 rounds of 1 of 1 kinds of cell" in said
    assert not (plan.parent / "plan-results").exists()


def test_prepare(run, plan):
    said = run("sweep", plan, "--prepare")
    assert said.out == "sbm, seed 0: embedded by spectral\nall data are here\n"


def test_refusals(refused, plan, tmp_path):
    assert "give --status or --clean, not both" in refused("sweep", plan, "--status", "--clean")
    assert "jobs must be" in refused("sweep", plan, "--jobs", 0)
    assert "timeout must be > 0" in refused("sweep", plan, "--timeout", 0)
    assert "is not a size" in refused("sweep", plan, "--memory", "-2G")
    assert "unknown executor 'proces': did you mean 'process'" in refused(
        "sweep", plan, "--executor", "proces"
    )
    assert "has no parameter 'scheduler'" in refused("sweep", plan, "--scheduler", "tcp://x:1")
    assert "cannot limit a task's time" in refused(
        "sweep", plan, "--executor", "serial", "--timeout", 3
    )
    assert "unknown key 'lerner'" in refused("sweep", plan, "--only", "lerner=gpa")
    assert "cannot read" in refused("sweep", tmp_path / "no.toml", code=3)
    plan.write_text('learner = "gpa"\n[[block]]\nlerner = "gpa"\n')
    line = refused("sweep", plan)
    assert line == f"{plan}: block 1: unknown key 'lerner': did you mean 'learner'?"


def test_a_second_sweep_on_the_folder_is_told_who_is_there(play, plan):
    from graphol.sweep.store import Store

    with Store(plan.parent / "plan-results").claimed():
        said = play()
    assert said.code == 2 and "is being written by process" in said.err


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own, where this machine lets us have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    size = ["-t", "tmpfs", "-o", "size=80k", "tmpfs", folder]
    if mount is None or subprocess.run([mount, *size], capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_one_line_and_what_was_done_stays(play, disk, plan):
    plan.write_text(TEXT.replace("repeats = 2", "repeats = 40"))
    said = play("--out", disk / "out", "--quiet")
    assert said.code == 3 and said.out == "" and said.err.count("\n") == 1
    assert "cannot write " in said.err and "No space left on device; what was done is" in said.err
    kept = {path.name: path.read_bytes() for path in (disk / "out" / "cells").iterdir()}
    assert kept and all(kept.values())
    subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
    assert play("--out", disk / "out", "--quiet").code == 1  # the cell that is refused
    assert {name: (disk / "out" / "cells" / name).read_bytes() for name in kept} == kept
    assert len([*(disk / "out" / "cells").iterdir()]) == 80


def test_a_disk_that_may_only_be_read_is_one_line(play, run, disk, plan):
    play("--out", disk / "out", "--quiet", "--only", "repeat=0")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    said = play("--out", disk / "out", "--quiet")
    assert said.code == 3 and said.out == "" and said.err.count("\n") == 1
    assert said.err.endswith("Read-only file system\n")
    assert "done        2" in run("sweep", plan, "--out", disk / "out", "--status").out


def test_durations():
    assert duration(0.4) == "0 s" and duration(3600) == "1 h 0 min"


def test_a_learner_that_raises_keyboard_interrupt_costs_its_own_cell(tmp_path):
    import subprocess
    import sys

    (tmp_path / "rude.py").write_text(
        "from typing import ClassVar\n"
        "import attrs\n"
        "from graphol import hookimpl\n"
        "@attrs.frozen\n"
        "class Rude:\n"
        "    '''Rude.'''\n"
        "    name: ClassVar[str] = 'rude'\n"
        "    feedback: ClassVar[str] = 'full'\n"
        "    learns_from: ClassVar[tuple[str, ...]] = ('label',)\n"
        "    targets: ClassVar[tuple[str, ...]] = ('classes',)\n"
        "    needs: ClassVar[str] = 'nothing'\n"
        "    def start(self, problem): raise KeyboardInterrupt\n"
        "    def predict(self, state, instance): pass\n"
        "    def update(self, state, instance, prediction, reveal): return 0\n"
        "@hookimpl\n"
        "def graphol_learners(): return [Rude]\n"
    )
    (tmp_path / "plan.toml").write_text(
        'plugin = "rude.py"\nlearner = ["rude", "gpa"]\nrepeats = 1\n'
        'dataset = "sbm:nodes=40,classes=2"\n'
    )
    main = "from graphol.cli import main; raise SystemExit(main())"
    line = [sys.executable, "-c", main, "sweep", "plan.toml", "--jobs", "1"]
    ended = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert len([*(tmp_path / "plan-results" / "cells").iterdir()]) == 1
    assert "1 cell(s) failed" in ended.stderr
