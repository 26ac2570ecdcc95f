"""Kernel entries by solves against dense inverses."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import graphol
from graphol import Graph, InputError, UsageError
from graphol.embeddings.kernel import Kernel
from graphol.fitting import misfit
from graphol.linalg import diagonal, memory
from graphol.linalg.solvers.cg import ConjugateGradients
from graphol.linalg.solvers.splu import SuperLU

SOLVERS = [SuperLU(), ConjugateGradients(tol=1e-10)]


def rng():
    return np.random.default_rng(0)


def wild(seed, n=12):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, n + 1))
    W = np.triu(draw.random((n, n)) < draw.choice([0.15, 0.3]), 1)
    W[0, 1] = True
    W = W * 10.0 ** draw.uniform(-1, 1, (n, n))
    return Graph(csr_array(W + W.T))


def ring(n):
    return Graph.from_edges(range(n), [*range(1, n), 0])


def gram(features, n):
    return np.array([features.gram(i, np.arange(n)) for i in range(n)])


graphs = st.integers(0, 10**6).map(wild)
solvers = st.sampled_from(SOLVERS)


@given(graph=graphs, solver=solvers)
def test_pseudo_inverse_plus_its_largest_diagonal_entry(graph, solver):
    """Disconnected graphs and isolated nodes included."""
    K = gram(Kernel(solver=solver).embed(graph, rng()), graph.n)
    L = graph.laplacian("combinatorial").toarray()
    exact = np.linalg.pinv(L, rcond=1e-11, hermitian=True)
    exact += exact.diagonal().max()
    np.testing.assert_allclose(K, exact, atol=1e-7 * np.abs(exact).max())
    apart = graph.components[:, None] != graph.components
    np.testing.assert_allclose(K[apart], exact.diagonal().max() / 2, rtol=1e-7)  # just R


@given(graph=graphs, solver=solvers, eps=st.sampled_from([1e-3, 1.0, 50.0]))
def test_regularised_inverse(graph, solver, eps):
    K = gram(Kernel(eps=eps, solver=solver).embed(graph, rng()), graph.n)
    exact = np.linalg.inv(graph.laplacian("combinatorial").toarray() + eps * np.eye(graph.n))
    np.testing.assert_allclose(K, exact, atol=1e-7 * np.abs(exact).max())


@given(graph=graphs, seed=st.integers(0, 10**6))
def test_relabelling_permutes_the_gram_matrix(graph, seed):
    p = np.random.default_rng(seed).permutation(graph.n)
    K = gram(Kernel().embed(graph, rng()), graph.n)
    moved = gram(Kernel().embed(graph.subgraph(p), rng()), graph.n)
    np.testing.assert_allclose(moved, K[np.ix_(p, p)], atol=1e-8 * np.abs(K).max())


def test_entries_do_not_depend_on_what_was_asked_before():
    graph = wild(3)
    js = np.arange(graph.n)
    for solver in SOLVERS:
        eager, lazy = (Kernel(solver=solver).embed(graph, rng()) for _ in range(2))
        whole = gram(eager, graph.n)
        for i in np.random.default_rng(1).permutation(graph.n):
            one_by_one = [lazy.gram(int(i), js[j : j + 1])[0] for j in js[::-1]][::-1]
            assert np.array_equal(one_by_one, whole[i])


def test_a_support_node_is_solved_for_once():
    """Asked about every node, with a support of three, repeated: three solves."""
    features = Kernel(R=1.0).embed(ring(50), rng())
    solve, calls = features.prepared.solve, []

    class Counting:
        def solve(self, B):
            calls.append(B.shape)
            return solve(B)

    vars(features)["prepared"] = Counting()
    for i in range(50):
        features.gram(i, np.array([7, 3, 7, 30]))
    assert len(calls) == 3
    assert features.gram(4, np.array([], dtype=np.int64)).shape == (0,)
    np.testing.assert_array_equal(features.column(3), gram(features, 50)[:, 3])


def test_of_a_node_that_is_only_asked_no_column_is_kept():
    """K_ii costs one solve a node; who then learns from that node pays no second one."""
    features = Kernel(R=1.0).embed(ring(50), rng())
    solve, calls = features.prepared.solve, []

    class Counting:
        def solve(self, B):
            calls.append(B.shape)
            return solve(B)

    vars(features)["prepared"] = Counting()
    own = [features.gram(i, np.array([i]))[0] for i in [*range(20), *range(20)]]
    assert len(calls) == 20 and features._used == 0 and len(features._passing) == 8
    features.gram(4, np.array([19, 12]))  # of the last that were asked
    assert len(calls) == 20 and features._used == 2 and len(features._passing) == 6
    assert own[:20] == own[20:] == [features.column(i)[i] for i in range(20)]
    assert len(calls) == 20 + 12


@given(graph=graphs, eps=st.sampled_from([0.0, 1.0]), keep=st.sampled_from([0, 1, 3]))
def test_few_columns_are_kept_and_the_entries_are_the_same(graph, eps, keep):
    """Asked in any order, one by one or together, an entry has the same bits every time."""
    usual, few, again = (Kernel(eps=eps, keep=k).embed(graph, rng()) for k in (None, keep, keep))
    K, js = gram(few, graph.n), np.arange(graph.n)
    # each column is solved to a tolerance of its own
    np.testing.assert_allclose(K, gram(usual, graph.n), atol=1e-8 * np.abs(K).max())
    for i in np.random.default_rng(1).permutation(np.repeat(js, 2)):
        one_by_one = [again.gram(int(i), js[j : j + 1])[0] for j in js[::-1]][::-1]
        assert np.array_equal(one_by_one, K[i])
        assert np.array_equal(again.column(i), K[i])
        assert len(again.recent) == min(keep, graph.n) or len(again.recent) < keep
    assert again.rho == usual.rho and again.gram(0, js[:0]).shape == (0,)


def test_the_column_not_used_for_longest_is_dropped():
    features = Kernel(R=1.0, keep=2).embed(ring(50), rng())
    solve, calls = features.prepared.solve, []

    class Counting:
        def solve(self, B):
            calls.append(int(np.argmax(B)))
            return solve(B)

    vars(features)["prepared"] = Counting()
    for i in (4, 9, 4, 7, 4, 9, 9):
        features.gram(i, np.array([7, 3, 7, 30]))
    assert calls == [4, 9, 7, 9] and [*features.recent] == [4, 9]
    assert all(column.shape == (50,) for column in features.recent.values())
    assert features._table.size == 0  # nothing beside
    other = pickle.loads(pickle.dumps(features))
    assert [*other.recent] == [4, 9]


def test_many_columns_outgrow_the_table():
    n = 70
    exact = (
        np.linalg.pinv(ring(n).laplacian("combinatorial").toarray(), rcond=1e-11, hermitian=True)
        + 2.0
    )
    np.testing.assert_allclose(gram(Kernel(R=2.0).embed(ring(n), rng()), n), exact, atol=1e-9)


def test_there_are_no_rows_and_no_labels():
    graph = Graph.from_edges(["a"], ["b"], labels=[0, 1])
    features = Kernel().embed(graph, rng())
    assert features.rows is None
    assert not any(isinstance(value, Graph) for value in vars(features).values())


def test_copies_and_pickles():
    features = Kernel().embed(ring(20), rng())
    js = np.array([3, 5])
    before = features.gram(1, js)
    for twin in (copy.deepcopy(features), pickle.loads(pickle.dumps(features))):
        assert np.array_equal(twin.gram(1, js), before)
        assert np.array_equal(twin.gram(2, np.array([9])), features.gram(2, np.array([9])))


def test_largest_diagonal_of_a_graph_too_large_for_all_solves():
    """A comb: a path with teeth of different lengths, so that the diagonal has a clear order."""
    edges, n = [(i, i + 1) for i in range(299)], 300
    for i in range(0, 300, 5):
        for _ in range(i % 7 + 1):
            edges.append((i, n))
            n += 1
    graph = Graph.from_edges(*map(list, zip(*edges, strict=True)))
    assert graph.n > diagonal.EXACT
    exact = np.linalg.pinv(graph.laplacian("combinatorial").toarray(), rcond=1e-11, hermitian=True)
    prepared = SuperLU().prepare(graph.laplacian("combinatorial"))
    R = diagonal.largest_diagonal(graph, prepared, rng())
    np.testing.assert_allclose(R, exact.diagonal().max(), rtol=1e-9)
    sketch = diagonal._sketch(graph.laplacian("combinatorial"), prepared, rng())
    np.testing.assert_allclose(sketch.mean(), exact.diagonal().mean(), rtol=0.2)


def binary_tree(height):
    """Complete, with 2^height leaves that come last, in order."""
    n = 2 ** (height + 1) - 1
    child = np.arange(1, n)
    half = csr_array((np.ones(n - 1), (child, (child - 1) // 2)), shape=(n, n))
    return Graph(half + half.T)


def test_a_tree_of_131071_nodes_has_the_closed_form():
    """Between leaves L+_ij = kappa - bit_length(i xor j), and kappa = max L+_ii."""
    height = 16
    graph = binary_tree(height)
    p = graph.n
    a = [2 ** (level + 1) - 1 for level in range(height)]
    kappa = sum(
        ((p - a[level]) ** 2 + (2 ** (height - level) - 1) * a[level] ** 2) / p**2
        for level in range(height)
    )
    features = Kernel().embed(graph, rng())
    np.testing.assert_allclose(features.R, kappa, rtol=1e-9)
    leaves = np.array([0, 1, 6, 40_000, 65_535])
    first = 2**height - 1
    found = features.gram(first + 6, first + leaves) - features.R
    exact = [kappa - int(6 ^ int(leaf)).bit_length() for leaf in leaves]
    np.testing.assert_allclose(found, exact, rtol=1e-9)


@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_columns_of_a_random_graph_of_100_000_nodes(eps):
    """L K e_j = e_j - 1/n, or (L + eps I) K e_j = e_j, by an iterative solver in one block."""
    graph = graphol.make("dataset", "sbm:nodes=100000,classes=5").load(rng()).graph
    graph = graph.largest_component()
    features = Kernel(eps=eps, R=1.0, solver="cg").embed(graph, rng())
    js = np.array([3, 99_000, 70_000])
    K = features.columns(js)
    L = graph.laplacian("combinatorial")
    wanted = np.zeros_like(K) - (0 if eps else 1 / graph.n)
    wanted[js, range(3)] += 1
    np.testing.assert_allclose(L @ K + eps * K, wanted, atol=1e-7)
    if not eps:
        np.testing.assert_allclose(K.mean(axis=0), 1.0, atol=1e-9)  # R
    np.testing.assert_allclose(features.gram(5, js[:1]), K[5, :1], rtol=1e-5, atol=1e-7)


@given(graph=graphs, eps=st.sampled_from([0.0, 1.0]))
def test_columns_are_columns_of_the_gram_matrix(graph, eps):
    features = Kernel(eps=eps).embed(graph, rng())
    js = np.arange(graph.n)[::-1]
    K = gram(features, graph.n)
    np.testing.assert_allclose(features.columns(js), K[:, js], atol=1e-9 * np.abs(K).max())


def test_columns_that_cannot_fit_are_refused(monkeypatch):
    features = Kernel().embed(ring(50), rng())
    monkeypatch.setattr(memory, "available_memory", lambda: 1000.0)
    with pytest.raises(InputError, match=r"3 kernel columns needs about .* GB"):
        features.columns(np.arange(3))


def test_parameters():
    assert misfit("embedding", Kernel) == ""
    made = graphol.make("embedding", "kernel:eps=0.5,solver=cg")
    assert made == Kernel(eps=0.5, solver=ConjugateGradients())
    assert graphol.describe(made)["solver"]["name"] == "cg"
    assert graphol.make("embedding", "kernel:keep=0").keep == 0
    with pytest.raises(UsageError, match="keep must be >= 0, got -1"):
        Kernel(keep=-1)
    with pytest.raises(UsageError, match="eps must be >= 0"):
        Kernel(eps=-1.0)
    with pytest.raises(UsageError, match="unknown solver 'splou': did you mean 'splu'"):
        Kernel(solver="splou")


@pytest.mark.data
def test_resistance_radius_of_cora(data_dir):
    """The maximum over all 2485 diagonal entries, found with 96 solves."""
    with np.load(data_dir / "cora.npz") as cora:
        n = int(cora["n"])
        full = Graph(csr_array((cora["data"], cora["indices"], cora["indptr"]), shape=(n, n)))
    graph = full.largest_component()
    exact = np.linalg.inv(graph.laplacian("combinatorial").toarray() + 1 / graph.n) - 1 / graph.n
    features = Kernel().embed(graph, rng())
    np.testing.assert_allclose(features.R, exact.diagonal().max(), rtol=1e-9)
    js = np.array([0, 1000, 2484])
    np.testing.assert_allclose(features.gram(17, js), exact[17, js] + features.R, atol=1e-9)
