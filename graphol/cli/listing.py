"""``graphol list``: every component, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import Json, PluginFiles, kind_of, load
from graphol.cli.output import about, note, say_rows

if TYPE_CHECKING:
    from graphol.registry import Registry


def command(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help="learners, feedbacks, embeddings, projections, solvers, datasets, executors or "
            "strategies.",
            show_default="all of them",
        ),
    ] = None,
    plugin: PluginFiles = None,
    json: Json = False,
) -> None:
    """List components, one line each.

    Name, what it is, and the plugin it comes from; names that two plugins offer are marked.
    """
    from graphol.api import KINDS

    known = load(plugin)
    kinds = list(KINDS) if kind is None else [kind_of(kind)]
    found = [row for each in kinds for row in rows(known, each)]
    for failed in known.plugins:
        if failed.failure:
            note(f"plugin {failed.name} failed; see `graphol plugins`")
    columns = [key for row in found[:1] for key in row][kind is not None :]
    say_rows(found, columns, json=json)


def rows(known: Registry, kind: str) -> list[dict[str, Any]]:
    """What plugins offer of one kind; a name in conflict has a row for each of its owners."""
    return [
        {
            "kind": kind,
            "name": name,
            "about": about(offer.cls),
            "plugin": offer.plugin.owner,
            "conflict": ", ".join(
                f"also offered by {other.plugin.owner}" for other in offers if other is not offer
            ),
        }
        for name, offers in known.offers(kind).items()
        for offer in offers
    ]
