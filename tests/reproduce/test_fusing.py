"""Fused graphs against the citations alone: same nodes, same labels known, sums by hand."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph
from graphol.api import Wish
from graphol.errors import UsageError
from graphol.layers.edges import Layers
from graphol.reproduce import aistats19, run
from graphol.reproduce.fusing import ALONE, Mixture, joined

TABLE = attrs.evolve(
    aistats19.FUSING,
    entries=(attrs.evolve(aistats19.FUSING.entries[0], embedding="spectral:dim=8"),),
    datasets=("words",),
    mixtures=(Mixture(ALONE), Mixture("fused with features", stars=True)),
)


@attrs.frozen
class Words:
    """Two groups of 60 nodes in a noisy graph, with words that tell them apart."""

    name = "words"

    def load(self, rng):
        draw = np.random.default_rng(4)
        labels = np.arange(120) % 2
        same = labels[:, None] == labels[None, :]
        A = np.triu(draw.random((120, 120)) < np.where(same, 0.05, 0.04), 1).astype(float)
        words = draw.random((120, 12)) < np.where(np.arange(12) % 2 == labels[:, None], 0.6, 0.05)
        graph = Graph(A + A.T, labels=labels, label_names="ab", features=words.astype(float))
        return graphol.NodeTask((graph,), name="words")


@pytest.fixture
def words(monkeypatch):
    registry = graphol.registry.registry()
    make = registry.make
    monkeypatch.setattr(
        type(registry), "make",
        lambda self, kind, what: Words() if what == "words" else make(kind, what),
    )  # fmt: skip


def test_joined_layers_are_their_weighted_sum():
    graph = Graph.from_edges("abc", "bcd", labels=[0, 1, 0, 1], features=[[1], [0], [2], [0]])
    layers = Layers.of([graph, graph], graph.features)
    found = joined(layers, np.array([2.0, 0.5, 3.0]), graph)
    wanted = np.zeros((5, 5))
    wanted[:4, :4] = 2.5 * graph.adjacency.toarray()
    wanted[4, [0, 2]] = wanted[[0, 2], 4] = [3.0, 6.0]
    np.testing.assert_allclose(found.adjacency.toarray(), wanted)
    assert found.labels.tolist() == [0, 1, 0, 1, -1]
    assert joined(layers, np.array([1.0, 0.0, 0.0]), graph).n_edges == 3


def test_what_was_spent_is_not_scored(words):
    found = run(TABLE, repeats=2, seed=5)
    alone, fused = found.rows
    task = Words().load(None)
    for trial in alone.trials:
        _, _, rest = task.drawn(Wish(per_class=20), np.random.default_rng([5, trial["repeat"] + 1]))
        assert trial["spent"] == 40 and len(rest) == 80
        wrong = trial["measured"] / 100 * 80
        assert wrong == pytest.approx(round(wrong))
    assert fused.measured < alone.measured - 5
    (text,) = found.conclusions
    assert "fused with features" in text and f"{fused.measured - alone.measured:+.2f}" in text


def test_refusal():
    with pytest.raises(UsageError, match="sbm has no node features to fuse with"):
        run("aistats19-fusing", datasets=["sbm"])
