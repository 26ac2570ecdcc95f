"""Switching and multitask games as data sets: what is drawn when, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import graphol
from graphol.errors import GrapholError, InputError, UsageError
from graphol.latent import Clique, SupportTree

SWITCHING = ("switching", "switching-grid", "switching-sbm", "switching-digits")
MULTITASK = ("multitask", "multitask-grid", "multitask-sbm")
SMALL = "switching-grid:rows=6,cols=7,T=80,S=6"


def load(spec, seed=0):
    return graphol.make("dataset", spec).load(np.random.default_rng(seed))


def stream(task, seed=0):
    return task.stream(np.random.default_rng(seed))


@pytest.mark.parametrize("name", SWITCHING)
def test_a_switching_game(name):
    task = load(f"{name}:K=4,T=300,S=20")
    played = stream(task)
    assert task.labelings.shape == (4, task.graph.n) and task.graph.n_components == 1
    assert len(played) == 300 and len(played.marks) == 20
    assert played.truth.tolist() == task.labelings[played.active, played.node].tolist()
    assert played.context.tolist() == list(range(300))
    problem = task.problem(np.random.default_rng(0))
    assert problem.n_contexts == 300 and problem.latent == SupportTree(leaves=300)
    assert problem.graph.labels is None


@pytest.mark.parametrize("name", MULTITASK)
def test_a_multitask_game(name):
    task = load(f"{name}:T=300,tasks=9")
    played = stream(task)
    assert played.marks is None and set(played.context.tolist()) == set(range(9))
    assert played.truth.tolist() == task.labelings[played.active, played.node].tolist()
    problem = task.problem(np.random.default_rng(0))
    assert problem.n_contexts == 9 and problem.latent == Clique(vertices=9)


def test_the_problems_of_the_paper_are_the_defaults():
    grid, blocks = load("switching-grid"), load("switching-sbm")
    assert grid.graph.n == 400 and grid.graph.n_edges == 760
    assert (len(stream(grid)), len(stream(grid).marks)) == (2000, 30)
    inside = 8 * 50 * 49 / 2 * 0.3
    across = 400 * 350 / 2 * 0.01
    assert blocks.graph.n == 400
    assert abs(blocks.graph.n_edges - inside - across) < 5 * (inside + across) ** 0.5
    assert np.unique(blocks.labelings, axis=1).shape[1] <= 8
    assert (len(stream(load("switching"))), len(stream(load("switching")).marks)) == (3000, 15)
    assert len(stream(load("multitask-sbm"))) == 2000


def test_oracles_are_shown_what_nobody_knows():
    for context, wanted in (("segment", lambda s: np.searchsorted(s.marks, np.arange(80), "right")),
                            ("labeling", lambda s: s.active)):  # fmt: skip
        played = stream(load(f"{SMALL},context={context}"))
        assert played.context.tolist() == wanted(played).tolist()
    tasks = "multitask-grid:rows=6,cols=7,T=80,context="
    shown, usual = stream(load(tasks + "labeling")), stream(load(tasks + "task"))
    assert shown.context.tolist() == usual.active.tolist()
    assert shown.truth.tolist() == usual.truth.tolist()


def test_repeats_draw_switches_and_nodes_and_keep_labelings():
    result = graphol.simulate("kernel-perceptron", SMALL, repeats=3, seed=5)
    task, one, two = result.task, result.traces[0], result.traces[1]
    assert one.meta["marks"] != two.meta["marks"] and one.node.tolist() != two.node.tolist()
    for i in range(3):
        played = result.stream(i)
        assert played.truth.tolist() == task.labelings[played.active, played.node].tolist()
        assert result.traces[i].label.tolist() == played.truth.tolist()
        assert result.traces[i].meta["marks"] == played.marks.tolist()
    again = graphol.simulate("kernel-perceptron", SMALL, repeats=range(1, 2), seed=5)
    assert again.traces[0].predicted.tolist() == two.predicted.tolist()
    assert again.traces[0].meta["marks"] == two.meta["marks"]


def test_fresh_data_draws_labelings_and_graph_anew():
    spec = "switching-sbm:nodes=60,classes=3,degree_in=8,degree_out=2,T=50,S=4"
    arena = graphol.arena.Arena(spec)
    tasks = [arena.drawn(repeat) for repeat in range(3)]
    assert len({task.graph.hash for task in tasks}) == 3
    grids = [graphol.arena.Arena(SMALL).drawn(repeat) for repeat in range(3)]
    assert len({task.graph.hash for task in grids}) == 1  # a grid is a grid
    assert len({task.hashes["labelings_hash"] for task in grids}) == 3
    fresh = graphol.simulate("kernel-perceptron", spec, repeats=2, fresh_data=True)
    assert fresh.traces[0].label.tolist() != fresh.traces[1].label.tolist()


def test_any_data_set_can_be_played_on(tmp_path):
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\nb,c\nc,d\nx,y\n")
    task = load(f"switching:of=(files:graph={edges}),labelings=centres,centres=2,T=20,S=2")
    assert task.graph.ids == ("a", "b", "c", "d") and task.name == "switching: files"
    with pytest.raises(InputError, match=r"edges.csv has no labels; labelings=centres needs none"):
        load(f"switching:of=(files:graph={edges})")
    with pytest.raises(UsageError, match="centres must be <= 4"):
        load(f"switching:of=(files:graph={edges}),labelings=centres")
    with pytest.raises(InputError, match="the graph has 2 components"):
        load(f"switching:of=(files:graph={edges}),labelings=centres,centres=2,component=all")
    sparse = "sbm:nodes=60,classes=2,degree_in=2,degree_out=0.5"
    assert load(f"multitask:of=({sparse}),K=2,T=20").graph.n_components == 1
    with pytest.raises(InputError, match="components, and labelings are predicted on a connected"):
        load(f"multitask:of=({sparse}),K=2,T=20,component=all")
    # signals have a graph, too, and a game of labelings may be made of the graph of another
    assert load("switching:of=digit-pixels,labelings=centres,T=9,S=1").graph.n == 64
    assert load(f"multitask:of=({SMALL}),labelings=centres,T=9").graph.n == 42


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("switching:K=1", "switching: K must be >= 2 and <= 1000, got 1"),
        ("switching-sbm:S=2000", "switching-sbm: S must be < T = 2000, got 2000"),
        ("switching-grid:T=10", "switching-grid: S must be < T = 10, got 30"),
        ("multitask-sbm:tasks=1", "multitask-sbm: tasks must be >= 2 and <= 1e+08, got 1"),
        ("multitask-sbm:tasks=1000000000000", "multitask-sbm: tasks must be >= 2 and <= 1e+08"),
        ("switching-grid:centres=1", "switching-grid: centres must be >= 2, got 1"),
        ("switching-grid:context=task", "context must be one of time, segment, labeling"),
        ("multitask-grid:context=time", "context must be one of task, labeling"),
        ("switching-grid:labelings=stripes", "labelings must be one of classes, centres"),
        ("switching-sbm:classes=300", "sbm: classes must be <= nodes / 2, got 300"),
        ("switching:of=nothing", "unknown dataset 'nothing'"),
        ("switching-grid:latent=x.csv,context=segment", "leave out context=segment, or latent"),
        ("switching-digits:T=0", "T must be >= 1"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_loaded(spec, says):
    with pytest.raises(GrapholError) as caught:
        graphol.make("dataset", spec)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_a_latent_graph_of_ones_own(tmp_path):
    ring = tmp_path / "ring.csv"
    ring.write_text("source,target\n" + "".join(f"{i},{(i + 1) % 12}\n" for i in range(12)))
    spec = f"multitask-grid:rows=5,cols=5,T=60,tasks=12,latent={ring}"
    result = graphol.simulate("kernel-perceptron", spec, repeats=1)
    latent = result.task.problem(np.random.default_rng(0)).latent
    L = np.diag(np.full(12, 2.0))
    L[np.arange(12), (np.arange(12) + 1) % 12] = L[(np.arange(12) + 1) % 12, np.arange(12)] = -1
    K = np.linalg.pinv(L)
    wanted = K + K.diagonal().max()
    assert np.allclose([latent.gram(i, np.arange(12)) for i in range(12)], wanted, atol=1e-6)
    assert result.recipe["latent_hash"] == result.task.latent.hash
    with pytest.raises(InputError, match=r"20 contexts, but the latent graph .* has 12 vertices"):
        load(spec.replace("tasks=12", "tasks=20"))
    ring.write_text("source,target\na,b\nc,d\n")
    with pytest.raises(InputError, match=r"the latent graph .* has 2 components; join them"):
        load(spec.replace("tasks=12", "tasks=4"))
