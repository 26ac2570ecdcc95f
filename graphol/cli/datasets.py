"""``graphol datasets``: which data there is, what is known of it, and how to get it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from graphol.cli.options import Json, PluginFiles, load
from graphol.cli.output import ProgressLine, about, say, say_json, say_rows

app = typer.Typer(rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set's name.")]


@app.callback(invoke_without_command=True)
def command(context: typer.Context) -> None:
    """List, describe and fetch data sets."""
    if context.invoked_subcommand is None:
        list_command()


@app.command("list")
def list_command(plugin: PluginFiles = None, json: Json = False) -> None:
    """List data sets and where they are on this machine."""
    known = load(plugin)
    found = [
        {"name": name, "about": about(offers[0].cls), "where": _where(offers[0].cls)}
        for name, offers in known.offers("dataset").items()
    ]
    say_rows(found, json=json)


@app.command("info")
def info_command(name: Name, plugin: PluginFiles = None, json: Json = False) -> None:
    """Tell what is known about a data set.

    It is read, or made, if that needs no download.
    """
    cls = load(plugin).find("dataset", name)
    found = _facts(cls)
    if json:
        say_json(found)
        return
    width = max(map(len, found))
    for key, value in found.items():
        text = "; ".join(map(str, value)) if isinstance(value, list) else value
        if text not in (None, ""):
            say(f"{key:<{width}}  {text}")


@app.command("fetch")
def fetch_command(
    name: Name,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="A ready npz file (a mirror) to take instead."),
    ] = None,
    json: Json = False,
) -> None:
    """Download a data set and print where it is.

    It comes from its public address, is checked, and is kept in your cache folder.
    """
    from graphol.downloads.fetch import fetch

    with ProgressLine() as progress:
        progress.stage(f"fetching {name}")
        path = fetch(name, url, progress=progress.bytes)
    if json:
        say_json({"name": name, "file": str(path)})
    else:
        say(str(path))


def _where(cls: Any) -> str:
    """Where this data set is, or how to come by it."""
    from graphol.api import Located

    return cls.where() if issubclass(cls, Located) else "here: made when it is needed"


def _facts(cls: Any) -> dict[str, Any]:
    from graphol.datasets.named import NAMED, info, measured

    found: dict[str, Any] = {"name": cls.name, "about": about(cls), "where": _where(cls)}
    if cls in NAMED:
        return found | info(cls.name)
    if not found["where"].startswith("here"):
        return found
    import numpy as np

    return found | measured(cls().load(np.random.default_rng(0)).graph)
