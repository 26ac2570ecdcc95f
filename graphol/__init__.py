"""graphol: online learning on graphs.

The public names, loaded when they are first used so that ``import graphol`` costs nothing::

    import graphol
    result = graphol.simulate("molg-b", dataset="digits")
    print(result.error_rate_mean)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphol.api import (
        NOTHING,
        Appendable,
        Derived,
        Features,
        Finished,
        Given,
        Instance,
        MistakeBound,
        NotCompiled,
        Played,
        Prediction,
        Problem,
        Reveal,
        Script,
        Share,
        Situation,
        Split,
        StatedBound,
        Steps,
        Stream,
        Stretch,
        Wish,
    )
    from graphol.comparing import compare
    from graphol.engine import play
    from graphol.errors import GrapholError, InputError, TooLargeError, UsageError
    from graphol.graph import Graph
    from graphol.hookspecs import hookimpl
    from graphol.label.game import simulate_asking
    from graphol.label.predicting import Predicted, predict
    from graphol.label.project import Project
    from graphol.label.suggesting import suggest
    from graphol.latent import Clique, Line, SupportTree
    from graphol.params import describe, param
    from graphol.predictor import Predictor
    from graphol.registry import component, components, make
    from graphol.report.plotting import plot
    from graphol.runner import simulate
    from graphol.simulation import Simulation
    from graphol.sweep.sweeping import sweep
    from graphol.tasks import NodeTask, OneVsRest, SequenceTask, SignalTask, SwitchTask
    from graphol.trace import Trace
    from graphol.tuning import tune

_HOME = {
    "graphol.api": (
        "NOTHING", "Appendable", "Derived", "Features", "Finished", "Given", "Instance",
        "MistakeBound", "NotCompiled", "Played", "Prediction", "Problem", "Reveal", "Script",
        "Share", "Situation", "Split", "StatedBound", "Steps", "Stream", "Stretch", "Wish",
    ),
    "graphol.comparing": ("compare",),
    "graphol.engine": ("play",),
    "graphol.errors": ("GrapholError", "InputError", "TooLargeError", "UsageError"),
    "graphol.graph": ("Graph",),
    "graphol.hookspecs": ("hookimpl",),
    "graphol.label.predicting": ("Predicted", "predict"),
    "graphol.label.project": ("Project",),
    "graphol.label.game": ("simulate_asking",),
    "graphol.label.suggesting": ("suggest",),
    "graphol.latent": ("Clique", "Line", "SupportTree"),
    "graphol.params": ("describe", "param"),
    "graphol.predictor": ("Predictor",),
    "graphol.registry": ("component", "components", "make"),
    "graphol.report.plotting": ("plot",),
    "graphol.runner": ("simulate",),
    "graphol.simulation": ("Simulation",),
    "graphol.sweep.sweeping": ("sweep",),
    "graphol.tasks": ("NodeTask", "OneVsRest", "SequenceTask", "SignalTask", "SwitchTask"),
    "graphol.trace": ("Trace",),
    "graphol.tuning": ("tune",),
}  # fmt: skip
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "NOTHING", "Appendable", "Clique", "Derived", "Features", "Finished", "Given", "Graph",
    "GrapholError", "InputError", "Instance", "Line", "MistakeBound", "NodeTask", "NotCompiled",
    "OneVsRest", "Played", "Predicted", "Prediction", "Predictor", "Problem", "Project", "Reveal",
    "Script", "SequenceTask", "Share", "SignalTask", "Simulation", "Situation", "Split",
    "StatedBound", "Steps", "Stream", "Stretch", "SupportTree", "SwitchTask", "TooLargeError",
    "Trace", "UsageError", "Wish", "compare", "component", "components", "describe", "hookimpl",
    "make", "param", "play", "plot", "predict", "simulate", "simulate_asking",
    "suggest", "sweep", "tune",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'graphol' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
