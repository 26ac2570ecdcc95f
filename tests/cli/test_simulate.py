"""The table, the JSON, the files and the notes of ``graphol simulate``."""

from __future__ import annotations

import itertools
import json
import math
import shlex

import numpy as np
import pytest

import graphol
from graphol import schema
from graphol.registry import registry

SMALL = "sbm:nodes=60,classes=2"
KEYS = [
    "learner", "dataset", "feedback", "embedding", "params", "rounds", "repeats",
    "error_rate_mean", "error_rate_std", "updates_mean", "queries_mean", "us_per_round",
]  # fmt: skip


def strict(text):
    """JSON as every parser reads it: no NaN, no Infinity."""

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def timeless(row):
    return {key: value for key, value in row.items() if key != "us_per_round"}


@pytest.fixture
def own_graph(tmp_path):
    """A path of eight people, a triangle apart and a self loop; everybody has a team."""
    people = list("abcdefgh")
    edges = [*itertools.pairwise(people), ("x", "y"), ("y", "z"), ("z", "x"), ("a", "a")]
    graph, labels = tmp_path / "edges.csv", tmp_path / "labels, of teams=2.csv"
    graph.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges))
    teams = {name: "red" if name in "abcdx" else "blue" for name in [*people, *"xyz"]}
    labels.write_text("node,label\n" + "".join(f"{n},{t}\n" for n, t in teams.items()))
    return graph, labels


def test_json_is_the_row_of_the_python_api(run):
    result = run(
        "simulate", "--learner", "molg-b", "-p", "b=20", "--dataset", SMALL, "--repeats", 3,
        "--seed", 7, "--noise", 0.1, "--json",
    )  # fmt: skip
    row = strict(result.out)
    assert list(row)[:12] == KEYS
    same = graphol.simulate("molg-b:b=20", SMALL, repeats=3, seed=7, noise=0.1)
    assert timeless(row) == timeless(same.row()) | {"schema": 1}
    assert row["params"]["b"] == 20
    assert (result.code, result.err) == (0, "")


def test_every_option_reaches_the_game(run):
    row = strict(run(
        "simulate", "--learner", "molg-f:phi=3", "-p", "b=30", "--dataset", SMALL,
        "--feedback", "random-query:p=0.5", "--embedding", "spectral:dim=5", "--rounds", 40,
        "--repeats", 2, "--delay", 3, "--noise", 0.25, "--seed", 11, "--jobs", 2, "--json",
    ).out)  # fmt: skip
    assert row["params"] == {"b": 30.0, "phi": 3.0, "precision": "double"}
    assert (row["rounds"], row["repeats"], row["seed"]) == (40, 2, 11)
    assert row["recipe"]["feedback"] == {"name": "random-query", "p": 0.5}
    assert row["recipe"]["embedding"]["dim"] == 5
    assert row["recipe"]["engine"]["noise"] == 0.25
    assert row["recipe"]["engine"]["delay"] == 3
    assert row["queries_mean"] < 40


def test_the_table_has_the_figures_of_the_row(run):
    call = ("simulate", "--learner", "gpa", "--dataset", SMALL, "--repeats", 2)
    head, line = run(*call).out.splitlines()
    row = strict(run(*call, "--json").out)
    assert head.split() == [
        "learner", "dataset", "feedback", "rounds", "repeats", "error", "%", "95", "%", "±",
        "updates", "queries", "µs/round",
    ]  # fmt: skip
    error = f"{100 * row['error_rate_mean']:.2f} ± {100 * row['error_rate_std']:.2f}"
    assert line.split()[:5] == ["gpa", "sbm", "full", "60", "2"]
    assert error in line
    half = 100 * (row["error_rate_ci_high"] - row["error_rate_mean"])
    assert line.split()[8] == f"{half:.2f}"


