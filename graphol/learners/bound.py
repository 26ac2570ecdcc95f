"""Projections bound to the graph in a learner's state, each thread with its own workspace."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import BoundProjection, Needs, NotCompiled, Problem, Projection, Vector
from graphol.errors import GrapholError, Overflow, UsageError
from graphol.graph import Graph
from graphol.learners.signal import SignalLearner, State
from graphol.projections.wgm import BoundWgm

KEPT = 8
_local = threading.local()


def with_graph(state: State, problem: Problem) -> State:
    """The state with the graph in it, so that it can be resumed anywhere."""
    if problem.graph is None:
        return state
    S = problem.graph.adjacency
    return state._replace(indptr=S.indptr, indices=S.indices, weights=S.data)


def bound(projection: Projection, state: State) -> BoundProjection:
    """The projection on this state's graph: prepared once per thread, then found again."""
    kept: list[tuple[Any, Any, BoundProjection]] = _local.__dict__.setdefault("kept", [])
    for known, indptr, ready in kept:
        if indptr is state.indptr and known == projection:
            return ready
    from scipy.sparse import csr_array

    p = len(state.w) - 1
    graph = None
    if len(state.indptr):
        n = len(state.indptr) - 1
        graph = Graph(csr_array((state.weights, state.indices, state.indptr), shape=(n, n)))
    ready = projection.bind(graph, p)
    kept.append((projection, state.indptr, ready))
    del kept[:-KEPT]
    return ready


def project(projection: Projection, state: State, v: Vector, slot: int) -> Vector:
    """The projection of v; a search begins where the last one of this slot ended."""
    if not np.isfinite(v).all():
        raise Overflow(f"{projection.name}: the vector to project is not finite")
    ready: Any = bound(projection, state)
    remembered = (state.memory[slot : slot + 1],) if getattr(ready, "remembers", False) else ()
    answer = ready(v, *remembered)
    found = np.asarray(answer[0] if isinstance(answer, tuple) else answer)
    if not isinstance(answer, tuple) or found.shape != v.shape or not np.isfinite(found).all():
        raise GrapholError(
            f"projection {projection.name} must return a finite vector of {len(v)} entries and "
            f"its support, got {'a tuple with ' if isinstance(answer, tuple) else ''}"
            f"{type(found).__name__} of shape {found.shape}"
        )
    return found


def of_size(projection: Any, s: int | None, owner: str) -> Any:
    """The projection with its ``s`` set, where one is asked for."""
    if s is None:
        return projection
    if not any(field.name == "s" for field in attrs.fields(type(projection))):
        raise UsageError(f"{owner}: projection {projection.name} has no s to set; leave s out")
    return attrs.evolve(projection, s=s)


class HeadAndTail(SignalLearner):
    """A learner with two projections: ``head`` of a gradient and ``projection`` of the weights."""

    name: ClassVar[str]
    needs: ClassVar[Needs] = "signals"
    s: int | None
    head: Any
    projection: Any

    def start(self, problem: Problem) -> State:
        """All zero; projections that do not fit the graph are refused."""
        state = with_graph(super().start(problem), problem)
        bound(self.head, state)
        bound(self.tail, state)
        return state

    def setting(self, state: State, step: float) -> Any:
        """What the compiled stream needs; only the weighted graph model is compiled."""
        head, tail = bound(self.head, state), bound(self.tail, state)
        if not (isinstance(head, BoundWgm) and isinstance(tail, BoundWgm)):
            raise NotCompiled
        from graphol.learners._signal import HeadTail

        room = np.zeros(len(state.w) - 1)
        return HeadTail(head.steiner.work, head.band, tail.steiner.work, tail.band, step, room)

    @property
    def tail(self) -> Any:
        """The projection of the weights, of size s where one is asked for."""
        return of_size(self.projection, self.s, self.name)
