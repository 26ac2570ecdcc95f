"""``graphol plugins``: who offers what, and what went wrong."""

from __future__ import annotations

import os
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
    known.failed()  # asks every plugin for everything
    found = [row(known, each) for each in known.plugins]
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


def row(known: Registry, plugin: Plugin) -> dict[str, Any]:
    """One plugin, everything that it offers, and the names that others offer too."""
    offers: dict[str, list[str]] = {}
    conflicts = []
    from graphol.api import KINDS

    for kind in KINDS:
        for name, rivals in known.offers(kind).items():
            if any(offer.plugin is plugin for offer in rivals):
                offers.setdefault(kind, []).append(name)
                conflicts += [
                    f"{kind} {name!r} is also offered by {other.plugin.owner}"
                    for other in rivals
                    if other.plugin is not plugin
                ]
    return {
        "name": plugin.name,
        "owner": plugin.owner,
        "offers": offers,
        "state": f"failed: {plugin.failure}" if plugin.failure else "ok",
        "conflicts": conflicts,
    }


def _counts(offers: dict[str, list[str]]) -> str:
    texts = [f"{len(names)} {kind}{'s' * (len(names) > 1)}" for kind, names in offers.items()]
    return ", ".join(texts) or "nothing"
