"""A plugin in one file: a learner that is made of others."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

import graphol


@attrs.frozen
class FirstOf:
    """Plays as the first of its members does.

    Parameters
    ----------
    learners
        The members.
    shift
        A number, which changes nothing.
    """

    name: ClassVar[str] = "first-of"
    learners: tuple[Any, ...] = graphol.components("learner", "(gpa)+(molg-f)")
    shift: float = graphol.param(0.0)

    def __attrs_post_init__(self) -> None:
        if not (self.targets and self.learns_from):
            names = ", ".join(each.name for each in self.learners)
            raise graphol.UsageError(f"{self.name}: {names} share no game")

    @property
    def feedback(self) -> str:
        return self.learners[0].feedback

    @property
    def learns_from(self) -> tuple[str, ...]:
        return self._shared([each.learns_from for each in self.learners])

    @property
    def targets(self) -> tuple[str, ...]:
        return self._shared([each.targets for each in self.learners])

    @property
    def needs(self) -> str:
        return self.learners[0].needs

    @staticmethod
    def _shared(said: list[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(each for each in said[0] if all(each in other for other in said))

    def start(self, problem):
        return self.learners[0].start(problem)

    def predict(self, state, instance):
        return self.learners[0].predict(state, instance)

    def update(self, state, instance, prediction, reveal):
        return self.learners[0].update(state, instance, prediction, reveal)


@graphol.hookimpl
def graphol_learners():
    return [FirstOf]
