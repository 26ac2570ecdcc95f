"""Nodes as the features they came with."""

import subprocess
import sys

import numpy as np
import pytest

import graphol
from graphol import Graph, InputError, UsageError
from graphol.embeddings.features import NodeFeatures
from graphol.embeddings.rows import RowFeatures
from graphol.fitting import misfit

TABLE = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])


def embed(graph, **params):
    return NodeFeatures(**params).embed(graph, np.random.default_rng(0))


def graph(**fields):
    return Graph.from_edges([0, 1], [1, 2], **fields)


def test_raw_rows_are_the_features():
    rows = embed(graph(features=TABLE), rows="raw").rows
    np.testing.assert_array_equal(rows, TABLE)
    assert not rows.flags.writeable
    assert rows.flags.c_contiguous


def test_unit_rows_leave_an_empty_row_alone():
    np.testing.assert_allclose(embed(graph(features=TABLE)).rows, [[0.6, 0.8], [0, 0], [0, -1]])


def test_a_graph_without_features_says_what_to_do():
    with pytest.raises(UsageError, match="toy has no node features; use another embedding"):
        embed(graph(name="toy"))


@pytest.mark.parametrize("bad", [[[1.0, np.nan]], [1.0, 2.0]])
def test_rows_that_are_no_table_of_numbers_are_refused(bad):
    with pytest.raises(InputError, match="features"):
        RowFeatures(bad)


def test_fits_the_interface_and_comes_by_name():
    assert misfit("embedding", NodeFeatures) == ""
    assert graphol.make("embedding", "features:rows=raw") == NodeFeatures(rows="raw")


def test_importing_components_is_cheap():
    """`graphol list` imports every component: none may pull in what only a run needs."""
    modules = (
        "graphol.embeddings.spectral", "graphol.embeddings.kernel", "graphol.embeddings.features",
        "graphol.linalg.solvers.cg", "graphol.linalg.solvers.splu", "graphol.linalg.eigen",
        "graphol.projections.top_s", "graphol.feedback.seeds",
    )  # fmt: skip
    heavy = "{'numba', 'sklearn', 'scipy', 'matplotlib'}"
    code = f"import sys, {', '.join(modules)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
