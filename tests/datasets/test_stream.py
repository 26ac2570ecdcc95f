"""A user's own rounds as a task: contexts, times, latent graphs, and what does not fit together."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

import graphol
from graphol.again import with_tasks
from graphol.cli import main
from graphol.datasets.stream import OwnStream
from graphol.errors import InputError, UsageError
from graphol.latent import Clique, SupportTree
from graphol.report.comparison import Comparison
from graphol.testing.datasets import CHECKS

EDGES = "source,target\na,b\nb,c\nc,d\nd,a\nx,y\n"
ROUNDS = "node,context,sign\na,u,+1\nx,w,-1\nb,v,-1\nc,u,1\na,v,-1\n"


@pytest.fixture
def put(tmp_path):
    """Writes a file; its path."""

    def write(name, content):
        (tmp_path / name).write_text(content)
        return str(tmp_path / name)

    write("edges.csv", EDGES)
    write("stream.csv", ROUNDS)
    write("latent.csv", "source,target\nu,v\nv,w\n")
    return write


@pytest.fixture
def load(tmp_path, put):
    def made(**given):
        paths = {"graph": "edges.csv", "stream": "stream.csv"} | given
        paths = {k: v if k == "component" else str(tmp_path / v) for k, v in paths.items()}
        return OwnStream(**{"component": "largest"} | paths).load(np.random.default_rng(0))

    return made


def test_contexts_are_tasks_of_which_none_is_nearer(load):
    task = load()
    played = task.stream(np.random.default_rng(0))
    assert [task.graph.ids[i] for i in played.node] == ["a", "b", "c", "a"]
    assert played.context.tolist() == [0, 1, 0, 1] and played.truth.tolist() == [1, -1, 1, -1]
    assert task.latent == Clique(vertices=2) and task.n_contexts == 2 and task.name == "stream.csv"
    assert task.graph.notes == (
        "2 node(s) left out: 4 kept", "1 round(s) about other nodes left out",
    )  # fmt: skip


def test_times_are_leaves_of_a_support_tree(load, put):
    put("stream.csv", "node,time,sign\na,3,1\nb,3,-1\na,7,-1\nc,900,1\n")
    task = load()
    assert task.contexts.tolist() == [0, 0, 1, 2] and task.n_contexts == 3
    assert task.latent == SupportTree(leaves=3)
    put("stream.csv", "node,sign\na,1\nb,-1\na,-1\n")
    task = load()
    assert task.contexts.tolist() == [0, 1, 2] and task.latent == SupportTree(leaves=3)


def test_a_latent_graph_of_ones_own(load, put):
    task = load(latent="latent.csv")
    assert task.contexts.tolist() == [0, 1, 0, 1] and task.n_contexts == 3
    result = graphol.simulate("kernel-perceptron", task, repeats=1)
    latent = result.task.problem(np.random.default_rng(0)).latent
    P = np.linalg.pinv([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])
    found = [latent.gram(i, np.arange(3)) for i in range(3)]
    np.testing.assert_allclose(found, P + P.diagonal().max(), atol=1e-6)
    put("latent.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")
    put("stream.csv", "node,context,sign\na,2,1\nb,1,-1\n")  # whole numbers there, texts here
    assert load(latent="latent.mtx").contexts.tolist() == [1, 0]


def test_one_context_is_played_with_a_note(load, put):
    put("stream.csv", "node,context,sign\na,u,1\nb,u,-1\n")
    assert load().graph.notes[-1] == "all rounds are in one context"
    assert graphol.simulate("kernel-perceptron", load(), repeats=1).error_rate_mean == 0.5


@pytest.mark.parametrize("check", CHECKS)
def test_it_keeps_what_data_sets_promise(put, check):
    check(OwnStream(graph=put("g.csv", "source,target\na,b\nb,c\n"),
                    stream=put("s.csv", "node,context,sign\na,2,1\nb,7,-1\na,7,1\n")))  # fmt: skip


def test_what_does_not_fit_together(load, put):
    def refused(says, kind=InputError, **given):
        with pytest.raises(kind) as caught:
            load(**given)
        assert says in str(caught.value) and "\n" not in str(caught.value)

    refused("the graph has 2 components", component="all")
    put("bad.csv", ROUNDS + "e,u,1\nee,u,1\n")
    refused("bad.csv line 7: node 'e' (and 1 more) is not in", stream="bad.csv")
    put("bad.csv", ROUNDS.replace("b,v", "b,zz"))
    refused("line 4: context 'zz' is no node of", stream="bad.csv",
            latent="latent.csv")  # fmt: skip
    refused("there are: ", stream="bad.csv", latent="latent.csv")
    put("bad.csv", "source,target\nu,v\nv,w\np,q\n")
    refused("the latent graph", latent="bad.csv")
    refused("has 2 components; join them", latent="bad.csv")
    put("bad.csv", "node,time,sign\na,1,1\nb,2,-1\n")
    refused("has no column context", stream="bad.csv", latent="latent.csv")
    put("bad.csv", "node,sign\na,1\nb,1\n")
    refused("bad.csv: 2 round(s), all with the sign +1; a game needs both", stream="bad.csv")
    put("bad.csv", "node,sign\nx,1\ny,-1\n")
    refused("bad.csv: 0 round(s); a game needs both signs", stream="bad.csv")
    refused("there is no such file", stream="no.csv")
    with pytest.raises(UsageError, match="give both files, --graph FILE --stream FILE"):
        OwnStream().load(np.random.default_rng(0))


def command(capsys, tmp_path, *more, learner="kernel-perceptron"):
    files = [f"--{name}={tmp_path / file}" for name, file in
             (("graph", "edges.csv"), ("stream", "stream.csv"))]  # fmt: skip
    code = main(["simulate", "--learner", learner, "--component", "largest", *files, *more])
    return code, *capsys.readouterr()


def test_the_command_line_and_the_command_it_prints(capsys, tmp_path, put):
    latent = f"--latent={tmp_path / 'latent.csv'}"
    code, out, err = command(capsys, tmp_path, latent, "--repeats", "2", "--json")
    row = json.loads(out)
    assert code == 0 and row["rounds"] == 4 and row["dataset"] == "stream.csv"
    assert "the rounds are given, so every repeat plays the same" in err
    words = shlex.split(row["command"])
    for option in ("--graph", "--stream", "--latent", "--component"):
        assert option in words
    assert main([*words[1:], "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    same = ("error_rate_mean", "graph_hash", "latent_hash", "sequence_hash", "command")
    assert [again[key] for key in same] == [row[key] for key in same]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--labels", "stream.csv"], "give --labels or --stream, not both"),
        (["--dataset", "sbm"], "give --dataset sbm or --graph"),
        (["--fresh-data"], "is read, not generated"),
        (["--one-vs-rest"], "leave --one-vs-rest out"),
        (["--latent", "none.csv"], "there is no such file"),
    ],
)
def test_options_that_do_not_go_together(capsys, tmp_path, put, more, says):
    code, out, err = command(capsys, tmp_path, *more)
    assert code in (2, 3) and out == "" and says in err and err.count("\n") == 1


def test_options_that_need_others(capsys, put):
    for options, says in (
        (["--stream", "s.csv"], "--stream needs --graph"),
        (["--graph", "e.csv", "--latent", "l.csv"], "--latent needs --stream"),
        (["--dataset", "sbm", "--latent", "l.csv"], "--latent joins contexts, and sbm has none"),
        (["--dataset", "switching-grid:latent=a.csv", "--latent", "l.csv"], "latent=a.csv already"),
    ):
        assert main(["simulate", "--learner", "kernel-perceptron", *options]) == 2
        err = capsys.readouterr().err
        assert says in err and err.count("\n") == 1


def test_its_graph_can_be_embedded(capsys, tmp_path, put):
    data = f"stream:graph={tmp_path / 'edges.csv'},stream={tmp_path / 'stream.csv'}"
    options = ["embed", "--dataset", data, "--embedding", "spectral:dim=2", "--json"]
    assert main(options) == 3
    assert "--component largest keeps one" in capsys.readouterr().err
    assert main([*options, "--component", "largest"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"] == 4


def test_results_know_their_rounds_and_their_latent_graph(capsys, tmp_path, put):
    """Other rounds, or another latent graph, are other games, though the graph is the same."""
    latent = f"--latent={tmp_path / 'latent.csv'}"

    def played(name):
        code, _, _ = command(
            capsys, tmp_path, latent, "--repeats=1", f"--out={tmp_path / name}",
            "--embedding=spectral:dim=2",
        )  # fmt: skip
        assert code == 0
        return graphol.Simulation.load(tmp_path / name)

    one = played("one")
    (same,) = with_tasks([one])
    assert same.task.latent.hash == one.recipe["latent_hash"]
    put("latent.csv", "source,target\nu,v\nv,w\nu,w\n")
    two = played("two")
    assert one.recipe["graph_hash"] == two.recipe["graph_hash"]
    assert one.recipe["sequence_hash"] == two.recipe["sequence_hash"]
    with pytest.raises(UsageError, match=r"not of the same games .latent graph"):
        Comparison.of([one, two])
    with pytest.raises(InputError, match="another game today, not with the same latent graph"):
        with_tasks([one])
    put("stream.csv", ROUNDS.replace("b,v,-1", "b,v,1"))
    three = played("three")
    with pytest.raises(UsageError, match=r"not of the same games .rounds"):
        Comparison.of([two, three])
    with pytest.raises(InputError, match="another game today, not with the same rounds"):
        with_tasks([two])
    other = (tmp_path / "three" / "trace-000.npz").read_bytes()
    (tmp_path / "two" / "trace-000.npz").write_bytes(other)
    with pytest.raises(InputError, match=r"is not of the games in meta.json"):
        graphol.Simulation.load(tmp_path / "two")
