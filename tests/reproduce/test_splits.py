"""Tables on splits: what is played, what is quoted, what is concluded; on a tiny Cora."""

from __future__ import annotations

import json
import shlex

import attrs
import numpy as np
import pytest

import graphol
from graphol.cli import main
from graphol.errors import UsageError
from graphol.reproduce import aistats19, run
from graphol.reproduce.published import Cell
from graphol.reproduce.sizes import sizes
from graphol.reproduce.splits import whole
from graphol.reproduce.verdict import DIFFERS, NO_FIGURE, QUOTED, REPRODUCED

N, K, M = 120, 3, 24
LP = "citation graph, cmn"
SMALL_SPLITS = "seeds:per_class=4,validation=20,test=40"


@pytest.fixture(autouse=True)
def tiny_cora(monkeypatch, tmp_path):
    """Three groups with words of their own, and ten nodes without an edge."""
    rng = np.random.default_rng(8)
    labels = np.arange(N) % K
    same = labels[:, None] == labels[None, :]
    A = np.triu(rng.random((N, N)) < np.where(same, 0.15, 0.01), 1)
    A[-10:] = A[:, -10:] = False
    A = A | A.T
    words = rng.random((N, M)) < np.where(np.arange(M)[None, :] % K == labels[:, None], 0.4, 0.05)
    order = rng.permutation(N)
    rows, columns = np.nonzero(A)
    x_rows, x_columns = np.nonzero(words)
    np.savez(
        tmp_path / "cora.npz", n=N, labels=labels, label_names=np.array(list("abc")),
        indptr=np.searchsorted(rows, np.arange(N + 1)).astype(np.int32),
        indices=columns.astype(np.int32), data=np.ones(len(rows), dtype=np.float32),
        x_indptr=np.searchsorted(x_rows, np.arange(N + 1)).astype(np.int32),
        x_indices=x_columns.astype(np.int32), x_data=np.ones(len(x_rows), dtype=np.float32),
        x_shape=np.array([N, M]), train_idx=order[:15], val_idx=order[15:40], test_idx=order[40:],
    )  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))


def cell(rows, learner, metric="accuracy_percent"):
    (row,) = [row for row in rows if (row.learner, row.metric) == (learner, metric)]
    return row


@pytest.fixture
def third():
    return run("aistats19-table3", datasets=["cora"])


def test_one_entry_is_what_simulate_plays(third):
    row = cell(third.rows, LP)
    task = graphol.make("dataset", "cora:component=all").load(np.random.default_rng(0))
    plain = graphol.simulate(
        aistats19.CITATIONS.learner, task, feedback="seeds:split=fixed", repeats=1
    ).row()
    assert row.measured == pytest.approx(100 * (1 - plain["error_rate_mean"]))
    assert row.repeats == 1 and row.dataset == "cora" and row.paper == 68.0
    beside = cell(third.rows, LP, "known_accuracy_percent")
    assert beside.measured == pytest.approx(100 * (1 - plain["known_error_rate_mean"]))
    assert beside.verdict == NO_FIGURE
    assert cell(third.rows, LP, "known_percent").measured == 100 * plain["known_mean"]


def test_rows_that_nobody_plays_are_quoted(third):
    quoted = [row for row in third.rows if row.verdict == QUOTED]
    assert {row.learner for row in quoted} >= {"mlp", "gcn", "gat", "planetoid", "ica", "agnn"}
    assert all(row.measured is None and row.paper > 50 and row.repeats == 0 for row in quoted)
    played = {entry.label for entry in aistats19.TABLE3.entries}
    assert not played & {row.learner for row in quoted}
    assert {row.learner for row in third.rows} == played | set(aistats19.TABLE3.published)


def test_commands_play_the_row_again(third, capsys):
    for row in third.rows:
        if row.measured is None or row.metric != "accuracy_percent":
            continue
        capsys.readouterr()
        assert main([*shlex.split(row.command)[1:], "--json", "--quiet"]) == 0
        played = json.loads(capsys.readouterr().out)
        assert 100 * (1 - played["error_rate_mean"]) == pytest.approx(row.measured)


