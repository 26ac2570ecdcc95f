"""The sections of ``graphol --help``, ``python -m graphol`` and completion."""

from __future__ import annotations

import os
import subprocess
import sys

import typer

from graphol.cli import app
from graphol.cli.groups import SECTIONS


def graphol(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "graphol", *arguments],
        capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip


def test_every_command_stands_in_one_section():
    listed = [name for names in SECTIONS.values() for name in names]
    assert len(listed) == len(set(listed))
    missing = set(typer.main.get_command(app).commands) - set(listed)
    assert missing == set(), "say in graphol/cli/groups.py which section it belongs to"


def test_sections_hold_their_commands(run):
    told = run("--help").out
    sections = dict(part.split(":\n", 1) for part in told.split("\n\n") if ":\n" in part)
    for heading, names in SECTIONS.items():
        found = [line.split()[0] for line in sections[heading].splitlines()]
        assert found == [name for name in names if name in found] != []
    assert "Further" not in sections


def test_a_command_of_no_section_is_listed_all_the_same(run, monkeypatch):
    monkeypatch.delitem(SECTIONS, "Play")
    assert "Further:\n" in (told := run("--help").out)
    assert "\n  simulate" in told


def test_module_is_the_command():
    done = graphol("--version")
    assert (done.returncode, done.stdout[:8], done.stderr) == (0, "graphol ", "")
    assert graphol("simulate", "--learner", "nobody").returncode == 2


def test_a_shell_is_told_how_a_line_could_go_on():
    done = graphol(
        _GRAPHOL_COMPLETE="complete_bash", COMP_WORDS="graphol re", COMP_CWORD="1",
    )  # fmt: skip
    assert (done.returncode, done.stdout.split()) == (0, ["report", "reproduce"])
    shown = graphol("--show-completion", "bash")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "_GRAPHOL_COMPLETE=complete_bash" in shown.stdout


def test_a_mistake_of_a_plugin_is_no_completion(run, tmp_path):
    plugin = tmp_path / "leaves.py"
    plugin.write_text("raise SystemExit(0)\n", encoding="utf-8")
    assert run("list", "--plugin", plugin).code != 0
