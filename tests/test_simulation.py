"""Repeats over seeded shuffles: what is reported is what was played."""

import json
import os

import attrs
import numpy as np
import pytest

import graphol
from graphol import InputError, Simulation, UsageError, simulate
from graphol.testing.games import signal_game

PLAIN = "import attrs\nfrom graphol import hookimpl\nfrom graphol.learners.gpa import GPA\n" + (
    "class Plain(GPA):\n    'Not compiled.'\n    name = 'plain'\n    stream = None\n"
    "@hookimpl\ndef graphol_learners():\n    return [Plain]\n"
)


def traces(result):
    return [[getattr(t, c) for c in graphol.Trace.columns()] for t in result.traces]


def assert_same(one, two):
    for a, b in zip(traces(one), traces(two), strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)


def test_summary_is_the_mean_over_traces():
    result = simulate("molg-b", "sbm", repeats=4, seed=3)
    row = result.row()
    rates = [np.mean(t.predicted != t.label) for t in result.traces]
    assert row["error_rate_mean"] == pytest.approx(np.mean(rates))
    assert row["error_rate_std"] == pytest.approx(np.std(rates, ddof=1))
    assert row["updates_mean"] == np.mean([t.updates.sum() for t in result.traces])
    assert row["queries_mean"] == row["rounds"] == len(result.traces[0])
    assert list(row)[:12] == [
        "learner", "dataset", "feedback", "embedding", "params", "rounds", "repeats",
        "error_rate_mean", "error_rate_std", "updates_mean", "queries_mean", "us_per_round",
    ]  # fmt: skip
    assert row["params"] == {
        "b": 10.0,
        "phi": 10.0,
        "exploration": 0.05,
        "precision": "double",
    }
    assert json.loads(json.dumps(row)) == row
    assert row["us_per_round"] > 0


def test_same_seed_same_trace_other_seed_other_trace():
    assert_same(
        simulate("molg-b", "sbm", repeats=2, seed=5), simulate("molg-b", "sbm", repeats=2, seed=5)
    )
    other = simulate("molg-b", "sbm", repeats=2, seed=6)
    assert other.recipe["graph_hash"] != simulate("molg-b", "sbm", repeats=1).recipe["graph_hash"]


def test_repeats_are_shuffled_differently_and_alike_for_every_learner():
    one = simulate("gpa", "sbm:nodes=60,classes=3", repeats=5)
    own = [one.traces[repeat] for repeat in (1, 4)]
    pairs = [(trace, attrs.evolve(trace, loss=1 - trace.loss)) for trace in own]
    scores = ({"f": 1.0}, {"f": 2.0}, {"f": 3.0}, {"f": 4.0})
    weights = tuple({"last": np.full(3, k)} for k in range(4))
    traces = tuple(trace for pair in pairs for trace in pair)
    played = attrs.evolve(one, traces=traces, scores=scores, weights=weights, games=2)
    played.save(tmp_path)
    assert (tmp_path / "trace-004-01.npz").exists()
    back = Simulation.load(tmp_path)
    assert_same(back, played)
    assert (back.games, back.repeats, back.scores) == (2, (1, 4), scores)
    assert back.error_rates.tolist() == [0.5, 0.5] and back.row()["repeats"] == 2
    last = back.only([4])
    assert (last.scores, [w["last"][0] for w in last.weights]) == (scores[2:], [2, 3])
    assert last.traces[0].node.tolist() == one.traces[4].node.tolist()


def test_the_interval_of_the_mean():
    from scipy import stats

    result = simulate("gpa", "sbm:nodes=60,classes=3", repeats=5)
    rates = [np.mean(t.predicted != t.label) for t in result.traces]
    for confidence in (0.95, 0.8):
        row = result.row(confidence)
        low, high = stats.t.interval(confidence, 4, np.mean(rates), stats.sem(rates))
        assert (row["error_rate_ci_low"], row["error_rate_ci_high"]) == pytest.approx((low, high))
        assert row["confidence"] == confidence


