"""Write what follows from the program: `python docs/generate.py`.

These are reference pages, the changelog and, between two marks, the table of interfaces in
concepts.md and the learners that can grow in input.md.
`python docs/generate.py --check` writes nothing; it names the pages that are out of date and exits
with 1 if there are any. Only graphol's own components are described, whatever else is installed.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import benchmark

DOCS = Path(__file__).parent
COMMAND = "python docs/generate.py"
MADE = f"<!-- Made by `{COMMAND}`; edit the program, not this page. -->"
DOCSTRINGS = (
    "The site shows the docstrings here; in a terminal `python -m pydoc NAME` does, NAME being "
    "what stands behind `:::`."
)
CHANGES = {"feature": "New", "fix": "Mended", "speed": "Faster", "format": "Files and interfaces"}
BEGIN, END = f"<!-- Made by `{COMMAND}`: -->\n", "\n<!-- so far -->"


def cli_page() -> str:
    """Every command with its help text, arguments and options."""
    import typer

    from graphol.cli import app

    root: Any = typer.main.get_command(app)
    parts = [
        "# The command line",
        MADE,
        f"What `--help` says, for every command. `{COMMAND}` makes this page. Where `graphol` is "
        "not on the path, `python -m graphol` is the same. `graphol --install-completion` teaches "
        "your shell (bash, zsh, fish, PowerShell) the commands and options behind the tab key; "
        "`--show-completion` prints what it would install, and changes nothing.",
    ]
    for path, command in _commands("graphol", root):
        parts += [f"## `{path}`", _help(command.help or "")]
        rows = [_option(param) for param in command.params if param.name != "help"]
        if rows:
            parts.append(_table(("option", "meaning", "default"), rows))
    return "\n\n".join(parts) + "\n"


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(f"{path} {name}", inner)


def _help(text: str) -> str:
    """Paragraphs in one line each; the lines of an example as they are."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith("\b"):
            lines = [line.strip() for line in paragraph.removeprefix("\b").strip().splitlines()]
            paragraphs.append("```text\n" + "\n".join(lines) + "\n```")
        else:
            paragraphs.append(" ".join(paragraph.split()))
    return "\n\n".join(paragraphs)


def _option(param: Any) -> tuple[str, str, str]:
    metavar = param.metavar or ""
    if not param.opts[0].startswith("-"):
        return f"`{metavar}`", param.help, _default(param)
    names = ", ".join(sorted([*param.opts, *param.secondary_opts], key=len))
    return f"`{names} {metavar}`".replace(" `", "`"), param.help, _default(param)


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if isinstance(param.show_default, str):
        return param.show_default
    empty = param.default is None or param.default is False or param.multiple
    return "" if empty else f"`{param.default}`"


def components_page() -> str:
    """Every component of graphol's own, with its parameters."""
    from graphol.api import KINDS, plural
    from graphol.cli.output import about
    from graphol.cli.show import facts
    from graphol.docstrings import helps
    from graphol.registry import registry

    known = registry()
    parts = [
        "# Components",
        MADE,
        "Everything that graphol itself brings, by kind. `graphol list` says what is installed on "
        "your machine, plugins included; `graphol show NAME` adds equations and references. On the "
        "command line a component is written `name` or `name:parameter=value,parameter=value`; one "
        "inside another `(name:parameter=value)`, and several `(name:parameter=value)+(name)`.",
    ]
    for kind, interface in KINDS.items():
        parts += [f"## {plural(kind).capitalize()}", about(interface)]
        for name in known.offers(kind):
            found, said = facts(known, kind, name), helps(known.find(kind, name))
            parts += [f"### `{name}`", _plain(found["about"])]
            if found["declares"]:
                declared = found["declares"].items()
                parts.append("; ".join(f"{_words(key)}: {value}" for key, value in declared) + ".")
            rows = [
                (
                    f"`{p['name']}`",
                    _plain(said[p["name"]]),
                    f"`{_written(p['default'])}`",
                    p["allowed"],
                )
                for p in found["parameters"]
            ]
            if rows:
                parts.append(_table(("parameter", "meaning", "default", "allowed"), rows))
    return "\n\n".join(parts) + "\n"


def api_page() -> str:
    """Every public name, in the order of python.md; the site puts its docstring there."""
    import graphol
    from graphol import api

    parts = [
        "# Python in full",
        MADE,
        "Every public name with its parameters, as its docstring has it. [Python](python.md) is "
        f"the same in tables, to find a name. {DOCSTRINGS}",
    ]
    told = re.split(r"^## ", (DOCS / "reference/python.md").read_text(encoding="utf-8"), flags=re.M)
    for section in told[1:]:
        names = re.findall(r"^\| `(\w+)` \|", section, re.M)
        if public := [name for name in names if name in graphol.__all__]:
            parts += [f"## {section.splitlines()[0]}", *map(_docstring, public)]
    told_of = re.findall(r"^\| `(\w+)` \|", "".join(told), re.M)
    abilities = [n for n in told_of if hasattr(api, n) and n not in graphol.__all__]
    interfaces = [interface.__name__ for interface in api.KINDS.values()]
    parts += ["## Interfaces", *(f"::: graphol.api.{n}" for n in (*interfaces, *abilities))]
    return "\n\n".join(parts) + "\n"


