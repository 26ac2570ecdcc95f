"""The conformance kit: what every component promises, as small named checks.

A plugin's test is one decorator; each (component, check) is one pytest case::

    import graphol.testing

    @graphol.testing.learner_checks(ForgetfulPerceptron(), ForgetfulPerceptron(keep=0.5))
    def test_conforms(component, check):
        check(component)

``graphol check learner forgetful`` runs the same checks from the command line. A check that a
component is known to fail is named with its reason, never skipped in silence::

    @graphol.testing.learner_checks(Odd(), known_failures={"learns": "it only ever guesses"})
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from graphol.errors import UsageError, in_one_line, near

Check = Callable[[Any], None]


class Outcome(NamedTuple):
    """What became of one check."""

    name: str
    protects: str
    """What would go wrong for users without it."""
    failure: str
    """Empty if the check passed."""


def checks(kind: str) -> dict[str, Check]:
    """All checks of one kind of component, by name."""
    from graphol.testing import (
        datasets,
        embeddings,
        executors,
        feedbacks,
        learners,
        projections,
        recipes,
        solvers,
        strategies,
    )

    of_kind = {
        "learner": learners,
        "feedback": feedbacks,
        "embedding": embeddings,
        "projection": projections,
        "solver": solvers,
        "dataset": datasets,
        "executor": executors,
        "strategy": strategies,
    }
    if kind not in of_kind:
        raise UsageError(f"there is no kind {kind!r} of component; {near(kind, of_kind)}")
    found: list[Check] = [partial(check, kind) for check in recipes.CHECKS]
    found += of_kind[kind].CHECKS
    return {_function(check).__name__.replace("_", " "): check for check in found}


def run(kind: str, component: Any) -> Iterator[Outcome]:
    """Every check of this kind on one component, in order."""
    for name, check in checks(kind).items():
        protects = " ".join((_function(check).__doc__ or "").split())
        failure = ""
        try:
            check(component)
        except KeyboardInterrupt:
            raise
        except BaseException as reason:  # a component that exits fails the check
            failure = _told(reason)
        yield Outcome(name, protects, failure)


def _told(reason: BaseException) -> str:
    """A failed check in one line: what it says; what else was asserted or raised, and where."""
    last = traceback.extract_tb(reason.__traceback__)[-1]
    text = in_one_line(reason)
    if isinstance(reason, AssertionError):
        _, colon, said = text.partition(": ")
        if colon:
            return said
        text = (last.line or "the assertion").removeprefix("assert ") + " does not hold"
    return f"{text} ({Path(last.filename).name}, line {last.lineno})"


def _function(check: Any) -> Any:
    return check.func if isinstance(check, partial) else check


def _decorator(kind: str) -> Callable[..., Any]:
    def decorate(*components: Any, known_failures: Mapping[str, str] | None = None) -> Any:
        import pytest

        known = dict(known_failures or {})
        found = checks(kind)
        for name in known:
            if name not in found:
                raise UsageError(f"there is no {kind} check {name!r}; {near(name, found)}")
        cases = [
            pytest.param(
                component,
                check,
                id=f"{component.name}-{i}-{name}",
                marks=[pytest.mark.xfail(reason=known[name], strict=True)] if name in known else [],
            )
            for i, component in enumerate(components)
            for name, check in found.items()
        ]
        return pytest.mark.parametrize(("component", "check"), cases)

    decorate.__doc__ = f"Parametrise a test with every {kind} check for the given components."
    return decorate


learner_checks = _decorator("learner")
feedback_checks = _decorator("feedback")
embedding_checks = _decorator("embedding")
projection_checks = _decorator("projection")
solver_checks = _decorator("solver")
dataset_checks = _decorator("dataset")
executor_checks = _decorator("executor")
strategy_checks = _decorator("strategy")
