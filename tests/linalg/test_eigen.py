"""Smallest eigenpairs, component by component, against dense eigendecompositions."""

import functools
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.sparse import block_diag, csr_array, eye_array
from scipy.sparse.linalg import eigsh

from graphol import Graph, InputError
from graphol.linalg import chebyshev, choice, connected, eigen, memory, parallel
from graphol.linalg.choice import Choice
from graphol.linalg.eigen import ResidualWarning, predicted_memory, smallest_eigenpairs
from graphol.linalg.fill import fill_in
from graphol.linalg.solvers.approx_chol import ApproximateCholesky

KINDS = ["normalized", "combinatorial"]
kinds = pytest.mark.parametrize("kind", KINDS)


def wild(seed, n=14, decades=3):
    """A random graph with several components, isolated nodes and weights over decades."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, n + 1))
    W = np.triu(rng.random((n, n)) < rng.choice([0.1, 0.3]), 1)
    W[0, 1] = True  # a graph has an edge
    W = W * 10.0 ** rng.uniform(-decades, decades, (n, n))
    return Graph(csr_array(W + W.T))


def path(n):
    return Graph.from_edges(range(n - 1), range(1, n))


def grid(k):
    node = np.arange(k * k).reshape(k, k)
    right, down = (node[:, :-1], node[:, 1:]), (node[:-1], node[1:])
    source, target = (
        np.concatenate([a.ravel(), b.ravel()]) for a, b in zip(right, down, strict=True)
    )
    return Graph.from_edges(source.tolist(), target.tolist())


def star(n):
    return Graph.from_edges([0] * (n - 1), range(1, n))


def rng():
    return np.random.default_rng(0)


def check(graph, kind, d, pairs, zero=True, atol=1e-8, exact=None):
    """Values equal those of dense eigh; so do the projectors onto every separated cluster."""
    L = graph.laplacian(kind).toarray()
    scale = max(1.0, np.abs(L).max())
    values, vectors = np.linalg.eigh(L) if exact is None else exact
    if not zero:
        values, vectors = values[graph.n_components :], vectors[:, graph.n_components :]
    d = min(d, len(values))
    assert pairs.vectors.shape == (graph.n, d)
    np.testing.assert_allclose(pairs.values, values[:d], atol=atol * scale)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(d), atol=1e-8)
    error = np.linalg.norm(L @ pairs.vectors - pairs.vectors * pairs.values, axis=0)
    assert error.max() < 10 * atol * scale
    gaps = np.diff(values, append=np.inf)
    ends = np.flatnonzero(gaps[:d] > 1e-3 * scale) + 1
    for end in ends[:: 1 + len(ends) // 20]:  # some twenty of them
        ours = pairs.vectors[:, :end] @ pairs.vectors[:, :end].T
        dense = vectors[:, :end] @ vectors[:, :end].T
        angle = 10 * atol * scale / gaps[end - 1]  # Davis and Kahan: residual / gap
        np.testing.assert_allclose(ours, dense, atol=angle + 1e-9)


@given(seed=st.integers(0, 10**6), d=st.integers(1, 14), kind=st.sampled_from(KINDS))
def test_agrees_with_dense_eigh(seed, d, kind):
    graph = wild(seed)
    for zero in (True, False):
        check(graph, kind, d, smallest_eigenpairs(graph, kind, d, rng(), zero=zero), zero)


def force(monkeypatch, method, factorise=True):
    """Take this method from 20 nodes on."""

    def chosen(L, k, beta, mean):
        return Choice("dense" if L.shape[0] <= 20 else method, "a test says so")

    monkeypatch.setattr(connected, "choose", chosen)
    monkeypatch.setattr(connected, "may_factorise", lambda L, k: factorise)


@pytest.fixture(params=["shift-invert", "lanczos", "chebyshev"])
def sparse(request, monkeypatch):
    """Take a sparse method on small graphs too."""
    force(monkeypatch, request.param)
    return request.param


@kinds
@pytest.mark.parametrize(
    "graph",
    [grid(13), star(90), path(100), wild(7, n=400, decades=1)],
    ids=["grid", "star", "path", "wild"],
)
def test_sparse_methods_agree_with_dense_eigh(graph, kind, sparse):
    """Repeated eigenvalues (grid: pairs, star: 88 equal ones) and several components included."""
    pairs = smallest_eigenpairs(graph, kind, 20, rng())
    tolerance = {"shift-invert": 1e-7, "lanczos": 2e-4, "chebyshev": 1e-3}
    check(graph, kind, 20, pairs, atol=tolerance[sparse])
    assert pairs.residuals.max() < 1e-3


@kinds
def test_many_components_where_plain_lanczos_fails(kind):
    """One big component and 60 small ones: eigsh on the whole loses zeros, silently."""
    blocks = [grid(26).adjacency] + [path(3 + i % 5).adjacency for i in range(60)]
    graph = Graph(block_diag(blocks, format="csr"))
    pairs = smallest_eigenpairs(graph, kind, 80, rng())
    assert pairs.n_zero == 61
    check(graph, kind, 80, pairs)
    L = graph.laplacian(kind)
    top = 2.0 if kind == "normalized" else 8.0
    plain = eigsh(top * eye_array(graph.n) - L, k=80, which="LA", v0=rng().standard_normal(graph.n))
    assert np.count_nonzero(top - plain[0] < 1e-6) < 61


def test_zero_vectors_are_written_down_larger_components_first():
    graph = Graph.from_edges(["a", "c", "d", "x"], ["b", "d", "e", "y"], ids="abcdexyz")
    normalized = smallest_eigenpairs(graph, "normalized", 3, rng())
    assert normalized.n_zero == 3
    assert not normalized.values.any()
    np.testing.assert_allclose(
        normalized.vectors[:, 0], np.sqrt([0, 0, 0.25, 0.5, 0.25, 0, 0, 0]), atol=1e-15
    )
    every = smallest_eigenpairs(graph, "combinatorial", 4, rng())
    np.testing.assert_allclose(every.vectors[:, 3], np.eye(8)[7], atol=0)  # the isolated node


@kinds
def test_a_component_that_nearly_falls_apart(kind):
    """Two cliques tied by 1e-13: the tie's eigenvalue is positive and its vector the cut."""
    W = np.kron(np.eye(2), np.ones((4, 4)) - np.eye(4))
    W[0, 4] = W[4, 0] = 1e-13
    graph = Graph(csr_array(W))
    pairs = smallest_eigenpairs(graph, kind, 2, rng())
    assert pairs.n_zero == 1
    assert 0 < pairs.values[1] < 1e-12
    assert abs(pairs.vectors[:, 1] @ pairs.vectors[:, 0]) < 1e-12
    np.testing.assert_allclose(np.abs(pairs.vectors[:, 1]), 1 / np.sqrt(8), atol=1e-6)


