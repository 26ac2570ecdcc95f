"""Learning the weights of layers: how a gradient grows with the edges, and how long it takes.

Processor time of one thread. Growth is measured with one solver, which no dense core can flatter;
`auto` is never slower than that by much, and is faster on small graphs.
"""

import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import graphol
from graphol.formats import read_graph
from graphol.layers.edges import Layers
from graphol.layers.learning import learn
from graphol.layers.likelihood import Likelihood
from graphol.layers.selection import select

FLOORS = tomllib.loads((Path(__file__).parent / "floors.toml").read_text())
SEEDS, K = 60, 3
SIZES = ("cora", "citeseer", "lastfm_asia", "pubmed", "facebook_pages", "wordnet30")
pytestmark = [pytest.mark.bench, pytest.mark.data]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1, "blas"):
        yield


def graph_of(name, data_dir):
    return read_graph(data_dir / f"{name}.npz").bare


def seconds(run, times=2):
    best = np.inf
    for _ in range(times):
        start = time.thread_time()
        run()
        best = min(best, time.thread_time() - start)
    return best


def gradient(graph, solver):
    """One exact gradient with 60 seeds, of the graph and ten stars on a tenth of the nodes each."""
    rng = np.random.default_rng(0)
    X = (rng.random((graph.n, 10)) < 0.1).astype(float)
    layers = Layers.of([graph], X)
    seeds, Y = rng.permutation(graph.n)[:SEEDS], np.eye(K)[np.arange(SEEDS) % K]
    like = Likelihood.of(layers, seeds, Y, 100.0, graphol.make("solver", solver))
    alpha = np.full(len(layers), 0.1)
    like.at(alpha)  # compiled, and the pattern found
    return layers.n_edges, seconds(lambda: like.at(alpha))


def test_a_gradient_grows_with_the_edges(data_dir, capsys):
    """The exponent of a log-log fit over six graphs, up to wordnet30."""
    found = [gradient(graph_of(name, data_dir), "approx-chol:tol=1e-8") for name in SIZES]
    edges, times = np.array(found).T
    exponent = float(np.polyfit(np.log(edges), np.log(times), 1)[0])
    with capsys.disabled():
        for name, (m, took) in zip(SIZES, found, strict=True):
            print(f"\n  {name:16}{m:9.0f} edges {took:7.2f} s", end="")
        print(f"\n  exponent {exponent:.2f}")
    assert exponent <= FLOORS["layers-growth"]["most"]


@pytest.mark.parametrize(
    ("name", "features", "entry"),
    [("pubmed", 10, "layers-pubmed"), ("cora", None, "layers-cora-all")],
)
def test_weights_are_learned_in_time(name, features, entry, data_dir, capsys):
    task = graphol.make("dataset", f"{name}:component=all").load(np.random.default_rng(0))
    train, labels = task.split.train, task.graph.labels[task.split.train]
    solver = graphol.make("solver", "auto")

    def run():
        X = task.graph.features
        columns = None if features is None else select(X[train], labels, features)
        layers = Layers.of([task.graph], X, columns)
        return learn(layers, train, labels, 30.0, solver, np.random.default_rng(0))

    took = seconds(run, times=1)
    with capsys.disabled():
        print(f"\n  {name}, {features or 'all'} features: {took:.1f} s")
    assert took <= FLOORS[entry]["most"]
