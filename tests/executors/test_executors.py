"""What all executors promise, and a stranger's among them."""

from __future__ import annotations

import json
import pickle

import pytest

import graphol.testing
from graphol.cli import main
from graphol.executors import TaskDied
from graphol.executors.process import Process
from graphol.executors.serial import Serial
from graphol.registry import registry


@graphol.testing.executor_checks(Serial(), Process())
def test_conforms(component, check):
    check(component)


@pytest.mark.parametrize("why", ["killed", "timeout", "memory"])
def test_why_a_task_died_travels(why):
    came = pickle.loads(pickle.dumps(TaskDied("it is gone", why)))
    assert (type(came), str(came), came.why, came.exit_code) == (TaskDied, "it is gone", why, 4)


STRANGER = '''
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import attrs

from graphol import UsageError, hookimpl


@attrs.frozen
class Threads:
    """Threads of this process."""

    name: ClassVar[str] = "threads"

    def start(self, workers, *, timeout=None, memory=None):
        if timeout is not None or memory is not None:
            raise UsageError("executor threads cannot limit a task; use executor process")
        return ThreadPoolExecutor(workers)


@hookimpl
def graphol_executors():
    return [Threads]
'''


def test_a_strangers_executor_is_listed_and_starts(tmp_path, capsys):
    path = tmp_path / "threads.py"
    path.write_text(STRANGER)
    registry.cache_clear()
    try:
        assert main(["list", "executors", "--plugin", str(path), "--json"]) == 0
        rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
        assert {"dask", "process", "serial", "threads"} <= rows.keys()
        assert rows["threads"]["about"] == "Threads of this process."
        assert rows["threads"]["plugin"] == str(path)
        with graphol.make("executor", "threads").start(2) as executor:
            assert list(executor.map(abs, (-1, 2))) == [1, 2]
    finally:
        registry.cache_clear()
