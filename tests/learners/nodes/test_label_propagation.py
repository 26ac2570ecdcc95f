"""Label propagation against dense algebra, in one go and one label at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.api import Given
from graphol.errors import UsageError
from graphol.testing import reference as twins
from graphol.testing.games import blocks, node_game
from graphol.testing.layers_reference import random_graph

RECIPES = [
    "noise=0,prior=none", "noise=0,prior=uniform", "noise=0,eps=0.01,prior=seen",
    "noise=0.1,prior=uniform", "noise=2,eps=0.001,prior=none", "noise=0.5,eps=0,prior=seen",
    "noise=1,eps=0.05,prior=centred",
]  # fmt: skip
recipes = pytest.mark.parametrize("recipe", RECIPES)


def learner(recipe="noise=0.1"):
    return graphol.make("learner", f"label-propagation:{recipe}")


def play(task, who, feedback="full", seed=0, **options):
    rng = np.random.default_rng(seed)
    return graphol.play(task, who, graphol.make("feedback", feedback), rng, **options)


def assert_dense(run, task, who):
    """F agrees with dense algebra wherever a label is in the component."""
    K = run.state.F.shape[1]
    L = task.graph.laplacian().toarray()
    F = twins.propagated(L, run.state.label, K, who.noise, who.eps)
    reached = ~np.isnan(F).any(axis=1)
    assert reached.sum() > 1
    np.testing.assert_allclose(run.state.F[reached], F[reached], rtol=0, atol=1e-8)


def islands(seed=0):
    """Blocks, a path and a pair, each apart from the others, and three isolated nodes."""
    rng = np.random.default_rng(seed)
    n = 40
    S = np.zeros((n, n))
    S[:25, :25] = blocks(25, K=3, seed=seed, isolated=False).adjacency.toarray()
    for i in (*range(25, 34), 35):
        S[i, i + 1] = S[i + 1, i] = 0.5 + rng.random()
    return graphol.Graph(S, labels=np.arange(n) % 3, name="islands")


@recipes
@settings(max_examples=10, deadline=None)
@given(n=st.integers(12, 60), K=st.integers(2, 5), seed=st.integers(0, 10**6))
def test_equals_its_dense_twin(recipe, n, K, seed):
    task, who = node_game(graph=blocks(n, K=K, seed=seed)), learner(recipe)
    run = play(task, who, seed=seed)
    L = task.graph.laplacian().toarray()
    predicted, updates = twins.label_propagation(
        L, run.trace.node, run.trace.label, K, who.noise, who.eps, who.prior
    )
    assert run.trace.predicted.tolist() == predicted
    assert run.trace.updates.tolist() == updates


@recipes
@pytest.mark.parametrize("seed", range(4))
def test_islands_and_isolated_nodes(recipe, seed):
    """A component's first label is a ground, the next ones change it; none: the commonest class."""
    task, who = node_game(graph=islands(seed)), learner(recipe)
    for rounds in (3, 12, 39):
        run = play(task, who, seed=seed, rounds=rounds)
        L = task.graph.laplacian().toarray()
        nodes, truth = run.trace.node, run.trace.label
        predicted, _ = twins.label_propagation(L, nodes, truth, 3, who.noise, who.eps, who.prior)
        assert run.trace.predicted.tolist() == predicted
        assert_dense(run, task, who)


@recipes
def test_solving_anew_changes_nothing(recipe, monkeypatch):
    """However few labels are taken one at a time before all are solved for, F is the same."""
    task, who = node_game(graph=islands()), learner(recipe)
    whole = play(task, who, rounds=36).state.F
    monkeypatch.setattr("graphol.bases.harmonic.ROOM", 5)
    np.testing.assert_allclose(play(task, who, rounds=36).state.F, whole, rtol=0, atol=1e-10)


@recipes
def test_in_one_go_is_one_at_a_time(recipe):
    task, who = node_game(graph=islands()), learner(recipe)
    problem = task.problem(np.random.default_rng(0))
    nodes = np.random.default_rng(1).permutation(task.graph.n)[:20]
    labels = task.graph.labels[nodes]
    together, apart = who.start(problem), who.start(problem)
    assert who.fit(together, Given(nodes, labels)) == 3
    assert who.fit(together, Given(nodes, labels)) == 0
    for t, (node, label) in enumerate(zip(nodes, labels, strict=True)):
        instance = graphol.Instance(t, int(node))
        said = who.predict(apart, instance)
        assert who.update(apart, instance, said, graphol.Reveal(label=int(label))) == 3
    np.testing.assert_allclose(together.F, apart.F, rtol=0, atol=1e-10)
    np.testing.assert_allclose(together.mass, apart.mass, rtol=1e-10)


