"""The support tree of figure 1: its cut, its labels, its picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphol.errors import UsageError
from graphol.latent import SupportTree
from graphol.reproduce import jmlr15, run
from graphol.reproduce.support_tree import coloured


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_the_labels_cut_as_few_edges_as_can_be(active):
    found = coloured(np.array(active), 4)
    np.testing.assert_array_equal(found.levels[0][: len(active)], active)
    assert len(found.cut) == SupportTree(leaves=len(active)).least_cut(np.array(active), 4)
    assert len(found.levels[-1]) == 1


def test_figure_1():
    rounds = {1: [*range(1, 5), *range(16, 21)], 2: [5, 6, *range(10, 14)], 3: [7, 8, 9, 14, 15]}
    assert [k + 1 for k in jmlr15.FIGURE1.active] == [
        next(k for k, which in rounds.items() if t in which) for t in range(1, 21)
    ]
    found = {row.metric: row.measured for row in run("jmlr15-fig1").rows}
    assert (found["rounds T"], found["labelings K"], found["switches S"]) == (20, 3, 5)
    assert found["least cut"] == 7 <= found["S log2 T"] == pytest.approx(5 * np.log2(20))
    assert found["R_H"] == pytest.approx(4.0446, abs=1e-4)


def test_picture_and_refusal(tmp_path):
    jmlr15.FIGURE1.draw((), tmp_path / "tree.svg")
    text = (tmp_path / "tree.svg").read_text()
    assert text.count("stroke: #dc143c") == 7  # the edges that are cut
    with pytest.raises(UsageError, match="leave --datasets out"):
        run("jmlr15-fig1", datasets=["cora"])
