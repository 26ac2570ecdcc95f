"""Node features from a table with the user's ids."""

from __future__ import annotations

import numpy as np
import pytest

from graphol import Graph, InputError
from graphol.formats import read_features

GRAPH = Graph.from_edges(["ann", "bob", "eve"], ["bob", "eve", "ann"], name="friends")


@pytest.fixture
def read(tmp_path):
    def read(text, graph=GRAPH, name="f.csv"):
        (tmp_path / name).write_text(text)
        return read_features(tmp_path / name, graph)

    return read


def test_wide_and_long_say_the_same(read):
    wide = read("node,tea,milk\neve,0,2.5\nann,-1,0\n")
    long = read("Node,Feature,Value\nann,tea,-1\neve,milk,2.5\n")
    wanted = [[-1, 0], [0, 0], [0, 2.5]]
    for found in (wide, long):
        assert found.feature_names == ("tea", "milk")
        assert found.features.toarray().tolist() == wanted
        assert found.notes == ("1 node(s) without features",)
    assert wide.hash == long.hash != read("node,tea,milk\neve,0,2.5\nann,-2,0\n").hash


def test_without_a_value_it_is_1_and_tabs_do(read):
    found = read("node\tfeature\nann\ttea\nbob\ttea\neve\tice\n", name="f.tsv")
    assert found.features.toarray().tolist() == [[1, 0], [1, 0], [0, 1]]
    assert found.notes == ()


def test_ids_that_are_numbers_are_found_by_their_text(read):
    found = read("node,x\n2,7\n0,5\n", Graph.from_edges([0, 1], [1, 2]))
    assert found.features.toarray().ravel().tolist() == [5, 0, 7]


def test_strangers_are_counted_and_left_out(read, tmp_path):
    found = read("node,feature\nann,tea\nzoe,tea\nzoe,milk\nmax,milk\n")
    assert found.features.toarray().tolist() == [[1, 0], [0, 0], [0, 0]]
    assert found.notes == (
        f"2 node(s) of {tmp_path / 'f.csv'} are not in the graph, their features left out",
        "2 node(s) without features",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("node,tea\nann,nan\n", "line 2: 'nan' is not allowed"),
        ("node,tea\nbob,1\n\nann,inf\n", "line 4: 'inf' is not allowed"),
        ("node,tea\nann,1e101\n", "line 2: '1e101' is not allowed"),
        ("node,tea\nann,much\n", "line 2: 'much' is not a number"),
        ("node,tea\nann,\n", "line 2: '' is not a number; a feature that a node does not have is"),
        ("node,tea\nann,1_0\n", "'1_0' is not a number"),
        ("node,tea\nzoe,nan\nann,1\n", "line 2: 'nan'"),
        ("node,feature,value\nann,tea,x\n", "line 2: 'x' is not a number"),
        ("node,tea\nann,1\nann,2\n", "line 3: node 'ann' already has features on line 2"),
        ("node,feature\nann,tea\nann,tea\n", "already has feature 'tea' on line 2"),
        ("node,feature\nann,\n", "line 2: the name of the feature is empty"),
        ("node,tea,tea\nann,1,2\n", "line 1: column 'tea' is there twice"),
        ("node,tea,\nann,1,2\n", "line 1: column 3 has no name"),
        ("id,tea\nann,1\n", "the header must be node,NAME,... or node,feature,value"),
        ("node\nann\n", "the header must be"),
        ("node,tea\n", "has a header but no rows"),
        ("", "is empty; it needs a header node,NAME,... or node,feature,value"),
        ("node,tea\nann,1,2\n", "line 2: 3 field(s), but the header has 2"),
        ("node,tea\nAnn,1\nBob,1\n", "none of its 2 node(s) is in friends; the first, on line 2"),
    ],
)
def test_refused(read, text, said):
    with pytest.raises(InputError) as caught:
        read(text)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_large_table_is_the_matrix_it_was(read):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 7)) < 0.3, rng.normal(size=(40, 7)), 0.0)
    ids = [f"n{i}" for i in range(40)]
    graph = Graph.from_edges(ids[:-1], ids[1:])
    order = rng.permutation(40)
    wide = "\n".join(",".join([ids[i], *map(repr, X[i].tolist())]) for i in order)
    assert np.array_equal(read("node,a,b,c,d,e,f,g\n" + wide, graph).features.toarray(), X)


def test_a_million_names_are_looked_at_once(read):
    names = ",".join(f"f{j}" for j in range(300_000))  # each against all others: for ever
    found = read(f"node,{names}\nann,{'0,' * 299_999}7\n")
    assert found.features.shape == (3, 300_000) and found.features[0, 299_999] == 7
