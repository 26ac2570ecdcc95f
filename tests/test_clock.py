"""What a round takes, and not what the program takes to load and compile."""

import subprocess
import sys
import types

import numpy as np
import pytest

import graphol
from graphol import clock
from graphol.clock import Clock
from graphol.testing.games import node_game, signal_game


class Hands:
    """Nanoseconds that pass when they are told to."""

    def __init__(self):
        self.at = 0

    def __call__(self):
        return self.at


@pytest.fixture
def hands(monkeypatch):
    made = Hands()
    monkeypatch.setattr(clock, "now", made)
    return made


def test_calls_are_added_up_by_kind(hands):
    def work(ns):
        hands.at += ns
        return ns

    with Clock() as watch:
        one, two = watch.timing(work), watch.timing(work)
        assert [one(5), two(7), one(6)] == [5, 7, 6]
        hands.at += 1000  # nobody's
    assert (watch.elapsed_ns, watch.left_out) == (18, 0)


def test_a_call_that_imports_counts_as_the_others(hands, monkeypatch):
    def work(ns, load=""):
        hands.at += ns
        if load:
            monkeypatch.setitem(sys.modules, load, types.ModuleType(load))

    with Clock() as watch:
        predict, update = watch.timing(work), watch.timing(work)
        predict(10)
        predict(1_000_000, "some_solver")
        predict(20)
        update(700)
    assert (watch.elapsed_ns, watch.left_out) == (45 + 700, 1)


def test_the_only_call_of_its_kind_counts(hands, monkeypatch):
    def fit():
        hands.at += 500
        monkeypatch.setitem(sys.modules, "some_solver", types.ModuleType("some_solver"))

    with Clock() as watch:
        watch.timing(fit)()
    assert watch.elapsed_ns == 500


def test_what_numba_compiles_is_not_counted():
    """Of the only call, all but the compiler's time; of many, nothing of the one that compiles."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def double(x):
        return 2 * x

    with Clock() as watch:
        only = watch.timing(double)
        assert only(2) == 4
        spent = watch.compiling_ns
        assert watch.left_out == 1 and spent > watch.elapsed_ns
        assert only(3) == 6
        assert watch.left_out == 1 and watch.compiling_ns == spent
        only(1.5)  # other types
        assert watch.left_out == 2 and watch.compiling_ns > spent
    only(1j)  # nobody listens any more
    assert watch.compiling_ns == 0


def test_exceptions_pass():
    def fails():
        raise ValueError("as it was")

    with pytest.raises(ValueError, match="as it was"), Clock() as watch:
        watch.timing(fails)()


def test_a_learner_that_compiles_in_its_rounds_is_as_fast_as_afterwards():
    """The plain loop's figure is without the compiler's time, whichever call it was in."""
    numba = pytest.importorskip("numba")
    GPA = type(graphol.make("learner", "gpa"))

    @numba.njit
    def first(x):
        return np.sort(x)[0]

    @numba.njit
    def then(x):
        return np.cumsum(np.sort(x))[-1]

    class Compiles(GPA):
        def predict(self, state, instance):
            first(np.array(instance.x))
            return super().predict(state, instance)

        def update(self, state, instance, prediction, reveal):
            then(np.array(instance.x))
            return super().update(state, instance, prediction, reveal)

    feedback, calls = graphol.make("feedback", "full"), []
    with Clock() as outer:
        for learner in (Compiles(), GPA()):
            run = graphol.play(
                node_game(), learner, feedback, np.random.default_rng(0), compiled=False
            )
            calls.append(run.trace)
        assert outer.compiling_ns > calls[0].meta["elapsed_ns"]
    np.testing.assert_array_equal(calls[0].predicted, calls[1].predicted)


def test_a_plain_round_imports_no_numba():
    code = (
        "import sys, numpy as np, graphol\n"
        "from graphol.testing.games import node_game\n"
        "made = graphol.make('learner', 'gpa'), graphol.make('feedback', 'full')\n"
        "graphol.play(node_game(), *made, np.random.default_rng(0), compiled=False)\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("compiled", [True, False])
def test_the_clock_changes_no_game(compiled):
    """Projections of the plain loop included: nothing is played twice."""
    learner = graphol.make("learner", "graphda:s=3")
    feedback = graphol.make("feedback", "full")
    one, two = (
        graphol.play(signal_game(), learner, feedback, np.random.default_rng(3), compiled=compiled)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.trace.predicted, two.trace.predicted)
    np.testing.assert_array_equal(one.state.w, two.state.w)
