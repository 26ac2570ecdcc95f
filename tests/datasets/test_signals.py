"""Signal tasks: what is planted, what is held out, and a user's own table."""

import attrs
import numpy as np
import pytest

import graphol
from graphol.errors import GrapholError

SHAPES = {1: 26, 2: 46, 3: 92, 4: 132}


@pytest.mark.data
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_graphda_grid(data_dir, k):
    """Sizes as published; after standardising, the shape's columns differ between the classes."""
    task = graphol.make("dataset", f"graphda-grid:graph={k},mu=1").load(np.random.default_rng(0))
    assert (task.graph.n, task.graph.n_edges, len(task.support)) == (1089, 2112, SHAPES[k])
    assert [len(t.truth) for t in (task, task.validation, task.test)] == [400, 400, 400]
    gap = task.samples[task.truth > 0].mean(axis=0) - task.samples[task.truth < 0].mean(axis=0)
    outside = np.setdiff1d(np.arange(1089), task.support)
    assert gap[task.support].mean() > 0.8 and abs(gap[outside].mean()) < 0.05
    inside = task.graph.adjacency[task.support][:, task.support]
    assert inside.nnz // 2 == {1: 31, 2: 70, 3: 121, 4: 232}[k]


@pytest.mark.parametrize("weights", ["normalized", "constant", "gaussian"])
def test_digit_pixels_are_an_exact_linear_model(weights):
    """Least squares on the support alone explains the held-out samples."""
    spec = f"digit-pixels:digit=3,weights={weights}"
    task = graphol.make("dataset", spec).load(np.random.default_rng(0))
    w, *_ = np.linalg.lstsq(task.samples[:, task.support], task.truth)
    assert np.allclose(task.test.samples[:, task.support] @ w, task.test.truth)
    assert np.all(w == pytest.approx(1)) == (weights == "constant")
    assert weights == "gaussian" or (w.min() > 0 and w.max() == pytest.approx(1))


@pytest.mark.data
def test_mnist_pixels_are_connected(data_dir):
    from scipy.sparse.csgraph import connected_components

    for digit in range(10):
        task = graphol.make("dataset", f"mnist-pixels:digit={digit},train=5").load(
            np.random.default_rng(0)
        )
        inside = task.graph.adjacency[task.support][:, task.support]
        assert task.graph.n == 784
        assert connected_components(inside, directed=False)[0] == 1


def own(tmp_path, table, **more):
    (tmp_path / "g.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "t.csv").write_text(table)
    made = graphol.make("dataset", "signals")
    return attrs.evolve(
        made, graph=str(tmp_path / "g.csv"), samples=str(tmp_path / "t.csv"), **more
    )


def test_own_table(tmp_path):
    table = "c,a,target,b\n1,2,0,3\n4,5,1,6\n7,8,1,9\n1,1,0,1\n2,2,1,2\n"
    task = own(tmp_path, table).load(np.random.default_rng(0))
    assert task.graph.ids == ("a", "b", "c") and task.target == "signs"
    assert task.samples.tolist() == [[2, 3, 1], [5, 6, 4], [8, 9, 7], [1, 1, 1]]
    assert task.truth.tolist() == [-1, 1, 1, -1]
    assert task.test.samples.tolist() == [[2, 2, 2]]
    real = own(tmp_path, table.replace(",0,", ",2.5,"), test=0.0).load(np.random.default_rng(0))
    assert real.target == "real" and real.test is None and len(real.truth) == 5


def test_own_npz(tmp_path):
    data = own(tmp_path, "a,b,c,target\n1,1,1,1\n")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    np.savez(tmp_path / "s.npz", samples=X, targets=y)
    task = attrs.evolve(data, samples=str(tmp_path / "s.npz")).load(rng)
    assert np.array_equal(task.samples, X[:8]) and np.array_equal(task.test.truth, y[8:])


def test_missing_file_says_where_it_comes_from(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(GrapholError, match=r"set GRAPHOL_DATA to a folder that holds graphda_grid"):
        graphol.make("dataset", "graphda-grid").load(np.random.default_rng(0))
    (tmp_path / "graphda_grid.npz").write_bytes(b"not a zip")
    with pytest.raises(GrapholError, match="truncated or damaged"):
        graphol.make("dataset", "graphda-grid").load(np.random.default_rng(0))
