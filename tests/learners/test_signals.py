"""Learners of sparse linear models against textbook twins, and how tasks score their weights."""

from typing import ClassVar

import attrs
import numpy as np
import pytest

import graphol
from graphol.bases.signal import slope
from graphol.engine import play
from graphol.errors import GrapholError, Overflow
from graphol.registry import registry
from graphol.tasks import OneVsRest, SignalTask
from graphol.tasks.scores import auc, held_out_scores, support_scores
from graphol.testing import sparse_reference as slow
from graphol.testing.games import node_game, signal_game

PATH = signal_game().graph
EXACT = "head=wgm-head:search=exact,projection=wgm-tail:search=exact"
RECIPES = (
    f"graphda:s=4,gamma=5,{EXACT}", f"graph-stoiht:s=4,eta=0.3,{EXACT}",
    "graphda:gamma=5,head=none,projection=top-s:s=4", "da-iht:s=4,gamma=5",
    "l1-rda:lam=0.05,gamma=5,rho=0.01", "da-gl:lam=0.05,gamma=5,blocks=4",
    "da-sgl:lam=0.05,gamma=5,blocks=4", "adagrad:lam=0.05,eta=0.2,epsilon=1e-3",
    "adam:alpha=0.1,beta1=0.8,beta2=0.95,epsilon=1e-3", "stoiht:s=4,eta=0.3",
)  # fmt: skip


def on_signals():
    """Our own learners of signals, by name."""
    for name, (offer, *_) in registry().offers("learner").items():
        if offer.plugin.name == "builtin" and "real" in offer.cls().targets:
            yield name


# A learner without a recipe here plays with its defaults; each needs a twin of its name.
LEARNERS = [*RECIPES, *sorted(set(on_signals()) - {recipe.split(":")[0] for recipe in RECIPES})]


@pytest.mark.parametrize("target", ["signs", "real"])
@pytest.mark.parametrize("spec", LEARNERS)
def test_equals_its_twin(spec, target):
    task = signal_game(target)
    learner = graphol.make("learner", spec)
    rng = np.random.default_rng(0)
    stream = task.stream(rng.spawn(4)[0])
    run = play(task, learner, graphol.make("feedback", "full"), np.random.default_rng(0))
    X = stream.rows[stream.row]
    W = slow.weights(X, stream.truth, target, slow.twin_of(learner, PATH))
    scores = np.einsum("ti,ti->t", W[:-1], np.column_stack([X, np.ones(len(X))]))
    said = scores if target == "real" else np.where(scores >= 0, 1, -1)
    np.testing.assert_allclose(run.trace.predicted, said, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(run.state.w, W[-1], rtol=1e-8, atol=1e-10)
    average = W[1:].mean(axis=0)
    np.testing.assert_allclose(run.state.average, average, rtol=1e-8, atol=1e-10)
    assert run.state.w[:-1].any(), "nothing was learnt, so nothing was compared"
    if target == "signs":
        before = np.vstack([np.zeros(13), np.cumsum(W[1:-1], axis=0)])
        before /= np.maximum(np.arange(len(X)), 1)[:, None]
        guess = np.einsum("ti,ti->t", before, np.column_stack([X, np.ones(len(X))])) >= 0
        assert run.scores["misses"] == np.count_nonzero(said != stream.truth)
        assert run.scores["misses_average"] == np.count_nonzero(guess != (stream.truth > 0))


def on_a_grid(rounds=80):
    """A block of nine nodes of a 10 x 10 grid is raised in half of the samples."""
    rng = np.random.default_rng(5)
    task = graphol.make("dataset", "grid:rows=10,cols=10").load(rng)
    X, y = rng.normal(size=(rounds, 100)), rng.choice([-1, 1], size=rounds)
    support = np.array([33, 34, 35, 43, 44, 45, 53, 54, 55])
    X[np.ix_(y > 0, support)] += 1.0
    return SignalTask(task.graph, X, y, name="block", support=support)


@pytest.mark.parametrize("search", ["warm", "exact"])
@pytest.mark.parametrize("learner", ["graphda:s=9,gamma=20", "graph-stoiht:s=9,eta=0.3"])
def test_a_compiled_stream_searches_as_the_plain_loop_does(learner, search):
    spec = f"{learner},head=wgm-head:search={search},projection=wgm-tail:search={search}"
    made, full = graphol.make("learner", spec), graphol.make("feedback", "full")
    fast, slow = (
        play(on_a_grid(), made, full, np.random.default_rng(0), compiled=compiled)
        for compiled in (True, False)
    )
    assert fast.trace.meta["compiled"] and not slow.trace.meta["compiled"]
    assert np.array_equal(fast.trace.predicted, slow.trace.predicted)
    np.testing.assert_allclose(fast.state.w, slow.state.w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fast.state.memory, slow.state.memory, rtol=1e-9)


def test_a_projection_that_is_not_compiled_plays_the_plain_loop():
    made = graphol.make("learner", "graphda:gamma=20,head=none,projection=top-s:s=9")
    run = play(on_a_grid(), made, graphol.make("feedback", "full"), np.random.default_rng(0))
    assert not run.trace.meta["compiled"]
    assert np.count_nonzero(run.state.w[:-1]) == 9


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "spec", ["adam:alpha=1e299", "graphda:s=4,gamma=1e-300", "stoiht:eta=1e305"]
)
def test_weights_that_overflow_are_refused_in_one_line(spec, compiled):
    learner, full = graphol.make("learner", spec), graphol.make("feedback", "full")
    with pytest.raises(GrapholError, match="overflow"):
        play(signal_game("real"), learner, full, np.random.default_rng(0), compiled=compiled)


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("head", ["wgm-head", "none"])
def test_the_round_of_an_overflow_is_said_also_if_it_is_the_last(head, rounds):
    task = signal_game(rounds=2)
    huge = attrs.evolve(task, samples=1e90 * task.samples)
    learner = graphol.make("learner", f"graphda:s=4,gamma=1e-300,head={head}")
    full = graphol.make("feedback", "full")
    with pytest.raises(Overflow, match="graphda: its weights overflowed in round 0"):
        play(huge, learner, full, np.random.default_rng(0), rounds=rounds)


