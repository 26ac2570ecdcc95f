"""What is drawn: the error when so much was spent, by brute force; the regret; the panels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphol
from graphol import UsageError
from graphol.report.drawing import against_cost, check_drawing, draw_panels, regret_line
from graphol.report.regret import regret
from graphol.trace import Trace

rounds = st.lists(
    st.tuples(st.booleans(), st.integers(0, 3), st.booleans()), min_size=1, max_size=12
)


def trace(played) -> Trace:
    loss, cost, scored = map(np.array, zip(*played, strict=True))
    zeros = np.zeros(len(loss), dtype=int)
    return Trace(zeros, zeros, zeros, zeros * np.nan, zeros > 0, cost, loss * 1.0, scored)


@given(st.lists(rounds, min_size=1, max_size=4))
def test_error_when_so_much_was_spent(games):
    x, mean, std = against_cost([trace(game) for game in games], lambda each: each.updates)
    least = min(sum(cost for _, cost, _ in game) for game in games)
    assert list(x) == list(range(least + 1))
    for spent, found, spread in zip(x, mean, std, strict=True):
        errors = []
        for game in games:
            total, counted, wrong = 0, 0, 0
            for loss, cost, scored in game:
                total += cost
                if total > spent:
                    break
                counted, wrong = counted + scored, wrong + (loss and scored)
            errors.append(wrong / counted if counted else np.nan)
        np.testing.assert_allclose(found, np.mean(errors))
        np.testing.assert_allclose(spread, np.std(errors, ddof=1) if len(games) > 1 else 0)


def test_regret_ends_at_the_regret():
    found = regret(graphol.simulate("gpa", "sbm:nodes=60", repeats=3))
    x, mean, _ = regret_line(found)
    assert x[-1] == 60 and mean[-1] == pytest.approx(found.row()["regret_mean"])


DATA = [f"sbm:nodes={n}" for n in (60, 70, 80, 90)]


@pytest.fixture(scope="module")
def many():
    return graphol.compare(["gpa", "molg-f"], DATA, repeats=2)


@pytest.mark.parametrize("what", ["curve", "queries", "updates", "regret"])
def test_panels(many, tmp_path, what):
    hindsight = [regret(result) for part in many.parts for result in part.results]
    path = tmp_path / "p.svg"
    draw_panels(many, what, path, hindsight)
    text = path.read_text()
    assert all(f"{name} (mean ± std of 2)" in text for name in DATA)
    assert text.count("<!-- gpa -->") == 1  # one legend for all
    label = {"curve": "round", "queries": "labels revealed so far",
             "updates": "class models updated so far", "regret": "regret so far"}  # fmt: skip
    assert f"<!-- {label[what]} -->" in text
    with pytest.raises(UsageError, match="exists"):
        draw_panels(many, what, path, hindsight)
    draw_panels(many.parts[0], what, tmp_path / "one.svg", hindsight[:2])


def test_the_same_picture_is_the_same_file(many, tmp_path):
    for name in ("a.svg", "b.svg"):
        draw_panels(many, "queries", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_who_says_what_must_say_where():
    check_drawing("curve", None)
    with pytest.raises(UsageError, match="add --plot FILE"):
        check_drawing("queries", None)