def test_splits_are_drawn_anew_in_every_repeat():
    table = attrs.evolve(
        aistats19.TABLE4, entries=(aistats19.CITATIONS,), feedback=SMALL_SPLITS, published={}
    )
    found = run(table, datasets=["cora"], repeats=4, seed=3)
    plain = graphol.simulate(
        aistats19.CITATIONS.learner, "cora:component=all", feedback=SMALL_SPLITS, repeats=4, seed=3
    )
    row = cell(found.rows, LP)
    assert row.measured == pytest.approx(100 * (1 - plain.error_rates.mean()))
    assert row.std == pytest.approx(100 * plain.error_rates.std(ddof=1)) and row.std > 0


def test_weights_of_layers_are_compared_over_a_parameter():
    table = attrs.evolve(
        aistats19.TABLE4, entries=(aistats19.CITATIONS,), feedback=SMALL_SPLITS, published={},
        spread=("robust-lp:features=3,nu=1", "robust-lp:features=3,nu=1e6"),
    )  # fmt: skip
    found = run(table, datasets=["cora"], repeats=2, seed=3)
    row = cell(found.rows, "robust-lp, nu=1 to 1e6", "weight_ratio")
    ratios = []
    for nu in ("1", "1e6"):
        played = graphol.simulate(
            f"robust-lp:features=3,nu={nu}", "cora:component=all", feedback=SMALL_SPLITS,
            repeats=2, seed=3,
        )  # fmt: skip
        weights = [[*trace.meta["layer_weights"].values()] for trace in played.traces]
        ratios.append([max(each) / min(each) for each in weights])
    assert row.measured == pytest.approx(np.max(ratios, axis=0).mean())
    within = "within" if row.measured <= 1.01 else "not within"
    assert f"are {within} 1 % of each other" in found.conclusions[-1]


def test_all_features_or_those_that_are_selected():
    table = attrs.evolve(aistats19.TABLE5, feedback=SMALL_SPLITS)
    found = run(table, datasets=["cora"], repeats=1, seed=3)
    for entry in table.entries:
        row = cell(found.rows, entry.label)
        played = graphol.simulate(
            entry.learner, "cora:component=all", feedback=SMALL_SPLITS, repeats=1, seed=3
        )
        assert row.measured == pytest.approx(100 * (1 - played.error_rate_mean))
        layers = played.traces[0].meta["layer_weights"]
        if "selected" in entry.label:
            assert len(layers) <= 11  # a layer of weight 0 is dropped
        elif "weights 1" in entry.label:
            assert len(layers) == M + 1 and set(layers.values()) == {1.0}
        else:
            assert len(layers) > 11
        assert cell(found.rows, entry.label, "seconds").measured > 0


def test_conclusions_are_read_off_the_rows():
    entry = attrs.evolve(aistats19.CITATIONS, label="ours")
    for paper, said in ((1.0, "ours is above every printed row"), (100.0, "ours is not above")):
        table = attrs.evolve(
            aistats19.TABLE3, entries=(entry,), published={"x": {"cora": Cell(paper)}}
        )
        (text,) = run(table, datasets=["cora"]).conclusions
        assert said in text and f"x with {paper:.1f}" in text


def test_whole_graphs_are_played():
    assert whole("cora") == "cora:component=all"
    with pytest.raises(UsageError, match="no split"):
        run("aistats19-table3", datasets=["cora:component=largest"])


def test_sizes_are_counted():
    task = graphol.make("dataset", "cora:component=all").load(np.random.default_rng(0))
    found = sizes(task)
    X = task.graph.features.toarray()
    assert found["instances"] == N and found["seeds"] == 15 and found["features"] == 10
    assert found["citations"] == np.count_nonzero(np.triu(task.graph.adjacency.toarray()))
    assert 10 <= found["feature_edges"] <= np.sort(X.sum(axis=0))[-10:].sum()
    rows = {row.metric: row for row in run("aistats19-table2", datasets=["cora"]).rows}
    assert rows["features"].verdict == REPRODUCED and rows["seeds"].verdict == DIFFERS
    assert rows["citations"].paper == 5429
    with pytest.raises(UsageError, match="no fixed split"):
        run("aistats19-table2", datasets=["sbm"])


def test_data_that_is_not_there():
    found = run("aistats19-table3", datasets=["citeseer"])
    assert {row.verdict for row in found.rows} == {QUOTED, "data not available"}
    assert found.notes[0].startswith("citeseer: citeseer is not on this machine")
    found = run("aistats19-table2", datasets=["citeseer"])
    assert {row.verdict for row in found.rows} == {"data not available"}