def test_some_repeats_of_fresh_data(run, tmp_path):
    call = ("simulate", "--learner", "gpa", "--dataset", SMALL, "--seed", 4, "--fresh-data")
    some = strict(run(*call, "--repeats", "5-6", "--json").out)
    alone = strict(run(*call, "--repeats", "6-6", "--json").out)
    same = graphol.simulate("gpa", SMALL, repeats=7, seed=4, fresh_data=True)
    assert some["error_rate_mean"] == pytest.approx(same.error_rates[5:].mean())
    assert alone["error_rate_mean"] == same.error_rates[6]
    assert (some["repeats"], some["recipe"]["engine"]["repeats"]) == (2, "5-6")
    assert some["graph_hash"] != alone["graph_hash"]


def test_the_command_of_a_row_gives_the_row(run, own_graph, plugin_file):
    graph, labels = own_graph
    plugin = ("--plugin", plugin_file("my majority"))
    for call in (
        ("--learner", "ollgc", "-p", "mu=0.3", "--dataset", SMALL, "--one-vs-rest", "--noise", 0.2),
        ("--learner", "gpa", "--graph", graph, "--labels", labels, "--component", "largest"),
        ("--learner", "my majority:prior=2", *plugin, "--dataset", SMALL, "--rounds", 30),
        ("--learner", "molg-f", "--dataset", SMALL, "--feedback", "random-query:p=0.5"),
    ):
        row = strict(run("simulate", *call, "--repeats", "1-3", "--seed", 2, "--json").out)
        words = shlex.split(row["command"])
        again = strict(run(*words[1:], "--json").out)
        assert timeless(again) == timeless(row)


def test_digits_are_the_default(run):
    row = strict(run("simulate", "--learner", "gpa", "--repeats", 1, "--rounds", 50, "--json").out)
    assert (row["dataset"], row["rounds"], row["error_rate_std"]) == ("digits", 50, 0.0)


def test_own_graph_with_strange_file_names(run, own_graph):
    graph, labels = own_graph
    call = ("simulate", "--learner", "gpa", "--graph", graph, "--labels", labels, "--repeats", 1)
    result = run(*call, "--json")
    assert strict(result.out)["rounds"] == 11
    assert f"graphol: note: {graph.name}: 1 self loop(s) dropped\n" in result.err
    largest = run(*call, "--component", "largest", "--json")
    assert strict(largest.out)["rounds"] == 8
    assert run(*call, "--quiet").err == ""


def test_loose_ends_of_a_graph_are_told(run, own_graph, plugin_file):
    graph, labels = own_graph
    graph.write_text(graph.read_text() + "lonely,lonely\n")
    labels.write_text(labels.read_text() + "lonely,red\n")
    call = ("simulate", "--learner", "majority", "--plugin", plugin_file())
    result = run(*call, "--graph", graph, "--labels", labels, "--quiet")
    doubt = "doubtful: 1 of 12 labelled node(s) are guessed: no edges lead from them to another"
    assert doubt in result.out.splitlines()[2], "under the table, even if quiet"
    told = run(*call, "--graph", graph, "--labels", labels, "--json")
    assert "3 components; --component largest keeps one" in told.err
    assert "1 isolated node" in told.err
    assert doubt in " ".join(strict(told.out)["notes"])


def test_all_of_a_part_is_the_whole(run):
    part = "largest:of=(sbm:nodes=120,classes=2,degree_in=2,degree_out=0.5)"
    call = ("simulate", "--learner", "gpa", "--dataset", part, "--repeats", 1, "--json")
    rounds = [
        strict(run(*call, *more).out)["rounds"]
        for more in ((), ("--component", "largest"), ("--component", "all"))
    ]
    assert rounds[0] == rounds[1] < rounds[2] == 120


