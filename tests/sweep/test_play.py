"""What a worker gives back, compared with the runner itself."""

from __future__ import annotations

import pytest

import graphol
from graphol.plan import Plan
from graphol.registry import registry
from graphol.sweep import cell_file
from graphol.sweep import play as worker
from graphol.sweep.cell import Cell, plugin_files
from graphol.sweep.play import arena_of, play

SBM = "sbm:nodes=60,classes=3"


@pytest.fixture(autouse=True)
def empty():
    worker._arenas.clear()
    worker._read.clear()


def cell(learner="gpa", dataset=SBM, repeat=0, **more):
    return Cell(learner, dataset, plan=Plan(repeats=range(repeat, repeat + 1), **more))


def test_it_plays_what_the_runner_plays(tmp_path):
    for one in (cell(repeat=3), cell("molg-f:b=20", noise=0.1, seed=2), cell(fresh_data=True)):
        played = play(one.name, one.sent())
        assert played.error == "" and played.name == one.name
        path = tmp_path / f"{played.name}.npz"
        path.write_bytes(played.content)
        found = cell_file.read(path)
        rules = {k: getattr(one.plan, k) for k in ("repeats", "seed", "noise", "fresh_data")}
        direct = graphol.simulate(one.learner, one.dataset, **rules)
        assert found.error_rates.tolist() == direct.error_rates.tolist()
        assert (found.traces[0].node == direct.traces[0].node).all()
        assert found.recipe == direct.recipe
        assert cell_file.read_meta(path)["cell"] == one.recipe()


def test_a_cell_that_raises_gives_one_line_and_a_log(poison):
    registry().load_file(poison)
    for how, line in (("raise", "no such thing"), ("exit", "it called sys.exit(3)")):
        one = cell(f"poison:how={how}")
        played = play(one.name, one.sent(), plugin_files())
        assert played.content == b"" and line in played.error and "\n" not in played.error
        assert "poison" in played.error and "Traceback" in played.log


def test_what_it_prints_is_in_its_log(poison, capsys):
    registry().load_file(poison)
    one = cell("poison:how=print")
    assert "hello from the cell" in play(one.name, one.sent()).log
    assert capsys.readouterr() == ("", "")


def test_a_refusal_is_its_own_line():
    one = cell("molg-f:b=1")
    played = play(one.name, one.sent())
    assert played.error.startswith("molg-f: b must be > max") and not played.content


def test_a_worker_with_other_versions_refuses(tmp_path):
    played = play("0" * 24, cell().sent())
    assert "those of the plan" in played.error and "numpy" in played.error


def test_a_graph_is_loaded_once_for_all_seeds_and_drawn_once_for_each(tmp_path, monkeypatch):
    loads = []
    for name in ("digits", "sbm"):
        cls = registry().find("dataset", name)

        def load(self, rng, name=name, real=cls.load):
            loads.append(name)
            return real(self, rng)

        monkeypatch.setattr(cls, "load", load)
    for seed in (0, 1):
        for repeat in (0, 1):
            arena_of(cell(dataset="digits", seed=seed, repeat=repeat)).loaded  # noqa: B018
            arena_of(cell(seed=seed, repeat=repeat)).loaded  # noqa: B018
    assert sorted(loads) == ["digits", "sbm", "sbm"]


def test_only_so_many_are_kept():
    for seed in range(2 * worker.MOST_ARENAS):
        arena_of(cell(seed=seed))
    assert len(worker._arenas) == worker.MOST_ARENAS