@pytest.mark.parametrize("changed", ["text", "short"])
def test_columns_that_cannot_be_a_trace(tmp_path, changed):
    trace = simulate("gpa", "sbm:nodes=60,classes=3", repeats=1).traces[0]
    loss = {"text": np.array(["x"] * 60), "short": trace.loss[:-1]}[changed]
    attrs.evolve(trace, loss=loss).save(tmp_path / "t.npz")
    with pytest.raises(InputError, match="its columns are not numbers of equal length"):
        graphol.Trace.load(tmp_path / "t.npz")


def test_results_are_not_overwritten_unless_told(tmp_path):
    simulate("gpa", "sbm", repeats=3).save(tmp_path)
    with pytest.raises(UsageError, match="holds results already; add --force"):
        simulate("gpa", "sbm", repeats=1).save(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    simulate("gpa", "sbm", repeats=1).save(tmp_path, force=True)
    assert sorted(os.listdir(tmp_path)) == ["meta.json", "notes.txt", "trace-000.npz"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    trace = simulate("gpa", "sbm", repeats=1).traces[0]
    trace.save(tmp_path / "t.npz")
    before = (tmp_path / "t.npz").read_bytes()

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(InputError, match="No space left on device"):
        trace.save(tmp_path / "t.npz", force=True)
    assert (tmp_path / "t.npz").read_bytes() == before
    assert os.listdir(tmp_path) == ["t.npz"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be >= 1, got 0"),
        ({"repeats": "3"}, "repeats must be a whole number, got '3'"),
        ({"seed": 1.5}, "seed must be a whole number, got 1.5"),
        ({"seed": -1}, "seed must be >= 0, got -1"),
        ({"jobs": 0}, "jobs must be >= 1, got 0"),
        ({"feedback": "bandit"}, "reveals a bit; try --feedback full"),
        ({"embedding": "kernel"}, "needs a vector per node"),
        ({"embedding": "features"}, "features"),
        ({"dataset": "files:graph=/nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_wrong_settings_are_one_line(options, message):
    with pytest.raises(graphol.GrapholError) as error:
        simulate("gpa", **{"dataset": "sbm", **options})
    assert message in str(error.value) and "\n" not in str(error.value)


def test_signal_tasks_need_no_embedding():
    result = simulate("gpa", signal_game(), repeats=1)
    assert result.row()["embedding"] is None
    with pytest.raises(UsageError, match="molg-f predicts classes"):
        simulate("molg-f", signal_game())
    with pytest.raises(UsageError, match="leave the embedding spectral out"):
        simulate("gpa", signal_game(), embedding="spectral", repeats=1)


@pytest.mark.data
@pytest.mark.parametrize(
    ("learner", "dataset", "embedding", "figure", "within"),
    [
        ("molg-b", "cora", "spectral", 0.203, 0.012),
        ("molg-f", "cora", "spectral", 0.176, 0.010),
        ("molg-f", "cora", "spectral:trivial=drop", 0.182, 0.010),
        ("gpa", "cora", "spectral:laplacian=combinatorial,trivial=bias,rows=raw", 0.600, 0.020),
        ("molg-b:b=100", "pubmed", "spectral", 0.205, 0.005),
        ("molg-f:b=100,phi=20", "pubmed", "spectral", 0.208, 0.005),
        ("gpa:when=always", "pubmed", "spectral:laplacian=combinatorial,trivial=bias,rows=raw",
         0.578, 0.020),
    ],
)  # fmt: skip
def test_golden_figures(data_dir, learner, dataset, embedding, figure, within):
    """Error rates that several readings of the IJCAI'19 paper agree on, 20 shuffles."""
    result = simulate(learner, dataset, embedding=embedding, repeats=20, jobs=2)
    assert result.error_rate_mean == pytest.approx(figure, abs=within)