@kinds
def test_same_seed_same_bits_and_signs_do_not_depend_on_it(kind, sparse):
    graph = path(120)  # simple eigenvalues: vectors are determined up to sign
    one, two = (smallest_eigenpairs(graph, kind, 8, rng()) for _ in range(2))
    assert np.array_equal(one.vectors, two.vectors)
    other = smallest_eigenpairs(graph, kind, 8, np.random.default_rng(99))
    np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-3)
    largest = np.abs(one.vectors).max(axis=0)
    assert np.all(one.vectors.max(axis=0) > 0.98 * largest)


@kinds
def test_scaling_the_weights_scales_the_answer(kind, sparse):
    """Tolerances are relative: a graph in other units has the same eigenvectors."""
    graph = path(120)
    scaled = Graph(graph.adjacency * 1e-6)
    one, two = (smallest_eigenpairs(g, kind, 8, rng()) for g in (graph, scaled))
    factor = 1e-6 if kind == "combinatorial" else 1.0
    np.testing.assert_allclose(two.values, one.values * factor, atol=1e-4 * factor)
    np.testing.assert_allclose(two.vectors, one.vectors, atol=1e-3)


def test_inaccurate_vectors_are_warned_about(monkeypatch):
    monkeypatch.setattr(eigen, "TOLERANCE", 1e-20)
    with pytest.warns(ResidualWarning, match="use fewer dimensions"):
        smallest_eigenpairs(path(10), "normalized", 3, rng())


