"""What only a process of its own can show."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import graphol

CALL = [sys.executable, "-c", "import sys; from graphol.cli import main; sys.exit(main())"]
HEAVY = ("numpy", "scipy", "numba", "rich", "matplotlib", "sklearn", "attrs", "pluggy")


def process(*arguments, **options):
    return subprocess.run(
        [*CALL, *arguments], capture_output=True, text=True, check=False, **options
    )


def test_help_imports_nothing_heavy():
    code = (
        "import sys, json\nfrom graphol.cli import main\nassert main(['--help']) == 0\n"
        "assert main(['simulate', '--help']) == 0\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_help_names_every_command(run):
    told = run("--help").out
    commands = (
        "simulate", "compare", "reproduce", "list", "show", "check", "plugins", "doctor",
        "datasets", "embed", "solve", "fuse", "explain", "tune", "report",
    )  # fmt: skip
    for command in commands:
        assert f"  {command}  " in told
        assert run(command, "--help").out.startswith(f"Usage: graphol {command} ")
    assert run().out == told
    assert "..." not in told.split("Options:")[1]  # no summary is cut off


def test_version(run):
    assert run("--version") == (0, f"graphol {graphol.__version__}\n", "")


@pytest.mark.skipif(os.name != "posix", reason="pipes of a POSIX shell")
class TestStreams:
    """Pipes that close, disks that are full, terminals that know no µ."""

    def test_a_reader_that_has_seen_enough(self):
        for arguments in (["--help"], ["list", "--json"]):
            out, writer = os.pipe()
            os.close(out)  # before anything is written
            done = subprocess.run(
                [*CALL, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False,
                env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
            )  # fmt: skip
            os.close(writer)
            assert done.stderr == b""

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
    def test_a_full_disk(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*CALL, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert done.returncode == 3
        assert done.stderr == "graphol: cannot write the answer: No space left on device\n"

    def test_a_terminal_without_greek(self):
        done = process(
            "simulate", "--learner", "gpa", "--dataset", "sbm:nodes=60,classes=2", "--repeats", "1",
            env=os.environ | {"PYTHONIOENCODING": "ascii"},
        )  # fmt: skip
        assert done.returncode == 0
        assert "?s/round" in done.stdout
