"""A user's own signals: whatever is wrong with the files is one line that says where."""

from __future__ import annotations

import gzip
import pickle

import attrs
import numpy as np
import pytest

import graphol
from graphol.cli import main
from graphol.errors import InputError, UsageError
from graphol.report.columns import figures
from graphol.tasks import SignalTask
from graphol.tasks.scores import Held, held_out_scores

HEAD = "a,b,c,target\n"
GOOD = HEAD + "1,2,3,1\n0,1,2,-1\n4,0,1,1\n0,3,2,-1\n"


@pytest.fixture
def load(tmp_path):
    """The task of a table over the path a - b - c."""
    (tmp_path / "g.csv").write_text("source,target\na,b\nb,c\n")

    def read(content, name="t.csv", **more):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        made = graphol.make("dataset", "signals")
        made = attrs.evolve(made, graph=str(tmp_path / "g.csv"), samples=str(file), **more)
        return made.load(np.random.default_rng(0))

    return read


def refusal(load, content, name="t.csv", kind=InputError, **more):
    with pytest.raises(kind) as caught:
        load(content, name, **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_columns_are_those_of_the_nodes(load):
    table = "c,a,target,b\n1,2,0,3\n4,5,1,6\n7,8,1,9\n1,1,0,1\n2,2,1,2\n"
    task = load(table)
    assert task.graph.ids == ("a", "b", "c") and task.target == "signs"
    assert task.samples.tolist() == [[2, 3, 1], [5, 6, 4], [8, 9, 7], [1, 1, 1]]
    assert task.truth.tolist() == [-1, 1, 1, -1]
    assert task.test.samples.tolist() == [[2, 2, 2]]
    real = load(table.replace(",0,", ",2.5,"), test=0.0)
    assert real.target == "real" and real.test is None and len(real.truth) == 5


def test_arrays_are_read_as_they_are(load, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    np.savez(tmp_path / "s.npz", samples=X, targets=y)
    task = load((tmp_path / "s.npz").read_bytes(), "s.npz")
    assert np.array_equal(task.samples, X[:8]) and np.array_equal(task.test.truth, y[8:])


TABLES = {
    "empty": ("", "t.csv is empty; it needs a header of node ids and 'target'"),
    "blank": ("\n \n", "is empty"),
    "only a header": (HEAD, "has a header but no rows below it"),
    "no target": ("a,b,c,targte\n1,2,3,1\n", "line 1: no column 'target'; did you mean 'targte'?"),
    "no node": ("a,b,target\n1,2,3\n", "no column for node 'c' of"),
    "other ids": ("x,y,z,target\n1,2,3,1\n", "no column for node 'a' (and 2 more) of"),
    "semicolons": (HEAD.replace(",", ";"), "line 1: the header has one field"),
    "column twice": ("a,b,b,c,target\n1,2,9,3,1\n", "column 'b' is there twice"),
    "target twice": ("a,b,c,target,target\n1,2,3,1,1\n", "column 'target' is there twice"),
    "short row": (HEAD + "1,2,3\n", "line 2: 3 field(s), but the header has 4"),
    "long row": (HEAD + "1,2,3,1,5\n", "line 2: 5 field(s), but the header has 4"),
    "text": (HEAD + "1,2,x,4\n", "line 2: 'x' in column 'c' is not a finite number"),
    "line": (HEAD + "1,2,3,4\n\n\n1,2,x,4\n", "line 5: 'x' in column 'c'"),
    "no value": (HEAD + "1,,3,4\n", "line 2: '' in column 'b' is not a finite number"),
    "nan": (HEAD + "1,nan,1,1\n1,1,1,1\n", "line 2: 'nan' in column 'b' is not a finite number"),
    "inf": (HEAD + "1,1,1,1\n1,1,-inf,1\n", "line 3: '-inf' in column 'c' is not a finite number"),
    "nan target": (HEAD + "1,1,1,nan\n", "line 2: 'nan' in column 'target' is not a finite"),
    "nan held out": (GOOD + "1,1,nan,1\n", "line 6: 'nan' in column 'c'"),
    "too large": (HEAD + "1,1e308,1,1\n", "line 2: '1e308' in column 'b' is too large; rescale"),
    "large target": (HEAD + "1,1,1,-1e101\n", "line 2: '-1e101' in column 'target' is too large"),
    "beyond floats": (HEAD + "1,1e999,1,1\n", "line 2: '1e999' in column 'b' is not a finite"),
    "one row": (HEAD + "1,2,3,1\n", "1 row(s), all with the target 1; a game needs two different"),
    "all zeros": (HEAD + "1,2,3,0\n" * 9, "9 row(s), all with the target 0"),
    "all 7": (HEAD + "1,2,3,7\n" * 9, "9 row(s), all with the target 7"),
    "sorted": (HEAD + "1,2,3,1\n" * 8 + "1,2,3,0\n", "8 row(s) to play all have the target 1"),
    "open quote": (HEAD + '1,"2,3,1\n1,2,3,1\n', "line 3: unexpected end of data"),
    "long field": (HEAD + "1," + "2" * 200_000 + ",3,1\n", "line 2: field larger than field limit"),
    "latin-1": (HEAD.encode() + b"1,\xe9,3,1\n", "line 2: not UTF-8 text (byte 0xe9)"),
    "utf-16": (GOOD.encode("utf-16"), "line 1: not UTF-8"),
    "NUL": (HEAD + "1,\0,3,1\n", "line 2: '\\x00' in column 'b' is not a finite number"),
}


@pytest.mark.parametrize(("content", "says"), TABLES.values(), ids=TABLES)
def test_bad_tables(load, content, says):
    assert says in refusal(load, content)


def test_tables_that_are_in_order(load):
    """Separators, spaces, line ends, quotes, blank lines and packing do not change the numbers."""
    wanted = load(GOOD, test=0.0)
    assert wanted.samples.tolist() == [[1, 2, 3], [0, 1, 2], [4, 0, 1], [0, 3, 2]]
    for content, name in (
        (GOOD.replace(",", "\t"), "t.tsv"),
        ("\n" + GOOD.replace(",", "\t"), "t.txt"),
        (GOOD.replace(",", " , "), "t.csv"),
        (GOOD.replace("\n", "\r\n"), "t.csv"),
        (GOOD.replace("\n", "\r"), "t.csv"),
        (GOOD.replace("a,", '"a",').replace("\n", "\n\n"), "t.csv"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "t.csv"),
        (gzip.compress(GOOD.encode()), "t.csv.gz"),
    ):
        task = load(content, name, test=0.0)
        assert np.array_equal(task.samples, wanted.samples)
        assert np.array_equal(task.truth, wanted.truth)


def test_columns_that_are_no_nodes_are_ignored_with_a_note(load):
    """Names of the samples, as pandas writes them, and columns that other graphs have."""
    lines = [f"{k and 'patient'},{line},x,nan" for k, line in enumerate(GOOD.splitlines())]
    lines[0] = ",a,b,c,target,sex,sex"
    task = load("\n".join(lines))
    assert np.array_equal(task.samples, load(GOOD).samples)
    assert task.graph.notes[0].startswith("2 column(s) of ")
    assert load(GOOD, test=0.0).graph.notes == ()


def test_a_target_is_not_predicted_from_itself(load):
    assert "the target 'c' is also a node of" in refusal(load, GOOD, target="c")


def test_a_missing_auc_is_said(load):
    """The held-out rows are of one class: a note, a null and no column, but no NaN."""
    task = load(GOOD, test=0.25)
    assert task.graph.notes == ("all 1 test row(s) have the target -1: no auc",)
    result = graphol.simulate("da-iht:s=2", task, repeats=2)
    shown = {column.title: column.cell(result.row()) for column in figures(result)}
    assert shown["auc"] == shown["auc_labels"] == "" and float(shown["accuracy"]) in (0, 1)


def test_files_that_are_no_tables(load, tmp_path):
    assert "a table of signals ends in .csv .tsv .txt" in refusal(load, GOOD, "t.xlsx")
    assert "a table of signals ends in" in refusal(load, GOOD, "t")
    assert "truncated, or not a gzip file" in refusal(load, GOOD, "t.csv.gz")
    made = graphol.make("dataset", "signals")
    for given in ({}, {"graph": "g.csv"}, {"samples": "t.csv"}):
        with pytest.raises(UsageError, match="give both files"):
            attrs.evolve(made, **given).load(np.random.default_rng(0))
    with pytest.raises(InputError, match="there is no such file; did you mean"):
        attrs.evolve(made, graph=str(tmp_path / "g.csv"), samples=str(tmp_path / "tt.csv")).load(
            np.random.default_rng(0)
        )


X = np.arange(15.0).reshape(5, 3)
Y = np.array([1.0, -1, 1, -1, 1])
ARRAYS = {
    "nothing": ({}, "has no samples, targets; a table of signals needs samples, targets"),
    "no targets": ({"samples": X}, "has no targets; a table of signals needs samples, targets"),
    "three axes": ({"samples": X[None], "targets": Y}, "samples (1, 5, 3) and targets (5,) do not"),
    "a column": ({"samples": X, "targets": Y[:, None]}, "they must be (N, 3) and (N,)"),
    "lengths": ({"samples": X, "targets": Y[:3]}, "samples (5, 3) and targets (3,) do not fit"),
    "more columns": (
        {"samples": np.ones((5, 4)), "targets": Y},
        "samples have 4 column(s), but",
    ),
    "no rows": ({"samples": X[:0], "targets": Y[:0]}, "0 row(s); a game needs two different"),
    "objects": ({"samples": X.astype(object), "targets": Y}, "which are never loaded"),
    "object targets": ({"samples": X, "targets": Y.astype(object)}, "which are never loaded"),
    "texts": ({"samples": X.astype(str), "targets": Y}, "samples must be numbers, got an array of"),
    "complex": ({"samples": X + 1j, "targets": Y}, "samples must be numbers"),
    "dates": ({"samples": X, "targets": Y.astype("M8[s]")}, "targets must be numbers"),
    "records": ({"samples": np.zeros(5, [("a", float)]), "targets": Y}, "must be numbers"),
    "nan": ({"samples": X * np.nan, "targets": Y}, "hold NaN or infinity"),
    "nan held out": ({"samples": np.where(X == 14, np.nan, X), "targets": Y}, "hold NaN or"),
    "too large": ({"samples": X * 1e300, "targets": Y}, "rescale all to below 1e+100"),
    "large held out": (
        {"samples": np.where(X == 14, -1e300, X), "targets": Y},
        "1e+300 among samples or targets is too large",
    ),
    "long doubles": ({"samples": X * np.longdouble("1e400"), "targets": Y}, "hold NaN or infinity"),
    "all equal": ({"samples": X, "targets": Y**2}, "5 row(s), all with the target 1"),
}


@pytest.mark.parametrize(("arrays", "says"), ARRAYS.values(), ids=ARRAYS)
def test_bad_arrays(load, tmp_path, arrays, says):
    np.savez(tmp_path / "s.npz", **arrays)
    assert says in refusal(load, (tmp_path / "s.npz").read_bytes(), "s.npz")


class Bomb:
    """Whoever unpickles this makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickles_are_never_loaded(load, tmp_path):
    trace = tmp_path / "exploded"
    bomb = np.array([Bomb(trace)], dtype=object)
    np.savez(tmp_path / "s.npz", samples=bomb, targets=Y)
    assert "never loaded" in refusal(load, (tmp_path / "s.npz").read_bytes(), "s.npz")
    assert "not an npz file" in refusal(load, pickle.dumps(bomb), "s.npz")
    np.save(tmp_path / "s.npy", bomb)
    assert "not an npz file" in refusal(load, (tmp_path / "s.npy").read_bytes(), "s.npz")
    assert not trace.exists()


def test_damaged_arrays(load, tmp_path):
    """Cut anywhere, or with any one byte changed, it is refused in one line or it still fits."""
    np.savez_compressed(tmp_path / "whole.npz", samples=X, targets=Y)
    whole = (tmp_path / "whole.npz").read_bytes()
    for end in range(0, len(whole) - 1, 23):
        assert "truncated" in refusal(load, whole[:end], "s.npz")
    refused = 0
    for place in range(0, len(whole), 5):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        try:
            assert load(bytes(changed), "s.npz").samples.shape == (4, 3)
        except InputError:
            refused += 1
    assert refused > len(whole) / 5 / 4


class TestOverflow:
    """Numbers that are allowed and still too much for a learner never become inf or NaN."""

    def table(self, tmp_path, X, y):
        (tmp_path / "g.csv").write_text("source,target\na,b\nb,c\n")
        rows = "".join(",".join(map(repr, [*x, t])) + "\n" for x, t in zip(X, y, strict=True))
        (tmp_path / "t.csv").write_text(HEAD + rows)

    def command(self, tmp_path, capsys, learner="graphda", *more):
        data = f"signals:graph={tmp_path}/g.csv,samples={tmp_path}/t.csv"
        options = ("--learner", learner, "-p", "s=2", "--dataset", data, "--repeats", "2", *more)
        code = main(["simulate", *options])
        return code, *capsys.readouterr()

    @pytest.mark.parametrize("learner", ["graphda", "da-iht", "stoiht", "graph-stoiht"])
    @pytest.mark.parametrize(("x", "y"), [(1.0, 1e80), (1e60, 1e60), (1e90, 1e-90), (1e30, 2.0)])
    def test_refused_in_one_line(self, tmp_path, capsys, learner, x, y):
        rng = np.random.default_rng(0)
        self.table(tmp_path, (x * rng.normal(size=(12, 3))).tolist(), (y * np.arange(12)).tolist())
        code, out, err = self.command(tmp_path, capsys, learner)
        assert code in (2, 3) and out == "" and err.count("\n") == 1
        assert "squared" in err or "overflowed" in err

    def test_large_signals_of_signs_are_played(self, tmp_path, capsys):
        """The same game as with small ones, as far as a sign is concerned."""
        X = np.random.default_rng(0).normal(size=(20, 3))
        shown = []
        for scale in (1e5, 1e95):
            self.table(tmp_path, (scale * X).tolist(), np.sign(X[:, 0]).astype(int).tolist())
            code, out, err = self.command(tmp_path, capsys)
            assert (code, err) == (0, "") and "inf" not in out and "nan" not in out
            words = out.split("\n")[1].split()
            shown.append([*words[:11], *words[12:]])  # but for the time
        assert shown[0] == shown[1]

    def test_the_engine_squares_no_overflow(self):
        """A learner from outside that predicts 1e200 for a number is named, with the round."""
        task = SignalTask(graph(), np.ones((3, 3)), np.array([1.0, 2, 3]), "x", target="real")
        with pytest.raises(graphol.GrapholError, match=r"predicted 1e\+200 for . in round 1"):
            graphol.simulate(Says((0.0, 1e200, 0.0)), task, repeats=1)
        assert graphol.simulate(Says((0.0, 1e70, 0.0)), task, repeats=2).error_rate_std < 1e140

    @pytest.mark.parametrize(
        ("target", "w"), [("signs", [np.inf, -np.inf, 0, 0]), ("real", [1e80, 1e80, 0, 0])]
    )
    def test_held_out_scores_do_not_overflow(self, target, w):
        held = Held(np.full((2, 3), 1e99), np.array([1.0, -1.0]))
        with pytest.raises(graphol.GrapholError, match="out of range"):
            held_out_scores(np.array(w), held, target)

    def test_an_overflow_that_is_survived_is_said(self):
        X = np.random.default_rng(0).normal(size=(9, 3)) * 1e99
        task = SignalTask(graph(), X, np.arange(9.0) * 1e60, "x", target="real")
        with pytest.warns(RuntimeWarning, match="adagrad: overflow while playing; rescale"):
            graphol.simulate("adagrad", task, repeats=1)


def graph():
    return graphol.Graph.from_edges(["a", "b"], ["b", "c"])


@attrs.frozen
class Says:
    """Predicts what it is told to."""

    numbers: tuple[float, ...]
    name = "says"
    feedback = "full"
    learns_from = ("label",)
    targets = ("real",)
    needs = "nothing"

    def start(self, problem):
        return ()

    def predict(self, state, instance):
        return graphol.Prediction(self.numbers[instance.t])

    def update(self, state, instance, prediction, reveal):
        return 0