def _docstring(name: str) -> str:
    """The directive for a public name; by its home where a room is called the same."""
    import graphol

    home = graphol._MODULE[name] if importlib.util.find_spec(f"graphol.{name}") else "graphol"
    return f"::: {home}.{name}"


def equations_page() -> str:
    """Every component of graphol's own; the site puts its docstring there."""
    from graphol.api import KINDS, plural
    from graphol.cli.output import about
    from graphol.registry import registry

    parts = [
        "# Equations",
        MADE,
        "What every component of graphol's own computes and costs, and the paper it is from, as "
        f"its docstring has it. [Components](components.md) has all parameters. {DOCSTRINGS}",
    ]
    for kind in KINDS:
        parts.append(f"## {plural(kind).capitalize()}")
        for name in registry().offers(kind):
            found = registry().find(kind, name)
            if not _written_out(found):  # a data set that is a row of a table
                parts += [f"### `{name}`", _plain(about(found))]
                continue
            settings = f"heading: {name}\n      toc_label: {name}\n      members: false"
            parts.append(
                f"::: {found.__module__}.{found.__qualname__}\n    options:\n      {settings}"
            )
    return "\n\n".join(parts) + "\n"


def _written_out(cls: Any) -> bool:
    """Does a class statement stand in its module?"""
    return f"\nclass {cls.__name__}" in inspect.getsource(sys.modules[cls.__module__])


def changelog_page() -> str:
    """All sentences of docs/changelog/, those of a release in a folder of its name."""
    import graphol

    parts = ["# Changelog", MADE, "What users can see, by version; below a version by kind."]
    changes = DOCS / "changelog"
    released = sorted(
        (folder for folder in changes.iterdir() if folder.is_dir()),
        key=lambda folder: [int(n) for n in folder.name.split(".")],
        reverse=True,
    )
    for folder in (changes, *released):
        known = graphol.__version__ if folder == changes else folder.name
        parts.append(f"## {known}{', not released yet' * (folder == changes)}")
        for kind, title in CHANGES.items():
            found = sorted(folder.glob(f"*.{kind}.md"))
            said = [_sentence(path) for path in found]
            if said:
                parts += [f"### {title}", "\n".join(f"- {text}" for text in said)]
    return "\n\n".join(parts) + "\n"


def _sentence(path: Path) -> str:
    """What the file says, in one line; links as docs/changelog.md has them."""
    up = "../" * (len(path.relative_to(DOCS).parts) - 1)
    return " ".join(path.read_text(encoding="utf-8").split()).replace(f"]({up}", "](")


def concepts_page() -> str:
    """The page as it is, with the table of all interfaces and graphol's own components."""
    from graphol.api import KINDS
    from graphol.cli.output import about
    from graphol.registry import registry

    rows = [
        (interface.__name__, _question(about(interface)), ", ".join(registry().offers(kind)))
        for kind, interface in KINDS.items()
    ]
    return _between("concepts.md", _table(("interface", "question it answers", "built in"), rows))


def input_page() -> str:
    """The page as it is, with the learners that a predictor may tell a new class."""
    from graphol.api import Growing
    from graphol.registry import registry

    known = registry()
    growing = [x for x in known.offers("learner") if isinstance(known.make("learner", x), Growing)]
    return _between("reference/input.md", ", ".join(f"`{name}`" for name in growing) + ".")


def gallery_page(name: str) -> str:
    """The page as it is, with its program and what that printed when its picture was drawn."""
    program = (DOCS / "gallery" / f"{name}.py").read_text(encoding="utf-8")
    printed = (DOCS / "pictures" / f"{name}.txt").read_text(encoding="utf-8")
    return _between(f"gallery/{name}.md", f"```python\n{program}```\n\n```text\n{printed}```")


def _between(page: str, text: str) -> str:
    """The page with this text between its marks."""
    before, begin, rest = (DOCS / page).read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"docs/{page} has lost a mark, {(BEGIN + '...' + END)!r}")
    return before + begin + text + end + after


def _question(line: str) -> str:
    return line[0].lower() + line[1:]


def _written(value: Any) -> str:
    """As it is written on the command line."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value) if value != "" else '""'


def _words(key: str) -> str:
    return key.replace("_", " ")


def _plain(text: str) -> str:
    """Without the marks of the docstrings."""
    return re.sub(r":[\w:]+:`([^`]*)`", r"`\1`", text).replace("``", "`")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    cells = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


PAGES = {
    "reference/cli.md": cli_page,
    "reference/components.md": components_page,
    "reference/api.md": api_page,
    "reference/equations.md": equations_page,
    "changelog.md": changelog_page,
    "benchmark.md": lambda: benchmark.page([MADE]),
    **{
        f"gallery/{path.stem}.md": functools.partial(gallery_page, path.stem)
        for path in sorted((DOCS / "gallery").glob("*.py"))
    },
    "concepts.md": concepts_page,
    "reference/input.md": input_page,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    os.environ["GRAPHOL_PLUGINS"] = ""  # nobody's plugins
    stale = []
    for name, make in PAGES.items():
        path, text = DOCS / name, make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"docs/{name}")
            if "--check" not in arguments:
                path.write_text(text, encoding="utf-8")
    if not stale:
        print("up to date")
    elif "--check" in arguments:
        print(f"out of date: {', '.join(stale)}; run `{COMMAND}`")
        return 1
    else:
        print(f"written: {', '.join(stale)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
