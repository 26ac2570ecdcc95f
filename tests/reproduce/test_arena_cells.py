"""Files of cells: whole or not there, of one recipe, never trusted when damaged."""

from __future__ import annotations

import json
import os

import attrs
import pytest

from graphol import make
from graphol.arena import Arena, Silent
from graphol.atomic import replacing
from graphol.plan import Plan
from graphol.reproduce.arena_cells import Cells, blocks

SBM = "sbm:nodes=60,classes=2"
PLAN = Plan(repeats=range(100, 103))


def get(cells, learner="gpa", feedback="full", plan=PLAN, data=SBM):
    arena = Arena(data, plan.seed)
    return cells.get(arena, make("learner", learner), make("feedback", feedback), plan, Silent())


def test_what_is_read_is_what_was_played(tmp_path):
    cells = Cells(tmp_path)
    played = get(cells)
    assert cells.played == 1 and len(list(tmp_path.iterdir())) == 1
    read = get(cells)
    assert cells.played == 1
    assert read.errors.tolist() == played.errors.tolist() and read.repeats == (100, 101, 102)
    assert (read.rounds, read.state_bytes) == (60, played.state_bytes)
    assert read.command == played.command and "--repeats 100-102" in read.command


@pytest.mark.parametrize(
    "other",
    [
        {"learner": "gpa:when=always"}, {"learner": "oslg-bandit", "feedback": "bandit"},
        {"feedback": "random-query:p=0.5"}, {"plan": attrs.evolve(PLAN, seed=1)},
        {"plan": attrs.evolve(PLAN, repeats=range(105, 108))},
        {"data": "sbm:nodes=60,classes=2,degree_in=9"},
    ],
    ids=repr,
)  # fmt: skip
def test_another_recipe_is_another_file(tmp_path, other):
    cells = Cells(tmp_path)
    get(cells)
    get(cells, **other)
    assert cells.played == 2 and len(list(tmp_path.glob("*.json"))) == 2


def test_jobs_do_not_matter(tmp_path):
    cells = Cells(tmp_path)
    one = get(cells, plan=attrs.evolve(PLAN, jobs=2))
    assert get(cells).errors.tolist() == one.errors.tolist() and cells.played == 1


def test_other_versions_and_other_code_are_other_cells(tmp_path, monkeypatch):
    get(Cells(tmp_path))
    newer = Cells(tmp_path)
    newer._used = newer._used | {"numpy": "99"}
    get(newer)
    assert newer.played == 1
    changed = Cells(tmp_path)
    monkeypatch.setattr("graphol.reproduce.arena_cells.code_of", lambda learner: "new")
    get(changed)
    assert changed.played == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"seed": 0', '"seed": 1'),
        lambda text: json.dumps(json.loads(text) | {"errors": [0.1]}),
        lambda text: json.dumps(json.loads(text) | {"errors": [0.1, 0.2, None]}),
        lambda text: json.dumps(json.loads(text) | {"errors": [0.1, 0.2, 1.5]}),
        lambda text: json.dumps(json.loads(text) | {"errors": "0.1"}),
        lambda text: json.dumps(json.loads(text) | {"queries": [-1, 5, 5]}),
        lambda text: json.dumps(json.loads(text) | {"rounds": "60"}),
        lambda text: json.dumps(json.loads(text) | {"rounds": 0}),
        lambda text: json.dumps(json.loads(text) | {"rounds": float("inf")}),
        lambda text: json.dumps({"recipe": json.loads(text)["recipe"], "foreseen": "9"}),
        lambda text: "[" * 100_000,
        lambda text: "[]",
        lambda text: "",
    ],
)
def test_a_damaged_file_counts_as_absent(tmp_path, damage):
    cells = Cells(tmp_path)
    whole = get(cells)
    (path,) = tmp_path.iterdir()
    text = path.read_text()
    path.write_text(damage(text))
    assert get(cells).errors.tolist() == whole.errors.tolist()
    assert cells.played == 2
    assert json.loads(path.read_text())["errors"] == whole.errors.tolist()


def test_a_cell_that_another_arena_is_writing_is_played_and_left_to_it(tmp_path):
    """Two at once on one folder: neither ends for the other's sake."""
    cells = Cells(tmp_path)
    whole = get(cells)
    (path,) = tmp_path.iterdir()
    path.unlink()
    with replacing(path) as half:
        half.write_text("{")
        assert get(cells).errors.tolist() == whole.errors.tolist()
        half.write_text("{}")
    assert path.read_text() == "{}"


@pytest.mark.skipif(os.name != "posix", reason="fork")
def test_a_killed_cell_leaves_no_half_file(tmp_path, killed_at):
    whole = {"recipe": {"seed": 0}, "errors": [0.25] * 3}
    killed = k = 0
    while killed == k:
        k += 1
        folder = tmp_path / str(k)
        cells = Cells(folder)
        killed += killed_at(
            k, lambda cells=cells, folder=folder: cells._write(folder / "a.json", whole)
        )
        assert (
            not (folder / "a.json").exists() or json.loads((folder / "a.json").read_text()) == whole
        )
        cells._write(folder / "b.json", whole)
        assert {path.name for path in folder.iterdir()} <= {"a.json", "b.json"}  # no litter either
    assert killed > 3


def test_blocks_are_cut_at_the_same_places():
    assert list(blocks(range(3))) == [range(3)]
    assert list(blocks(range(100, 120))) == [range(a, a + 5) for a in (100, 105, 110, 115)]
    assert list(blocks(range(103, 106))) == [range(103, 105), range(105, 106)]


class Clock:
    """A processor whose time passes while games are played, and at no other time."""

    def __init__(self, cost):
        self.cost, self.now = cost, 0.0

    def process_time(self):
        return self.now

    def play(self, plan):
        self.now += sum(map(self.cost, range(1, plan.rounds + 1)))


def foreseen(cost, monkeypatch, limit=100.0):
    """What is foreseen for five games of 3000 rounds, and the time that it took to foresee it."""
    clock = Clock(cost)
    monkeypatch.setattr("graphol.reproduce.arena_cells.time", clock)
    arena = Arena("sbm:nodes=3000,classes=2", 0)
    plan = Plan(repeats=range(100, 105))
    cells = Cells("nowhere", limit)
    return cells._foreseen(clock.play, arena, make("feedback", "full"), plan), clock.now


def test_refits_at_the_beginning_do_not_count_for_all_rounds(monkeypatch):
    """A second whenever the rounds are a power of 2, and next to nothing in between."""

    def cost(t):
        return float(t & (t - 1) == 0)

    found, _ = foreseen(cost, monkeypatch)
    truth = 5 * sum(map(cost, range(1, 3001)))
    assert truth <= found < 100 and truth == 60


@pytest.mark.parametrize("cost", [0.01, 1.0], ids=repr)
def test_a_slow_learner_is_given_up_early(monkeypatch, cost):
    found, spent = foreseen(lambda t: cost, monkeypatch)
    assert found == pytest.approx(5 * 3000 * cost)
    assert spent < 0.4 * 3000 * cost  # of one game, not five
