"""A task harms itself alone, and no process is left behind, however things end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, as_completed, wait

import pytest

from graphol.errors import GrapholError, InputError, PluginError, UsageError
from graphol.executors import TaskDied
from graphol.executors.process import Process

GB = 10**9
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc, limits memory")


@linux
def test_poison_among_good_tasks_costs_itself_alone(poison):
    with Process().start(2, timeout=2.0, memory=4 * GB) as executor:
        good = [executor.submit(poison.square, k) for k in range(20)]
        bad = {k: executor.submit(f, *args) for k, (f, args, _) in poison.POISON.items()}
        good += [executor.submit(poison.square, k) for k in range(20, 40)]
        assert [future.result() for future in good] == [k * k for k in range(40)]
        reasons = {k: future.exception() for k, future in bad.items()}
    for k, (_, _, why) in poison.POISON.items():
        assert isinstance(reasons[k], GrapholError) and "\n" not in str(reasons[k])
        assert getattr(reasons[k], "why", None) == why, k
        assert reasons[k].exit_code == 4
    assert "(SIGKILL)" in str(reasons["kill"]) and "(SIGSEGV)" in str(reasons["crash"])
    assert "(exit code 3)" in str(reasons["end"])
    assert str(reasons["hang"]) == "it was not done after 2 s, and was stopped"
    assert "the 4 GB that a task may have" in str(reasons["allocate"])
    assert "it called sys.exit(0)" in str(reasons["leave"])


def test_failures_keep_their_type_and_line(poison):
    with Process().start(1) as executor:
        refused = executor.submit(poison.refuse, "no such graph").exception()
        assert type(refused) is InputError
        assert (str(refused), refused.exit_code) == ("no such graph", 3)
        assert isinstance(executor.submit(divmod, 1, 0).exception(), ZeroDivisionError)
        odd = executor.submit(poison.odd).exception()
        assert type(odd) is PluginError and "Odd: 1 and 2" in str(odd)
        with pytest.raises(GrapholError, match="what the task gave cannot be sent back: "):
            executor.submit(poison.unsendable).result()
        with pytest.raises(UsageError, match=r"cannot be sent to another process: .*; use "):
            executor.submit(lambda: None).result()
        assert executor.submit(poison.threads).result() == 1


def test_a_worker_plays_many_tasks_and_is_replaced_when_it_dies(poison):
    with Process().start(1) as executor:
        first, again = (executor.submit(poison.pid).result() for _ in range(2))
        assert first == again != os.getpid()
        os.kill(first, signal.SIGKILL)  # while it has nothing to play: nobody's task
        time.sleep(0.1)
        second = executor.submit(poison.pid).result()
        assert second != first
        with pytest.raises(TaskDied):
            executor.submit(poison.kill).result()
        assert executor.submit(poison.pid).result() not in (first, second)


def test_tasks_are_played_in_their_order_and_finish_in_any(poison, tmp_path):
    with Process().start(2) as executor:
        late = executor.submit(poison.wait_for, tmp_path / "go")
        soon = [executor.submit(poison.square, k) for k in range(5)]
        finished = as_completed([late, *soon])
        assert [next(finished).result() for _ in soon] == [0, 1, 4, 9, 16]
        assert late.running()
        (tmp_path / "go").touch()
        assert next(finished) is late
        assert list(executor.map(poison.square, range(4))) == [0, 1, 4, 9]


def test_games_are_the_same_as_in_this_process(poison):
    wanted = [poison.play("molg-b", seed) for seed in range(3)]
    with Process().start(2) as executor:
        assert list(executor.map(poison.play, ["molg-b"] * 3, range(3))) == wanted


@linux
def test_a_limit_that_leaves_nothing_is_refused():
    with (
        Process().start(1, memory=10**7) as executor,
        pytest.raises(UsageError, match=r"a memory limit of 0.01 GB leaves nothing .* allow "),
    ):
        executor.submit(divmod, 7, 2).result()


@linux
def test_what_a_task_has_started_is_stopped_with_it(poison, tmp_path, started, gone):
    with Process().start(1, timeout=1.0) as executor:
        future = executor.submit(poison.begun_with_a_child, tmp_path / "child")
        assert future.exception().why == "timeout"
        assert gone(started(tmp_path / "child"))


def test_shutdown_cancels_what_is_queued(poison, tmp_path):
    executor = Process().start(1)
    playing = executor.submit(poison.wait_for, tmp_path / "go")
    queued = [executor.submit(poison.square, k) for k in range(3)]
    while not playing.running():
        time.sleep(0.01)
    executor.shutdown(wait=False, cancel_futures=True)
    assert all(future.cancelled() for future in queued)
    assert not wait(queued, timeout=10).not_done
    (tmp_path / "go").touch()
    executor.shutdown()
    assert playing.result() == str(tmp_path / "go")
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(poison.square, 2)


@linux
def test_a_block_left_by_an_exception_kills_its_workers(poison, tmp_path, started, gone):
    executor = Process().start(1)
    playing = executor.submit(poison.begun, tmp_path / "pid")
    queued = executor.submit(poison.square, 2)
    pid = started(tmp_path / "pid")
    with pytest.raises(KeyboardInterrupt), executor:
        raise KeyboardInterrupt
    assert gone(pid)
    assert isinstance(playing.exception(), TaskDied)
    with pytest.raises(CancelledError):
        queued.result()


@linux
@pytest.mark.parametrize(
    ("how", "task", "number"),
    [
        ("waits", "begun", signal.SIGKILL),
        pytest.param("waits", "begun_with_the_lock", signal.SIGKILL, marks=pytest.mark.long),
        pytest.param("waits", "begun", signal.SIGINT, marks=pytest.mark.long),
        pytest.param("ends", "begun", None, marks=pytest.mark.long),
    ],
)
def test_no_process_outlives_the_one_that_started_it(
    tmp_path, script, started, gone, how, task, number
):
    paths = [tmp_path / "one", tmp_path / "two"]
    command = script("process", how, task, *paths)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as parent:
        workers = [started(path) for path in paths]
        assert parent.pid not in workers
        if number is not None:
            parent.send_signal(number)
        parent.wait(30)
    assert all(map(gone, workers))


UNGUARDED = """
import graphol
with graphol.make("executor", "process").start(1) as executor:
    executor.submit(divmod, 7, 2).result()
"""


def test_a_script_without_a_guard_is_told_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    said = "UsageError: the worker processes could not start; in a script of your own put the call"
    assert done.returncode == 1 and said in done.stderr.splitlines()[-1]
