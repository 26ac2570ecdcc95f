"""Inputs that are not in order: one line each, exit code 2 or 3, soon, and without much memory."""

from __future__ import annotations

import contextlib
import re
import runpy
import shutil
from pathlib import Path

import pytest

import graphol
from graphol.cli import main

HERE = Path(__file__).parent
DEFECTS = runpy.run_path(str(HERE / "defects.py"))
CHILDREN = runpy.run_path(str(HERE / "children.py"))
CASES = [(kind, k) for kind in sorted(DEFECTS["KINDS"]) for k in range(DEFECTS["VARIANTS"])]
SAMPLE = [(kind, (7 * i + 20 * j) % 40) for i, (kind, _) in enumerate(CASES[::40]) for j in (0, 1)]
SECONDS, MEGABYTES = 10, 1000


@pytest.fixture(scope="module", autouse=True)
def _results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    played = graphol.simulate("gpa", "sbm:nodes=60,classes=2", repeats=2)
    played.save(folder)
    DEFECTS["call"].__globals__["RESULTS"] = folder


def assert_refused(code, out, err):
    """One line that says something, and that no terminal obeys."""
    assert code in (2, 3), (code, out[-500:], err[-2000:])
    assert out == ""
    assert err.startswith("graphol: ") and err.count("\n") == 1 and err.endswith("\n"), err
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", err), err
    assert len(err) < 3000


def test_there_are_1120_and_56_of_them_are_tried_always():
    assert len(set(CASES)) == 1120 and len(set(SAMPLE)) == 56
    assert {kind for kind, _ in SAMPLE} == set(DEFECTS["KINDS"])


@pytest.mark.parametrize(("kind", "k"), SAMPLE)
def test_one_line(kind, k, tmp_path, capsys):
    arguments = DEFECTS["call"](kind, k, tmp_path)
    code = main(arguments)
    assert_refused(code, *capsys.readouterr())


@pytest.mark.once
def test_all_in_children(tmp_path, capsys):
    """Each with 10 s and 1 GB; prints the slowest and the largest."""
    import scipy.sparse.csgraph  # noqa: F401 - what every child would import

    folder, worst, wrong = tmp_path / "case", [], []
    for kind, k in CASES:
        folder.mkdir()
        arguments = DEFECTS["call"](kind, k, folder)
        ended = CHILDREN["run"](lambda a=arguments: main(a), folder, SECONDS, MEGABYTES)
        worst.append((ended.seconds, ended.megabytes, f"{kind} {k}"))
        try:
            assert_refused(ended.code, ended.out, ended.err)
            assert ended.megabytes < MEGABYTES
        except AssertionError as reason:
            wrong.append(f"{kind} {k}: {str(reason)[:600]}")
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
    slowest, largest = max(worst), max(worst, key=lambda each: each[1])
    with capsys.disabled():
        print(
            f"\n{len(worst)} inputs, {len(wrong)} wrong; slowest {slowest[0]:.1f} s "
            f"({slowest[2]}), largest {largest[1]:.0f} MB ({largest[2]}), "
            f"in all {sum(each[0] for each in worst):.0f} s"
        )
    assert not wrong, "\n".join(wrong)
