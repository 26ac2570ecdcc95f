"""The spectral embedding against dense algebra, and its variants E1 to E5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

import graphol
from graphol import Graph, UsageError
from graphol.embeddings.rows import unit_rows
from graphol.embeddings.spectral import ComponentsWarning, Spectral
from graphol.fitting import misfit

E1 = Spectral(100, laplacian="combinatorial", trivial="bias", rows="raw")
E3 = Spectral(100, laplacian="normalized", trivial="drop", rows="unit")
E4 = Spectral(100, laplacian="combinatorial", trivial="drop", rows="raw")
E5 = Spectral(100, trivial="keep")
E6 = Spectral()


def rng():
    return np.random.default_rng(0)


def wild(seed, n=14, decades=1.5):
    """A random graph with several components, isolated nodes and weights over decades."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(4, n + 1))
    W = np.triu(draw.random((n, n)) < draw.choice([0.15, 0.3]), 1)
    W[0, 1] = True
    W = W * 10.0 ** draw.uniform(-decades, decades, (n, n))
    return Graph(csr_array(W + W.T))


def path(n):
    return Graph.from_edges(range(n - 1), range(1, n))


graphs = st.integers(0, 10**6).map(wild)


@given(graph=graphs)
def test_e4_is_the_pseudo_inverse(graph):
    X = E4.embed(graph, rng()).rows
    exact = np.linalg.pinv(graph.laplacian("combinatorial").toarray(), rcond=1e-11, hermitian=True)
    assert X.shape == (graph.n, graph.n - graph.n_components)
    np.testing.assert_allclose(X @ X.T, exact, atol=1e-6 * np.abs(exact).max())


@given(graph=graphs, eps=st.sampled_from([1e-3, 1e-2, 1.0]))
def test_keep_is_the_regularised_inverse(graph, eps):
    for laplacian in ("normalized", "combinatorial"):
        X = Spectral(100, laplacian, "keep", eps, "raw").embed(graph, rng()).rows
        exact = np.linalg.inv(graph.laplacian(laplacian).toarray() + eps * np.eye(graph.n))
        np.testing.assert_allclose(X @ X.T, exact, atol=1e-8 * np.abs(exact).max())


@given(graph=graphs)
def test_rows_have_norm_one_or_zero(graph):
    for embedding in (E3, E5, E6):
        norms = np.linalg.norm(embedding.embed(graph, rng()).rows, axis=1)
        isolated = graph.degrees == 0
        np.testing.assert_allclose(norms[~isolated], 1)
        np.testing.assert_allclose(norms[isolated], 0 if embedding is E3 else 1)


@given(graph=graphs, seed=st.integers(0, 10**6))
def test_relabelling_permutes_the_gram_matrix(graph, seed):
    """Full dimension, so that no cluster of eigenvalues is cut in two."""
    p = np.random.default_rng(seed).permutation(graph.n)
    for embedding in (E3, E4, E5, Spectral(100)):
        X, Y = (embedding.embed(g, rng()).rows for g in (graph, graph.subgraph(p)))
        G = X @ X.T
        np.testing.assert_allclose(Y @ Y.T, G[np.ix_(p, p)], atol=1e-6 * np.abs(G).max())


def test_e1_has_a_constant_feature_of_size_1e7():
    X = E1.embed(path(5), rng()).rows
    np.testing.assert_allclose(X[:, 0], 1e7 / np.sqrt(5))
    np.testing.assert_allclose(X[:, 1:], E4.embed(path(5), rng()).rows)


def test_the_first_dimensions_are_the_smoothest():
    few, many = (
        Spectral(d, trivial="keep", rows="raw").embed(path(40), rng()).rows for d in (5, 20)
    )
    assert few.shape == (40, 5)
    np.testing.assert_allclose(many[:, :5], few, atol=1e-10)


@pytest.mark.parametrize(("trivial", "dim"), [("keep", 8), ("bias", 8), ("drop", 5)])
def test_a_small_graph_gives_what_it_has(trivial, dim):
    graph = Graph.from_edges(["a", "c", "d", "x"], ["b", "d", "e", "y"], ids="abcdexy")
    assert (graph.n, graph.n_components) == (7, 3)
    rows = Spectral(100, trivial=trivial).embed(graph, rng()).rows
    assert rows.shape == (7, min(dim, 7 if trivial != "drop" else 4))


def test_only_components_is_warned_about():
    graph = Graph.from_edges(["a", "c"], ["b", "d"])
    with pytest.warns(ComponentsWarning, match="2 components and dim is 2.*trivial=share"):
        features = Spectral(dim=2, trivial="keep").embed(graph, rng())
    (note,) = features.facts["notes"]
    assert note.startswith("doubtful: the embedding tells components apart and nothing else")


