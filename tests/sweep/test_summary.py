"""Cells of one setting, put together again."""

from __future__ import annotations

import attrs
import pytest

import graphol
from graphol.sweep.summary import setting, together

SBM = "sbm:nodes=60,classes=3"


def one(repeat, seed=0):
    return graphol.simulate("molg-f", SBM, repeats=range(repeat, repeat + 1), seed=seed)


def test_repeats_played_apart_are_those_played_together():
    whole = graphol.simulate("molg-f", SBM, repeats=3)
    found = together([one(2), one(0), one(1)])
    assert found.repeats == whole.repeats == (0, 1, 2)
    assert found.error_rates.tolist() == whole.error_rates.tolist()
    assert found.updates.tolist() == whole.updates.tolist()
    assert found.row()["error_rate_std"] == pytest.approx(whole.error_rate_std)


def test_a_score_that_a_later_version_added_is_left_out():
    old = attrs.evolve(one(0), scores=({"a": 1.0},))
    new = attrs.evolve(one(1), scores=({"a": 3.0, "b": 2.0},))
    assert together([new, old]).row()["a_mean"] == 2.0
    assert "b_mean" not in together([new, old]).row()


def test_a_setting_is_all_but_seed_and_repeat():
    recipe = {"learner": {}, "seed": 3, "engine": {"repeats": "1-1", "noise": 0.1}}
    assert setting(recipe) == {"learner": {}, "engine": {"noise": 0.1}}
