"""No plugin fakes success, breaks the output or hurts another: dozens that try, in processes."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

MADE = runpy.run_path(str(Path(__file__).parent / "broken_plugins.py"))
LISTED, PLAYED, HARMLESS = MADE["LISTED"], MADE["PLAYED"], MADE["HARMLESS"]
CALL = [sys.executable, "-c", "import sys; from graphol.cli import main; sys.exit(main())"]
GAME = ("--dataset", "sbm:nodes=60,classes=2", "--repeats", "2", "--json")

SAMPLE = {
    "import-exit-unspeakable", "hook-stubborn",
    "predict-typer-exit", "predict-zero", "predict-interrupt-jobs", "update-dies-jobs",
    "thread-and-raises", "import-prints", "thread-without-end-jobs", "warns-jobs",
}  # fmt: skip


def some(cases):
    """All of them, of which a few are in every run."""
    return [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.once) for name in cases]


def process(*arguments, **environment):
    """The real thing; whoever hangs is ended."""
    return subprocess.run(
        [*CALL, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"} | environment,
    )  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """The plugin as a file, and as a distribution that is installed beside a sound one."""

    def write(case):
        path = tmp_path / "bad_file.py"
        path.write_text(case.source)
        for name, source in (("bad", case.source), ("sound", MADE["case"]().source)):
            source = source.replace('"broken"', f'"{name}"')
            (tmp_path / f"{name}_installed.py").write_text(source)
            info = tmp_path / f"{name}_installed-1.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text(f"[graphol]\n{name} = {name}_installed\n")
        return path

    return write


def one_line(done, code):
    """Refused with this code, nothing on stdout and one line on stderr."""
    assert (done.returncode, done.stdout) == (code, ""), done
    notes = "graphol: note: "
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith(notes))
    assert line.startswith("graphol: ")
    return line


def unharmed(tmp_path):
    """Others play as if the plugin were not there, though it is loaded."""
    beside = {"GRAPHOL_PLUGINS": "bad,sound", "PYTHONPATH": str(tmp_path)}
    done = process("simulate", "--learner", "sound", *GAME, **beside)
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["learner"] == "sound"


WARNED = {"warns": "two lines", "warns-jobs": r"two lines \x1b[31m"}
"""What is said of warnings, each in one line, by whatever process."""


def test_there_are_sixty():
    assert len(LISTED) + len(PLAYED) + len(HARMLESS) >= 60
    assert {*LISTED, *PLAYED, *HARMLESS} >= SAMPLE


@pytest.mark.parametrize("name", some(LISTED))
def test_a_plugin_that_cannot_be_used_is_a_listed_failure(written, tmp_path, name):
    path = written(LISTED[name])
    line = one_line(process("simulate", "--learner", "broken", *GAME, "--plugin", path), 4)
    assert f"--plugin {path}: " in line and LISTED[name].word in line
    beside = {"GRAPHOL_PLUGINS": "bad,sound", "PYTHONPATH": str(tmp_path)}
    done = process("plugins", "--json", **beside)
    assert done.returncode == 0, done
    states = {row["name"]: row["state"] for row in json.loads(done.stdout)}
    assert states["builtin"] == states["sound"] == "ok"
    assert states["bad"].startswith("failed: ") and LISTED[name].word in states["bad"]
    unharmed(tmp_path)


@pytest.mark.parametrize("name", some(PLAYED))
def test_a_plugin_that_breaks_in_a_game_is_named(written, name):
    case, path = PLAYED[name], written(PLAYED[name])
    call = ("simulate", "--learner", "broken", *GAME, *case.options, "--plugin", path)
    line = one_line(process(*call), 4)
    assert case.word in line
    assert str(path) in line or name == "predict-patched"  # where all that is left is a refusal


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_refusal_of_a_plugins_own_class_is_named_and_no_bug(written, jobs):
    path = written(MADE["case"](PREDICT="raise Own('not so')"))
    call = ("simulate", "--learner", "broken", *GAME, "--plugin", path, "--jobs", jobs)
    assert one_line(process(*call), 3) == f"graphol: plugin bad_file ({path}): not so"


@pytest.mark.parametrize("name", some(HARMLESS))
def test_a_plugin_that_misbehaves_leaves_the_answer_whole(written, name):
    case, path = HARMLESS[name], written(HARMLESS[name])
    done = process("simulate", "--learner", "broken", *GAME, *case.options, "--plugin", path)
    assert done.returncode == 0, done
    warned = [line for line in done.stderr.splitlines() if "two" in line or "lines" in line]
    assert set(warned) == ({"graphol: note: " + WARNED[name]} if name in WARNED else set())
    row = json.loads(done.stdout)
    path.write_text(MADE["case"]().source)
    same = json.loads(process("simulate", "--learner", "broken", *GAME, "--plugin", path).stdout)
    assert [row.pop("us_per_round"), same.pop("us_per_round")]
    assert row == same
