"""Splits: who is learnt from, who chooses, who is asked."""

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph, InputError, NodeTask, Prediction, SignalTask, Split, UsageError
from graphol.testing.games import node_game

LABELS = np.array([0, 1, 0, 1, 0, 1, 0, 1, -1, -1])


def ring(**fields):
    n = len(LABELS)
    return Graph.from_edges(range(n), [*range(1, n), 0], labels=LABELS, **fields)


def split(train, validation, test):
    return Split(*(np.array(part, dtype=np.int64) for part in (train, validation, test)))


@attrs.frozen
class Spy:
    """Says class 0 and keeps what it is given."""

    name = "spy"
    feedback = "seeds"
    learns_from = ("label",)
    targets = ("classes",)
    needs = "graph"
    seen: list = attrs.field(factory=list)

    def start(self, problem):
        return ()

    def predict(self, state, instance):
        self.seen.append(instance.node)
        return Prediction(0, known=instance.node % 3 > 0)

    def update(self, state, instance, prediction, reveal):
        raise AssertionError("labels are given in one go")

    def fit(self, state, given):
        self.seen.append(given)
        return 1


def played(feedback, task, **more):
    spy = Spy()
    return spy, graphol.simulate(spy, task, feedback=feedback, repeats=1, **more)


def test_a_fixed_split_is_played_as_it_is():
    task = NodeTask((ring(),), "ring", split=split([0, 1], [2, 3, 4], [5, 6]))
    spy, run = played("seeds:split=fixed", task)
    given, *asked = spy.seen
    assert sorted(given.nodes) == [0, 1] and (given.labels == LABELS[given.nodes]).all()
    assert sorted(given.validation_nodes) == [2, 3, 4]
    assert (given.validation_labels == LABELS[given.validation_nodes]).all()
    assert sorted(asked) == [5, 6]
    trace = run.traces[0]
    assert trace.node[trace.scored].tolist() == asked
    assert trace.meta["validation"] == 3 and "split_hash" in run.recipe
    assert run.stream(0).node.tolist() == trace.node.tolist()


def test_known_nodes_are_told_apart():
    task = NodeTask((ring(),), "ring", split=split([1, 2], [], [0, 3, 4, 5]))
    _, run = played("seeds:split=fixed", task)
    row = run.row()
    assert row["known_mean"] == 0.5  # nodes 4 and 5
    assert row["known_error_rate_mean"] == 0.5 and row["error_rate_mean"] == 0.5


def test_what_is_not_split_has_no_validation():
    spy, _ = played("seeds:count=3", NodeTask((ring(),), "ring"))
    assert len(spy.seen[0].validation_nodes) == 0


@pytest.mark.parametrize("repeat", range(3))
def test_a_drawn_split_has_its_sizes_and_no_unlabelled_node(repeat):
    spy = Spy()
    task = node_game(graph=_blocks())
    graphol.simulate(
        spy, task, feedback="seeds:per_class=3,validation=7,test=11",
        repeats=range(repeat, repeat + 1),
    )  # fmt: skip
    given, *asked = spy.seen
    assert np.bincount(given.labels).tolist() == [3, 3]
    assert (len(given.validation_nodes), len(asked)) == (7, 11)
    every = [*given.nodes, *given.validation_nodes, *asked]
    assert len(set(every)) == len(every) == 24
    assert (task.graph.labels[every] >= 0).all()


def _blocks():
    task = graphol.make("dataset", "sbm:nodes=60,classes=2").load(np.random.default_rng(0))
    labels = task.graph.labels.copy()
    labels[::5] = -1
    return task.graph.labelled(labels)


def test_every_part_is_drawn_evenly():
    """A node of 40 is a test node of 10 in a quarter of the draws, but for chance (5 sd)."""
    task, wish = NodeTask((_even(),), "even"), graphol.Wish(per_class=5, validation=4, test=10)
    counts = np.zeros(40)
    for seed in range(400):
        counts[task.drawn(wish, np.random.default_rng(seed)).test] += 1
    assert np.abs(counts / 400 - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / 400)


def _even():
    return Graph.from_edges(range(40), [*range(1, 40), 0], labels=np.arange(40) % 2)


def test_the_learner_and_the_repeat_decide_nothing_but_the_repeat():
    task = node_game(graph=_blocks())
    feedback = "seeds:per_class=3,validation=7"
    a, b = (
        graphol.simulate(name, task, feedback=feedback, repeats=2).traces
        for name in ("label-propagation", "gpa")
    )
    assert [x.node.tolist() for x in a] == [x.node.tolist() for x in b]
    assert sorted(a[0].node[:6]) != sorted(a[1].node[:6])


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (([0, 1], [1], [2]), "overlaps itself, 1 node"),
        (([0, 0], [], [2]), "overlaps itself, 1 node"),
        (([0], [], [10]), "not there"),
        (([-1], [], [1]), "not there"),
        (([0], [8], [1]), "1 node.s. of the validation part have no label"),
        (([], [1], [2]), "train part of its split is empty"),
        (([0], [1], []), "test part of its split is empty"),
    ],
)
def test_bad_splits(parts, says):
    with pytest.raises(InputError, match=says):
        NodeTask((ring(),), "ring", split=split(*parts))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("seeds:split=fixed", "no split"),
        ("seeds:per_class=5", "class 0 has 4 labelled"),
        ("seeds:per_class=2,validation=3,test=2", "4 labelled node.s. are left"),
    ],
)
def test_splits_that_cannot_be_had(spec, says):
    with pytest.raises(UsageError, match=says):
        played(spec, NodeTask((ring(),), "ring"))


@pytest.mark.parametrize(
    "spec", ["seeds:split=fixed,per_class=2", "seeds:validation=5", "seeds:test=5"]
)
def test_contradictory_seeds(spec):
    with pytest.raises(UsageError, match="seeds: "):
        graphol.make("feedback", spec)


def test_signals_have_no_split():
    task = SignalTask(ring(), np.eye(10), np.ones(10), "signals")
    with pytest.raises(UsageError, match="no graph with classes"):
        graphol.simulate("adagrad", task, feedback="seeds:per_class=2", repeats=1)


def test_signs_against_the_rest_are_split_too():
    task = NodeTask((ring(),), "ring", split=split([0, 1], [2], [5, 6]))
    run = graphol.simulate(
        "gpa", task, feedback="seeds:split=fixed", repeats=1, one_vs_rest=True,
        embedding="spectral:dim=2",
    )  # fmt: skip
    assert [len(trace) for trace in run.traces] == [4, 4]


def test_the_rarest_class_says_how_many_can_be_had():
    labels = np.array([0] * 5 + [1] * 3 + [2] * 2)
    task = NodeTask((Graph.from_edges(range(10), [*range(1, 10), 0], labels=labels),), "ring")
    with pytest.raises(UsageError, match=r"class 2 has 2 .* take per_class=2 or less"):
        task.drawn(graphol.Wish(per_class=4), np.random.default_rng(0))
