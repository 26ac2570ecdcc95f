"""The compiled streams against slow twins that keep A and solve afresh."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.api import Compiled
from graphol.embeddings.rows import RowFeatures
from graphol.registry import registry
from graphol.testing.games import OrderedTask, blocks, node_game, random_rows
from graphol.testing.reference import twin_of

long = pytest.mark.long

RECIPES = (
    "gpa", "gpa:when=always", "ollgc:mu=0.7", "sslgc:mu=0.7,kappa=0.3", "sslgc:mu=0.1,kappa=0.1",
    "oslg:b=0.3", "oslg-bandit:b=0.3,alpha=0.2", "msg:b=0.5,delta=0.2,c=0.3", "molg-f:b=4,phi=3",
    "molg-b:b=4,phi=3,exploration=0.05", "molg-b:b=2,phi=0,exploration=0", "banditron:gamma=0.3",
    "confidit:alpha=0.5,eta=0.1", "soba:a=0.5,gamma=0.3",
)  # fmt: skip

ELSEWHERE = {"pool", "pool-b", "smoothed-ridge"}
"""They look at the graph beside the vectors, so the tests of each have its dense twin."""


def on_rows():
    """Our own learners of classes from vectors alone with a compiled stream, by name."""
    for name, (offer, *_) in registry().offers("learner").items():
        if offer.plugin.name == "builtin" and name not in ELSEWHERE:
            made = offer.cls()
            plays = "classes" in made.targets and made.needs == "rows"
            if plays and isinstance(made, Compiled):
                yield name


# A learner without a recipe here plays with its defaults; each needs a twin of its name.
LEARNERS = [*RECIPES, *sorted(set(on_rows()) - {recipe.split(":")[0] for recipe in RECIPES})]
SIGNS = [recipe for recipe in LEARNERS if "signs" in graphol.make("learner", recipe).targets]
LABELS = [recipe for recipe in LEARNERS if "bit" not in graphol.make("learner", recipe).learns_from]
PLAYED = [
    (recipe, feedback)
    for recipe in LEARNERS
    for feedback in ("full", "bandit", "selective", "random-query:p=0.4")
    if feedback != "bandit" or recipe not in LABELS
]


def play(learner, task, seed, feedback=None, **options):
    feedback = graphol.make("feedback", feedback or learner.feedback)
    return graphol.play(task, learner, feedback, np.random.default_rng(seed), **options)


def assert_agrees(name, task, seed, feedback=None, **options):
    """Prediction by prediction, update by update, and query by query for those who ask."""
    learner = graphol.make("learner", name)
    run = play(learner, task, seed, feedback, **options)
    trace = run.trace
    assert trace.meta["compiled"]
    on_request = graphol.make("feedback", feedback or learner.feedback).on_request
    X = task.problem(np.random.default_rng(0)).features.rows[trace.node]
    K = 1 if task.target == "signs" else task.graph.n_classes
    twin = twin_of(learner, seed=getattr(run.state, "seed", None))
    answered = None if on_request else ~np.isnan(trace.revealed)
    predicted, updates, *queries = twin(X, trace.label, K, answered=answered)
    assert trace.predicted.tolist() == predicted
    assert trace.updates.tolist() == updates
    if queries:
        assert trace.queried.tolist() == queries[0]
    return trace


sizes = given(
    n=st.integers(12, 130), K=st.integers(2, 6), d=st.integers(2, 12), seed=st.integers(0, 10**6)
)


@long
@pytest.mark.parametrize("name", LEARNERS)
@settings(max_examples=20)
@sizes
def test_equals_its_slow_twin(name, n, K, d, seed):
    """Any size, also where the last look-ahead block is not full."""
    graph = blocks(n, K=K, seed=seed, isolated=False)
    assert_agrees(name, node_game(random_rows(n, d, seed=seed), graph), seed)


@long
@pytest.mark.parametrize("name", SIGNS)
@settings(max_examples=20)
@sizes
def test_equals_its_slow_twin_on_signs(name, n, K, d, seed):
    task = node_game(random_rows(n, d, seed=seed), blocks(n, K=K, seed=seed, isolated=False))
    assert_agrees(name, graphol.OneVsRest(task, seed % K), seed)


@long
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("d", "n", "K"), [(100, 110, 5), (500, 100, 3)])
def test_equals_its_slow_twin_in_many_dimensions(name, d, n, K):
    """More than one look-ahead block; SOBA, whose A is Kd x Kd, plays two classes at d = 500."""
    if name.startswith("soba") and d == 500:
        n, K = 60, 2
    graph = blocks(n, K=K, seed=3)
    trace = assert_agrees(name, node_game(random_rows(n, d, seed=3), graph), seed=5)
    assert trace.n_updates > 0


@long
@pytest.mark.parametrize(("name", "feedback"), PLAYED)
def test_equals_its_slow_twin_under_every_protocol(name, feedback):
    """A bandit takes labels too."""
    task = node_game(random_rows(140, 9, seed=1), blocks(140, K=4, seed=1))
    assert_agrees(name, task, 2, feedback)


@pytest.mark.parametrize("name", LABELS)
def test_who_needs_labels_is_not_given_bits(name):
    learner = graphol.make("learner", name)
    with pytest.raises(graphol.UsageError, match=f"{learner.name} learns from a label"):
        play(learner, node_game(), 2, "bandit")


@long
@pytest.mark.parametrize("name", LEARNERS)
def test_a_stream_goes_on_where_the_last_slice_ended(name, monkeypatch):
    """t, draws and inverses continue: slices of 29 rounds make the same game as one call."""
    task = node_game(random_rows(150, 10, seed=8), blocks(150, K=4, seed=8))
    whole = assert_agrees(name, task, seed=1)
    monkeypatch.setattr("graphol.engine.SLICE", 29)
    sliced = assert_agrees(name, task, seed=1)
    for column in ("predicted", "updates", "queried"):
        assert getattr(whole, column).tolist() == getattr(sliced, column).tolist()


@long
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("d", "K"), [(12, 7), (40, 11), (100, 9), (255, 6)])
def test_exact_ties_go_to_the_lowest_class(name, d, K):
    """Classes never seen or never played tie exactly, at zero or not; rounding must not choose.

    Most classes come late, so there are ties of several classes in most rounds. A
    matrix product rounds equal columns differently, depending on where in the matrix they are.
    """
    n, seed = 8 * K, 1
    graph = blocks(n, K=K, seed=seed)
    order = np.argsort(graph.labels + 2 * np.random.default_rng(seed).random(n))
    if name.startswith("soba"):
        d = min(d, 40)
    common = np.random.default_rng(seed).choice([-3.0, 3.0], size=(n, 1)) / np.sqrt(d)
    rows = random_rows(n, d, seed=seed).rows + common  # which side of it unseen classes are on
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    task = OrderedTask((graph,), name="late", features=RowFeatures(rows), order=order)
    trace = assert_agrees(name, task, seed)
    assert trace.predicted[0] == 0 or name.startswith(("banditron", "soba"))
