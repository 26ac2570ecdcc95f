"""``graphol show``: all about one component."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphol.cli.options import Json, PluginFiles, kind_of, load
from graphol.cli.output import about, say, say_json
from graphol.errors import UsageError, near

if TYPE_CHECKING:
    from graphol.registry import Registry

ROLE = re.compile(r":[\w:]+:`([^`]*)`", re.DOTALL)


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A component's name.")],
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="Needed where two kinds share the name."),
    ] = None,
    plugin: PluginFiles = None,
    json: Json = False,
) -> None:
    """Show all about one component.

    What it is, its equations as they are written, its parameters with ranges and defaults, its
    references.
    """
    known = load(plugin)
    kind = _kind(known, name) if kind is None else kind_of(kind)
    found = facts(known, kind, name)
    if json:
        say_json(found)
        return
    from graphol.report.table import table

    say(f"{found['name']}: {found['kind']} from {found['plugin']}\n")
    say(found["description"] + "\n")
    for key, value in found["declares"].items():
        say(f"{key.replace('_', ' ')}: {value}")
    say("\n" * bool(found["declares"]) + "Parameters")
    if found["parameters"]:
        say(_indented(table([_cells(each) for each in found["parameters"]])))
    else:
        say("  none")
    for title, text in found["sections"].items():
        say(f"\n{title}\n{_indented(text)}")


def facts(known: Registry, kind: str, name: str) -> dict[str, Any]:
    """Everything there is to show, as plain data."""
    import attrs

    from graphol.docstrings import helps, sections
    from graphol.fitting import declares

    cls = known.find(kind, name)
    description, parts = sections(_readable(cls.__doc__ or "not documented"))
    said = helps(cls)
    declared = declares(kind, cls)
    return {
        "kind": kind,
        "name": name,
        "about": about(cls),
        "plugin": known.offers(kind)[name][0].plugin.owner,
        "description": description,
        "declares": {
            key: " or ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            for key, value in declared.items()
        },
        "parameters": [_parameter(f, _readable(said[f.name])) for f in attrs.fields(cls)],
        "sections": {title: text for title, text in parts.items() if title != "Parameters"},
    }


def _kind(known: Registry, name: str) -> str:
    """The one kind that has this name."""
    from graphol.api import KINDS

    kinds = [kind for kind in KINDS if name in known.offers(kind)]
    if not kinds:
        every = {other for kind in KINDS for other in known.offers(kind)}
        raise UsageError(f"there is no component {name!r}: {near(name, every)}")
    if len(kinds) > 1:
        raise UsageError(f"{name!r} is a {' and a '.join(kinds)}; choose with --kind {kinds[0]}")
    return kinds[0]


def _readable(text: str) -> str:
    """Without the marks of a docstring; equations stay as they are written."""
    text = text.replace(".. math::", "         ")
    return ROLE.sub(lambda match: match[1].removeprefix("~"), text)


def _parameter(field: Any, help: str) -> dict[str, Any]:
    import attrs

    default = field.default
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        default = "computed"
    kind = field.metadata.get("kind") or getattr(field.metadata.get("type"), "__name__", "")
    if "list" in field.metadata:
        from graphol.api import plural

        kind = plural(kind)
    return {
        "name": field.name,
        "type": kind,
        "allowed": field.metadata.get("allowed", ""),
        "default": None if default is attrs.NOTHING else default,
        "help": help,
    }


def _cells(parameter: dict[str, Any]) -> dict[str, Any]:
    default = parameter["default"]
    if isinstance(default, bool) or default is None:
        default = str(default).lower()  # as it is written on the command line
    return parameter | {"default": default}


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.splitlines())
