"""In this process: the same results, and limits are refused."""

import os

import pytest

from graphol.errors import PluginError, UsageError
from graphol.executors import TaskDied
from graphol.executors.serial import Serial


def test_tasks_are_played_here_when_they_are_submitted(poison):
    with Serial().start(4) as executor:
        future = executor.submit(poison.pid)
        assert future.done() and future.result() == os.getpid()
        assert executor.submit(poison.threads).result() == 1


def test_a_task_fails_alone(poison):
    with Serial().start(1) as executor:
        left = executor.submit(poison.leave, 0).exception()
        assert type(left) is PluginError and "it called sys.exit(0)" in str(left)
        much = executor.submit(poison.allocate, 10**15).exception()
        assert type(much) is TaskDied and much.why == "memory"
        assert executor.submit(poison.square, 3).result() == 9


@pytest.mark.parametrize(("limit", "word"), [("timeout", "time"), ("memory", "memory")])
def test_limits_are_refused(limit, word):
    with pytest.raises(UsageError, match=f"cannot limit a task's {word}; use executor process"):
        Serial().start(1, **{limit: 10**9})


def test_ctrl_c_is_the_users(poison):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Serial().start(1) as executor:
        executor.submit(interrupt)