@pytest.mark.parametrize("learner", ["molg-f", "label-propagation"])
def test_the_largest_component_of_every_data_set(run, learner):
    """A generated one too; the command that is given back plays the same games."""
    sparse = ("--dataset", "sbm:nodes=120,classes=2,degree_in=2,degree_out=0.5", "--repeats", 2)
    whole = strict(run("simulate", "--learner", learner, *sparse, "--json").out)
    assert "--component largest keeps one" in " ".join(whole["notes"])
    call = ("simulate", "--learner", learner, *sparse, "--json", "--component")
    everything, part = (strict(run(*call, which).out) for which in ("all", "largest"))
    assert everything["graph_hash"] == whole["graph_hash"]
    assert part["rounds"] < whole["rounds"] == 120
    assert f"{120 - part['rounds']} node(s) left out: {part['rounds']} kept" in part["notes"]
    assert not any("components" in note for note in part["notes"])
    again = strict(run(*shlex.split(part["command"])[1:], "--json").out)
    same = ("graph_hash", "error_rate_mean", "notes", "command")
    assert [again[key] for key in same] == [part[key] for key in same]


def test_what_the_embedding_leaves_out_stands_under_the_table(run):
    call = ("simulate", "--learner", "molg-f", "--repeats", 1, "--dataset", "digits:k=1")
    result = run(*call, "--embedding", "spectral:dim=5")
    assert "doubtful: 1727 node(s) of small components have one dimension" in result.out
    assert "doubtful" not in result.err
    assert "doubtful" not in run(*call).out


@pytest.mark.filterwarnings("default")
def test_a_warning_is_a_note(run, plugin_file):
    warn = "import warnings; warnings.warn('too\\n hot'); "
    path = plugin_file("warns", ("return State(", f"{warn}return State("))
    call = ("simulate", "--learner", "warns", "--plugin", path, "--dataset", SMALL)
    assert run(*call).err == "graphol: note: too hot\n"
    assert run(*call, "--quiet").err == ""


def test_out_writes_traces_that_numpy_alone_reads(run, tmp_path):
    out = tmp_path / "deep" / "results"
    call = ("simulate", "--learner", "molg-b", "--dataset", SMALL, "--repeats", 3, "--out", out)
    row = strict(run(*call, "--json").out)
    assert {path.name for path in out.iterdir()} == {
        "meta.json", "trace-000.npz", "trace-001.npz", "trace-002.npz",
    }  # fmt: skip
    rates = []
    for path in sorted(out.glob("trace-*.npz")):
        with np.load(path, allow_pickle=False) as trace:
            rates.append(np.mean(trace["predicted"] != trace["label"]))
            assert json.loads(trace["meta.json"])["learner"]["name"] == "molg-b"
    assert np.mean(rates) == pytest.approx(row["error_rate_mean"])
    assert strict((out / "meta.json").read_text())["summary"] | {"schema": 1} == row

    again = run(*call)
    assert (again.code, again.out) == (2, "")
    assert "--force" in again.err
    fewer = run("simulate", "--learner", "gpa", "--dataset", SMALL, "--repeats", 1, "--out", out,
                "--force")  # fmt: skip
    assert fewer.code == 0
    assert {path.name for path in out.iterdir()} == {"meta.json", "trace-000.npz"}


def test_the_same_seed_gives_the_same_traces(run, tmp_path):
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        call = ("simulate", "--learner", "molg-b", "--dataset", SMALL, "--repeats", 1)
        assert run(*call, "--seed", seed, "--out", tmp_path / name).code == 0

    def columns(name):
        with np.load(tmp_path / name / "trace-000.npz") as trace:
            return {key: trace[key] for key in trace.files if key != "meta.json"}

    one, same, other = columns("a"), columns("b"), columns("c")
    for key, column in one.items():
        np.testing.assert_array_equal(column, same[key])
    assert not np.array_equal(one["node"], other["node"])


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot(run, tmp_path, ending):
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    path = tmp_path / f"curve.{ending}"
    call = ("simulate", "--learner", "gpa", "--dataset", SMALL, "--repeats", 2, "--plot", path)
    assert run(*call).code == 0
    assert path.read_bytes().startswith(magic[ending])
    assert run(*call).code == 2
    assert run(*call, "--force").code == 0
    assert [other.name for other in tmp_path.glob("*curve*")] == [path.name]


