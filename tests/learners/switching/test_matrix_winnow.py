"""The kernel form against the algorithm as printed, on a dense matrix of size n + p."""

import math

import attrs
import numpy as np
import pytest

from graphol import Clique, Graph, Line, SupportTree, UsageError, make
from graphol.api import Reveal
from graphol.bases.eigenvalue import largest_eigenvalue
from graphol.bases.memo import Memo
from graphol.compiled import winnow
from graphol.learners.switching.matrix_winnow import MatrixWinnow
from graphol.tasks import SwitchTask
from graphol.tasks.schedules import Switches, Tasks
from graphol.testing.games import blocks
from graphol.testing.states import same
from graphol.testing.winnow_reference import DenseWinnow, kernel

SETTINGS = [(0.2, 4.0), (1.0, 5.0), (8.0, 30.0)]


def tree_laplacian(height):
    """Vertices as in a heap; leaf j is vertex 2^h - 1 + j."""
    p = 2 ** (height + 1) - 1
    L = np.zeros((p, p))
    for v in range(1, p):
        above = (v - 1) // 2
        L[v, v] += 1
        L[above, above] += 1
        L[v, above] = L[above, v] = -1
    return L


def game(schedule, seed, n=24, latent=None):
    graph = blocks(n, K=2, seed=seed, isolated=False).largest_component()
    labelings = np.random.default_rng(seed).choice([-1, 1], size=(3, graph.n))
    labelings[0] = np.where(graph.labels == 0, 1, -1)
    task = SwitchTask(graph, labelings, schedule, "small", latent=latent)
    embed = make("embedding", "kernel:solver=splu").embed
    return task.embedded(lambda graph: embed(graph, np.random.default_rng(0)))


def against_dense(task, learner, H, eta, tau, leaf=0, seed=0):
    """Play; every prediction, bound and eigenvalue is held against dense algebra. Mistakes."""
    G = kernel(task.graph.laplacian("combinatorial").toarray())
    dense = DenseWinnow(G, H, eta, tau)
    state = learner.start(task.problem(np.random.default_rng(1)))
    stream, mistakes = task.stream(np.random.default_rng(seed)), 0
    for t, y in enumerate(stream.truth.tolist()):
        instance = stream.instance(t)
        said = learner.predict(state, instance)
        true = dense.predict(instance.node, instance.context + leaf)
        if not math.isclose(true.score, tau, rel_tol=1e-9):
            assert said.label == true.label, f"round {t}"
        bound, score = said.scores[0] + math.log(tau), math.log(true.score)
        beyond = score - bound if said.label > 0 else bound - score
        assert beyond > -1e-9, f"round {t}: {bound} does not certify {score}"
        largest = np.linalg.eigvalsh(dense.A)[-1]
        assert state.top[0] >= largest - 1e-9 * (1 + largest), f"round {t}"
        if said.label != y:
            dense.learn(instance.node, instance.context + leaf, y)
            mistakes += 1
        learner.update(state, instance, said, Reveal(label=y))
    return mistakes


@pytest.mark.parametrize(("eta", "tau"), SETTINGS)
def test_over_time(eta, tau):
    task = game(Switches(rounds=100, switches=5), seed=3)
    H = kernel(tree_laplacian(7))
    assert against_dense(task, MatrixWinnow(eta=eta, tau=tau), H, eta, tau, leaf=127) > 20


@pytest.mark.parametrize(("eta", "tau"), SETTINGS)
def test_over_tasks_where_pairs_repeat_and_the_gram_matrix_is_singular(eta, tau):
    task = game(Tasks(rounds=200, tasks=4), seed=4, n=12)
    p = 4
    learner = MatrixWinnow(eta=eta, tau=tau)
    mistakes = against_dense(task, learner, kernel(p * np.eye(p) - 1), eta, tau)
    assert mistakes > task.graph.n + p  # more than the rank of what they span


@pytest.mark.parametrize("eta", [50.0, 1000.0])
def test_no_step_goes_beyond_the_end_of_the_space(eta):
    """Labels are noise: coefficients of both signs cancel, and rounding hides the space's end."""
    task, rng = game(Tasks(rounds=300, tasks=4), seed=4, n=12), np.random.default_rng(5)
    G, tau = kernel(task.graph.laplacian("combinatorial").toarray()), 30.0
    dense, learner = DenseWinnow(G, kernel(4 * np.eye(4) - 1), eta, tau), MatrixWinnow(eta=eta)
    state = learner.start(task.problem(np.random.default_rng(1)))
    stream = task.stream(np.random.default_rng(0))
    for t, y in enumerate(rng.choice([-1, 1], size=len(stream)).tolist()):
        instance = stream.instance(t)
        said = learner.predict(state, instance)
        values, vectors = np.linalg.eigh(dense.A)
        parts = (vectors.T @ dense.x(instance.node, instance.context)) ** 2
        score = values[-1] + math.log(parts @ np.exp(values - values[-1]))
        assert said.label == (1 if score >= math.log(tau) else -1), f"round {t}"
        if said.label != y:
            dense.learn(instance.node, instance.context, y)
        learner.update(state, instance, said, Reveal(label=y))


