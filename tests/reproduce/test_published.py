"""The printed cells are all in the tables; what is called unknown is unknown."""

from __future__ import annotations

import pytest

from graphol.reproduce import OWN, aistats19, kdd19
from graphol.reproduce.experiment import PrintedTable
from graphol.reproduce.published import Cell, cells, means, read, rows
from graphol.reproduce.verdict import DRAWN, NO_FIGURE, NOT_COMPARED

EXPERIMENTS = {each.name: each for each in OWN}

PAPERS = ("coauthor", "cora", "imdb", "pubmed")
OURS = {"banditron", "confidit", "soba", "oslg-bandit on E5"}
"""Rows of the IJCAI table that the paper does not have."""


@pytest.mark.parametrize(
    ("paper", "table", "shape"), [("kdd13", "table2", (3, 3, 4)), ("ijcai18", "table1", (2, 7, 4))]
)
def test_no_cell_is_missing(paper, table, shape):
    found = rows(paper, table)
    assert len(found) == shape[0]
    for learners in found.values():
        assert len(learners) == shape[1]
        assert all(tuple(cells) == PAPERS for cells in learners.values())


def test_cells_by_hand():
    assert rows("kdd13", "table2")["seconds"]["ollgc"]["imdb"] == Cell(1.7451, 0.1141)
    assert rows("ijcai18", "table1")["updates"]["molg-b"]["pubmed"] == Cell(13633, 112.2)
    first = means("kdd19", "table1", **kdd19.PRINTED)
    assert first["precision"]["da-sgl"] == Cell(0.523, 0.40)
    assert first["auc_labels_average"]["da-sgl"] == Cell(0.647, None)
    assert first["nonzero_ratio_average"]["graphda"] == Cell(0.3212, None)
    assert first["misses_published_rule"]["adam"] == first["misses"]["adam"] == Cell(166.35, None)
    assert means("kdd19", "table4")["f1"]["graphda"] == Cell(0.895, None)


def test_tables_of_signals_have_nine_learners_and_eleven_columns():
    data = read("kdd19")
    for k in range(1, 5):
        assert len(data[f"table{k}"]) == 9
        assert all(len(numbers) == 11 for numbers in data[f"table{k}"].values())


@pytest.mark.parametrize("name", ["kdd13-table2", "ijcai18-table1"])
def test_every_cell_on_nodes_is_beside_what_is_measured(name):
    table = EXPERIMENTS[name]
    assert isinstance(table, PrintedTable)
    used = set()
    for dataset in PAPERS:
        for row in table.absent(dataset):
            assert (row.paper is None) == (row.learner in OURS), row
            used.add((row.metric, row.learner.partition(":")[0], dataset))
    paper, _, key = name.partition("-")
    printed = {
        (metric, learner, dataset)
        for metric, learners in rows(paper, key).items()
        for learner, cells in learners.items()
        for dataset in cells
    }
    assert printed <= used


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_every_cell_over_signals_is_beside_what_is_measured(k):
    table = kdd19.TABLES[k - 1]
    for row in table.absent(kdd19.GRAPHS[k - 1]):
        assert (row.paper is None) == (row.metric == "auc"), row  # printed from labels alone
        assert (row.paper_std is None) == (k > 1 or row.metric[:2] not in ("pr", "re", "f1"))
    assert not any(row.paper for row in table.absent("digit-pixels"))


@pytest.mark.parametrize("table", [aistats19.TABLE3, aistats19.TABLE4, aistats19.TABLE5])
def test_every_cell_on_splits_is_beside_what_is_measured_or_quoted(table):
    printed = cells("aistats19", table.name.rpartition("-")[2])
    for dataset in aistats19.DATASETS:
        beside = {
            row.learner: Cell(row.paper, row.paper_std)
            for row in table.absent(dataset)
            if row.paper is not None
        }
        assert beside == {label: row[dataset] for label, row in printed.items() if dataset in row}


def test_cells_of_splits_by_hand():
    assert cells("aistats19", "table3")["gat"]["citeseer"] == Cell(72.5, None)
    assert cells("aistats19", "table5")["all features, learned"]["citeseer"] == Cell(57.6, 1.2)
    assert "citeseer" not in cells("aistats19", "table4")["citation graph, cmn"]
    assert len(cells("aistats19", "table3")) == 11 and len(cells("aistats19", "table4")) == 8


def test_what_a_cell_without_a_judged_figure_is_called():
    table, figure = EXPERIMENTS["kdd13-table2"], EXPERIMENTS["kdd13-fig1"]
    seconds = table.entries[0].metrics[2]
    assert table.verdict("cora", seconds, 0.1, Cell(0.2)) == NOT_COMPARED
    assert table.verdict("lastfm-asia", seconds, 0.1, None) == NO_FIGURE
    assert figure.verdict("cora", seconds, 0.1, None) == DRAWN
    assert figure.verdict("lastfm-asia", seconds, 0.1, None) == NO_FIGURE
