"""Bounds of switching games: the identities of the proof in dense algebra, and games held to it."""

from __future__ import annotations

import itertools

import attrs
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol.api import Finished, GraphKernel
from graphol.bounds import switching
from graphol.latent import Clique, Line, SupportTree
from graphol.tasks import SwitchTask
from graphol.tasks.schedules import Sequence, Switches, Tasks

seeds = st.integers(0, 10**6)


def connected(rng, n, weighted=True):
    """A random tree with some edges more."""
    ends = {(int(rng.integers(i)), i) for i in range(1, n)}
    ends |= {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n // 2)}
    left, right = map(list, zip(*sorted(ends), strict=True))
    weight = rng.uniform(0.3, 3.0, size=len(left)) if weighted else np.ones(len(left))
    return graphol.Graph.from_edges(left, right, weight=weight)


def edges(kind, p):
    """The edges of a latent graph; a tree's vertices are counted from its leaves up."""
    if kind == "clique":
        return list(itertools.combinations(range(p), 2))
    if kind == "line":
        return [(i, i + 1) for i in range(p - 1)]
    return [(i, (p + 1) // 2 + i // 2) for i in range(p - 1)]


def laplacian(p, ends):
    L = np.zeros((p, p))
    for i, j in ends:
        L[[i, j], [i, j]] += 1
        L[[i, j], [j, i]] -= 1
    return L


def small(seed, kind="tree", weighted=True, K=None, rounds=16):
    """A task on a small graph, with the kernel as features."""
    rng = np.random.default_rng(seed)
    graph = connected(rng, int(rng.integers(4, 9)), weighted)
    K = K or int(rng.integers(2, 5))
    labelings = rng.choice([-1, 1], size=(K, graph.n))
    tasks = int(rng.integers(2, 6))
    schedule = Tasks(rounds, tasks) if kind == "clique" else Switches(rounds, int(rng.integers(6)))
    latent = Line(vertices=rounds) if kind == "line" else None
    task = SwitchTask(graph, labelings, schedule, "small", latent=latent)
    embedding = graphol.make("embedding", "kernel")
    return task.embedded(lambda graph: embedding.embed(graph, np.random.default_rng(0)))


def dense(L):
    """R, the kernel and its symmetric root."""
    P = np.linalg.pinv(L, hermitian=True)
    R = np.diagonal(P).max()
    G = P + R
    return R, G, scipy.linalg.sqrtm(G).real


KINDS = ("tree", "clique", "line")


@given(seeds, st.sampled_from(KINDS), st.booleans())
@settings(max_examples=40, deadline=None)
def test_identities_of_the_proof(seed, kind, weighted):
    task = small(seed, kind, weighted)
    stream = task.stream(np.random.default_rng(seed))
    found = switching.measures(task, stream)
    used = np.unique(stream.active)
    W = np.vstack([task.labelings[used], np.ones((found.K - len(used), task.graph.n))])
    R, G, root = dense(task.graph.laplacian().toarray())
    assert pytest.approx(R, rel=1e-8) == found.R_G
    assert np.diagonal(G).max() == pytest.approx(2 * R)
    L_H = laplacian(found.p, edges(kind, found.p))
    R_H, _, root_H = dense(L_H)
    assert pytest.approx(R_H, rel=1e-8) == found.R_H
    mu = whole(kind, found.p, switching.context_labels(stream), len(task.labelings))
    assert found.cut_H == sum(mu[i] != mu[j] for i, j in edges(kind, found.p))
    shares = [mu == k for k in used] + [np.zeros(found.p)] * (found.K - len(used))
    z = [
        np.concatenate([
            np.sqrt(2 * R) * np.linalg.solve(root, w),
            np.sqrt(2 * R_H) * np.linalg.solve(root_H, share),
        ])
        for w, share in zip(W, shares, strict=True)
    ]  # fmt: skip
    for i, j, k, y in zip(stream.node, stream.context, stream.active, stream.truth, strict=True):
        x = np.concatenate([root[i] / np.sqrt(2 * R), root_H[j] / np.sqrt(2 * R_H)])
        assert x @ x <= 2 + 1e-9
        inner = np.array([x @ each for each in z])
        held = np.searchsorted(used, k)
        np.testing.assert_allclose(inner, W[:, i] + (np.arange(found.K) == held), atol=1e-6)
        assert np.sum(inner**2) == pytest.approx(found.K + 1 + 2 * y, abs=1e-5)
    squares = sum(np.mean(share) ** 2 for share in shares)
    assert sum(each @ each for each in z) == pytest.approx(
        found.theta - 2 + 2 * squares, rel=1e-6
    )  # the last sum of theta is 1 as printed
    assert squares <= 1 + 1e-12


def whole(kind, p, labels, K):
    """A labeling of all latent vertices with the least cut, by another way than the closed form."""
    mu = np.full(p, -1)
    mu[: len(labels)] = labels
    if kind == "clique":
        free, commonest = mu < 0, np.bincount(labels[labels >= 0]).argmax()
        mu[free] = commonest
        return mu
    for i in range(1, p if kind == "line" else 0):
        mu[i] = mu[i] if mu[i] >= 0 else mu[i - 1]
    if kind == "tree":  # dynamic programme that keeps its choices
        cost = np.where(mu[:, None] < 0, 0.0, np.inf)[:, [0] * K]
        cost[np.flatnonzero(mu >= 0), mu[mu >= 0]] = 0
        for i, j in edges(kind, p):
            cost[j] += np.minimum(cost[i], cost[i].min() + 1)
        for v in reversed(range(p)):
            parent = None if v == p - 1 else mu[(p + 1) // 2 + v // 2]
            mu[v] = np.argmin(cost[v] if parent is None else cost[v] + (np.arange(K) != parent))
    return mu


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_norm_of_a_labeling(seed):
    rng = np.random.default_rng(seed)
    graph = connected(rng, 7)
    W = rng.choice([-1.0, 1.0], size=(3, 7))
    R, G, _ = dense(graph.laplacian().toarray())
    np.testing.assert_allclose(
        switching.products(graph, W, R), W @ np.linalg.inv(G) @ W.T, rtol=1e-6
    )
    found = switching.measures(
        SwitchTask(graph, W.astype(int), Sequence(np.array([0, 1, 2])), "three"),
        SwitchTask(graph, W.astype(int), Sequence(np.array([0, 1, 2])), "three").stream(rng),
    )
    A = graph.adjacency.toarray()
    weights = [A[np.ix_(w > 0, w < 0)].sum() for w in W]
    assert found.cuts == pytest.approx(weights)
    assert found.phi == pytest.approx(np.max(np.diagonal(W @ np.linalg.inv(G) @ W.T)))
    assert (found.K, found.switches, found.balance) == (3, 2, pytest.approx(sum(W.mean(1) ** 2)))


def test_by_hand():
    """An edge, labelings that cut it and not, four rounds: theta = 8/4·1 + 4 R_H·1 + 2 + 2."""
    edge = graphol.Graph.from_edges([0], [1])
    task = SwitchTask(
        edge, np.array([[1, -1], [1, 1]]), Sequence(np.array([0, 0, 1, 1])), "edge"
    ).embedded(lambda graph: _kernel("kernel", graph))
    found = switching.measures(task, task.stream(np.random.default_rng(0)))
    R_H = SupportTree(leaves=4).resistance
    assert found.theta == pytest.approx(2 + 4 * R_H + 2 + 2)
    assert (found.cut_H, found.p, found.K) == (1, 7, 2)
    both = switching.theorem1(found, 2, found.theta)
    c = 5 * np.log(5 / 3) - 2
    assert both.value == pytest.approx(2 * found.theta / c * np.log(2 * 9))
    assert both.printed == pytest.approx(8 / c * (0.5 + R_H + 2) * np.log(2 * 9))
    more = switching.theorem1(found, 3, 2 * found.theta)  # one labeling more: all +1
    true = found.theta + 2
    assert more.value == pytest.approx(3 * true / c * (np.log(3 * 9) + 2 * found.theta / true - 1))


@given(seeds, st.sampled_from(KINDS))
@settings(max_examples=30, deadline=None)
def test_the_printed_form_is_no_less(seed, kind):
    task = small(seed, kind)
    found = switching.measures(task, task.stream(np.random.default_rng(seed)))
    both = switching.theorem1(found, found.K, 1.5 * found.theta)
    assert both.value <= both.printed
    assert switching.theorem1(found, found.K, 0.9 * found.theta) is None
    if found.K > 2:
        assert switching.theorem1(found, found.K - 1, 1e9) is None


def played(task, predict):
    """A finished game; ``predict(t, i, j)`` answers, and is told."""
    stream = task.stream(np.random.default_rng(3))
    said = np.zeros(len(stream), dtype=np.int64)
    for t in range(len(stream)):
        i, j, y = int(stream.node[t]), int(stream.context[t]), int(stream.truth[t])
        said[t] = predict(i, j, y)
    return Finished(
        X=np.zeros((len(stream), 0)), y=stream.truth, predicted=said,
        updates=(said != stream.truth).astype(np.int32), n_classes=None, models=(),
        task=task, stream=stream,
    )  # fmt: skip


def winnow(task, K, theta):
    """Algorithm 1 as printed, dense."""
    found = switching.measures(task, task.stream(np.random.default_rng(3)))
    kind = "clique" if isinstance(task.schedule, Tasks) else "tree"
    (R, _, G), (R_H, _, H) = (
        dense(L)
        for L in (task.graph.laplacian().toarray(), laplacian(found.p, edges(kind, found.p)))
    )
    eta, size = 0.5 * np.log((K + 3) / (K + 1)), found.n + found.p
    log = [-np.log(K * size) * np.eye(size)]

    def predict(i, j, y):
        x = np.concatenate([G[i] / np.sqrt(2 * R), H[j] / np.sqrt(2 * R_H)])
        X = np.outer(x, x) / 2
        said = 1 if np.sum(scipy.linalg.expm(log[0]) * X) >= (K + 1) / (2 * K * theta) else -1
        log[0] = log[0] + eta * (y - said) * X
        return said

    return predict


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["tree", "clique"])
def test_matrix_winnow_keeps_its_bound(seed, kind):
    task = small(seed, kind, rounds=60)
    found = switching.measures(task, task.stream(np.random.default_rng(3)))
    game = played(task, winnow(task, found.K, found.theta))
    bound = switching.matrix_winnow(game, found.K, found.theta)
    assert 0 < game.wrong.sum() <= bound.value
    (printed,) = switching.matrix_winnow_printed(game, found.K, found.theta)
    assert printed.measured == game.wrong.sum() <= bound.value <= printed.value


def share_of_bound(seed):
    """A random problem, n + p <= 60, played by the learner as it was told; mistakes / bound."""
    rng = np.random.default_rng([11, seed])
    K, kind = int(rng.integers(2, 5)), ("tree", "clique")[seed % 2]
    if kind == "tree":
        leaves = int(rng.choice([8, 16]))
        schedule, n = Switches(leaves, int(rng.integers(leaves))), int(rng.integers(4, 30))
    else:
        tasks = int(rng.integers(2, 13))
        schedule, n = Tasks(int(rng.integers(20, 150)), tasks), int(rng.integers(4, 48))
    graph = connected(rng, n, weighted=bool(rng.integers(2)))
    labelings = np.ones((K, n), dtype=int)
    for k in range(K):  # from one node to a half of all, in one piece or anywhere
        size, far = int(rng.integers(1, n // 2 + 1)), rng.integers(2)
        labelings[k, rng.permutation(n)[:size] if far else np.arange(size)] = -1
    task = SwitchTask(graph, labelings * rng.choice([-1, 1], size=(K, 1)), schedule, "small")
    task = task.embedded(lambda graph: _kernel("kernel:solver=splu", graph))
    found = switching.measures(task, task.stream(np.random.default_rng(3)))
    assert found.n + found.p <= 60
    K = found.K + int(rng.integers(2))
    theta = (found.theta + 2 * (K - found.K)) * float(rng.choice([1.0, 1.0, 1.5]))
    learner = graphol.make("learner", f"matrix-winnow:eta=theory,K={K},theta={theta!r}")
    state = learner.start(task.problem(rng))

    def predict(i, j, y):
        asked = graphol.Instance(0, i, context=j)
        said = learner.predict(state, asked)
        learner.update(state, asked, said, graphol.Reveal(label=y))
        return said.label

    game = played(task, predict)
    bound = learner.mistake_bound(game)
    mistakes = int(game.wrong.sum())
    assert mistakes == state.mistakes[0] <= bound.value, f"problem {seed}"
    return mistakes / bound.value


def test_the_learner_keeps_its_bound():
    assert 0.005 < max(map(share_of_bound, range(50))) <= 1


@pytest.mark.once
def test_the_learner_keeps_its_bound_on_a_thousand_problems(capsys):
    largest = max(map(share_of_bound, range(1000)))
    with capsys.disabled():
        print(f"\nmistakes are at most {largest:.4f} of the bound", end="")
    assert largest <= 1


@given(seeds, st.sampled_from([1.0, 3.0]))
@settings(max_examples=20, deadline=None)
def test_tracking_keeps_its_bound(seed, factor):
    """The perceptron in the scaled kernel, scaled back into the ball after every update."""
    task = small(seed, "tree", rounds=120)
    R, G, _ = dense(task.graph.laplacian().toarray())
    phi = factor * np.max(np.diagonal(task.labelings @ np.linalg.inv(G) @ task.labelings.T))
    c = np.zeros(task.graph.n)
    g = G / (2 * R)

    def predict(i, j, y):
        nonlocal c
        said = 1 if g[i] @ c >= 0 else -1
        if said != y:
            c[i] += y
            c *= min(1.0, np.sqrt(2 * R * phi / max(c @ g @ c, 1e-9)))
        return said

    game = played(task, predict)
    bound = switching.tracking_perceptron(game, (2 * R) ** 2 * phi)  # in the kernel's own units
    assert game.wrong.sum() <= bound.value
    found = switching.measures(task, game.stream)
    ball = switching.tracking_ball(found)
    assert ball <= (2 * R) ** 2 * phi * (1 + 1e-9)
    assert switching.tracking_perceptron(game, 0.9 * ball) is None
    inverse, labelings = np.linalg.inv(G), task.labelings[game.stream.active]
    moves = sum(
        np.sqrt(phi * ((a - b) @ inverse @ (a - b))) for a, b in itertools.pairwise(labelings)
    )
    last = labelings[-1]
    assert bound.value == pytest.approx(2 * R * (last @ inverse @ last + 2 * moves), rel=1e-6)


@given(seeds, st.sampled_from([0.5, 1.0, 6.0]))
@settings(max_examples=20, deadline=None)
def test_multitask_keeps_its_bound(seed, b):
    task = small(seed, "clique", rounds=8 if seed % 2 else 120)
    p = task.schedule.tasks
    _, G, _ = dense(task.graph.laplacian().toarray())
    A = (1 + b) * np.eye(p) - b / p
    kernel = np.kron(np.linalg.inv(A), G)
    c = np.zeros(len(kernel))

    def predict(i, j, y):
        at = j * task.graph.n + i
        said = 1 if kernel[at] @ c >= 0 else -1
        c[at] += y * (said != y)
        return said

    game = played(task, predict)
    bound = switching.multitask_perceptron(game, b)
    assert game.wrong.sum() <= bound.value
    labels = np.full(p, -1)
    labels[game.stream.context] = game.stream.active
    known = np.repeat(labels >= 0, task.graph.n)
    w = np.concatenate([task.labelings[k] for k in labels])
    whole = np.kron(A, np.linalg.inv(G))  # the norm; who was not asked is free
    rest = np.linalg.solve(whole[np.ix_(~known, ~known)], whole[np.ix_(~known, known)] @ w[known])
    least = w[known] @ whole[np.ix_(known, known)] @ w[known] - w[known] @ (
        whole[np.ix_(known, ~known)] @ rest
    )
    assert bound.value == pytest.approx(np.diagonal(kernel).max() * least, rel=1e-6)


def test_contexts_that_are_not_the_schedules_have_no_theorem():
    for shows in ("segment", "labeling"):
        task = attrs.evolve(small(1), shows=shows)
        stream = task.stream(np.random.default_rng(3))
        found = switching.measures(task, stream)
        assert (found.theta, found.cut_H, found.R_H, found.p) == (None,) * 4
        assert found.R_G > 0 and len(found.cuts) == len(task.labelings)
        game = played(task, lambda i, j, y: 1)
        assert switching.matrix_winnow(game, found.K, 1e9) is None
        assert switching.matrix_winnow_printed(game, found.K, 1e9) == []
        assert switching.tracking_perceptron(game, 1e9).value > 0  # it looks at no context


def _kernel(name, graph):
    return graphol.make("embedding", name).embed(graph, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["kernel:eps=0.1", "kernel:R=2", "spectral:dim=3"])
def test_another_kernel_has_no_theorem(name):
    task = attrs.evolve(small(2), features=None).embedded(lambda graph: _kernel(name, graph))
    game = played(task, lambda i, j, y: 1)
    found = switching.measures(task, game.stream)
    assert pytest.approx(dense(task.graph.laplacian().toarray())[0]) == found.R_G
    assert switching.matrix_winnow(game, found.K, 1e9) is None
    assert switching.tracking_perceptron(game, 1e9) is None
    assert switching.multitask_perceptron(game, 1.0) is None


def test_larger_graphs_by_candidates():
    rng = np.random.default_rng(0)
    graph = connected(rng, 620)
    exact = np.diagonal(np.linalg.pinv(graph.laplacian().toarray(), hermitian=True)).max()
    assert switching.resistance(graph) == pytest.approx(exact, rel=1e-6)


def test_a_latent_graph_of_ones_own():
    """Its cut and resistance by its kernel; what was not asked takes the nearest label."""
    rng = np.random.default_rng(5)
    H = connected(rng, 6)
    base = small(4, "clique", K=3)
    task = SwitchTask(
        base.graph, base.labelings, Tasks(rounds=9, tasks=5), "own", latent=H
    ).embedded(lambda graph: _kernel("kernel", graph))
    stream = task.stream(rng)
    found = switching.measures(task, stream)
    assert pytest.approx(dense(H.laplacian().toarray())[0]) == found.R_H
    assert found.p == 6 == _vertices(task)
    labels = switching.context_labels(stream)
    A = H.adjacency.toarray()
    cuts = [
        sum(A[i, j] for i, j in itertools.combinations(range(6), 2) if mu[i] != mu[j])
        for mu in itertools.product(range(3), repeat=6)
        if all(k < 0 or mu[i] == k for i, k in enumerate(labels))
    ]
    assert min(cuts) - 1e-9 <= found.cut_H <= max(cuts)
    assert any(abs(found.cut_H - each) < 1e-9 for each in cuts)


def _vertices(task):
    """What the learner makes its threshold of."""
    learner = graphol.make("learner", "matrix-winnow:eta=theory,K=3,theta=9")
    return learner.start(task.problem(np.random.default_rng(0))).game.vertices(0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_learner_counts_the_same_vertices(kind):
    task = small(3, kind)
    assert _vertices(task) == switching.measures(task, task.stream(np.random.default_rng(0))).p


def test_closed_forms_are_graph_kernels():
    for latent in (SupportTree(leaves=5), Clique(vertices=3), Line(vertices=4)):
        assert isinstance(latent, GraphKernel)
    assert Line(vertices=5).least_cut(np.array([0, -1, 2, 2, 0]), 3) == 2


@given(st.lists(st.integers(-1, 2), min_size=4, max_size=4))
def test_the_least_cut_of_a_clique(labels):
    if max(labels) >= 0:
        least = min(
            sum(a != b for a, b in itertools.combinations(mu, 2))
            for mu in itertools.product(range(3), repeat=5)
            if all(k in (-1, own) for k, own in zip(labels, mu, strict=False))
        )
        assert Clique(vertices=5).least_cut(np.array(labels), 3) == least
