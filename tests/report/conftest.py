"""Outcomes that nobody played, for tests of what a report makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from graphol.report.cast import Entry, cast
from graphol.report.outcome import Outcome


def made(
    learner: str | Mapping[str, Any] = "gpa",
    dataset: str = "digits",
    error: float = 0.1,
    *,
    repeat: int = 0,
    questions: str = "",
    **more: Any,
) -> Outcome:
    """One game; what is not said is the same in all."""
    given: dict[str, Any] = {
        "embedding": None, "feedback": {"name": "full"}, "rules": {}, "task": dataset,
        "target": "classes", "seed": 0, "played_on": f"hash-{dataset}", "queries": 100.0,
        "updates": 1000 * error, "us_per_round": 0.5, "seconds": 0.001,
        "rounds": np.array([1, 50, 100]), "curve": np.array([1.0, 2 * error, error]),
        "versions": {"graphol": "0.1.0"},
    }  # fmt: skip
    return Outcome(
        learner={"name": learner} if isinstance(learner, str) else learner,
        dataset={"name": dataset},
        error=error,
        repeat=repeat,
        questions=questions or f"{dataset} {repeat}",
        **given | more,
    )


def all_played(errors: Mapping[tuple[str, str], Sequence[float]]) -> list[Entry]:
    """Entries of these errors by learner and data set, one per repeat."""
    return cast(
        made(learner, dataset, error, repeat=i)
        for (learner, dataset), values in errors.items()
        for i, error in enumerate(values)
    )[0]


@pytest.fixture
def outcome() -> Callable[..., Outcome]:
    """Makes one."""
    return made


@pytest.fixture
def played() -> Callable[..., list[Entry]]:
    """Makes entries of errors by learner and data set."""
    return all_played
