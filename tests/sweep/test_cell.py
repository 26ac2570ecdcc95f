"""A cell's name: everything that can change a figure, and nothing else."""

from __future__ import annotations

import pickle
import shlex

import pytest

import graphol
from graphol.cli import main
from graphol.errors import UsageError
from graphol.plan import Plan
from graphol.registry import registry
from graphol.sweep.cell import Cell, name_of, plugin_files

SBM = "sbm:nodes=40,classes=2"


def cell(learner="gpa", dataset=SBM, repeat=0, **more):
    parts = {key: more.pop(key) for key in ("feedback", "embedding", "fuser") if key in more}
    return Cell(learner, dataset, plan=Plan(repeats=range(repeat, repeat + 1), **more), **parts)


def test_what_can_change_a_figure_changes_the_name():
    others = [
        cell("gpa:when=always"), cell("molg-f"), cell(dataset="sbm:nodes=41,classes=2"),
        cell(repeat=1), cell(seed=1), cell(rounds=5), cell(noise=0.1), cell(delay=2),
        cell(embedding="spectral:dim=3"), cell(one_vs_rest=True), cell(fresh_data=True),
        cell(held_out=True), cell(keep="scores"), cell(feedback="random-query"),
        cell(compiled=False),
    ]  # fmt: skip
    names = [each.name for each in (cell(), *others)]
    assert len(set(names)) == len(names)


def test_how_it_is_written_or_played_does_not_change_the_name():
    same = [
        cell(registry().make("learner", "gpa")), cell("gpa:when=mistakes"), cell(feedback="full"),
        cell(embedding="spectral"), cell(jobs=4), cell(dataset="sbm:classes=2,nodes=40"),
    ]  # fmt: skip
    assert {each.name for each in same} == {cell().name}


def test_the_order_of_keys_does_not_change_the_name():
    assert name_of({"a": 1, "b": {"c": 2, "d": 3}}) == name_of({"b": {"d": 3, "c": 2}, "a": 1})


def test_the_bytes_of_a_file_are_in_the_name_and_its_folder_is_not(tmp_path):
    def on(folder, edges):
        path = tmp_path / folder / "graph.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(edges)
        (path.parent / "labels.csv").write_text("node,label\na,x\nb,y\n")
        return cell(dataset=f"files:graph={path},labels={path.parent / 'labels.csv'}")

    one, moved, other = on("one", "a,b\n"), on("two", "a,b\n"), on("three", "b,a\n")
    assert one.name == moved.name != other.name
    assert set(one.recipe()["data"]) == {"files.graph graph.csv", "files.labels labels.csv"}


def test_a_plugin_file_is_in_the_name_of_its_own_cells_alone(tmp_path, poison):
    before = cell().name
    registry().load_file(poison)
    assert cell().name == before
    first = cell("poison")
    assert [key for key in first.recipe()["versions"] if "poison" in key] == ["file poison.py"]
    registry.cache_clear()
    poison.write_text(poison.read_text() + "\n# changed\n")
    registry().load_file(poison)
    assert cell("poison").name != first.name


def test_it_is_sent_as_plain_data(poison):
    registry().load_file(poison)
    for one in (cell(), cell("pool:experts=(gpa)+(molg-f)", embedding="spectral:dim=4"),
                cell("poison:at=3")):  # fmt: skip
        sent = pickle.loads(pickle.dumps(one.sent()))
        assert isinstance(sent["learner"], dict)
        assert Cell.received(sent) == one and Cell.received(sent).name == one.name


def test_its_command_plays_it(tmp_path):
    one = cell("molg-f:b=20", noise=0.1, repeat=3, seed=5)
    words = shlex.split(one.command)
    assert words[:2] == ["graphol", "simulate"]
    assert main([*words[1:], "--out", str(tmp_path / "out"), "--quiet"]) == 0
    played = graphol.Simulation.load(tmp_path / "out")
    other = graphol.simulate(one.learner, one.dataset, repeats=range(3, 4), noise=0.1, seed=5)
    assert played.error_rates.tolist() == other.error_rates.tolist()
    assert played.repeats == (3,)


def test_shuffles_that_tune_have_no_command():
    assert cell(held_out=True).command is None


def test_a_cell_is_one_repeat():
    with pytest.raises(UsageError, match="one repeat"):
        Cell("gpa", SBM, plan=Plan(repeats=2))


def test_plugin_files_are_absolute(poison, monkeypatch):
    monkeypatch.chdir(poison.parent)
    registry().load_file(poison.relative_to(poison.parent))
    assert plugin_files() == (poison,)
