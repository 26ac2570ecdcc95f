"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from graphol.registry import Registry

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
PluginFiles = Annotated[
    list[Path] | None,
    typer.Option("--plugin", metavar="FILE.py", help="Load this plugin file first; repeatable."),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="KEY=VALUE", help="A hyper-parameter of the component; repeatable."
    ),
]
Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="learner, feedback, embedding, projection, solver or dataset; singular or plural.",
    ),
]


def load(files: list[Path] | None) -> Registry:
    """The registry, with these plugin files in it."""
    from graphol.registry import registry

    found = registry()
    for path in files or []:
        found.load_file(path)
    return found


def kind_of(text: str) -> str:
    """``learners`` or ``learner`` as ``learner``."""
    from graphol.api import KINDS
    from graphol.errors import UsageError, near

    kind = text.lower().removesuffix("s")
    if kind not in KINDS:
        raise UsageError(f"there is no kind {text!r} of component; {near(kind, KINDS)}")
    return kind
