"""Repeats over seeded shuffles: what is reported is what was played."""

import json
import math
import os

import attrs
import numpy as np
import pytest

import graphol
from graphol import InputError, Simulation, UsageError, simulate
from graphol.testing.games import blocks, signal_game

PLAIN = (
    "import attrs\nfrom graphol import hookimpl\nfrom graphol.learners.nodes.gpa import GPA\n"
    + (
        "class Plain(GPA):\n    'Not compiled.'\n    name = 'plain'\n    stream = None\n"
        "@hookimpl\ndef graphol_learners():\n    return [Plain]\n"
    )
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
    one, two = (simulate(x, "sbm", repeats=2) for x in ("gpa", "molg-f"))
    assert one.traces[0].node.tolist() == two.traces[0].node.tolist()
    assert one.traces[0].node.tolist() != one.traces[1].node.tolist()


def test_jobs_change_nothing_on_threads():
    assert_same(simulate("molg-f", "sbm", repeats=5), simulate("molg-f", "sbm", repeats=5, jobs=2))


def test_jobs_change_nothing_in_processes(tmp_path):
    """A learner that is not compiled, from a file that worker processes must load too."""
    from graphol.registry import registry

    path = tmp_path / "plain.py"
    path.write_text(PLAIN)
    registry().load_file(path)
    one = simulate("plain", "sbm:nodes=120", repeats=3)
    two = simulate("plain", "sbm:nodes=120", repeats=3, jobs=2)
    assert_same(one, two)
    assert not two.traces[0].meta["compiled"]
    assert one.recipe["versions"]["plugin plain"] == str(path)


def test_plain_loop_gives_the_same_traces():
    assert_same(
        simulate("molg-b", "sbm", repeats=2), simulate("molg-b", "sbm", repeats=2, compiled=False)
    )


def test_takes_graphs_tasks_and_values():
    learner = graphol.make("learner", "molg-f:phi=2")
    result = simulate(learner, blocks(40), embedding="spectral:dim=5", repeats=1)
    assert result.row()["dataset"] == "blocks" and result.row()["params"]["phi"] == 2.0
    task = graphol.NodeTask((blocks(40),), name="my task")
    assert simulate("gpa", task, repeats=1).row()["dataset"] == "my task"


def test_saved_results_are_complete_and_plain_numpy_reads_them(tmp_path):
    result = simulate("molg-b", "sbm", repeats=2, seed=9)
    result.save(tmp_path / "out")
    assert sorted(os.listdir(tmp_path / "out")) == ["meta.json", "trace-000.npz", "trace-001.npz"]
    with np.load(tmp_path / "out" / "trace-001.npz", allow_pickle=False) as npz:
        assert set(npz.files) == {*graphol.Trace.columns(), "meta.json"}
        np.testing.assert_array_equal(npz["predicted"], result.traces[1].predicted)
        meta = json.loads(npz["meta.json"])
    assert meta["seed"] == 9 and meta["repeat"] == 1 and meta["graph_hash"]
    assert meta["learner"] == {
        "name": "molg-b",
        "b": 10.0,
        "phi": 10.0,
        "exploration": 0.05,
        "precision": "double",
    }
    assert {"graphol", "numpy", "scipy", "numba", "python"} <= meta["versions"].keys()
    whole = json.loads((tmp_path / "out" / "meta.json").read_text())
    assert whole["summary"]["error_rate_mean"] == result.error_rate_mean
    back = graphol.Trace.load(tmp_path / "out" / "trace-000.npz")
    assert back.error_rate == result.traces[0].error_rate


@pytest.mark.parametrize("learner", ["molg-b", "gpa"])
def test_saved_results_come_back(tmp_path, learner):
    result = simulate(learner, "sbm:nodes=60,classes=3", repeats=3, seed=4, noise=0.1)
    result.save(tmp_path)
    back = Simulation.load(tmp_path)
    assert_same(result, back)
    assert back.recipe == result.recipe and back.notes == result.notes and back.task is None
    assert [t.meta for t in back.traces] == [t.meta for t in result.traces]
    assert back.row() == result.row()
    back.save(tmp_path / "copy")
    copy, first = (folder / "meta.json" for folder in (tmp_path / "copy", tmp_path))
    assert copy.read_text() == first.read_text()


def test_target_and_class_names_are_recorded():
    result = simulate("gpa", blocks(40), repeats=1)
    assert result.target == "classes"
    assert result.recipe["classes"] == list(blocks(40).label_names) != []
    for target, learner in (("signs", "gpa"), ("real", "adam")):
        result = simulate(learner, signal_game(target), repeats=1)
        assert (result.target, result.recipe["classes"]) == (target, [])


def test_scores_and_weights_of_every_repeat_come_back(tmp_path, monkeypatch):
    result = simulate("da-iht:s=3", "digit-pixels:digit=1", repeats=2, rounds=20)
    odd = ({**result.scores[0], "auc": math.nan}, {**result.scores[1], "auc": 0.5})
    attrs.evolve(result, scores=odd).save(tmp_path / "out")
    json.loads((tmp_path / "out" / "meta.json").read_text(), parse_constant=pytest.fail)
    back = Simulation.load(tmp_path / "out")
    assert back.scores[1] == odd[1] and math.isnan(back.scores[0].pop("auc"))
    assert back.scores[0] == result.scores[0] != result.scores[1]
    for ours, theirs in zip(back.weights, result.weights, strict=True):
        assert ours.keys() == theirs.keys() >= {"last"}
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])
    monkeypatch.setattr("graphol.simulation.MOST_WEIGHTS", 10)
    result.save(tmp_path / "out", force=True)
    assert not (tmp_path / "out" / "weights.npz").exists()
    assert Simulation.load(tmp_path / "out").weights == ()


