"""One hook per kind of component, and one for experiments. Each changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from graphol import api

hookspec = pluggy.HookspecMarker("graphol")
hookimpl = pluggy.HookimplMarker("graphol")


@hookspec
def graphol_learners() -> Iterable[type[api.Learner]]:  # type: ignore[empty-body]
    """Learner classes this plugin offers; each carries a unique ``name``."""


@hookspec
def graphol_feedbacks() -> Iterable[type[api.Feedback]]:  # type: ignore[empty-body]
    """Feedback protocol classes this plugin offers."""


@hookspec
def graphol_embeddings() -> Iterable[type[api.Embedding]]:  # type: ignore[empty-body]
    """Embedding classes this plugin offers."""


@hookspec
def graphol_projections() -> Iterable[type[api.Projection]]:  # type: ignore[empty-body]
    """Projection classes this plugin offers."""


@hookspec
def graphol_solvers() -> Iterable[type[api.LinearSolver]]:  # type: ignore[empty-body]
    """LinearSolver classes this plugin offers."""


@hookspec
def graphol_datasets() -> Iterable[type[api.Dataset]]:  # type: ignore[empty-body]
    """Dataset classes this plugin offers."""


@hookspec
def graphol_executors() -> Iterable[type[api.Workers]]:  # type: ignore[empty-body]
    """Workers classes this plugin offers."""


@hookspec
def graphol_strategies() -> Iterable[type[api.Strategy]]:  # type: ignore[empty-body]
    """Strategy classes this plugin offers."""


@hookspec
def graphol_experiments() -> Iterable[Any]:  # type: ignore[empty-body]
    """Tables and figures for ``graphol reproduce``: values of `graphol.reproduce.Experiment`."""
