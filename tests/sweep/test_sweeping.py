"""Whole sweeps against the runner, against tuning, and against themselves."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import graphol
from graphol.arena import Arena
from graphol.errors import GrapholError, UsageError
from graphol.plan import Plan
from graphol.registry import registry
from graphol.report.board import standings
from graphol.report.cast import cast
from graphol.report.gather import gather
from graphol.sweep.play import play as real_play
from graphol.sweep.run import Means
from graphol.sweep.sweeping import Sweep, sweep
from graphol.tuning import best as tune

SBM = "sbm:nodes=80,classes=3"
PLAN = {"learner": ["gpa", "molg-f"], "dataset": SBM, "repeats": 4, "seed": [0, 1]}


@pytest.fixture
def played(monkeypatch):
    """Names of all cells that are played, in this process."""
    names = []

    def play(name, sent, files=()):
        names.append(name)
        return real_play(name, sent, files)

    monkeypatch.setattr("graphol.sweep.play.play", play)
    return names


def run(plan, out, **more):
    return sweep(plan, out=out, executor="serial", **more)


def test_rows_are_means_of_what_the_runner_plays(tmp_path):
    found = run(PLAN, tmp_path / "out").rows()
    assert [(row["learner"]["name"], row["cells"], row["done"]) for row in found] == [
        ("gpa", 8, 8), ("molg-f", 8, 8)
    ]  # fmt: skip
    for row, learner in zip(found, PLAN["learner"], strict=True):
        errors = np.concatenate(
            [graphol.simulate(learner, SBM, repeats=4, seed=s).error_rates for s in (0, 1)]
        )
        assert row["error_rate_mean"] == pytest.approx(errors.mean(), rel=1e-12)
        assert row["error_rate_std"] == pytest.approx(errors.std(ddof=1), rel=1e-12)
        half = 2.364624 * errors.std(ddof=1) / np.sqrt(8)  # Student's t, 7 degrees, 97.5 %
        assert row["error_rate_ci_high"] == pytest.approx(errors.mean() + half, rel=1e-5)


def test_it_is_the_package_that_is_called(tmp_path):
    import graphol.sweep.store  # makes the package an attribute

    found = graphol.sweep({**PLAN, "repeats": 1}, out=tmp_path, executor="serial")
    assert isinstance(found, Sweep) and len(found.simulations()) == 4


def test_running_again_plays_what_is_missing(tmp_path, played):
    found = run(PLAN, tmp_path / "out")
    assert len(played) == 16
    run(PLAN, tmp_path / "out")
    assert len(played) == 16
    gone = sorted(found.store.done())[3]
    found.store.path(gone).unlink()
    run(PLAN, tmp_path / "out")
    assert played[16:] == [gone]


def test_shuffling_adding_and_renaming_recompute_nothing(tmp_path, played):
    text = 'learner = ["gpa", "molg-f"]\ndataset = "sbm:nodes=80,classes=3"\nseed = [0, 1]\n'
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(text + "repeats = 2\n")
    run(one, tmp_path / "out")
    assert len(played) == 8
    two.write_text(
        'repeats = 2\nseed = [1, 0]\ndataset = "sbm:classes=3,nodes=80"\n'
        'learner = ["oslg", "molg-f", "gpa"]\n'
    )
    found = run(two, tmp_path / "out")
    assert {found.planned.cells[name].learner.name for name in played[8:]} == {"oslg"}
    assert len(played) == 12


def test_tuning_chooses_as_tuning_does(tmp_path, played):
    grid = [2.0, 10.0, 300.0]
    plan = {"learner": "molg-f", "dataset": SBM, "repeats": 3, "noise": 0.2,
            "tune": {"b": grid, "shuffles": 4}}  # fmt: skip
    found = run(plan, tmp_path / "out")
    assert len(played) == 3 * 4 + 3
    candidates = [registry().make("learner", f"molg-f:b={b}") for b in grid]
    best = tune(candidates, Arena(SBM, 0), Plan(noise=0.2), 4)
    (row,) = found.rows()
    assert row["learner"]["b"] == best.b and row["done"] == 3
    direct = graphol.simulate(best, SBM, repeats=3, noise=0.2)
    assert row["error_rate_mean"] == pytest.approx(direct.error_rate_mean, rel=1e-12)
    assert row["tuned"] == ["b"]
    again = run(plan, tmp_path / "out")
    assert len(played) == 15 and again.rows() == found.rows()


def test_layers_are_weighed_as_simulate_weighs_them_by_the_usual_fuser(tmp_path):
    plan = {"learner": "gpa", "dataset": SBM, "repeats": 2, "fuse": 20}
    found = run(plan, tmp_path / "out")
    assert found.failed() == {}
    wanted = graphol.simulate("gpa", SBM, repeats=2, fuse=20, fuser="multi-mrf").error_rates
    (row,) = found.rows()
    assert row["error_rate_mean"] == pytest.approx(wanted.mean(), rel=1e-12)
    assert all("--fuse 20 --fuser 'multi-mrf:" in c.command for c in found.planned.cells.values())
    named = run({**plan, "fuser": "multi-mrf"}, tmp_path / "out")
    assert named.planned.cells.keys() == found.planned.cells.keys()


def test_a_choice_waits_for_all_of_its_rehearsals(tmp_path):
    plan = {"learner": "molg-f", "dataset": SBM, "repeats": 3,
            "tune": {"b": [1, 10], "shuffles": 2}}  # fmt: skip
    found = run(plan, tmp_path / "out")  # b = 1 is refused by the embedding
    assert len(found.failed()) == 2 and found.rows() == []
    assert len(found.planned.open_tunings(found.store.done())) == 1


def test_rows_are_in_the_order_of_the_file_whenever_they_became_known(tmp_path):
    tuned = {"tune": {"b": [5, 10], "shuffles": 1}, "learner": "molg-f"}
    plan = {
        "repeats": 1,
        "block": [tuned | {"dataset": SBM}, {"learner": "gpa", "dataset": SBM},
                  tuned | {"dataset": "sbm:nodes=60,classes=2"}],
    }  # fmt: skip
    found = run(plan, tmp_path / "out", only="dataset=sbm:nodes=60*")
    assert len(found.planned.open_tunings(found.store.done())) == 1
    found.run(Means(executor="serial"))
    said = [(row["learner"]["name"], row["dataset"]["nodes"]) for row in found.rows()]
    assert said == [("molg-f", 80), ("gpa", 80), ("molg-f", 60)]
    assert Sweep.of(plan, tmp_path / "out").rows() == found.rows()


def test_a_report_has_one_player_of_what_was_tuned_on_every_data_set(tmp_path):
    tune = {"b": [1.5, 300.0], "shuffles": 2}
    plan = {"repeats": 2, "dataset": [SBM, "sbm:nodes=60,classes=2"], "noise": 0.2,
            "block": [{"learner": "molg-f", "tune": tune}, {"learner": "gpa"}]}  # fmt: skip
    run(plan, tmp_path / "out")
    found = gather([tmp_path / "out"])
    entries, _ = cast(found.outcomes)
    assert {entry.player for entry in entries} == {"gpa", "molg-f, tuned b"}
    (series,) = standings(entries, "molg-f").series
    assert series.reference == "molg-f, tuned b" and len(series.boards) == 2
    plan["block"].append({"learner": "molg-f", "dataset": SBM, "grid": {"b": [300.0]}})
    run(plan, tmp_path / "out")  # what was chosen, or not, is now a player of its own as well
    entries, _ = cast(gather([tmp_path / "out"]).outcomes)
    games = Counter(entry.player for entry in entries)
    assert games == {"gpa": 4, "molg-f, tuned b": 4, "molg-f:b=300": 2}


def test_a_choice_of_one_needs_no_rehearsal(tmp_path, played):
    run({"learner": "molg-f", "dataset": SBM, "repeats": 2, "tune": {"b": [7]}}, tmp_path / "out")
    assert len(played) == 2


def test_only_some_are_played(tmp_path):
    found = run(PLAN, tmp_path / "out", only="learner=molg-*")
    assert [row["done"] for row in found.rows()] == [0, 8]
    assert found.store.planned().keys() == found.planned.cells.keys()


def test_nothing_is_played_where_anything_is_wrong(tmp_path, played):
    wrong = {"dataset": SBM, "repeats": 1, "block": [{"learner": "gpa"}, {"learner": "adagrad"}]}
    with pytest.raises(GrapholError, match="block 2: adagrad predicts"):
        run(wrong, tmp_path / "out")
    assert played == [] and not (tmp_path / "out" / "sweep.json").exists()


def test_a_mapping_needs_a_folder():
    with pytest.raises(UsageError, match="out=FOLDER"):
        sweep(PLAN)


def test_a_refusal_names_the_file(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('lerner = "gpa"\n')
    with pytest.raises(UsageError, match=r"plan\.toml: unknown key 'lerner'"):
        sweep(path)


def test_with_nothing_to_do_no_graph_is_loaded_and_nothing_is_compiled(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(
        'learner = ["gpa", "molg-f"]\ndataset = "sbm:nodes=80,classes=3"\nrepeats = 2\n'
    )
    run(path, tmp_path / "plan-results")
    script = (
        "import sys\n"
        "from graphol.datasets.sbm import StochasticBlockModel\n"
        "StochasticBlockModel.load = None\n"
        "from graphol.sweep.sweeping import sweep\n"
        "print([row['done'] for row in sweep(sys.argv[1]).rows()], 'numba' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[2, 2] False\n"


def test_a_pattern_that_fits_no_cell_is_refused(tmp_path):
    said = {"learner": "gpa", "dataset": "sbm:nodes=40,classes=2", "repeats": 1}
    with pytest.raises(UsageError, match="only 'learner=zzz' fits no cell"):
        graphol.sweep(said, out=tmp_path, only="learner=zzz", executor="serial")