@recipes
def test_the_last_label_of_a_node_counts(recipe):
    task, who = node_game(graph=islands()), learner(recipe)
    states = [who.start(task.problem(np.random.default_rng(0))) for _ in range(2)]
    told = [(1, 0), (4, 1), (30, 2), (4, 2), (5, 0)]
    for state, labels in zip(states, (told, [*told[:1], *told[2:]]), strict=True):
        for node, label in labels:
            said = who.predict(state, graphol.Instance(0, node))
            who.update(state, graphol.Instance(0, node), said, graphol.Reveal(label=label))
    np.testing.assert_allclose(states[0].F, states[1].F, rtol=0, atol=1e-10)


def test_seeds_are_given_and_not_asked():
    """Nothing is predicted for a seed, nothing scored; all others play seeds as before."""
    task = node_game(graph=blocks(60, K=3, seed=1))
    trace = play(task, learner(), "seeds:count=15").trace
    first = np.arange(60) < 15
    assert trace.queried.tolist() == (~first).tolist()
    assert trace.scored.tolist() == (~first).tolist()
    assert trace.revealed[first].tolist() == trace.label[first].tolist()
    assert np.isnan(trace.revealed[~first]).all()
    assert trace.updates[14] == 3 and trace.n_updates == 3 and trace.n_queries == 15
    asked = play(task, graphol.make("learner", "gpa"), "seeds:count=15", compiled=False).trace
    assert asked.queried.all() and asked.updates[first].any()
    assert asked.node.tolist() == trace.node.tolist()


def test_seeds_come_at_once_in_spite_of_delay_and_with_noise():
    task = node_game(graph=blocks(60, K=3, seed=1))
    prompt, late = (play(task, learner(), "seeds:count=15", delay=d).trace for d in (0, 9))
    assert prompt.predicted.tolist() == late.predicted.tolist()
    noisy = play(task, learner(), "seeds:count=40", noise=0.5).trace
    wrong = noisy.revealed[:40] != noisy.label[:40]
    assert 5 < wrong.sum() < 35


@pytest.mark.parametrize("delay", [0, 4])
def test_a_protocol_may_give_away_in_the_middle(delay):
    """Every run of given rounds is one fit; answers to what was asked keep their delay."""

    class Middle(type(graphol.make("feedback", "full"))):
        def given(self, rounds):
            return np.isin(np.arange(rounds), [5, 6, 7, 20])

    task = node_game(graph=blocks(40, K=3, seed=1))
    trace = graphol.play(task, learner(), Middle(), np.random.default_rng(0), delay=delay).trace
    given = Middle().given(40)
    assert trace.queried.tolist() == trace.scored.tolist() == (~given).tolist()
    assert trace.updates.tolist() == [0 if t in (5, 6) else 3 for t in range(40)]
    who, known = learner(), np.zeros(40, dtype=bool)  # the same by hand: who knew what when
    state = who.start(task.problem(np.random.default_rng(0)))
    for t in range(40):
        arrived = (given & (np.arange(40) <= t)) | (~given & (np.arange(40) < t - delay))
        for s in np.flatnonzero(arrived & ~known):
            who.fit(state, Given(trace.node[s : s + 1], trace.label[s : s + 1]))
        known |= arrived
        instance = graphol.Instance(t, int(trace.node[t]))
        assert given[t] or who.predict(state, instance).label == trace.predicted[t]


def test_only_seeds_is_refused():
    with pytest.raises(graphol.UsageError, match="none of the 40 rounds counts"):
        play(node_game(), learner(), "seeds:count=40")


@pytest.mark.data
@pytest.mark.parametrize("recipe", RECIPES[:4:3])
def test_seeds_on_cora_agree_with_dense_algebra(recipe, data_dir):
    task, who = graphol.make("dataset", "cora").load(np.random.default_rng(0)), learner(recipe)
    assert_dense(play(task, who, "seeds:count=140"), task, who)


@pytest.mark.data
@pytest.mark.parametrize("recipe", RECIPES[:4:3])
def test_seeds_on_all_components_of_cora(recipe, data_dir):
    dataset = graphol.make("dataset", "cora:component=all")
    task, who = dataset.load(np.random.default_rng(0)), learner(recipe)
    assert task.graph.n_components > 70
    assert_dense(play(task, who, "seeds:count=140"), task, who)


@pytest.mark.long
@pytest.mark.parametrize("recipe", RECIPES[:4:3])
def test_online_on_digits_agrees_with_dense_algebra(recipe):
    task, who = graphol.make("dataset", "digits").load(np.random.default_rng(0)), learner(recipe)
    for rounds in (100, 700, 1700):
        assert_dense(play(task, who, rounds=rounds), task, who)