@pytest.mark.parametrize(
    "answer",
    ["v", "(v[:-1], [0])", "(v * float('nan'), [0])", "(v[None], [0])"],
)
def test_a_projection_that_answers_nonsense_is_named(answer):
    @attrs.frozen
    class Nonsense:
        """Answers what it should not."""

        name: ClassVar[str] = "nonsense"

        def bind(self, graph, dim):
            return lambda v: eval(answer, {"v": v})

    learner = attrs.evolve(graphol.make("learner", "graphda"), projection=Nonsense())
    with pytest.raises(GrapholError, match="projection nonsense must return a finite vector"):
        play(signal_game(), learner, graphol.make("feedback", "full"), np.random.default_rng(0))


@pytest.mark.data
def test_the_warm_search_learns_as_much_as_the_published_one(data_dir):
    """F1 of the true size over six trials of the paper's grid."""
    found = {}
    for search in ("warm", "exact"):
        spec = f"graphda:head=wgm-head:search={search},projection=wgm-tail:search={search}"
        scores = []
        for trial in range(6):
            data = graphol.make("dataset", "graphda-grid")
            task = data.load(np.random.default_rng([0, trial + 1]))
            learner = attrs.evolve(graphol.make("learner", spec), s=len(task.support))
            full = graphol.make("feedback", "full")
            scores.append(play(task, learner, full, np.random.default_rng(0)).scores["f1"])
        found[search] = np.mean(scores)
    assert found["warm"] > 0.85
    assert found["warm"] == pytest.approx(found["exact"], abs=0.01)


@pytest.mark.parametrize("target", ["signs", "real"])
def test_slopes_are_derivatives(target):
    real, h = target == "real", 1e-6

    def loss(score):
        return (score - y) ** 2 / 2 if real else np.logaddexp(0.0, -y * score)

    for score in (-800.0, -3.0, -0.1, 0.0, 0.2, 5.0, 800.0):
        for y in (-1.0, 1.0):
            rise = (loss(score + h) - loss(score - h)) / (2 * h)
            assert slope(real, score, y) == pytest.approx(rise, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("ties", [True, False])
def test_selection_is_sorting(ties):
    from graphol.compiled.selection import nth_largest

    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 10, 101):
        a = rng.integers(0, 4, size=n).astype(float) if ties else rng.normal(size=n)
        for s in range(1, n + 1):
            assert nth_largest(a.copy(), s) == np.sort(a)[n - s]


