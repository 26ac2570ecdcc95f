"""Folders of any kind become the same outcomes."""

import attrs
import numpy as np
import pytest
from scipy import stats

import graphol
from graphol.correction import LOSS, WIN
from graphol.errors import InputError
from graphol.report.board import standings
from graphol.report.cast import cast
from graphol.report.gather import gather
from graphol.report.page import Material, page
from graphol.sweep.store import Failure, Store
from graphol.sweep.sweeping import sweep

SBM = "sbm:nodes=60,classes=2"
PLAN = {"block": [{"learner": ["gpa", "oslg"], "dataset": SBM, "repeats": 3}]}

COIN = '''
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

import graphol


class State(NamedTuple):
    rng: np.ndarray


@attrs.frozen
class Coin:
    """Says any class, by chance of its own.

    Parameters
    ----------
    salt
        Another one, other chances.
    """

    name: ClassVar[str] = "coin"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "nothing"
    salt: int = graphol.param(0, least=0)

    def start(self, problem):
        seed = [self.salt, int(problem.rng.integers(2**31))]
        return State(np.random.default_rng(seed).integers(0, problem.n_classes, 1000))

    def predict(self, state, instance):
        return graphol.Prediction(int(state.rng[instance.t]))

    def update(self, state, instance, prediction, reveal):
        return 0


@graphol.hookimpl
def graphol_learners():
    return [Coin]
'''


def figures(found):
    entries, _ = cast(found.outcomes)
    return [(e.player, e.dataset, e.outcome.pair, e.outcome.error) for e in entries]


def test_a_sweep_and_folders_of_simulate_and_compare_are_the_same(tmp_path):
    sweep(PLAN, out=tmp_path / "sweep", executor="serial")
    graphol.compare(["gpa", "oslg"], SBM, repeats=3).save(tmp_path / "both")
    for learner in ("gpa", "oslg"):
        graphol.simulate(learner, SBM, repeats=3).save(tmp_path / learner)
    one = gather([tmp_path / "sweep"])
    assert len(one.outcomes) == 6 and not one.failures
    assert [dict(row) for row in one.progress] == [
        {"learner": name, "dataset": SBM, "planned": 3, "done": 3, "failed": 0}
        for name in ("gpa", "oslg")
    ]
    assert figures(one) == figures(gather([tmp_path / "both"]))
    assert figures(one) == figures(gather([tmp_path / "gpa", tmp_path / "oslg"]))


def test_half_a_sweep_says_how_much_is_there_and_tests_pairs_only(tmp_path):
    whole = sweep(PLAN, out=tmp_path, executor="serial")
    store, cells = Store(tmp_path), whole.planned.cells
    lost = [n for n, c in cells.items() if c.learner.name == "oslg" and c.repeat > 0]
    for name in lost:
        store.path(name).unlink()
    store.fail(Failure(lost[0], cells[lost[0]].recipe(), "it broke", "graphol simulate", 2))
    found = gather([tmp_path])
    assert (found.total("planned"), found.total("done"), found.total("failed")) == (6, 4, 1)
    (failure,) = found.failures
    assert (failure.learner, failure.error, failure.tries) == ("oslg", "it broke", 2)
    (board,) = standings(cast(found.outcomes)[0], "gpa").boards
    (row,) = [each for each in board.standings if each.player == "oslg"]
    assert row.verdict == "not tested: 1 pair" and row.p is None


def test_cells_that_no_plan_names_and_cells_that_tune_are_left_out(tmp_path):
    sweep(PLAN, out=tmp_path, executor="serial")
    fewer = {"block": [{"learner": "gpa", "dataset": SBM, "repeats": 3}]}
    sweep(fewer, out=tmp_path, executor="serial")
    found = gather([tmp_path])
    assert len(found.outcomes) == 3 and "3 cell(s)" in found.notes[0]
    tuned = {
        "block": [
            {
                "learner": "molg-f", "dataset": SBM, "repeats": 2,
                "tune": {"b": [2.0, 100.0], "shuffles": 2},
            }
        ]
    }  # fmt: skip
    sweep(tuned, out=tmp_path / "tuned", executor="serial")
    found = gather([tmp_path / "tuned"])
    assert len(found.outcomes) == 2 and any("chose parameters" in note for note in found.notes)


def test_a_cell_that_is_damaged_is_named(tmp_path):
    whole = sweep(PLAN, out=tmp_path, executor="serial")
    name = next(iter(whole.planned.cells))
    Store(tmp_path).path(name).write_bytes(b"PK")
    with pytest.raises(InputError, match=name):
        gather([tmp_path])


@pytest.mark.parametrize(
    "change",
    [
        {"learner": "gpa"}, {"learner": {}}, {"dataset": None}, {"embedding": {"name": 3}},
        {"engine": []}, {"seed": "x"}, {"versions": 3}, {"feedback": {"name": None}},
        {"target": []}, {"classes": 7},
    ],
)  # fmt: skip
def test_a_recipe_that_is_none_is_refused_in_one_line(tmp_path, monkeypatch, change):
    played = graphol.simulate("gpa", SBM, repeats=1)
    store = Store(tmp_path)
    with store.claimed():
        store.put("a" * 24, played, {})
    odd = attrs.evolve(played, recipe=played.recipe | change)
    monkeypatch.setattr(Store, "read", lambda self, name: odd)
    with pytest.raises(InputError, match="is not of graphol's results, or is damaged"):
        page(Material(gather([tmp_path])))


@pytest.mark.once
def test_under_the_null_one_of_twenty_sweeps_has_a_mark(tmp_path):
    """One learner twice, which differs in its own chances alone: seeds 0 to 399."""
    plugin = tmp_path / "coin.py"
    plugin.write_text(COIN)
    marks = 0
    for seed in range(400):
        plan = {
            "plugin": str(plugin), "seed": seed, "repeats": 10, "rounds": 100,
            "block": [{"learner": ["coin:salt=1", "coin:salt=2"], "dataset": "sbm:nodes=100"}],
        }  # fmt: skip
        sweep(plan, out=tmp_path / f"{seed}", executor="serial")
        found = standings(cast(gather([tmp_path / f"{seed}"]).outcomes)[0])
        verdicts = [each.verdict for board in found.boards for each in board.standings]
        assert found.comparisons == 1
        marks += WIN in verdicts or LOSS in verdicts
    print(f"{marks} of 400 sweeps have a mark")
    assert np.all(stats.binom.ppf((0.005, 0.995), 400, 0.05) == (10, 32))
    assert 10 <= marks <= 32  # 2.5 to 8 %
