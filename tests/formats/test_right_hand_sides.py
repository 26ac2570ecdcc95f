"""Right-hand sides: the same numbers from every kind of file."""

from __future__ import annotations

import numpy as np
import pytest

from graphol.errors import InputError
from graphol.formats.right_hand_sides import read_right_hand_sides
from graphol.graph import Graph

GRAPH = Graph.from_edges([("a", 1), 2], [2, "x"])
B = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, 0.0]])


def test_every_file_holds_the_same(tmp_path):
    np.save(tmp_path / "b.npy", B)
    np.savez(tmp_path / "b.npz", b=B, other=np.ones(7))
    np.savez(tmp_path / "only.npz", anything=B)
    rows = [("node", "one", "two"), ("2", "-1", " 0.5"), ("\"('a', 1)\"", "1", "0")]
    (tmp_path / "b.csv").write_text("\n\n".join(map(",".join, rows)))
    (tmp_path / "b.tsv").write_text("\n".join(map("\t".join, rows)))
    for name in ("b.npy", "b.npz", "only.npz", "b.csv", "b.tsv"):
        np.testing.assert_array_equal(read_right_hand_sides(tmp_path / name, GRAPH), B)
    np.save(tmp_path / "one.npy", B[:, 0].astype(np.float32))
    np.testing.assert_array_equal(read_right_hand_sides(tmp_path / "one.npy", GRAPH), B[:, :1])


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("b.csv", "", "is empty; it needs a header node,NAME"),
        ("b.csv", "node\n2\n", "line 1: needs a header node,NAME"),
        ("b.csv", "id,b\n2,1\n", "line 1: needs a header node,NAME"),
        ("b.csv", "node,b\n", "has a header but no rows below it"),
        ("b.csv", "node,b\n2,1\nq,1\n", "line 3: node 'q' is not in graph"),
        ("b.csv", "node,b\n2,1\n2,1\n", "line 3: node '2' has two lines"),
        ("b.csv", "node,b\n2,much\n", "line 2: 'much' is not a row of numbers"),
        ("b.csv", "node,b\n2,inf\n", "holds NaN or infinity"),
        ("b.npy", "PK", "truncated, or not an npy file"),
        ("b.npz", "PK", "truncated, or not an npz file"),
        ("b.xls", "", "no reader for files that end in '.xls'; there are .npy .npz .csv .tsv"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as refusal:
        read_right_hand_sides(tmp_path / name, GRAPH)
    said = str(refusal.value)
    assert says in said and str(tmp_path / name) in said and "\n" not in said


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.ones(4), "needs 3 rows, one per node, got shape (4,)"),
        (np.ones((3, 0)), "no right-hand side"),
        (np.ones((3, 1, 1)), "needs 3 rows"),
        (np.array(list("abc")), "needs numbers, got an array of <U1"),
        (np.array([1.0, np.nan, 0]), "holds NaN or infinity"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, array, says):
    np.save(tmp_path / "b.npy", array)
    with pytest.raises(InputError) as refusal:
        read_right_hand_sides(tmp_path / "b.npy", GRAPH)
    assert says in str(refusal.value)
    np.savez(tmp_path / "two.npz", one=array, two=array)
    with pytest.raises(InputError, match="holds one, two; call the right-hand sides b"):
        read_right_hand_sides(tmp_path / "two.npz", GRAPH)