def test_repeats_keep_their_numbers(tmp_path):
    result = simulate("gpa", "sbm:nodes=60,classes=3", repeats=4)
    some = result.only([3, 1])
    some.save(tmp_path)
    assert {f.name for f in tmp_path.iterdir()} == {"meta.json", "trace-001.npz", "trace-003.npz"}
    back = Simulation.load(tmp_path)
    assert back.repeats == (3, 1)
    for i, repeat in enumerate((3, 1)):
        np.testing.assert_array_equal(back.traces[i].node, result.traces[repeat].node)
        np.testing.assert_array_equal(some.stream(i).node, result.traces[repeat].node)


def opposite(trace):
    """Wrong where the other is right."""
    said = np.where(trace.loss == 0, (trace.label + 1) % 3, trace.label)
    return attrs.evolve(trace, predicted=said, loss=1 - trace.loss)


def test_several_games_of_a_repeat(tmp_path):
    """As one class against the rest leaves them: two games each of repeats 1 and 4."""
    one = simulate("gpa", "sbm:nodes=60,classes=3", repeats=5)
    own = [one.traces[repeat] for repeat in (1, 4)]
    traces = tuple(t for trace in own for t in (trace, opposite(trace)))
    scores = ({"f": 1.0}, {"f": 2.0}, {"f": 3.0}, {"f": 4.0})
    weights = tuple({"last": np.full(3, k)} for k in range(4))
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


def test_a_game_of_fewer_rounds_is_not_averaged_in(tmp_path):
    simulate("gpa", "sbm:nodes=60,classes=3", repeats=2).save(tmp_path)
    path = tmp_path / "trace-001.npz"
    whole = graphol.Trace.load(path)
    short = {name: getattr(whole, name)[:5] for name in graphol.Trace.columns()}
    attrs.evolve(whole, **short).save(path, force=True)
    with pytest.raises(InputError, match="games of 5 and of 60 rounds on the same data"):
        graphol.Simulation.load(tmp_path)


def test_results_are_not_overwritten_unless_told(tmp_path):
    simulate("gpa", "sbm", repeats=3).save(tmp_path)
    with pytest.raises(UsageError, match="holds results already; add force=True"):
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
        ({"feedback": "bandit"}, 'reveals a bit; try feedback="full"'),
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


E1 = "spectral:dim=100,laplacian=combinatorial,trivial=bias,rows=raw"
E5 = "spectral:dim=100,trivial=keep"


@pytest.mark.data
@pytest.mark.parametrize(
    ("learner", "dataset", "embedding", "figure", "within"),
    [
        ("molg-b", "cora", E5, 0.203, 0.012),
        ("molg-f", "cora", E5, 0.176, 0.010),
        ("molg-f", "cora", "spectral:dim=100,trivial=drop", 0.182, 0.010),
        ("gpa", "cora", E1, 0.600, 0.020),
        ("molg-b:b=100", "pubmed", E5, 0.205, 0.005),
        ("molg-f:b=100,phi=20", "pubmed", E5, 0.208, 0.005),
        ("gpa:when=always", "pubmed", E1, 0.578, 0.020),
    ],
)  # fmt: skip
def test_golden_figures(data_dir, learner, dataset, embedding, figure, within):
    """Error rates that several readings of the IJCAI 2018 paper agree on, 20 shuffles."""
    result = simulate(learner, dataset, embedding=embedding, repeats=20, jobs=2)
    assert result.error_rate_mean == pytest.approx(figure, abs=within)
