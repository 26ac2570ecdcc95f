"""Matrix Market files against scipy's writer."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import coo_array

from graphol.formats import read_graph, read_matrix_market


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("dense", [False, True])
def test_what_scipy_writes_is_read(tmp_path, symmetry, dense):
    rng = np.random.default_rng(0)
    S = np.triu(rng.random((7, 7)) * (rng.random((7, 7)) < 0.5), 1)
    S += S.T
    file = tmp_path / "g.mtx"
    mmwrite(file, S if dense else coo_array(S), symmetry=symmetry)
    graph = read_matrix_market(file)
    np.testing.assert_allclose(graph.adjacency.toarray(), S, rtol=1e-12)
    assert graph.ids == (1, 2, 3, 4, 5, 6, 7)


def test_a_pattern_has_weights_1_and_labels_use_the_row_numbers(tmp_path):
    page = "%%MatrixMarket matrix coordinate pattern symmetric\n% a path\n3 3 2\n2 1\n3 2\n"
    (tmp_path / "g.mtx.gz").write_bytes(gzip.compress(page.encode()))
    (tmp_path / "labels.csv").write_text("node,label\n1,left\n3,right\n")
    graph = read_graph(tmp_path / "g.mtx.gz", tmp_path / "labels.csv")
    assert graph.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.labels.tolist() == [0, -1, 1]
