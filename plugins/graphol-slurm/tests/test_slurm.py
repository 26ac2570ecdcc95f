import os
import signal
import sys
import time
from concurrent.futures import wait
from pathlib import Path

import pytest
from graphol_slurm.slurm import Slurm

import graphol
import graphol.testing
from graphol.errors import GrapholError
from graphol.executors import TaskDied
from graphol.registry import registry

TASKS = """
import os, signal, sys, time
from pathlib import Path

import numpy as np

def square(x):
    return x * x

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def hang():
    time.sleep(600)

def allocate():
    return int(np.ones(8 * 10**9, dtype=np.uint8)[-1])

def leave():
    sys.exit(0)

def job():
    return os.getppid()

def kill_the_job():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)

def begun(path):
    Path(path).write_text(f"{os.getpid()} {os.getppid()}")
    time.sleep(600)
"""


@pytest.fixture
def here(tmp_path):
    """The executor on this machine; its jobs in a folder of the test."""
    return Slurm(cluster="local", group=4, folder=str(tmp_path / "jobs"))


@pytest.fixture
def tasks(tmp_path):
    path = tmp_path / "tasks.py"
    path.write_text(TASKS)
    registry().load_file(path)
    yield next(m for m in sys.modules.values() if getattr(m, "__file__", "") == str(path))
    registry.cache_clear()


def test_it_is_listed(capsys):
    from graphol.cli import main

    assert main(["list", "executors"]) == 0
    assert "slurm" in capsys.readouterr().out


@graphol.testing.executor_checks(Slurm(cluster="local"))
def test_conforms(component, check, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(component)
    assert [*tmp_path.glob("graphol-jobs/*")] == []


def test_a_job_plays_a_group(here, tasks):
    with here.start(2) as executor:
        jobs = [executor.submit(tasks.job) for _ in range(8)]
        numbers = [future.result(timeout=120) for future in jobs]
    assert numbers[:4] == numbers[:1] * 4 and numbers[4:] == numbers[4:5] * 4
    assert numbers[0] != numbers[4]


def test_poison_costs_itself_alone(here, tasks):
    why = {"kill": "killed", "hang": "timeout", "allocate": "memory", "leave": None}
    with here.start(2, timeout=3.0, memory=3 * 10**9) as executor:
        good = [executor.submit(tasks.square, k) for k in range(6)]
        bad = {name: executor.submit(getattr(tasks, name)) for name in why}
        good += [executor.submit(tasks.square, k) for k in range(6, 9)]
        assert [future.result(timeout=120) for future in good] == [k * k for k in range(9)]
        reasons = {name: future.exception(timeout=120) for name, future in bad.items()}
    for name, reason in reasons.items():
        assert isinstance(reason, GrapholError) and "\n" not in str(reason)
        assert getattr(reason, "why", None) == why[name], name


def test_a_lost_job_costs_the_task_that_it_played(here, tasks):
    with here.start(1) as executor:
        before = executor.submit(tasks.square, 2)
        lost = executor.submit(tasks.kill_the_job)
        after = [executor.submit(tasks.square, k) for k in (3, 4)]
        reason = lost.exception(timeout=120)
        assert type(reason) is TaskDied and reason.why == "killed"
        assert "its log is in" in str(reason)
        assert before.result(timeout=120) == 4
        assert [future.result(timeout=120) for future in after] == [9, 16]


def test_nobody_else_may_enter_and_nobody_else_s_answer_is_read(here, tasks):
    with here.start(1) as executor:
        assert executor._folder.stat().st_mode & 0o077 == 0
        executor._owner += 1
        reason = executor.submit(tasks.square, 2).exception(timeout=120)
        assert isinstance(reason, GrapholError) and "was not written by who sent" in str(reason)


def test_a_job_that_cannot_begin_says_so(here, tasks, monkeypatch):
    with here.start(1) as executor:
        executor._submitting._executor.python = "false"
        reason = executor.submit(tasks.square, 2).exception(timeout=120)
    assert isinstance(reason, GrapholError) and "before it began, job" in str(reason)


def test_ctrl_c_cancels_the_jobs(here, tasks, tmp_path):
    executor = here.start(1)
    playing = executor.submit(tasks.begun, tmp_path / "pids")
    queued = [executor.submit(tasks.square, k) for k in range(9)]
    while not ((tmp_path / "pids").exists() and (tmp_path / "pids").read_text()):
        time.sleep(0.05)
    with pytest.raises(KeyboardInterrupt), executor:
        raise KeyboardInterrupt
    assert playing.cancelled()
    assert not wait([playing, *queued], timeout=10).not_done
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        for _ in range(200):
            if not Path(f"/proc/{pid}").exists():
                break
            time.sleep(0.05)
        else:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError("a process was left")


def test_what_does_not_fit_is_refused(here, tmp_path, monkeypatch):
    with pytest.raises(graphol.UsageError, match="4 tasks of up to 1000 s do not fit into a job"):
        here.start(1, timeout=1000.0)
    with pytest.raises(graphol.UsageError, match=r"of up to 8 GB does not fit .* allow memory=9"):
        here.start(1, memory=8 * 10**9)
    (tmp_path / "file").touch()
    with pytest.raises(graphol.UsageError, match="no jobs can be kept in"):
        Slurm(folder=str(tmp_path / "file")).start(1)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(graphol.UsageError, match="there is no srun on this machine"):
        Slurm(folder=str(tmp_path / "none")).start(1)
    assert [*(tmp_path / "none").iterdir()] == []