def path_graph(p):
    return Graph.from_edges(range(p - 1), range(1, p), name="path")


@pytest.mark.parametrize("latent", [Line(5), path_graph(5)], ids=["line", "graph"])
def test_on_a_line_given_by_formula_or_as_a_graph(latent):
    task = game(Tasks(rounds=150, tasks=5), seed=5, latent=latent)
    L = path_graph(5).laplacian("combinatorial").toarray()
    assert against_dense(task, MatrixWinnow(eta=4, tau=10), kernel(L), 4.0, 10.0) > 20


def test_theory_parameters_are_those_of_the_paper():
    task = game(Switches(rounds=64, switches=3), seed=6)
    learner = MatrixWinnow(eta="theory", K=3, theta=500.0)
    eta, tau = 0.5 * math.log(6 / 4), 4 * (task.graph.n + 127) / 500.0
    assert against_dense(task, learner, kernel(tree_laplacian(6)), eta, tau, leaf=63) > 10


def test_leaves_that_are_mistakes():
    """The tree grows with the mistakes, and every vector with it: the matrix is built anew."""
    task, eta, tau = game(Switches(rounds=120, switches=6), seed=7), 8.0, 30.0
    learner = MatrixWinnow(leaves="mistakes")
    G = kernel(task.graph.laplacian("combinatorial").toarray())
    state = learner.start(task.problem(np.random.default_rng(1)))
    stream, learnt = task.stream(np.random.default_rng(0)), []
    for t, y in enumerate(stream.truth.tolist()):
        M = len(learnt)
        height = max(1, M.bit_length())
        dense = DenseWinnow(G, kernel(tree_laplacian(height)), eta, tau)
        for leaf, (node, sign) in enumerate(learnt):
            dense.learn(node, 2**height - 1 + leaf, sign)
        instance = stream.instance(t)
        said, true = (
            learner.predict(state, instance),
            dense.predict(instance.node, 2**height - 1 + M),
        )
        assert said.label == true.label, f"round {t}"
        assert state.top[0] >= np.linalg.eigvalsh(dense.A)[-1] - 1e-9, f"round {t}"
        if said.label != y:
            learnt.append((instance.node, y))
        learner.update(state, instance, said, Reveal(label=y))
    assert len(learnt) >= 32  # it grew to 64 leaves


def test_without_contexts_the_leaves_are_mistakes():
    task = game(Switches(rounds=80, switches=3), seed=8)
    problem = task.problem(np.random.default_rng(1))
    bare = attrs.evolve(problem, latent=None, n_contexts=None)
    stream = task.stream(np.random.default_rng(2))
    said = []
    for learner, told in ((MatrixWinnow(), bare), (MatrixWinnow(leaves="mistakes"), problem)):
        state = learner.start(told)
        said.append([])
        for t, y in enumerate(stream.truth.tolist()):
            prediction = learner.predict(state, stream.instance(t))
            said[-1].append(prediction.scores.item())
            learner.update(state, stream.instance(t), prediction, Reveal(label=y))
    assert said[0] == said[1]


@pytest.mark.parametrize("seed", range(8))
def test_largest_eigenvalue_is_bounded_from_above_and_nearly_met(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7, 30)) * rng.uniform(0.1, 3, size=30)
    c = rng.choice([-2.0, 0.0, 0.5, 3.0], size=30)
    true = max(np.linalg.eigvalsh(X * c @ X.T)[-1], 0.0)
    assert true <= largest_eigenvalue(X.T @ X, c) * (1 + 1e-12) + 1e-12
    assert largest_eigenvalue(X.T @ X, c) <= 1.04 * true + 1e-6


def test_the_largest_eigenvalue_of_nothing_and_of_losses_alone():
    assert largest_eigenvalue(np.zeros((0, 0)), np.zeros(0)) == 0.0
    assert largest_eigenvalue(np.eye(3), -np.ones(3)) == 0.0


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"eta": "theory"}, "eta=theory needs the number of labelings K"),
        ({"theta": 100.0}, "theta needs the number of labelings K"),
        ({"theta": 100.0, "K": 3, "tau": 4.0}, "give one of them"),
        ({"K": 1}, "K must be >= 2"),
        ({"eta": 0.0}, "eta must be > 0 and <= 1e\\+06 or theory"),
        ({"eta": "therory"}, "eta must be a number or theory"),
    ],
)
def test_parameters_that_do_not_go_together(parameters, says):
    with pytest.raises(UsageError, match=says):
        MatrixWinnow(**parameters)


