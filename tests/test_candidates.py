"""A grid becomes settings: all combinations, read by the components' own types."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphol
from graphol import UsageError
from graphol.candidates import Candidate, candidates

USUAL = Candidate(
    graphol.make("learner", "molg-f:b=20"), graphol.make("dataset", "digits"),
    graphol.make("feedback", "full"), graphol.make("embedding", "spectral"),
)  # fmt: skip


def test_all_combinations_in_order():
    found = candidates(USUAL, {"phi": ["1", "1e1"], "embedding.dim": [5, "20"], "dataset.k": ["8"]})
    made = [(x.learner.b, x.learner.phi, x.embedding.dim, x.dataset.k) for x in found]
    assert made == [(20, phi, dim, 8) for phi, dim in itertools.product((1, 10), (5, 20))]
    assert found[1].values == {"phi": 1.0, "embedding.dim": 20, "dataset.k": 8}
    assert str(found[1]) == "phi=1 embedding.dim=20 dataset.k=8"
    assert all(x.feedback is USUAL.feedback for x in found)


def test_components_are_values_too():
    found = candidates(USUAL, {"embedding.solver": ["(cg:tol=1e-6)", "splu"]})
    assert [x.embedding.solver.name for x in found] == ["cg", "splu"]
    assert found[0].embedding.solver.tol == 1e-6 and str(found[1]) == "embedding.solver=splu"


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({}, "nothing to choose from"),
        ({"phi": ["1"]}, "one setting, which leaves nothing to choose"),
        ({"phy": ["1", "2"]}, "molg-f has no parameter 'phy'; did you mean 'phi'?"),
        ({"embeding.dim": ["1", "2"]}, "did you mean 'embedding'?"),
        ({"embedding.dum": [1, 2]}, "spectral has no parameter 'dum'; did you mean 'dim'?"),
        ({"phi": ["1", "1.0"]}, "phi: 1.0 is given twice"),
        ({"phi": [1, 2], "learner.phi": [3, 4]}, "learner.phi is in the grid twice"),
        ({"phi": ["a", "2"]}, "phi must be a number, got 'a'"),
        ({"phi": ["2", "-1"]}, "phi must be >= 0, got -1.0"),
        ({"phi": "12"}, "must be a list"),
        ({"phi": []}, "must be a list"),
        ({"dataset.k": ["2", "2.5"]}, "digits: k must be a whole number, got '2.5'"),
        ({"phi": range(1, 200), "b": range(1, 200)}, "39601 settings, at most 10000"),
    ],
)
def test_refusals_are_one_line(grid, message):
    with pytest.raises(UsageError) as error:
        candidates(USUAL, grid)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_what_is_not_there_has_no_parameters():
    bare = Candidate(graphol.make("learner", "label-propagation"), object())
    with pytest.raises(UsageError, match="plays without embedding here"):
        candidates(bare, {"embedding.dim": [1, 2]})
    task = graphol.make("dataset", "sbm:nodes=60").load(np.random.default_rng(0))
    for value in (object(), task, task.graph):
        with pytest.raises(UsageError, match="the dataset is given as a value"):
            candidates(Candidate(bare.learner, value), {"dataset.name": ["a", "b"]})
