"""The picture of the weights."""

from __future__ import annotations

import pytest

import graphol
from graphol.report.bars import plot_weights

pytest.importorskip("matplotlib")


def rows(count):
    return [{"layer": f"$l_{i}$", "weight": 1.0 / (i + 1), "share": 0.5 / (i + 1)}
            for i in range(count)]  # fmt: skip


def test_layers_are_named_as_they_are_and_the_picture_is_the_same_twice(tmp_path):
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    plot_weights(rows(60), first, title="toy")
    plot_weights(rows(60), second, title="toy")
    assert first.read_bytes() == second.read_bytes()
    assert "(20 lighter layers not drawn)" in first.read_text()
    with pytest.raises(graphol.UsageError, match="exists; add force=True"):
        plot_weights(rows(2), first)
    plot_weights(rows(2), first, force=True)
    assert first.read_bytes() != second.read_bytes()