def test_no_convergence_falls_back_on_shift_invert(monkeypatch):
    """On a long path neither Lanczos nor the block method gets anywhere; a factor costs nothing."""
    force(monkeypatch, "lanczos")
    pairs = smallest_eigenpairs(path(20_000), "combinatorial", 10, rng())
    np.testing.assert_allclose(
        pairs.values, 2 - 2 * np.cos(np.pi * np.arange(10) / 20_000), atol=1e-12
    )
    assert pairs.method == "shift-invert"
    assert pairs.why.endswith("lanczos did not converge")


def test_shift_invert_takes_any_solver(monkeypatch):
    force(monkeypatch, "shift-invert")
    graph, used = grid(20), []

    class Counting(ApproximateCholesky):
        def prepare(self, A):
            used.append(A.shape)
            return super().prepare(A)

    pairs = smallest_eigenpairs(graph, "normalized", 8, rng(), solver=Counting(tol=1e-12))
    assert used == [(graph.n, graph.n)]
    check(graph, "normalized", 8, pairs)


def test_a_method_that_cannot_factorise_warns_instead(monkeypatch):
    """The block method gives up, says so, and returns an orthonormal basis all the same."""
    monkeypatch.setattr(chebyshev, "PRODUCTS", 1)
    force(monkeypatch, "chebyshev", factorise=False)
    with pytest.warns(ResidualWarning, match="above 1e-03"):
        pairs = smallest_eigenpairs(grid(13), "normalized", 20, rng())
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(20), atol=1e-8)


def test_a_last_resort_that_fails_leaves_what_there_was(monkeypatch):
    monkeypatch.setattr(chebyshev, "PRODUCTS", 1)
    force(monkeypatch, "chebyshev", factorise=True)

    def refuse(*arguments):
        raise InputError("splu: too large")

    monkeypatch.setattr(connected, "shift_invert", refuse)
    with pytest.warns(ResidualWarning, match="above 1e-03"):
        assert smallest_eigenpairs(grid(13), "normalized", 20, rng()).method == "chebyshev"


def blocks(n, classes=4, degree=14, seed=1):
    """A planted partition, connected, and its classes."""
    draw = np.random.default_rng(seed)
    ends = draw.integers(0, n, (2, n * degree // 2))
    same = draw.random(ends.shape[1]) < 0.8
    ends[1, same] += (ends[0, same] - ends[1, same]) % classes  # class = number modulo classes
    A = csr_array((np.ones(ends.shape[1]), ends % n), shape=(n, n))
    return Graph(csr_array((A + A.T > 0).astype(float))).largest_component()


@example(seed=958, decades=40, kind="normalized")  # a block that lost rank
@given(seed=st.integers(0, 10**6), decades=st.sampled_from([1, 6, 40]), kind=st.sampled_from(KINDS))
def test_block_method_on_weights_over_many_decades(seed, decades, kind):
    """Up to 10^±40: an orthonormal basis, and residuals that are small or warned about."""
    graph = wild(seed, n=60, decades=decades)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        force(patch, "chebyshev", factorise=False)
        pairs = smallest_eigenpairs(graph, kind, 9, rng())
    assert np.isfinite(pairs.vectors).all() and np.isfinite(pairs.residuals).all()
    gram = pairs.vectors.T @ pairs.vectors
    np.testing.assert_allclose(gram, np.eye(len(pairs.values)), atol=1e-8)
    warned = any(each.category is ResidualWarning for each in said)
    assert warned == (pairs.residuals.max() > 1e-3)
    assert {each.category for each in said} <= {ResidualWarning}


@kinds
def test_block_method_agrees_with_dense_eigh_to_its_tolerance(kind, monkeypatch):
    """1200 nodes, 70 vectors of which most are close together."""
    force(monkeypatch, "chebyshev", factorise=False)
    graph = blocks(1200)
    pairs = smallest_eigenpairs(graph, kind, 70, rng())
    L = graph.laplacian(kind)
    mean = L.diagonal().mean()
    exact = np.linalg.eigvalsh(L.toarray())[:70]
    np.testing.assert_allclose(pairs.values, exact, atol=1e-3 * mean)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(70), atol=1e-10)
    error = np.linalg.norm(L @ pairs.vectors - pairs.vectors * pairs.values, axis=0) / mean
    np.testing.assert_allclose(pairs.residuals, error, atol=1e-12)
    assert error.max() <= 1e-3


def test_block_method_on_communities_that_stand_out():
    """30 cliques in a ring, 30 eigenvalues near 0 and a gap: degree 10 is too strong a filter."""
    W = np.kron(np.eye(30), np.ones((50, 50)) - np.eye(50))
    ends = np.arange(0, 1500, 50)
    W[ends, ends - 1] = W[ends - 1, ends] = 1
    graph = Graph(csr_array(W))
    L, z = graph.laplacian("normalized"), np.sqrt(graph.degrees / graph.degrees.sum())
    found = chebyshev.chebyshev_eigenpairs(L, z, 29, 2.0, rng(), 1e-3)
    assert found.converged and found.products < 100
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(L.toarray())[1:30], atol=1e-6)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    force(monkeypatch, "chebyshev")
    monkeypatch.setattr(parallel, "ROWS", 100)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(parallel, "processors", lambda threads=threads: threads)
        found.append(smallest_eigenpairs(blocks(600), "normalized", 30, rng()).vectors)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize(
    ("graph", "k", "method"),
    [
        (path(300), 20, "dense"),
        (path(4000), 20, "shift-invert"),
        (grid(60), 30, "shift-invert"),
        (blocks(700), 400, "dense"),
        (blocks(6000), 10, "lanczos"),
        (blocks(6000), 60, "chebyshev"),
    ],
    ids=["small", "path", "grid", "most of them", "expander, few", "expander, many"],
)
def test_choice(graph, k, method):
    made = choice.choose(graph.laplacian("normalized"), k, 2.0, 1.0)
    assert made.method == method, made.why


