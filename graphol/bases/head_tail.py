"""Learners of signals that project twice: the head of a gradient, the tail of the weights."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import (
    BoundProjection,
    CompiledProjection,
    Needs,
    NotCompiled,
    Problem,
    Vector,
    WarmProjection,
)
from graphol.bases.rules import Rule, required, settings
from graphol.bases.signal import FromProblem, Model, SignalLearner, State
from graphol.errors import GrapholError, Overflow, UsageError
from graphol.params import param
from graphol.registry import component


@attrs.frozen(eq=False)
class Projections(FromProblem):
    """Two projections, bound to the graph of this game, and room for p numbers."""

    head: BoundProjection
    tail: BoundProjection
    room: Vector


@attrs.frozen
class HeadAndTail(SignalLearner):
    """Base of learners with two projections: ``head`` of a gradient, ``projection`` of the weights.

    Both rules return nothing, and are followed by hyper-parameters by name.

    ``aim(model, x, by, t)``
        Take the gradient by * (x, 1) of round t = 0, 1, ... into ``model.dual``, at which the head
        projection looks.
    ``move(model, part, t)``
        Make of its result ``part``, in place, what the tail projection turns into weights.

    Parameters
    ----------
    s
        Size of the support, handed to ``projection``; by default the projection's own.
    head
        Applied to the gradient: a projection by name, anybody's.
    projection
        Applied to the weights: a projection by name, anybody's.
    """

    needs: ClassVar[Needs] = "signals"
    s: int | None = param(None, least=1, type=int)
    head: Any = component("projection", "wgm-head")
    projection: Any = component("projection", "wgm-tail")

    aim: ClassVar[Rule] = required()
    move: ClassVar[Rule] = required()

    @property
    def tail(self) -> Any:
        """The projection of the weights, of size s where one is asked for."""
        if self.s is None:
            return self.projection
        if not any(field.name == "s" for field in attrs.fields(type(self.projection))):
            raise UsageError(
                f"{self.name}: projection {self.projection.name} has no s to set; leave s out"
            )
        return attrs.evolve(self.projection, s=self.s)

    @property
    def _owner(self) -> str:
        """Every pair of projections has a stream of its own."""
        return f"{self.name} with {self.head.name} and {self.projection.name}"

    def derive(self, problem: Problem) -> Projections:
        """Projections that do not fit the graph are refused."""
        graph, p = problem.graph, problem.dim
        head, tail = self.head.bind(graph, p), self.tail.bind(graph, p)
        return Projections(problem.target == "real", head, tail, np.zeros(p))

    def step(self, state: State, x: Vector, by: float, t: int) -> bool:
        """Aim, project, move, project."""
        model, given = Model(*state[:-1]), state.derived
        self.aim(model, x, by, t, *settings(self, self.aim, 4, answers=False))
        try:
            part = project(self.head, given.head, model.dual[:-1], model.memory[:1])
            self.move(model, part, t, *settings(self, self.move, 3, answers=False))
            model.w[:-1] = project(self.tail, given.tail, part, model.memory[1:])
        except Overflow:
            return False
        return True

    def rules(self, state: State) -> tuple[dict[str, Rule], tuple[Any, ...]]:
        """As :meth:`step`, where both projections have a compiled form."""
        given = state.derived
        if not (
            isinstance(given.head, CompiledProjection)
            and isinstance(given.tail, CompiledProjection)
        ):
            raise NotCompiled
        from graphol.compiled import bind
        from graphol.compiled.signal import move_by_head_and_tail

        (head, heads), (tail, tails) = given.head.compiled(), given.tail.compiled()
        both = bind(move_by_head_and_tail, aim=self.aim, move=self.move, head=head, tail=tail)
        aiming = settings(self, self.aim, 4, answers=False)
        moving = settings(self, self.move, 3, answers=False)
        return {"move": both}, (given.room, heads, tails, aiming, moving)


def project(projection: Any, bound: BoundProjection, v: Vector, memory: Vector) -> Vector:
    """The projection of v; a search begins where the last one with this memory ended."""
    if not np.isfinite(v).all():
        raise Overflow(f"{projection.name}: the vector to project is not finite")
    answer: Any = bound.warm(v, memory) if isinstance(bound, WarmProjection) else bound(v)
    found = np.asarray(answer[0] if isinstance(answer, tuple) else answer)
    if not isinstance(answer, tuple) or found.shape != v.shape or not np.isfinite(found).all():
        raise GrapholError(
            f"projection {projection.name} must return a finite vector of {len(v)} entries and "
            f"its support, got {'a tuple with ' if isinstance(answer, tuple) else ''}"
            f"{type(found).__name__} of shape {found.shape}"
        )
    return found if found.flags.writeable and found is not v else found.copy()