@pytest.mark.parametrize(
    ("context", "says"),
    [(-1, "a question without a context"), (4, "no vertex of the latent graph, which has 0 to 3")],
)
def test_a_context_that_is_not_there_is_refused(context, says):
    task = game(Tasks(rounds=10, tasks=4), seed=9)
    learner = MatrixWinnow()
    state = learner.start(task.problem(np.random.default_rng(0)))
    instance = task.stream(np.random.default_rng(0)).instance(0)._replace(context=context)
    with pytest.raises(UsageError, match=says):
        learner.predict(state, instance)


@pytest.mark.parametrize(
    ("part", "values", "says"),
    [
        ("nodes", [0, 99], "distinct ones of the game"),
        ("nodes", [1, 1], "distinct ones of the game"),
        ("contexts", [0, 4], "distinct ones of the game"),
        ("contexts", [0, -1], "distinct ones of the game"),
        ("node", [0, 2], "pairs of a node and a context"),
        ("context", [0], "pairs of a node and a context"),
    ],
)
def test_a_state_that_cannot_be(part, values, says):
    task = game(Tasks(rounds=10, tasks=4), seed=9)
    learner = MatrixWinnow()
    state = learner.start(task.problem(np.random.default_rng(0)))
    state.pairs.add(3, 0, 8.0)
    state.pairs.add(5, 1, -8.0)
    state.mistakes[0] = 2
    learner.check_state(state, task.graph.n)
    wrong = state.pairs._replace(**{part: type(state.pairs.c)(np.array(values))})
    with pytest.raises(ValueError, match=says):
        learner.check_state(state._replace(pairs=wrong), task.graph.n)


def test_closed_forms_have_structured_products():
    """The product with the Gram matrix, part by part, equals the matrix written out."""
    from graphol.compiled.winnow import multiply

    rng = np.random.default_rng(2)
    for latent in (SupportTree(100), Clique(100), Line(100)):
        task = game(Tasks(rounds=10, tasks=100), seed=10, latent=latent)
        state = MatrixWinnow().start(task.problem(np.random.default_rng(0)))
        for _ in range(90):
            state.pairs.add(int(rng.integers(20)), int(rng.integers(100)), rng.normal())
        pairs, d = state.pairs, rng.normal(size=len(state.pairs.c.values))
        nodes = pairs.nodes.values[pairs.node.values]
        contexts = pairs.contexts.values[pairs.context.values]
        gram = np.array(
            [
                task.features.gram(int(i), nodes) / task.features.rho
                + latent.gram(int(j), contexts) / latent.rho
                for i, j in zip(nodes, contexts, strict=True)
            ]
        )
        np.testing.assert_allclose(multiply(state.game.support(pairs), d), gram @ d, atol=1e-11)
        np.testing.assert_allclose(state.game.gram(pairs), gram, atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_the_eigenvalue_bound_holds_where_answers_come_late(seed):
    """What it said then was wrong; what it would say when it is told may be right by now."""
    task, eta, late = game(Switches(rounds=120, switches=5), seed=11 + seed, n=16), 8.0, 12
    learner, H = MatrixWinnow(eta=eta), kernel(tree_laplacian(7))
    dense = DenseWinnow(kernel(task.graph.laplacian("combinatorial").toarray()), H, eta, 30.0)
    state = learner.start(task.problem(np.random.default_rng(1)))
    stream = task.stream(np.random.default_rng(seed))
    asked = [stream.instance(t) for t in range(len(stream))]
    said, by_now_right = [], 0
    for t, instance in enumerate(asked):
        said.append(learner.predict(state, instance))
        if t < late:
            continue
        old, then, y = asked[t - late], said[t - late], int(stream.truth[t - late])
        if then.label != y:
            by_now_right += y > 0 and learner.predict(state, old).label == y
            dense.learn(old.node, old.context + 127, y)
        if learner.update(state, old, then, Reveal(label=y)):
            largest = np.linalg.eigvalsh(dense.A)[-1]
            assert state.top[0] >= largest - 1e-9 * (1 + largest), f"round {t}"
    assert by_now_right > 3


def test_what_is_kept_between_predict_and_update_changes_nothing(play, monkeypatch):
    task = game(Switches(rounds=150, switches=5), seed=3)
    for delay in (0, 5):
        with monkeypatch.context() as patch:
            kept = play(task, "matrix-winnow", delay=delay, keep=("scores",))
            patch.setattr(Memo, "recall", lambda *_: None)
            afresh = play(task, "matrix-winnow", delay=delay, keep=("scores",))
        assert kept.trace.kept["scores"].tolist() == afresh.trace.kept["scores"].tolist()
        assert same(kept.state, afresh.state)


def test_the_bound_does_not_break_where_it_can_hardly_rise():
    """The steps between b and b + c xx are below the rounding of b, which is a node itself."""
    nodes = np.array([7.0]), np.array([0.0])
    assert winnow.raised(*nodes, 1.0, 1e-30, 7.0) >= 7.0
