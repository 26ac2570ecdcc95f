"""``graphol solve`` against dense algebra, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python

EDGES = "source,target,weight\na,b,1\nb,c,2\nc,a,3\nx,y,4\n"
IDS = ["a", "b", "c", "x", "y"]


def laplacian():
    W = np.zeros((5, 5))
    for i, j, w in ((0, 1, 1), (1, 2, 2), (2, 0, 3), (3, 4, 4)):
        W[i, j] = W[j, i] = w
    return np.diag(W.sum(axis=1)) - W


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text(EDGES)
    return tmp_path


def solution(path):
    with np.load(path) as stored:
        assert stored["ids"].tolist() == IDS
        return stored["x"]


@pytest.mark.parametrize("solver", ["auto", "splu", "cg", "approx-chol"])
def test_a_system_from_files(run, folder, solver):
    """Two components, singular: the pseudo-inverse's solution, written to a file."""
    B = np.array([[1.0, 0], [-1, 0], [0, 0], [0, 2], [0, -2]])
    np.save(folder / "b.npy", B)
    result = run(
        "solve", "--graph", "edges.csv", "--rhs", "b.npy", "--solver", solver, "--out", "x.npz",
        "--json",
    )  # fmt: skip
    row = json.loads(result.out)
    assert result.code == 0, result.err
    assert (row["nodes"], row["edges"], row["columns"]) == (5, 4, 2)
    assert row["residual"] < 1e-8
    exact = np.linalg.pinv(laplacian()) @ B
    np.testing.assert_allclose(solution("x.npz"), exact, atol=1e-7)


def test_text_archive_and_array_hold_the_same(run, folder):
    (folder / "b.csv").write_text("node,one,two\nb,-1,0.5\na,1,0\n\nx,0,2\n")
    B = np.array([[1.0, 0], [-1, 0.5], [0, 0], [0, 2], [0, 0]])
    np.savez(folder / "b.npz", b=B, other=B)
    np.savez(folder / "only.npz", anything=B)
    exact = np.linalg.inv(laplacian() + 0.5 * np.eye(5)) @ B
    for name in ("b.csv", "b.npz", "only.npz"):
        result = run(
            "solve", "--graph", "edges.csv", "--rhs", name, "--ridge", "0.5", "--out", "x.npz",
            "--force",
        )  # fmt: skip
        assert result.code == 0, result.err
        np.testing.assert_allclose(solution("x.npz"), exact, atol=1e-7)


def test_random_right_hand_sides_and_reasons(run):
    result = run("solve", "--dataset", "sbm", "--random", "9", "--explain", "--json")
    row = json.loads(result.out)
    assert row["columns"] == 9
    assert row["why"].startswith(f"{row['solver']}: ")
    assert "9 right-hand side(s)" in row["why"]
    text = run("solve", "--dataset", "sbm", "--solver", "splu", "--explain").out
    assert text.splitlines()[-1] == "splu: you asked for it"
    one = run("solve", "--dataset", "sbm", "--seed", "1", "--solver", "cg:tol=1e-3", "--json")
    assert json.loads(one.out)["residual"] <= 1e-3


REFUSED = {
    ("--rhs", "none.npy"): "none.npy: there is no such file",
    ("--rhs", "ones.npy"): "b must sum to 0 on a component without added diagonal, got 3;",
    ("--rhs", "short.npy"): "needs 5 rows, one per node, got shape (4,)",
    ("--rhs", "nan.npy"): "holds NaN or infinity",
    ("--rhs", "text.npy"): "needs numbers",
    ("--rhs", "broken.npz"): "truncated, or not an npz file",
    ("--rhs", "two.npz"): "call the right-hand sides b",
    ("--rhs", "pickle.npy"): "holds Python objects, which are never loaded",
    ("--rhs", "b.parquet"): "there are .npy .npz .csv .tsv",
    ("--rhs", "header.csv"): "needs a header node,NAME",
    ("--rhs", "stranger.csv"): "line 2: node 'q' is not in edges",
    ("--rhs", "twice.csv"): "line 3: node 'a' has two lines",
    ("--rhs", "words.csv"): "line 2: 'much' is not a row of numbers",
    ("--rhs", "fields.csv"): "line 2: 3 field(s), but the header has 2",
    ("--rhs", "ones.npy", "--random", "2"): "give --rhs ones.npy or --random 2, not both",
    ("--random", "0"): "--random must be >= 1",
    ("--ridge", "-1"): "--ridge must be >= 0",
    ("--ridge", "inf"): "--ridge must be >= 0 and finite",
    ("--seed", "-1"): "--seed must be >= 0",
    ("--out", "x.txt"): "the name must end in .npz",
    ("--out", "there.npz"): "there.npz exists; add --force to replace it",
    ("--solver", "slpu"): "unknown solver 'slpu': did you mean 'splu'?",
    ("--solver", "cg:tol=2"): "cg: tol must be > 0 and < 1, got 2.0",
    ("--dataset", "sbm"): "give --dataset sbm or --graph edges.csv, not both",
    ("--random", "3", "--solver", "cg:max_iterations=1"): "cg: residual",
}


@pytest.mark.parametrize(("options", "message"), REFUSED.items(), ids=lambda x: str(x)[:40])
def test_refusals(run, folder, options, message):
    arrays = {
        "ones": np.ones(5), "short": np.ones(4), "nan": np.full(5, np.nan),
        "text": np.array(list("abcde")),
    }  # fmt: skip
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.save(folder / "pickle.npy", np.array([{}] * 5), allow_pickle=True)
    np.savez(folder / "two.npz", one=np.ones(5), two=np.ones(5))
    for name, text in {
        "broken.npz": "PK", "b.parquet": "", "header.csv": "a,b\n", "there.npz": "",
        "stranger.csv": "node,b\nq,1\n", "twice.csv": "node,b\na,1\na,2\n",
        "words.csv": "node,b\na,much\n", "fields.csv": "node,b\na,1,2\n",
    }.items():  # fmt: skip
        (folder / name).write_text(text)
    result = run("solve", "--graph", "edges.csv", *options)
    assert result.code in (2, 3)
    assert message in result.err
    assert len(result.err.strip().splitlines()) == 1
    assert not (folder / "x.npz").exists()
