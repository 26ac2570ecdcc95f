"""A file is checked whole, and its order, its name and other cells change no name."""

from __future__ import annotations

import random

import pytest

from graphol.errors import GrapholError, InputError, UsageError
from graphol.sweep.planning import check_data, plan, read_file
from graphol.sweep.sweeping import Sweep

SBM = "sbm:nodes=40,classes=2"
TEXT = """
repeats = 3
dataset = "sbm:nodes=40,classes=2"

[[block]]
learner = ["gpa", "molg-f", "oslg"]
seed = [0, 1, 2]

[[block]]
learner = "molg-f"
[block.grid]
b = [2, 20]
noise = [0.0, 0.1]
[block.together]
delay = [1, 2]
rounds = [10, 20]

[[cell]]
learner = "molg-b"
repeat = 2
"""


def shuffled(said, rng):
    """The same with every list and every table in another order, lists that go together alike."""
    if isinstance(said, list):
        found = [shuffled(each, rng) for each in said]
        rng.shuffle(found)
        return found
    if not isinstance(said, dict):
        return said
    keys = [*said]
    rng.shuffle(keys)
    if "delay" in keys and isinstance(said["delay"], list):
        order = [*range(len(said["delay"]))]
        rng.shuffle(order)
        return {key: [said[key][i] for i in order] for key in keys}
    return {key: shuffled(said[key], rng) for key in keys}


def test_the_order_of_everything_changes_no_name(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(TEXT)
    said = read_file(path)
    names = plan(said).cells.keys()
    assert len(names) == 3 * 3 * 3 + 2 * 2 * 2 * 3 + 1
    for seed in range(5):
        other = shuffled(said, random.Random(seed))
        assert other != said and plan(other).cells.keys() == names


def test_another_learner_or_another_file_name_changes_no_name(tmp_path):
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(TEXT)
    two.write_text(TEXT.replace('"oslg"]', '"oslg", "ollgc"]'))
    first, second = Sweep.of(one, tmp_path).planned, Sweep.of(two, tmp_path).planned
    assert first.cells.keys() < second.cells.keys()
    assert len(second.cells) - len(first.cells) == 9


def test_a_file_without_blocks_is_one():
    assert len(plan({"learner": "gpa", "dataset": SBM, "grid": {"seed": [0, 1]}}).cells) == 20


def test_cells_that_are_planned_twice_are_one():
    block = {"learner": "gpa", "dataset": SBM, "repeats": 4}
    assert len(plan({"block": [block, block | {"repeats": 6}]}).cells) == 6


REFUSED = {
    "unknown key 'blocks': did you mean 'block'": {"blocks": []},
    "write [[block]] above each": {"block": 3},
    "grid belongs into a block: write [block.grid]": {
        "learner": "gpa", "grid": {"seed": [0]}, "block": [{}]},
    "block 2: unknown learner": {"block": [{"learner": "gpa"}, {"learner": "gpo-x"}]},
    "cell 1: there is no learner": {"cell": [{}]},
    "block 2: gpa learns from a label, but bandit": {
        "feedback": "bandit", "block": [{"learner": "molg-b"}, {"learner": "gpa"}]},
    "block 1: gpa gives layers no weights of their own; take one that does, multi-mrf": {
        "block": [{"learner": "molg-f", "fuse": 20, "fuser": "gpa"}]},
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_a_refusal_names_the_block(line):
    with pytest.raises(UsageError) as refusal:
        plan(REFUSED[line])
    assert line in str(refusal.value)


DATA = {
    "adagrad predicts signs or real, but sbm asks for classes": {"learner": "adagrad",
                                                                 "dataset": SBM},
    "cora is not on this machine": {"learner": "gpa", "dataset": "cora"},
    "digits is read, not generated": {"learner": "gpa", "dataset": "digits", "fresh_data": True},
    "sbm has no node features; use another embedding": {
        "learner": "gpa", "dataset": SBM, "embedding": "features"},
    "molg-f needs a vector per node, which this embedding does not give": {
        "learner": "molg-f", "dataset": SBM, "embedding": "kernel"},
    "signals are vectors already; leave the embedding spectral out": {
        "learner": "adagrad", "dataset": "digit-pixels", "embedding": "spectral"},
    "there is no such file": {"learner": "gpa", "dataset": "files:graph=nowhere.csv"},
    "no graph with classes": {"learner": "adagrad", "dataset": "digit-pixels",
                              "one_vs_rest": True},
    "is no graph with classes of nodes; leave --fuse out": {
        "learner": "adagrad", "dataset": "digit-pixels", "fuse": 20},
}  # fmt: skip


@pytest.mark.parametrize("line", DATA)
def test_what_does_not_fit_the_data_is_refused_before_the_first_cell(line):
    found = plan({"block": [DATA[line]]})
    with pytest.raises(GrapholError) as refusal:
        check_data(found, found.cells)
    assert line in str(refusal.value) and str(refusal.value).startswith("block 1: ")


def test_a_large_graph_is_not_embedded_to_see_what_comes_of_it(monkeypatch):
    from graphol.embeddings.spectral import Spectral

    sizes, real = [], Spectral.embed
    monkeypatch.setattr(
        Spectral, "embed", lambda self, graph, rng: sizes.append(graph.n) or real(self, graph, rng)
    )
    found = plan({"learner": ["gpa", "molg-f"], "dataset": "sbm:nodes=3000", "repeats": 2})
    check_data(found, found.cells)
    assert len(sizes) == 2 and max(sizes) <= 51


def test_a_mark_before_the_first_byte_is_read_over(tmp_path):
    (tmp_path / "plan.toml").write_text(f"\ufeff{TEXT}", encoding="utf-8")
    (tmp_path / "same.toml").write_text(TEXT)
    assert read_file(tmp_path / "plan.toml") == read_file(tmp_path / "same.toml")


def test_a_file_that_is_no_toml(tmp_path):
    path = tmp_path / "plan.toml"
    for content in (b"learner = ", b"\xff\xfe", b"[[[["):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not TOML"):
            read_file(path)
    with pytest.raises(InputError, match="cannot read"):
        read_file(tmp_path)


@pytest.mark.parametrize("plugin", [5, {"a": 1}, [5]])
def test_plugins_are_a_list_of_files(plugin, tmp_path):
    with pytest.raises(UsageError, match="plugin must be a list of files, got"):
        Sweep.of({"learner": "gpa", "plugin": plugin}, tmp_path)


def test_a_cell_cannot_take_over_a_list():
    said = {"dataset": [SBM, "sbm"], "cell": [{"learner": "gpa"}]}
    with pytest.raises(UsageError, match="cell 1: dataset at the top of the file is a list"):
        plan(said)
    assert len(plan(said | {"cell": [{"learner": "gpa", "dataset": SBM}]}).cells) == 1


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ({"noise": 10**400}, "noise must be >= 0 and < 1, got 1000"),
        ({"noise": float("nan")}, "noise must be >= 0 and < 1, got nan"),
        ({"plugin": "a\0b.py"}, "is no name of a file"),
    ],
)
def test_numbers_without_end_and_names_of_no_file_are_refused(tmp_path, said, line):
    with pytest.raises(UsageError, match=line):
        Sweep.of({"learner": "gpa", "dataset": SBM, **said}, tmp_path)
