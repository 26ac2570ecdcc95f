"""The table of what fusing is worth."""

from __future__ import annotations

import numpy as np
import pytest

import graphol
from graphol import Graph
from graphol.reproduce.fusing import fused_against_alone
from graphol.tasks import NodeTask


def blocks(rng, p_in, p_out, labels):
    same = labels[:, None] == labels
    A = np.triu(rng.random(same.shape) < np.where(same, p_in, p_out), 1).astype(float)
    return A + A.T


def test_rows_are_paired_and_spent_rounds_do_not_count():
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 3
    good, bad = blocks(rng, 0.25, 0.02, labels), blocks(rng, 0.06, 0.06, labels)
    task = NodeTask((Graph(bad, labels=labels, name="bad"), Graph(good, name="good")), "two")
    rows = fused_against_alone(task, labels=40, repeats=3, fuser="multi-mrf")
    assert [row["on"] for row in rows] == ["bad", "sum of layers", "fused"]
    alone = graphol.simulate("molg-f", NodeTask(task.graphs[:1], "two"), repeats=3)
    rates = [trace.loss[40:].mean() for trace in alone.traces]
    assert rows[0]["error_rate_mean"] == pytest.approx(np.mean(rates))
    assert rows[0]["difference"] is None
    wanted = 100 * (rows[2]["error_rate_mean"] - rows[0]["error_rate_mean"])
    assert rows[2]["difference"] == pytest.approx(wanted) and wanted < -20
    assert rows[2]["difference_low"] < wanted < rows[2]["difference_high"]
    with pytest.raises(graphol.UsageError, match="it has no layers"):
        fused_against_alone("switching-sbm")
