"""Blocks against the cells that one would write by hand."""

from __future__ import annotations

import itertools
from datetime import date

import pytest

from graphol.errors import UsageError
from graphol.plan import Plan
from graphol.registry import registry
from graphol.sweep.blocks import Tuning, block, single
from graphol.sweep.cell import Cell

SBM = "sbm:nodes=40,classes=2"


def names(said):
    return [cell.name for cell in block(said)]


def by_hand(*cells):
    found = []
    for learner, dataset, repeat, parts, rules in cells:
        plan = Plan(repeats=range(repeat, repeat + 1), **rules)
        found.append(Cell(learner, dataset, plan=plan, **parts).name)
    return found


def test_every_list_is_crossed_with_every_other():
    said = {"learner": ["gpa", "molg-f"], "dataset": [SBM, "grid"], "seed": [0, 5], "repeats": 2}
    product = itertools.product(("gpa", "molg-f"), (SBM, "grid"), range(2), (0, 5))
    wanted = by_hand(*((a, d, r, {}, {"seed": s}) for a, d, r, s in product))
    assert sorted(names(said)) == sorted(wanted) and len(set(wanted)) == 16


def test_a_grid_reaches_every_component():
    said = {
        "learner": "molg-f", "dataset": "sbm:nodes=90", "feedback": "random-query", "repeats": 1,
        "grid": {"b": [2, 20], "embedding.dim": [3, 4], "dataset.classes": [2],
                 "feedback.p": ["0.5"], "noise": [0.1]},
    }  # fmt: skip
    wanted = by_hand(
        *(
            (f"molg-f:b={b}", "sbm:nodes=90,classes=2", 0,
             {"embedding": f"spectral:dim={dim}", "feedback": "random-query:p=0.5"},
             {"noise": 0.1})
            for b in (2, 20) for dim in (3, 4)
        )
    )  # fmt: skip
    assert names(said) == wanted


def test_a_parameter_of_the_learner_may_have_the_name_of_a_rule():
    said = {"learner": "gpa", "dataset": SBM, "repeats": 1}
    with pytest.raises(UsageError, match="gpa has no parameter 'rounds'"):
        names(said | {"grid": {"learner.rounds": [5]}})
    assert names(said | {"grid": {"rounds": [5]}}) == by_hand(("gpa", SBM, 0, {}, {"rounds": 5}))
    assert names(said | {"grid": {"learner.when": ["mistakes"]}}) == by_hand(
        ("gpa:when=mistakes", SBM, 0, {}, {})
    )


def test_lists_go_together():
    said = {"dataset": SBM, "repeats": "3-4", "together": {"learner": ["gpa", "oslg"],
                                                             "delay": [0, 2]}}  # fmt: skip
    wanted = by_hand(*((a, SBM, r, {}, {"delay": d}) for a, d in (("gpa", 0), ("oslg", 2))
                       for r in (3, 4)))  # fmt: skip
    assert names(said) == wanted


def test_components_may_be_values():
    made = registry().make("learner", "molg-f")
    said = {"learner": made, "dataset": registry().make("dataset", SBM), "repeats": 1}
    assert names(said) == by_hand(("molg-f", SBM, 0, {}, {}))
    assert names(said | {"grid": {"b": [3]}}) == by_hand(("molg-f:b=3", SBM, 0, {}, {}))


def test_whole_numbers_are_numbers():
    assert names({"learner": "gpa", "dataset": SBM, "noise": 0, "repeats": 1}) == names(
        {"learner": "gpa", "dataset": SBM, "noise": 0.0, "repeats": 1}
    )


def test_tuning_rehearses_on_shuffles_that_do_not_score():
    tune = {"b": [2, 5, 9], "shuffles": 3}
    said = {"learner": "molg-f", "dataset": SBM, "repeats": 4, "tune": tune}
    (found,) = block(said)
    assert isinstance(found, Tuning)
    assert [len(cells) for cells in found.rehearsals] == [3, 3, 3]
    assert [len(cells) for cells in found.scoring] == [4, 4, 4]
    assert all(c.plan.held_out for cells in found.rehearsals for c in cells)
    assert not any(c.plan.held_out for cells in found.scoring for c in cells)
    assert [cells[0].learner.b for cells in found.rehearsals] == [2, 5, 9]