def test_a_plugin_file_plays(run, plugin_file):
    call = ("simulate", "--learner", "majority", "-p", "prior=2", "--plugin", plugin_file())
    for jobs in (1, 2):
        row = strict(run(*call, "--dataset", SMALL, "--repeats", 2, "--jobs", jobs, "--json").out)
        assert row["params"] == {"prior": 2.0}
        assert row["embedding"] is None
        assert row["updates_mean"] == 60


def test_figures_that_overflow_are_null():
    assert schema.plain({"a": [math.nan, math.inf, 1.5, True, None, (2, "x")]}) == {
        "a": [None, None, 1.5, True, None, [2, "x"]]
    }


def test_interrupt_is_one_line(refused, plugin_file):
    path = plugin_file(
        "stop", ("state.counts[", "import signal as s; s.raise_signal(s.SIGINT); state.counts[")
    )
    call = ("simulate", "--learner", "stop", "--plugin", path, "--dataset", SMALL)
    assert refused(*call, code=130) == "interrupted"
    path.write_text(path.read_text().replace("SIGINT", "SIGTERM"))
    registry.cache_clear()
    assert refused(*call, code=130) == "interrupted"


def test_an_interrupt_that_a_plugin_raises_is_its_failure(refused, plugin_file):
    path = plugin_file("stop", ("state.counts[", "raise KeyboardInterrupt; state.counts["))
    call = ("simulate", "--learner", "stop", "--plugin", path, "--dataset", SMALL)
    told = refused(*call, code=4)
    assert told.startswith(f"plugin stop_file ({path}) failed in update of 'stop' (line ")
    assert "KeyboardInterrupt" in told


def test_no_memory_is_one_line(refused, plugin_file):
    path = plugin_file("huge", ("state.counts[", "raise MemoryError('8 EiB'); state.counts["))
    call = ("simulate", "--learner", "huge", "--plugin", path, "--dataset", SMALL)
    told = refused(*call, code=4)
    assert told.startswith(f"plugin huge_file ({path}) failed in update of 'huge' (line ")
    assert "not enough memory: 8 EiB; try a smaller graph" in told


def test_a_bug_is_one_line_that_says_where(run, refused, plugin_file, monkeypatch):
    path = plugin_file("buggy", ("state.counts[", "1 / 0; state.counts["))
    call = ("simulate", "--learner", "buggy", "--plugin", path, "--dataset", SMALL)
    told = refused(*call, code=4)
    assert told.startswith(f"plugin buggy_file ({path}) failed in update of 'buggy' (line ")
    assert told.endswith("division by zero; GRAPHOL_TRACEBACK=1 shows how it came about")
    monkeypatch.setenv("GRAPHOL_TRACEBACK", "1")
    shown = run(*call)
    assert shown.code == 4 and shown.out == ""
    assert shown.err.startswith(f"graphol: {told}\nTraceback (most recent call last):\n")


def test_a_bug_of_ours_is_one_line_that_says_where(refused, monkeypatch):
    def broken(plan, *rest):
        raise SystemExit(0)

    monkeypatch.setattr("graphol.runner.games", broken)
    told = refused("simulate", "--learner", "gpa", "--dataset", SMALL, code=4)
    assert told.startswith(f"it called sys.exit(0), in broken ({__file__}, line ")


class Terminal:
    """A stderr that is a terminal."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_progress_only_on_a_terminal(run, monkeypatch):
    call = ("simulate", "--learner", "molg-b", "--dataset", SMALL, "--repeats", 1)
    assert run(*call).err == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert run(*call, "--quiet").code == 0
    assert terminal.text == ""
    assert run(*call).code == 0
    assert "embedding ..." in terminal.text
    assert "play molg-b: 60 rounds" in terminal.text
    assert terminal.text.endswith("\r\033[K")  # nothing is left behind
