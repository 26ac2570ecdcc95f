"""What is kept of a game, against its trace by hand."""

import numpy as np
import pytest

import graphol
from graphol.report.outcome import POINTS, outcomes
from graphol.report.regret import regret
from graphol.testing.games import signal_game

SBM = "sbm:nodes=150,classes=3"


@pytest.fixture(scope="module")
def result():
    return graphol.simulate("oslg", SBM, repeats=2, noise=0.1)


def test_figures_are_those_of_the_trace(result):
    for each, trace in zip(outcomes(result), result.traces, strict=True):
        assert each.error == (trace.predicted != trace.label).mean()
        assert each.queries == len(trace) and each.updates == trace.updates.sum()
        assert each.rules == {"noise": 0.1}
        assert each.seconds == pytest.approx(each.us_per_round * len(trace) / 1e6)


def test_the_curve_is_the_error_so_far_at_some_rounds(result):
    for each, trace in zip(outcomes(result), result.traces, strict=True):
        assert len(each.rounds) <= POINTS and each.rounds[0] == 1 and each.rounds[-1] == len(trace)
        for t, value in zip(each.rounds, each.curve, strict=True):
            assert value == pytest.approx((trace.predicted != trace.label)[:t].mean())


def test_errors_of_classes_add_up(result):
    for each, trace in zip(outcomes(result), result.traces, strict=True):
        assert list(each.by_class) == ["0", "1", "2"]
        assert sum(wrong for wrong, _ in each.by_class.values()) == trace.n_mistakes
        for k, (_, asked) in enumerate(each.by_class.values()):
            assert asked == np.count_nonzero(trace.label == k)


def test_pairs_are_of_the_same_game_only(result):
    mine = [each.pair for each in outcomes(result)]
    assert mine == [e.pair for e in outcomes(graphol.simulate("gpa", SBM, repeats=2))]
    seeded = outcomes(graphol.simulate("gpa", SBM, repeats=2, seed=1))
    fewer = outcomes(graphol.simulate("gpa", SBM, repeats=2, rounds=100))
    assert not {*mine} & {*(e.pair for e in seeded), *(e.pair for e in fewer)}
    assert len({*mine}) == 2


def test_signs_numbers_and_one_class_against_the_rest():
    (signs,) = outcomes(graphol.simulate("graphda:s=4", signal_game(), repeats=1))
    assert set(signs.by_class) == {"-1", "+1"} and signs.target == "signs"
    rest = graphol.simulate("gpa", SBM, repeats=1, one_vs_rest=True)
    (each,) = outcomes(rest)
    assert each.error == pytest.approx(np.mean([trace.error_rate for trace in rest.traces]))
    assert each.by_class == {} and each.rules == {"one_vs_rest": True}


def test_regret_and_bound_come_along():
    played = graphol.simulate("oslg", SBM, repeats=2)
    found = regret(played)
    for each, one in zip(outcomes(played, found), found.repeats, strict=True):
        assert each.hindsight.regret == one.regret and each.hindsight.holds is True
        assert each.hindsight.bound == one.bound.value
