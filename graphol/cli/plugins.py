"""``graphol plugins``: who offers what, and what went wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphol.cli.options import Json, PluginFiles, load
from graphol.cli.output import note, say, say_json

if TYPE_CHECKING:
    from graphol.registry import Plugin, Registry


def command(plugin: PluginFiles = None, json: Json = False) -> None:
    """List plugins and why one failed.

    Whose they are, what they offer, and which names two of them offer.

    A plugin that fails hurts nothing else, so the exit code is 0 all the same.
    """
    from graphol.report.table import table

    known = load(plugin)
    every = offered(known)
    found = [row(each, every) for each in known.plugins]
    restricted = os.environ.get("GRAPHOL_PLUGINS")
    if restricted is not None:
        note(f"GRAPHOL_PLUGINS={restricted} keeps all other plugins out")
    if json:
        say_json(found)
        return
    say(table([each | {"offers": _counts(each["offers"]), "conflicts": ""} for each in found]))
    for each in found:
        for conflict in each["conflicts"]:
            say(f"{each['owner']}: {conflict}")


Offered = Mapping[str, Mapping[str, list["Plugin"]]]
"""By kind and name: who offers it."""


def offered(known: Registry) -> Offered:
    """All that there is; every plugin is asked for everything."""
    from graphol.api import KINDS
    from graphol.reproduce import experiments

    known.failed()
    components = {
        kind: {name: [each.plugin for each in some] for name, some in known.offers(kind).items()}
        for kind in KINDS
    }
    tables = {name: [who for who, _ in some] for name, some in experiments().items()}
    return components | {"experiment": tables}


def row(plugin: Plugin, every: Offered) -> dict[str, Any]:
    """One plugin, everything that it offers, and the names that others offer too."""
    offers: dict[str, list[str]] = {}
    conflicts = []
    for kind, names in every.items():
        for name, owners in names.items():
            if any(owner is plugin for owner in owners):
                offers.setdefault(kind, []).append(name)
                conflicts += [
                    f"{kind} {name!r} is also offered by {other.owner}"
                    for other in owners
                    if other is not plugin
                ]
    return {
        "name": plugin.name,
        "owner": plugin.owner,
        "offers": offers,
        "state": f"failed: {plugin.failure}" if plugin.failure else "ok",
        "conflicts": conflicts,
    }


def _counts(offers: dict[str, list[str]]) -> str:
    from graphol.api import plural

    texts = [
        f"{len(names)} {plural(kind) if len(names) > 1 else kind}" for kind, names in offers.items()
    ]
    return ", ".join(texts) or "nothing"
