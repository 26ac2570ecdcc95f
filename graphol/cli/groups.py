"""``graphol --help`` in sections: what somebody wants to do, and the commands for it."""

from __future__ import annotations

from typing import Any

import typer.core

SECTIONS = {
    "Play": ("simulate", "compare", "tune", "sweep"),
    "Label your own graph": ("predict", "suggest", "label", "project", "explain", "fuse"),
    "Look at results": ("report", "reproduce"),
    "Graphs and their algebra": ("datasets", "embed", "solve"),
    "Components and plugins": ("list", "show", "check", "plugins", "doctor"),
}
"""Every command stands in one of them; tests/cli/test_groups.py says which one does not."""


class Sections(typer.core.TyperGroup):
    """The root command."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """All commands under the headings of :data:`SECTIONS`."""
        listed = {name for names in SECTIONS.values() for name in names}
        rest = tuple(name for name in self.commands if name not in listed)
        width = max(map(len, self.commands))
        limit = formatter.width - 6 - width
        for heading, names in {**SECTIONS, "Further": rest}.items():
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(limit))
                for name in names
                if name in self.commands
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
