"""The npz schema: what is written is read; damage is reported, never a traceback."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from graphol.errors import InputError, UsageError
from graphol.formats import read_npz, write_npz
from graphol.graph import Graph

scalars = st.one_of(st.integers(), st.text())
nodes = st.recursive(scalars, lambda inner: st.tuples(inner, inner), max_leaves=3)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(2, 6))
    weights = st.one_of(st.just(0.0), st.floats(1e-12, 1e12))
    S = np.triu(np.array(draw(st.lists(weights, min_size=n * n, max_size=n * n))).reshape(n, n), 1)
    S[0, 1] = 0.1
    kind = draw(
        st.sampled_from([st.integers(-(2**63), 2**63 - 1), st.integers(), st.text(), nodes])
    )
    names = draw(st.lists(st.text("abc é,", min_size=1), min_size=2, max_size=3, unique=True))
    labelled = draw(st.booleans())
    return Graph(
        S + S.T,
        labels=draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)) if labelled else None,
        label_names=tuple(names) if labelled else (),
        ids=draw(st.one_of(st.just(()), st.lists(kind, min_size=n, max_size=n, unique=True))),
        features=np.eye(n, 3) / 3 if draw(st.booleans()) else None,
        notes=("1 thing dropped",) if draw(st.booleans()) else (),
    )


@given(graphs())
def test_every_graph_comes_back_with_its_hash(tmp_path_factory, graph):
    file = tmp_path_factory.mktemp("npz") / "g.npz"
    write_npz(graph, file)
    back = read_npz(file)
    assert back.ids == graph.ids
    assert back.hash == graph.hash
    assert back.notes == graph.notes
    assert back.name == str(file)


def test_numpy_integers_as_ids_come_back_as_numbers(tmp_path):
    graph = Graph.from_edges(np.array([5, 7]), np.array([7, 9]))
    write_npz(graph, tmp_path / "g.npz")
    back = read_npz(tmp_path / "g.npz")
    assert back.ids == (5, 7, 9)
    assert graph.hash == back.hash == Graph.from_edges([5, 7], [7, 9]).hash
    pairs = Graph.from_edges([(np.int32(1), "a")], [(2, np.str_("b"))])
    assert pairs.hash == Graph.from_edges([(1, "a")], [(2, "b")]).hash


def test_ids_that_cannot_be_stored_are_refused_and_nothing_is_left(tmp_path):
    graph = Graph.from_edges([object()], ["b"])
    with pytest.raises(UsageError, match=r"node id <object .* cannot be stored"):
        write_npz(graph, tmp_path / "g.npz")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    old = Graph.from_edges("a", "b")
    write_npz(old, tmp_path / "g.npz")

    def interrupted(file, **members):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_npz(Graph.from_edges("c", "d"), tmp_path / "g.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["g.npz"]
    assert read_npz(tmp_path / "g.npz").hash == old.hash


def test_the_schema_by_hand(tmp_path):
    S = csr_array(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=np.float32))
    np.savez(
        tmp_path / "g.npz",
        indptr=S.indptr, indices=S.indices, data=S.data, n=3,
        labels=np.array([0, 1, 1]), label_names=np.array(["x", "y"]), unlabelled_idx=np.array([2]),
        x_indptr=[0, 1, 1, 2], x_indices=[4, 0], x_data=[1.0, 2.0], x_shape=[3, 5],
        train_idx=np.array([0]),
    )  # fmt: skip
    graph = read_npz(tmp_path / "g.npz")
    np.testing.assert_array_equal(graph.adjacency.toarray(), S.toarray())
    assert graph.labels.tolist() == [0, 1, -1]
    assert graph.features.toarray().tolist() == [[0, 0, 0, 0, 1], [0] * 5, [2, 0, 0, 0, 0]]
    (tmp_path / "labels.csv").write_text("node,label\n0,p\n2,q\n")
    assert read_npz(tmp_path / "g.npz", tmp_path / "labels.csv").labels.tolist() == [0, -1, 1]


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> bytes:
    file = tmp_path_factory.mktemp("npz") / "g.npz"
    write_npz(Graph.from_edges("abc", "bca", labels=[0, 1, 1], features=np.eye(3)), file)
    return file.read_bytes()


@settings(max_examples=300)
@given(data=st.data())
def test_damage_anywhere_is_one_line_or_harmless(tmp_path_factory, content, data):
    """Cut the file, or change a byte: never anything but an InputError."""
    damaged = bytearray(content)
    where = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del damaged[where:]
    else:
        damaged[where] ^= data.draw(st.integers(1, 255))
    file = tmp_path_factory.mktemp("npz") / "g.npz"
    file.write_bytes(bytes(damaged))
    said = ""
    try:
        read_npz(file)
    except InputError as refusal:
        said = str(refusal)
    assert "\n" not in said
    assert not said or str(file) in said


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"x_shape": [2, 10**15]}, "the names of 1000000000000000 features would take more than"),
        ({"x_shape": [2, 2], "x_names": ["tea", "tea"]}, "two features are called 'tea'"),
    ],
)
def test_features_without_end_and_of_one_name_are_refused(tmp_path, members, said):
    graph = Graph.from_edges("a", "b", features=[[1.0, 0.0], [0.0, 2.0]])
    write_npz(graph, tmp_path / "g.npz")
    with np.load(tmp_path / "g.npz") as file:
        stored = {name: file[name] for name in file.files}
    np.savez(tmp_path / "bad.npz", **stored | {k: np.array(v) for k, v in members.items()})
    with pytest.raises(InputError, match=said):
        read_npz(tmp_path / "bad.npz")


@pytest.mark.filterwarnings("error")
def test_weights_beyond_single_precision_come_back(tmp_path):
    graph = Graph.from_edges("ab", "bc", [1e60, 2e-60], features=[[1e70], [0.1], [0.0]])
    write_npz(graph, tmp_path / "g.npz")
    assert read_npz(tmp_path / "g.npz").hash == graph.hash
