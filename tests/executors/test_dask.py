"""Workers of dask: poison harms itself alone, and a lost worker nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

import graphol.testing
from graphol.errors import GrapholError, UsageError
from graphol.executors import TaskDied, dask
from graphol.executors.dask import Dask

distributed = pytest.importorskip("distributed", reason="dask is not installed: graphol[dask]")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc, limits memory"),
    pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning"),
]


@graphol.testing.executor_checks(Dask())
def test_conforms(component, check):
    check(component)


def test_poison_among_good_tasks_costs_itself_alone(poison):
    wanted = [poison.play("molg-b", seed) for seed in range(3)]
    with Dask().start(2, timeout=5.0, memory=4 * 10**9) as executor:
        good = [executor.submit(poison.play, "molg-b", seed) for seed in range(3)]
        bad = {k: executor.submit(f, *args) for k, (f, args, _) in poison.POISON.items()}
        more = [executor.submit(poison.square, k) for k in range(20)]
        assert [future.result() for future in good] == wanted
        assert [future.result() for future in more] == [k * k for k in range(20)]
        reasons = {k: future.exception() for k, future in bad.items()}
        assert executor.submit(poison.threads).result() == 1
        with pytest.raises(UsageError, match="cannot be sent to another process"):
            executor.submit(lambda: None).result()
    for k, (_, _, why) in poison.POISON.items():
        assert isinstance(reasons[k], GrapholError) and "\n" not in str(reasons[k])
        assert getattr(reasons[k], "why", None) == why, k


def test_the_task_of_a_lost_worker_is_played_again(poison, tmp_path, started, gone):
    with Dask().start(2) as executor:
        playing = executor.submit(poison.begun_then, tmp_path / "worker", tmp_path / "go")
        others = [executor.submit(poison.square, k) for k in range(10)]
        worker = started(tmp_path / "worker")
        (tmp_path / "worker").unlink()
        os.kill(worker, signal.SIGKILL)
        assert gone(worker)
        assert started(tmp_path / "worker") != worker
        (tmp_path / "go").touch()
        assert playing.result(timeout=60) == str(tmp_path / "go")
        assert [future.result(timeout=60) for future in others] == [k * k for k in range(10)]


def test_a_task_that_dask_gives_up(poison):
    import dask.config

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        Dask().start(1) as executor,
    ):
        reason = executor.submit(poison.kill_who_started_it).exception(timeout=60)
        assert isinstance(reason, TaskDied) and reason.why == "killed"
        assert str(reason) == "dask has lost every worker that played it"
        assert executor.submit(poison.square, 3).result(timeout=60) == 9


def test_a_scheduler_that_is_there_already(poison, monkeypatch):
    monkeypatch.setattr(dask, "PATIENCE", 2)
    with distributed.LocalCluster(
        n_workers=0, processes=True, dashboard_address=None, silence_logs="CRITICAL"
    ) as cluster:
        there = Dask(scheduler=cluster.scheduler_address)
        with pytest.raises(
            UsageError, match=r"has no workers after 2 s; start some: dask worker t"
        ):
            there.start(1)
        cluster.scale(1)
        monkeypatch.undo()
        for _ in range(2):  # it is not ours to close
            with there.start(1) as executor:
                assert list(executor.map(poison.square, range(5))) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "tls://127.0.0.1:1", "nonsense://x", "inproc://x", "a b"]
)
def test_a_scheduler_that_is_not_there(monkeypatch, address):
    monkeypatch.setattr(dask, "PATIENCE", 1)
    with pytest.raises(UsageError, match="no dask scheduler answers at") as refused:
        Dask(scheduler=address).start(1)
    assert "\n" not in str(refused.value)


def test_an_address_that_is_none_leaves_nothing_that_ends_late():
    script = (
        "from graphol.executors.dask import Dask\n"
        "try:\n"
        "    Dask(scheduler='a b').start(1)\n"
        "except Exception as reason:\n"
        "    print(type(reason).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("UsageError\n", "")


def test_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'graphol\[dask\]'"):
        Dask().start(1)


@pytest.mark.parametrize(("how", "number"), [("waits", signal.SIGKILL), ("waits", signal.SIGINT)])
def test_no_process_outlives_the_one_that_started_it(tmp_path, script, started, gone, how, number):
    paths = [tmp_path / "one", tmp_path / "two"]
    command = script("dask", how, "begun", *paths)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as parent:
        workers = [started(path) for path in paths]
        parent.send_signal(number)
        parent.wait(30)
    assert all(map(gone, workers))
