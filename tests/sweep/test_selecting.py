"""Patterns against counts by hand."""

from __future__ import annotations

import pytest

from graphol.errors import UsageError
from graphol.sweep.planning import plan
from graphol.sweep.selecting import selected

SBM = "sbm:nodes=40,classes=2"


def test_only_some():
    cells = plan({"learner": ["gpa", "molg-f:b=20", "molg-b"], "dataset": SBM, "repeats": 12}).cells
    count = {
        "learner=molg-*": 24, "learner=molg-f:b=20*": 12, "learner=gpa": 12, "repeat=1": 3,
        "repeat=1*": 9, "dataset=sbm": 36, "seed=1": 0, "embedding=spectral": 36,
        "feedback=bandit": 12,
    }  # fmt: skip
    assert {text: len(selected(cells, [text])) for text in count} == count
    assert len(selected(cells, ["learner=molg-*", "repeat=3"])) == 2
    for text, line in (("lerner=x", "did you mean 'learner'"), ("learner", "of the form")):
        with pytest.raises(UsageError, match=line):
            selected(cells, [text])
