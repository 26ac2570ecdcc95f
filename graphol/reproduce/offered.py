"""Everything that can be reproduced: what comes with graphol, and what plugins bring."""

from __future__ import annotations

import warnings
from typing import Any

from graphol.errors import UsageError, near
from graphol.registry import Plugin, Registry, registry
from graphol.reproduce.experiment import Experiment

Offers = dict[str, list[tuple[Plugin, Experiment]]]
_asked: list[tuple[Registry, int, Offers]] = []  # the last answer, and whose it was


def experiments() -> Offers:
    """Everything that can be reproduced, by name; more than one of a name is a conflict.

    Plugins are asked once, and again when there are more of them.
    """
    here = registry(), len(registry().plugins)
    if not _asked or _asked[0][:2] != here:
        _asked[:] = [(*here, _offers())]
    return _asked[0][2]


def _offers() -> Offers:
    found: Offers = {}
    for plugin, experiment in registry().values("graphol_experiments", _misfit):
        found.setdefault(experiment.name, []).append((plugin, experiment))
    return found


def _misfit(value: Any) -> str:
    """What keeps a value from being an experiment, or ''."""
    if not isinstance(value, Experiment):
        kind = type(value).__name__
        return f"it gave {kind}, not a value of graphol.reproduce.Experiment"
    if not value.name.isprintable() or not value.name or " " in value.name:
        return f"the experiment {value.name!r} needs a name that can be typed, without blanks"
    return ""


def named(name: str) -> Experiment:
    """The table or figure of this name."""
    known = experiments()
    now = name.replace("ijcai19-", "ijcai18-")
    if now != name and now in known:
        warnings.warn(f"{name} is now called {now}: the paper is of 2018", stacklevel=2)
        name = now
    if name not in known:
        failed = [plugin.name for plugin in registry().plugins if plugin.failure]
        more = f" (plugin {', '.join(failed)} failed: see `graphol plugins`)" if failed else ""
        raise UsageError(
            f"there is no table or figure {name!r} to reproduce; {near(name, known)}{more}"
        )
    (plugin, experiment), *others = known[name]
    if others:
        owners = " and ".join([plugin.owner, *(other.owner for other, _ in others)])
        raise UsageError(
            f"{name} is offered by both {owners}; uninstall one of them, or leave one out with "
            "GRAPHOL_PLUGINS=name,..."
        )
    return experiment
