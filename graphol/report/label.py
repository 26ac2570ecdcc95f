"""How a learner is called in a table of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphol.api import Learner
from graphol.errors import GrapholError, UsageError, near
from graphol.params import describe
from graphol.registry import registry


def label(learner: Learner | dict[str, Any]) -> str:
    """A learner as the command line writes it, with the parameters that are not the default's.

    All of them for the description of a learner that is not known here.

    >>> label(registry().make("learner", "molg-b:b=20,phi=10"))
    'molg-b:b=20'
    """
    given = learner if isinstance(learner, dict) else describe(learner)
    try:
        usual = describe(registry().find("learner", given["name"])())
    except GrapholError:  # of a plugin that is not here today
        usual = {"name": given["name"]}
    changed = [f"{k}={_short(v)}" for k, v in given.items() if k not in usual or v != usual[k]]
    return str(given["name"]) + (":" + ",".join(changed) if changed else "")


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return str(value["name"])
    return f"{value:g}" if isinstance(value, float) else str(value)


def reference(
    against: str | Learner | dict[str, Any] | None,
    labels: Sequence[str],
    described: Sequence[dict[str, Any]],
) -> int | None:
    """Which is ``against``: by its label, by its name if that says it, by value or description."""
    if against is None:
        return None
    names = [each["name"] for each in described]
    if isinstance(against, str):
        for known in (labels, names):
            if known.count(against) == 1:
                return known.index(against)
    value = against
    if isinstance(value, str) and ":" in value and value.partition(":")[0] in names:
        value = registry().make("learner", value)
    if not isinstance(value, str):
        value = value if isinstance(value, dict) else describe(value)
        if value in described:
            return list(described).index(value)
    what = against if isinstance(against, str) else label(against)
    raise UsageError(f"{what!r} is not one of those compared: {near(what, labels)}")