def test_a_projection_from_outside_works_by_name(tmp_path):
    """A plugin's projection is a parameter like any other, in a process that has loaded it."""
    from graphol.cli import main

    plugin = tmp_path / "every_other.py"
    plugin.write_text(
        "from typing import ClassVar\nimport attrs, numpy as np, graphol\n\n"
        "@attrs.frozen\nclass EveryOther:\n"
        '    """Keeps even entries."""\n'
        '    name: ClassVar[str] = "every-other"\n'
        "    def bind(self, graph, dim):\n"
        "        def project(v):\n"
        "            w = np.where(np.arange(dim) % 2 == 0, v, 0.0)\n"
        "            return w, np.flatnonzero(w)\n"
        "        return project\n\n"
        "@graphol.hookimpl\ndef graphol_projections():\n    return [EveryOther]\n"
    )
    out = tmp_path / "out"
    code = main([
        "simulate", "--plugin", str(plugin), "--learner", "graphda", "-p", "projection=every-other",
        "--dataset", "digit-pixels:train=50", "--repeats", "1", "--out", str(out), "--quiet",
    ])  # fmt: skip
    assert code == 0
    assert '"every-other"' in (out / "meta.json").read_text()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("graphda:s=13", "wgm-tail: s must be <= 12, the number of nodes, got 13"),
        ("graphda:s=3,projection=ball", "graphda: projection ball has no s to set"),
        ("da-iht:s=13", "top-s: s must be <= 12"),
        ("da-gl:blocks=x", "da-gl: blocks must be a size"),
        ("graphda:projection=wgm-tial", "did you mean 'wgm-tail'?"),
        ("graphda:gamma=0", "gamma must be > 0"),
    ],
)
def test_what_does_not_fit_is_refused_before_round_1(spec, says):
    with pytest.raises(GrapholError, match=says.replace("?", r"\?")):
        graphol.simulate(spec, signal_game(), repeats=1)


def test_nodes_are_not_signals():
    task = OneVsRest(node_game(), 0)
    learner, full = graphol.make("learner", "graphda"), graphol.make("feedback", "full")
    with pytest.raises(GrapholError, match="needs signals with one entry per node"):
        play(task, learner, full, np.random.default_rng(0))


def test_a_state_resumes_anywhere():
    """The graph travels in the state: a copy with no cached projection goes on bit by bit."""
    import copy

    task, learner = signal_game(), graphol.make("learner", "graphda:s=3")
    stream = task.stream(np.random.default_rng(0))
    state = learner.start(task.problem(np.random.default_rng(0)))
    for t in range(60):
        if t == 30:
            other = copy.deepcopy(state)
        for each in (state, other) if t >= 30 else (state,):
            instance = stream.instance(t)
            reveal = graphol.Reveal(label=stream.truth[t].item())
            learner.update(each, instance, learner.predict(each, instance), reveal)
    assert np.array_equal(state.w, other.w) and np.array_equal(state.memory, other.memory)


def test_auc_counts_pairs():
    rng = np.random.default_rng(0)
    scores, truth = rng.integers(0, 5, size=40).astype(float), rng.choice([-1, 1], size=40)
    pairs = [
        (a > b) + 0.5 * (a == b)
        for a in scores[truth > 0] for b in scores[truth < 0]
    ]  # fmt: skip
    assert auc(scores, truth) == pytest.approx(np.mean(pairs))
    assert np.isnan(auc(scores, np.ones(40)))


def test_support_scores_at_the_ends():
    none = support_scores(np.zeros(4), np.array([1]))
    assert none == {"nonzero_ratio": 0, "precision": 0, "recall": 0, "f1": 0}
    assert support_scores(np.ones(4), None) == {"nonzero_ratio": 1.0}


def test_held_out_scores_use_the_intercept():
    from graphol.tasks.scores import Held

    held = Held(np.array([[1.0], [-3.0]]), np.array([1.0, 1.0]))
    assert held_out_scores(np.array([1.0, 4.0]), held, "signs")["accuracy"] == 1.0
    assert held_out_scores(np.array([1.0, 4.0]), held, "real")["mse"] == 8.0
