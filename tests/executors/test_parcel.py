"""Tasks on their way: played in a child process that is kept, and answered by all means."""

import os
from concurrent.futures import CancelledError, Future

import attrs
import pytest

from graphol.errors import UsageError
from graphol.executors import TaskDied
from graphol.executors.parcel import Parcel, deliver, put_away


@pytest.fixture(autouse=True)
def _end_the_child():
    yield
    put_away()


def sent(fn, *args, timeout=None):
    return Parcel.of(fn, args, {}, timeout=timeout, memory=None)


def answer(parcel):
    future = Future()
    deliver(future, parcel.play())
    return future


def test_one_child_plays_parcels_until_it_dies(poison):
    first, again = (answer(sent(poison.pid)).result() for _ in range(2))
    assert first == again != os.getpid()
    died = answer(sent(poison.kill)).exception()
    assert type(died) is TaskDied and died.why == "killed"
    assert answer(sent(poison.pid)).result() != first
    assert answer(sent(poison.hang, timeout=0.5)).exception().why == "timeout"


def test_a_parcel_of_another_version_is_refused(poison):
    older = attrs.evolve(sent(poison.square, 3), version="0.0.1")
    with pytest.raises(UsageError, match=r"the tasks are of graphol 0.0.1; install the same"):
        answer(older).result()


def test_what_was_cancelled_stays_so(poison):
    future = Future()
    future.cancel()
    deliver(future, sent(poison.square, 3).play())
    with pytest.raises(CancelledError):
        future.result()
