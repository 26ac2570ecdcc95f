"""The game in which a strategy picks the nodes."""

import numpy as np
import pytest

import graphol
from graphol import Simulation
from graphol.label.game import Rules, believed, play, simulate_asking
from graphol.label.scoring import Everywhere
from graphol.tasks import NodeTask
from graphol.testing.games import blocks

BLOCKS = "sbm:nodes=120,classes=3"


def played(strategy="uncertainty", learner="label-propagation", **more):
    more = {"rounds": 40, "repeats": 2} | more
    return simulate_asking(learner, BLOCKS, strategy, **more)


def columns(result):
    """As texts, in which NaN is NaN."""
    return [
        repr((t.node.tolist(), t.predicted.tolist(), t.kept["rest"].tolist()))
        for t in result.traces
    ]


@pytest.mark.parametrize("strategy", ["uncertainty", "variance", "expected-change", "random"])
def test_same_seed_same_trace(strategy):
    jobs = 2 if strategy == "variance" else 1
    one, two, other = played(strategy), played(strategy, jobs=jobs), played(strategy, seed=1)
    assert columns(one) == columns(two) != columns(other)
    assert all(len(set(t.node)) == 40 for t in one.traces)


@pytest.mark.parametrize("learner", ["walk", "molg-f", "label-propagation"])
def test_compiled_looks_see_what_the_plain_ones_see(learner):
    fast, slow = (played(learner=learner, rounds=25, compiled=c) for c in (True, False))
    assert columns(fast) == columns(slow)


def test_every_strategy_begins_with_the_same_nodes():
    found = [played(s, first=7, rounds=12).traces[0].node[:8] for s in ("variance", "uncertainty")]
    assert found[0][:7].tolist() == found[1][:7].tolist()
    order = graphol.simulate("label-propagation", BLOCKS, repeats=1, rounds=7).traces[0].node
    assert found[0][:7].tolist() == order.tolist()


def test_rest_against_a_slow_twin():
    """After every round a learner that was told the same labels says all other nodes."""
    task = graphol.make("dataset", BLOCKS).load(np.random.default_rng(0))
    learner = graphol.make("learner", "label-propagation")
    rules = Rules(graphol.make("strategy", "uncertainty"), first=3)
    run = play(task, learner, rules, np.random.default_rng(1), rounds=20)
    problem = task.problem(np.random.default_rng(0))
    truth = task.graph.labels
    state, asked = learner.start(problem), []
    for t, node in enumerate(run.trace.node):
        instance = graphol.Instance(t, int(node))
        prediction = learner.predict(state, instance)
        assert prediction.label == run.trace.predicted[t]
        if t >= 3:  # it was the least sure of all
            p = np.array([_p(learner, state, i) for i in range(problem.graph.n)])
            two = np.sort(p, axis=1)[:, -2:]
            gap = two[:, 1] - two[:, 0]
            gap[asked] = 2
            assert gap[node] == pytest.approx(gap.min(), abs=1e-9)
        learner.update(state, instance, prediction, graphol.Reveal(label=int(truth[node])))
        asked.append(int(node))
        rest = [i for i in range(problem.graph.n) if i not in asked]
        wrong = [learner.predict(state, graphol.Instance(0, i)).label != truth[i] for i in rest]
        assert run.trace.kept["rest"][t] == pytest.approx(np.mean(wrong)) or t < 2


def _p(learner, state, i):
    said = learner.predict(state, graphol.Instance(0, i))
    if not said.known:
        return np.full(len(said.scores), 1 / len(said.scores))
    s = np.asarray(said.scores)
    return s / s.sum() if s.min() >= 0 and s.sum() > 0 else np.full(len(s), 1 / len(s))


def test_batches_between_two_looks_and_scores_at_checkpoints():
    found = played(every=5, rounds=52, first=4)
    rest = found.traces[0].kept["rest"]
    looked = np.flatnonzero(~np.isnan(rest)) + 1
    assert looked.tolist() == sorted({*range(4, 52, 5), 20, 50, 52})
    assert found.scores[0] == {"rest_20": rest[19], "rest_50": rest[49], "rest": rest[51]}
    assert found.recipe["engine"]["every"] == 5


def test_to_the_last_node():
    graph = blocks(30)
    labels = graph.labels.copy()
    labels[[3, 4]] = -1  # nobody knows these
    task = NodeTask((graph.labelled(labels, graph.label_names),), name="blocks")
    found = simulate_asking("label-propagation", task, "variance", repeats=1, rounds=99)
    trace = found.traces[0]
    assert sorted(trace.node) == sorted(set(range(30)) - {3, 4})
    assert np.isnan(trace.kept["rest"][-1]) and np.isnan(found.scores[0]["rest"])


def test_results_are_kept_and_the_command_says_it_all(tmp_path, run_command):
    found = played("uncertainty:by=entropy", first=5, every=2)
    found.save(tmp_path / "out")
    back = Simulation.load(tmp_path / "out")
    assert columns(back) == columns(found)
    assert back.row()["rest_mean"] == found.row()["rest_mean"]
    command = found.recipe["command"]
    assert "--strategy uncertainty:by=entropy --first 5 --every 2" in command
    assert run_command(command)["rest_mean"] == found.row()["rest_mean"]


@pytest.fixture
def run_command(capsys):
    import json
    import shlex

    from graphol.cli import main

    def run(command):
        assert main([*shlex.split(command)[1:], "--json", "--quiet"]) == 0
        found = json.loads(capsys.readouterr().out)
        return found[0] if isinstance(found, list) else found

    return run


@pytest.mark.parametrize(("more", "said"), [
    ({"noise": 0.1}, "there is no --noise"),
    ({"delay": 2}, "there is no --delay"),
    ({"one_vs_rest": True}, "there is no one_vs_rest"),
    ({"learner": "adam"}, "adam predicts"),
    ({"first": -1}, "first must be a whole number >= 0, got -1"),
    ({"every": 0}, "every must be a whole number >= 1, got 0"),
])  # fmt: skip
def test_refused(more, said):
    with pytest.raises(graphol.UsageError, match=said):
        played(**more)


def test_signals_have_no_nodes_to_pick():
    with pytest.raises(graphol.UsageError, match="is no graph with classes of nodes"):
        simulate_asking("adam", "graphda-grid", "random", repeats=1)


def test_believed_shares_and_margins():
    learner = graphol.make("learner", "walk")
    known = np.array([True, True, False])
    shares = np.array([[3.0, 1.0], [0.0, 0.0], [5.0, 1.0]])
    found = believed(Everywhere(np.zeros(3, int), shares, known), 2, learner)
    np.testing.assert_allclose(found, [[0.75, 0.25], [0.5, 0.5], [0.5, 0.5]])
    margins = np.array([[1.0, -1.0], [-2.0, 2.0], [0.0, 0.0]])
    found = believed(Everywhere(np.zeros(3, int), margins, np.ones(3, bool)), 2, learner)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found[1, 1] > found[0, 0] > 0.5 == found[2, 0]
    with pytest.raises(graphol.UsageError, match="walk has no scores"):
        believed(Everywhere(np.zeros(3, int), None, known), 2, learner)


def test_uncertainty_beats_chance_where_it_should():
    """Two blocks and a border: labels at the border tell more than labels anywhere."""
    errors = {
        name: np.mean([s["rest"] for s in simulate_asking(
            "label-propagation", "sbm:nodes=300,classes=6,degree_in=6,degree_out=3", name,
            rounds=90, repeats=6, every=5,
        ).scores])
        for name in ("uncertainty", "random")
    }  # fmt: skip
    assert errors["uncertainty"] < errors["random"]