@recipes
def test_a_predictor_resumes_where_it_stopped(recipe, tmp_path):
    graph = islands()
    one = graphol.Predictor(f"label-propagation:{recipe}", graph)
    rng = np.random.default_rng(0)
    for step, row in enumerate(rng.permutation(graph.n)[:30]):
        if step == 13:
            one.save(tmp_path / "saved.npz")
            two = graphol.Predictor.load(tmp_path / "saved.npz")
        label = graph.label_names[rng.integers(3)]
        tickets = [p.ask(graph.ids[row]) for p in ((one,) if step < 13 else (one, two))]
        assert len({tuple(t.scores) for t in tickets}) == 1
        for predictor, ticket in zip((one, two) if step >= 13 else (one,), tickets, strict=True):
            predictor.tell(ticket, label=label)
    assert one.state.F.tolist() == two.state.F.tolist()


def test_a_new_class_in_mid_stream():
    graph = blocks(30, K=2, isolated=False)
    predictor = graphol.Predictor("label-propagation", graph, classes=["a", "b"])
    predictor.tell(predictor.ask("node 1"), label="b")
    predictor.tell(predictor.ask("node 2"), label="c")
    assert predictor.ask("node 2").label == "c"


def two_layers(n=30):
    graph = blocks(n, K=3, seed=1, isolated=False)
    other = random_graph(n, 0.1, 2, "other")
    other = graphol.Graph(other.adjacency, ids=graph.ids, name="other")
    return graphol.NodeTask((graph, other), name="two")


@pytest.mark.parametrize("recipe", ["noise=0.1", "noise=0,prior=none", "noise=1,eps=0.01"])
@pytest.mark.parametrize("weights", ["1", "1+0.5", "0.3", "2+0"])
def test_a_weighted_sum_of_layers(recipe, weights):
    task, who = two_layers(), learner(f"{recipe},weights={weights}")
    run = play(task, who, rounds=12)
    alpha = [float(w) for w in weights.split("+")]
    L = np.zeros((30, 30))
    for w, graph in zip(alpha * (2 // len(alpha)), task.graphs, strict=True):
        L += w * graph.laplacian().toarray()
    F = twins.propagated(L, run.state.label, 3, who.noise, who.eps)
    reached = ~np.isnan(F).any(axis=1)
    np.testing.assert_allclose(run.state.F[reached], F[reached], rtol=0, atol=1e-8)
    assert list(who.layer_weights(run.state)) == [graph.name for graph in task.graphs]


@pytest.mark.parametrize(
    ("weights", "said"), [
        ("1+x", "numbers >= 0 joined by"), ("0+0", "not all 0"), ("-1", "got '-1'"),
        ("nan", "got 'nan'"), ("1+2+3", "has 3 weights for 2: "),
    ],
)  # fmt: skip
def test_weights_that_are_none(weights, said):
    with pytest.raises(graphol.UsageError, match=said):
        play(two_layers(), learner(f"weights={weights}"))


@recipes
def test_who_is_out_of_reach_is_not_known(recipe):
    task, who = node_game(graph=islands()), learner(recipe)
    state = who.start(task.problem(np.random.default_rng(0)))
    assert not who.predict(state, graphol.Instance(0, 0)).known
    who.fit(state, Given(np.array([0, 30]), np.array([1, 2])))
    same = np.isin(task.graph.components, task.graph.components[[0, 30]])
    said = [who.predict(state, graphol.Instance(0, v)).known for v in range(task.graph.n)]
    assert said == same.tolist() and 2 < same.sum() < task.graph.n
    assert who.influences(state, int(np.argmin(same)), 3) == ()


@recipes
def test_influences_add_up_to_the_scores(recipe):
    """One label at a time and in one go: what the labels add is the score, class by class."""
    task, who = node_game(graph=islands()), learner(recipe)
    state = play(task, who, rounds=14).state
    for node in range(task.graph.n):
        said = who.predict(state, graphol.Instance(0, node))
        shares = who.influences(state, node, task.graph.n)
        if not said.known:
            assert shares == ()
            continue
        total = np.zeros(3)
        for share in shares:
            assert state.label[share.node] == share.label
            total[share.label] += share.amount
        if who.prior == "centred":  # labels are shown before that
            told = who.guess(state)
            total -= total.sum() * told / told.sum()
        np.testing.assert_allclose(total, said.scores, atol=1e-7)
        amounts = [share.amount for share in shares]
        assert amounts == sorted(amounts, reverse=True)
        assert who.influences(state, node, 2) == shares[:2]


def test_a_graph_may_be_too_large():
    task = node_game()
    n = task.graph.n
    play(task, learner(f"most={n}"))
    with pytest.raises(UsageError, match=rf"has {n} nodes, more than most={n - 1}; give more or 0"):
        play(task, learner(f"most={n - 1}"))
