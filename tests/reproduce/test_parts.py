"""Parts of a table: joined they are the table, and a part is known by all that it depends on."""

from __future__ import annotations

import attrs
import pytest

from graphol.arena import Silent
from graphol.errors import InputError
from graphol.plan import Plan
from graphol.reproduce import OWN, run
from graphol.reproduce.parts import Part, joined, parts, read, written

EXPERIMENTS = {each.name: each for each in OWN}
GRID = "graphda-grid:train=30,validation=20,test=20"


def few(name, **more):
    """An experiment with three entries and the smallest grids."""
    experiment = EXPERIMENTS[name]
    entries = tuple(
        attrs.evolve(entry, grid={key: tuple(v)[:2] for key, v in entry.grid.items()})
        for entry in experiment.entries[:2]
    )
    return attrs.evolve(experiment, entries=entries, **more)


def in_parts(experiment, datasets, repeats, tmp_path):
    plan = Plan(
        repeats=repeats, fresh_data=experiment.fresh_data, one_vs_rest=experiment.one_vs_rest
    )
    rows, notes = [], []
    for some in parts(experiment, datasets, plan, 2, True):
        found = []
        for part in some:
            path = tmp_path / part.name
            path.write_bytes(written(part.play(Silent()), part.recipe()))
            found.append(read(path, experiment.row))
        whole = joined(experiment, found)
        rows, notes = [*rows, *whole.rows], [*notes, *whole.notes]
    return rows, notes


@pytest.mark.parametrize(
    ("name", "datasets", "more", "count"),
    [
        ("kdd19-table1", [GRID], {}, 3),
        ("kdd19-fig3", [GRID], {}, 3),
        ("kdd19-fig9", [GRID], {"values": (10, 20)}, 3),
        ("kdd13-table2", ["sbm:nodes=60,classes=2", "imdb"], {}, 2),
        ("jmlr15-fig1", [], {}, 1),
    ],
)
def test_parts_that_were_written_and_read_are_the_whole_table(
    tmp_path, name, datasets, more, count
):
    experiment = few(name, **more) if EXPERIMENTS[name].entries else EXPERIMENTS[name]
    whole = run(experiment, datasets=datasets, quick=True, repeats=3)
    rows, notes = in_parts(experiment, datasets, range(3), tmp_path)
    assert len([*tmp_path.iterdir()]) == count
    timed = {"seconds", "train_seconds"}
    assert [row for row in rows if row.metric not in timed] == [
        row for row in whole.rows if row.metric not in timed
    ]
    assert tuple(notes) == whole.notes


def test_a_name_changes_with_all_that_a_figure_depends_on():
    one = Part(EXPERIMENTS["kdd19-table1"], GRID, Plan(repeats=1, fresh_data=True), 5, False)
    others = [
        attrs.evolve(one, dataset=GRID.replace("30", "31")),
        attrs.evolve(one, plan=attrs.evolve(one.plan, seed=1)),
        attrs.evolve(one, plan=attrs.evolve(one.plan, repeats=range(1, 2))),
        attrs.evolve(one, quick=True),
        attrs.evolve(one, held_out=4),
        attrs.evolve(one, experiment=EXPERIMENTS["kdd19-table2"]),
        attrs.evolve(one, experiment=few("kdd19-table1")),
    ]
    names = {each.name for each in (one, *others)}
    assert len(names) == 1 + len(others)
    assert attrs.evolve(one, plan=attrs.evolve(one.plan, jobs=2)).name == one.name


def test_a_file_that_is_no_part_is_refused(tmp_path):
    (tmp_path / "part").write_text('{"rows": [3], "notes": []}')
    with pytest.raises(InputError, match="is no part of a table"):
        read(tmp_path / "part", EXPERIMENTS["kdd19-table1"].row)
