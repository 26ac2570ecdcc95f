"""A pool that breaks says when, and in which repeat."""

from __future__ import annotations

import pytest

from graphol import simulate
from graphol.errors import GrapholError, PluginError, UsageError
from graphol.registry import registry
from graphol.workers import Turn, WorkerDied, _broken, each_turn

DIES = """
import os
import graphol
from graphol.learners.nodes.gpa import GPA

class Dies(GPA):
    'Ends its process in the repeat whose first node is as it was told.'
    name = 'dies'
    stream = None

    def predict(self, state, instance):
        if instance.t == 3 and instance.node == NODE:
            os._exit(1)
        return super().predict(state, instance)

@graphol.hookimpl
def graphol_learners():
    return [Dies]
"""
SBM = "sbm:nodes=60"


def test_a_pool_that_breaks_half_way_names_the_repeat(tmp_path):
    orders = [trace.node for trace in simulate("gpa", SBM, repeats=4).traces]
    fourth = [int(order[3]) for order in orders]
    assert fourth.count(fourth[2]) == 1  # so only repeat 2 dies
    path = tmp_path / "dies.py"
    path.write_text(DIES.replace("NODE", str(fourth[2])))
    registry().load_file(path)
    with pytest.raises(GrapholError) as error:
        simulate("dies", SBM, repeats=range(2, 4), jobs=2)
    text = str(error.value)
    assert "ended in the middle of repeat 2" in text and "--repeats 2-2 --jobs 1" in text
    assert "could not start" not in text and "\n" not in text


class CannotBegin:
    """Luggage that breaks when it is unpacked."""

    def __init__(self, how):
        self.how = how

    def __reduce__(self):
        return eval, (self.how,)

    def __call__(self, turn, progress):
        raise AssertionError


@pytest.mark.filterwarnings("ignore")
def test_a_pool_that_does_not_start_says_so():
    turns = [Turn(0, 0), Turn(1, 0)]
    with pytest.raises(WorkerDied, match="a worker process ended while it loaded "):
        list(
            each_turn(
                CannotBegin("__import__('os')._exit(1)"), turns, 2, lambda done: None, threads=False
            )
        )
    never = _broken([], (), began=False)  # a script's __main__ that cannot be imported
    assert isinstance(never, UsageError) and "the worker processes could not start" in str(never)


def test_luggage_that_cannot_be_unpacked_is_not_the_pools_fault():
    turns = [Turn(0, 0), Turn(1, 0)]
    with pytest.raises(ZeroDivisionError):
        list(each_turn(CannotBegin("1 / 0"), turns, 2, lambda done: None, threads=False))
    with pytest.raises(PluginError, match=r"ended its worker process: it called sys.exit\(0\)"):
        list(
            each_turn(
                CannotBegin("__import__('sys').exit(0)"), turns, 2, lambda done: None, threads=False
            )
        )


def test_what_cannot_be_sent_is_played_on_threads():
    played = dict(each_turn(
        lambda turn, progress: turn.repeat * 2, [Turn(r, 0) for r in (5, 6, 7)], 2,
        lambda done: None, threads=False,
    ))  # fmt: skip
    assert played == {Turn(5, 0): 10, Turn(6, 0): 12, Turn(7, 0): 14}