@pytest.mark.parametrize("k", [10, 60, 99])
def test_what_has_no_fill_is_factorised(k):
    """A long path, where nothing else converges, and a tree that is shallow like a small world."""
    parents = np.random.default_rng(0).integers(0, np.arange(1, 60_000))
    for graph in (path(100_000), Graph.from_edges(range(1, 60_000), parents.tolist())):
        made = choice.choose(graph.laplacian("normalized"), k, 2.0, 1.0)
        assert made.method == "shift-invert", made.why
        assert "shift-invert too many" not in made.why


def cliques(fan):
    """700 cliques of 10 nodes that hang on each other, ``fan`` on one."""
    base = 10 * np.arange(700)
    i, j = np.triu_indices(10, 1)
    source = np.concatenate([(base[:, None] + i).ravel(), base[1:]])
    target = np.concatenate([(base[:, None] + j).ravel(), base[np.arange(699) // fan]])
    return Graph.from_edges(source.tolist(), target.tolist())


@pytest.mark.parametrize("fan", [3, 26])
def test_shallow_graphs_of_cliques_are_factorised_for_few_vectors_too(fan):
    """Their smallest eigenvalues are repeated and close to 0, hard for Lanczos."""
    assert choice.choose(cliques(fan).laplacian("normalized"), 4, 2.0, 1.0).method == "shift-invert"


@pytest.mark.parametrize("d", [3, 5, 8])
def test_copies_close_to_zero_are_found_without_a_factor_too(d, monkeypatch):
    """The smallest is there 25 times, the next one is larger by a tenth; against shift-invert."""
    graph = cliques(26)
    exact = smallest_eigenpairs(graph, "normalized", d, rng()).values
    force(monkeypatch, "lanczos", factorise=False)
    pairs = smallest_eigenpairs(graph, "normalized", d, rng())
    assert pairs.method == "lanczos"
    np.testing.assert_allclose(pairs.values, exact, atol=1e-8)


def test_what_cannot_converge_is_not_started(monkeypatch):
    """Nothing may be preferred to iterations here, except where they are hopeless."""
    monkeypatch.setattr(choice, "PREFERENCE", 0.0)
    L = path(100_000).laplacian("normalized")
    made = choice.choose(L, 10, 2.0, 1.0)
    assert made.method == "shift-invert" and "blocks too many" in made.why
    assert choice.choose(grid(90).laplacian("normalized"), 30, 2.0, 1.0).method == "chebyshev"


def test_a_large_small_world_is_not_even_looked_at(monkeypatch):
    monkeypatch.setattr(choice, "LARGE", 1000)
    monkeypatch.setattr(choice, "fill_in", None)
    L = blocks(6000).laplacian("normalized")
    assert choice.choose(L, 60, 2.0, 1.0).method == "chebyshev"
    assert not choice.may_factorise(L, 60)


def test_counting_a_small_world_is_given_up(monkeypatch):
    """After two per cent of the time that the block method is predicted to take, or 4 N steps."""
    L, allowed = blocks(6000).laplacian("normalized"), []

    def counted(A, most, work):
        allowed.append(work)
        return fill_in(A, most, work)

    monkeypatch.setattr(choice, "fill_in", counted)
    made = choice.choose(L, 60, 2.0, 1.0)
    assert made.method == "chebyshev" and "shift-invert too many" in made.why
    (work,) = allowed
    assert work <= max(4 * L.nnz, 0.02 / choice.STEP)


def test_a_factor_is_the_last_resort_only_where_it_can_be_had(monkeypatch):
    assert choice.may_factorise(grid(60).laplacian("normalized"), 30)
    monkeypatch.setattr(choice, "TOO_LONG", 1e-3)
    assert not choice.may_factorise(grid(60).laplacian("normalized"), 30)


def test_what_cannot_fit_is_refused_with_a_number(monkeypatch):
    graph = path(1000)
    need = predicted_memory(graph, 50)
    monkeypatch.setattr(memory, "available_memory", lambda: need / 2)
    with pytest.raises(
        InputError, match=r"50 eigenvectors needs about 0.00\d+ GB .* 0.00\d+ GB is"
    ):
        smallest_eigenpairs(graph, "normalized", 50, rng())
    monkeypatch.setattr(memory, "available_memory", lambda: 1e12)
    assert smallest_eigenpairs(graph, "normalized", 50, rng()).n_zero == 1


def test_there_is_some_memory():
    assert 1e7 < memory.available_memory() < 1e15


def stored(data_dir, name):
    with np.load(data_dir / f"{name}.npz") as file:
        n = int(file["n"])
        return Graph(csr_array((file["data"], file["indices"], file["indptr"]), shape=(n, n)))


@functools.cache
def dense(name, kind, data_dir, d):
    """The graph, and one eigenpair more than d."""
    graph = stored(data_dir, name)
    L = graph.laplacian(kind).toarray()
    return graph, eigh(L, subset_by_index=[0, d], driver="evr")


WHOLE = [("cora", 78, 150), ("citeseer", 438, 460)]


@pytest.mark.data
@pytest.mark.parametrize(("name", "zeros", "d"), WHOLE)
def test_full_graphs_agree_with_dense_eigh(name, zeros, d, data_dir):
    graph, exact = dense(name, "normalized", data_dir, d)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = smallest_eigenpairs(graph, "normalized", d, rng())
    assert pairs.n_zero == zeros
    check(graph, "normalized", d, pairs, exact=exact)


@pytest.mark.data
@pytest.mark.parametrize(("name", "zeros", "d"), WHOLE)
def test_full_graphs_defeat_a_lanczos_that_knows_no_components(name, zeros, d, data_dir):
    """The same check of the first 100, given what ARPACK returns for the whole graph: it fails."""
    graph, exact = dense(name, "normalized", data_dir, d)
    L = graph.laplacian("normalized")
    v0 = rng().standard_normal(graph.n)
    values, vectors = eigsh(2.0 * eye_array(graph.n) - L, k=100, which="LA", v0=v0, tol=1e-6)
    order = np.argsort(-values)
    plain = eigen.Eigenpairs(2.0 - values[order], vectors[:, order], np.zeros(100), zeros)
    assert np.count_nonzero(plain.values < 1e-6) < min(zeros, 100)
    with pytest.raises(AssertionError, match="Mismatched elements"):
        check(graph, "normalized", 100, plain, exact=exact)


@pytest.mark.data
def test_full_cora_combinatorial(data_dir):
    graph, exact = dense("cora", "combinatorial", data_dir, 120)
    check(graph, "combinatorial", 120, smallest_eigenpairs(graph, "combinatorial", 120, rng()),
          exact=exact)  # fmt: skip
