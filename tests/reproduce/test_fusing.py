"""Fused graphs against the citations alone: the same rounds, scored for all or for nobody."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol.errors import UsageError
from graphol.reproduce import aistats19, run
from graphol.reproduce.fusing import ALONE, Mixture, cut

TABLE = attrs.evolve(
    aistats19.FUSING,
    entries=(attrs.evolve(aistats19.FUSING.entries[0], embedding="spectral:dim=8"),),
    mixtures=(Mixture(ALONE), Mixture("fused with features", fuser="multi-mrf")),
    spent=30,
)


@pytest.fixture
def cora(monkeypatch, tmp_path):
    """Two groups in a graph that hardly tells them apart, with words that do."""
    draw = np.random.default_rng(4)
    labels = np.arange(120) % 2
    same = labels[:, None] == labels[None, :]
    A = np.triu(draw.random((120, 120)) < np.where(same, 0.05, 0.04), 1)
    rows, columns = np.nonzero(A | A.T)
    words = draw.random((120, 12)) < np.where(np.arange(12) % 2 == labels[:, None], 0.6, 0.05)
    x_rows, x_columns = np.nonzero(words)
    np.savez(
        tmp_path / "cora.npz", n=120, labels=labels, label_names=np.array(list("ab")),
        indptr=np.searchsorted(rows, np.arange(121)).astype(np.int32),
        indices=columns.astype(np.int32), data=np.ones(len(rows), dtype=np.float32),
        x_indptr=np.searchsorted(x_rows, np.arange(121)).astype(np.int32),
        x_indices=x_columns.astype(np.int32), x_data=np.ones(len(x_rows), dtype=np.float32),
        x_shape=np.array([120, 12]),
    )  # fmt: skip
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))


def test_the_same_rounds_are_scored_in_every_row(cora):
    found = run(TABLE, repeats=2, seed=5, datasets=["cora"])
    alone, fused = found.rows
    plain = graphol.simulate("molg-f", "cora", embedding="spectral:dim=8", repeats=2, seed=5)
    by_hand = [100 * trace.loss[30:].mean() for trace in plain.traces]
    assert [trial["measured"] for trial in alone.trials] == pytest.approx(by_hand)
    again = graphol.simulate(
        "molg-f", "cora", embedding="spectral:dim=8", repeats=2, seed=5, fuse=30
    )
    assert fused.measured == pytest.approx(100 * again.error_rate_mean)
    assert all(trace.scored.sum() == len(trace) - 30 for trace in again.traces)
    assert "--fuse 30" in fused.command and "--fuse" not in alone.command
    assert fused.measured < alone.measured - 5
    (text,) = found.conclusions
    assert "fused with features" in text and f"{fused.measured - alone.measured:+.2f}" in text


def test_cut():
    plain = graphol.simulate("gpa", "sbm:nodes=80", repeats=1)
    assert cut(plain, 10).error_rate_mean == plain.traces[0].loss[10:].mean()


def test_refusal():
    with pytest.raises(UsageError, match="sbm has no node features to fuse with"):
        run("aistats19-fusing", datasets=["sbm"])