def test_a_single_cell():
    assert single({"learner": "gpa", "dataset": SBM, "repeat": 7, "noise": 0.1}).name in by_hand(
        ("gpa", SBM, 7, {}, {"noise": 0.1})
    )


REFUSED = {
    "unknown key 'lerner': did you mean 'learner'": {"lerner": "gpa"},
    "there is no learner": {"dataset": SBM},
    "unknown learner 'gpaa': did you mean 'gpa'": {"learner": "gpaa"},
    "molg-f has no parameter 'bb'; did you mean 'b'": {"learner": "molg-f", "grid": {"bb": [1]}},
    "b must be > 0": {"learner": "molg-f", "grid": {"b": [-1]}},
    "b must be a number": {"learner": "molg-f", "grid": {"b": ["x"]}},
    "b is in learner 'molg-f:b=1' and in the grid": {"learner": "molg-f:b=1", "grid": {"b": [1]}},
    "b and learner.b are one parameter; drop one": {
        "learner": "molg-f", "grid": {"b": [1], "learner.b": [2]}},
    "b is given twice, once in tune": {
        "learner": "molg-f", "grid": {"b": [1]}, "tune": {"learner.b": [2]}},
    "embedding.max-dim and embedding.max_dim are one": {
        "learner": "molg-f", "grid": {"embedding.max-dim": [1], "embedding.max_dim": [2]}},
    "seed is given twice": {"learner": "gpa", "seed": 1, "grid": {"seed": [1]}},
    "unknown key 'embeding.dim': did you mean 'embedding'": {
        "learner": "gpa", "grid": {"embeding.dim": [1]}},
    "list of seed is empty": {"learner": "gpa", "seed": []},
    "seed must be a whole number": {"learner": "gpa", "seed": 0.5},
    "seed must be a number": {"learner": "gpa", "seed": "x"},
    "delay must be a number": {"learner": "gpa", "delay": True},
    "fresh_data must be true or false": {"learner": "gpa", "fresh_data": 1},
    "rounds must be >= 1": {"learner": "gpa", "rounds": 0},
    "noise must be >= 0 and < 1": {"learner": "gpa", "noise": 2.0},
    "repeats must be a number, or a text": {"learner": "gpa", "repeats": [1, 2]},
    "repeats must be >= 1": {"learner": "gpa", "repeats": 0},
    "at most 1000000": {"learner": "gpa", "repeats": 10**9},
    "dataset must be a text": {"learner": "gpa", "dataset": 3},
    "learner must be a text like on the command line": {"learner": date(1979, 5, 27)},
    "repeats 9-5 are none": {"learner": "gpa", "repeats": "9-5"},
    "a fuser needs labels": {"learner": "gpa", "fuser": "multi-mrf"},
    "a trace cannot keep": {"learner": "gpa", "keep": "mood"},
    "noise must be a number, got [0.1]": {"learner": "gpa", "noise": [[0.1]]},
    "noise must be a number, got {": {"learner": "gpa", "noise": {"a": 1}},
    "noise must be a number, got None": {"learner": "gpa", "noise": None},
    "keep must be a list of names, got 5": {"learner": "gpa", "keep": 5},
    "shuffles must be one number": {"learner": "molg-f", "tune": {"b": [1, 2], "shuffles": [2, 3]}},
    "2000000 cells in one block": {
        "learner": "molg-f", "repeats": 1, "tune": {"b": [1, 2], "shuffles": 10**6}},
    "tune: seed would choose the easiest": {"learner": "gpa", "tune": {"seed": [0, 1]}},
    "tune: dataset would choose": {"learner": "gpa", "tune": {"dataset": ["sbm", "digits"]}},
    "embedding.dim: there is no embedding": {
        "learner": "label-propagation", "grid": {"embedding.dim": [1]}},
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_wrong_is_said(line):
    with pytest.raises(UsageError) as refusal:
        list(block(REFUSED[line]))
    assert line in str(refusal.value)


def test_a_cell_has_no_lists():
    with pytest.raises(UsageError, match="learner is a list"):
        single({"learner": ["gpa"]})
    with pytest.raises(UsageError, match="unknown key 'repeats'"):
        single({"learner": "gpa", "repeats": 2})
    with pytest.raises(UsageError, match="repeat must be a whole number"):
        single({"learner": "gpa", "repeat": -1})