@given(graph=graphs)
def test_share_is_keep_but_for_the_zeros(graph):
    """With all dimensions; others stand in for the zeros' eigenvalues, component by component."""
    X, Y = (
        Spectral(100, trivial=t, rows="raw").embed(graph, rng()).rows for t in ("share", "keep")
    )
    assert X.shape == Y.shape
    c = graph.n_components
    ratio = np.linalg.norm(X[:, :c], axis=0) / np.linalg.norm(Y[:, :c], axis=0)
    np.testing.assert_allclose(X[:, :c], Y[:, :c] * ratio, atol=1e-8)
    Z = X[:, c:], Y[:, c:]
    np.testing.assert_allclose(*(V @ V.T for V in Z), atol=1e-8 * max(np.abs(Z[0]).max(), 1) ** 2)


def test_what_is_left_out_is_noted():
    pair = np.array([[0, 1], [1, 0]])
    large = np.ones((30, 30)) - np.eye(30)
    graph = Graph(block_diag([large, pair, pair, [[0]]], format="csr"))
    left_out = [Spectral(dim).embed(graph, rng()).facts["notes"] for dim in (1, 4, 5, "auto")]
    assert left_out[0] == [
        "doubtful: 5 node(s) of small components are left out of the embedding and are guessed; "
        "dim=auto or a larger dim takes them in",
        "doubtful: the embedding tells components apart and nothing else; dim=auto or a larger dim "
        "takes in more",
    ]
    assert left_out[1] == [
        "doubtful: 4 node(s) of small components have one dimension in common; a larger dim tells "
        "their components apart"
    ]
    assert left_out[-1] == []


def test_unit_rows_beside_a_bias_are_noted():
    graph = graphol.make("dataset", "sbm:nodes=60,classes=3").load(rng()).graph
    unit, raw = (
        Spectral(trivial="bias", rows=rows).embed(graph, rng()) for rows in ("unit", "raw")
    )
    assert np.ptp(unit.rows, axis=0).max() < 1e-3, "all nodes look alike"
    assert "unit rows are all but constant" in unit.facts["notes"][0] and not raw.facts["notes"]


def test_a_few_loose_pieces_do_not_hide_the_classes():
    """49 components and 10 dimensions: the blocks are told apart all the same."""
    blocks = graphol.make("dataset", "sbm:nodes=400,classes=5,degree_in=16").load(rng()).graph
    pieces = block_diag([blocks.adjacency, *[[[0, 1], [1, 0]]] * 48], format="csr")
    graph = Graph(pieces, labels=np.append(blocks.labels, np.tile([0, 0, 1, 1], 24)))
    assert graph.n_components == 49

    def error(vectors):
        return graphol.simulate("molg-f", graph, embedding=vectors, repeats=2).error_rate_mean

    assert error("spectral:dim=10") < 0.25
    assert error("spectral") < 0.15
    with pytest.warns(ComponentsWarning):
        assert error("spectral:dim=10,trivial=keep") > 0.6


def test_rows_are_read_only_and_contiguous():
    rows = E5.embed(path(9), rng()).rows
    assert rows.flags.c_contiguous
    assert rows.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 1


def test_gram_is_the_inner_product():
    features = E5.embed(path(9), rng())
    js = np.array([4, 0, 4])
    np.testing.assert_allclose(
        features.gram(2, js), [features.rows[2] @ features.rows[j] for j in js]
    )


@given(scale=st.sampled_from([1e-300, 1.0, 1e300]))
def test_unit_rows_neither_over_nor_underflow(scale):
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]) * scale)
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dim": 0}, "dim must be >= 1"),
        ({"eps": 0.0}, "eps must be > 0"),
        ({"laplacian": "normalised"}, "did you mean 'normalized'"),
        ({"trivial": "kept"}, "did you mean 'keep'"),
        ({"rows": "unity"}, "did you mean 'unit'"),
    ],
)
def test_bad_parameters_are_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        Spectral(**wrong)


def test_fits_the_interface_and_comes_by_name():
    assert misfit("embedding", Spectral) == ""
    assert graphol.make("embedding", "spectral:dim=7,trivial=drop") == Spectral(7, trivial="drop")


@pytest.mark.data
def test_e5_of_coras_largest_component(data_dir):
    """Same seed, same bits; another seed, the same Gram matrix."""
    with np.load(data_dir / "cora.npz") as cora:
        n = int(cora["n"])
        full = Graph(csr_array((cora["data"], cora["indices"], cora["indptr"]), shape=(n, n)))
    graph = full.largest_component()
    one, two, other = (E5.embed(graph, np.random.default_rng(s)).rows for s in (0, 0, 1))
    assert one.shape == (2485, 100)
    assert np.array_equal(one, two)
    np.testing.assert_allclose(other @ other.T, one @ one.T, atol=1e-7)
