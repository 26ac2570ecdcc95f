"""The benchmark of GraphDA: its published sizes, and what is said where the file is not."""

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


def test_missing_file_says_where_it_comes_from(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(GrapholError, match=r"set GRAPHOL_DATA to a folder that holds graphda_grid"):
        graphol.make("dataset", "graphda-grid").load(np.random.default_rng(0))
    (tmp_path / "graphda_grid.npz").write_bytes(b"not a zip")
    with pytest.raises(GrapholError, match="truncated, or not an npz file"):
        graphol.make("dataset", "graphda-grid").load(np.random.default_rng(0))
