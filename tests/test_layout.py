"""tests/ mirrors graphol/: graphol/x/y.py is tested in tests/x/test_y.py, a room x in test_x.py."""

from pathlib import Path

import pytest

import graphol

TESTS, PACKAGE = Path(__file__).parent, Path(graphol.__file__).parent

ROOMS = {
    "bench": "ratios of speed, which no single module has",
    "cli": "what a user types, one file per command and some across commands",
    "docs": "pages are programs",
    "hostile": "files that somebody made, or broke, to do harm: all readers at once",
    "testing": "the kit as a whole, on components that break a promise each",
    "traces": "recorded games of every learner",
}
"""Folders that mirror nothing, and why."""

FILES = {
    "label/page/test_browser.py": "the page in a browser, `tox -e page`",
    "label/page/test_hostile.py": "requests that mean harm, all routes at once",
    "label/page/test_kills.py": "a server that is killed between key and answer",
    "label/page/test_long.py": "twenty thousand answers over HTTP",
    "label/page/test_simulated.py": "somebody who presses keys in a browser",
    "learners/test_golden.py": "published error rates, several learners on one graph",
    "learners/test_numerics.py": "what rounding does to all learners that keep an inverse",
    "learners/test_reference.py": "all node learners against their slow twins",
    "linalg/solvers/test_extremes.py": "numbers at the end of the range, all solvers",
    "projections/test_extremes.py": "numbers at the end of the range, all projections",
    "report/page/test_browser.py": "the page in a browser, `tox -e page`",
    "reproduce/test_commands.py": "one cell of every table, played by the command it prints",
    "reproduce/test_papers.py": "published tables, with real data",
    "test_kills.py": "whoever writes, killed at any moment",
    "test_layout.py": "this file",
}
"""Files that mirror none, and why."""

FOUND = sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py"))


def mirrors(file: str) -> bool:
    """Is there a module, or a room, that the file is named after?"""
    path = Path(file)
    room, name = PACKAGE / path.parent, path.stem.removeprefix("test_")
    if room.name == name:
        return room.is_dir()
    return (room / f"{name}.py").is_file() or (room / name).is_dir()


@pytest.mark.parametrize("file", [file for file in FOUND if file.split("/")[0] not in ROOMS])
def test_a_test_file_is_named_after_what_it_tests(file):
    assert mirrors(file) != (file in FILES), "name it after a module, or say why not in FILES"


def test_no_reason_is_given_for_what_is_not_there():
    assert not FILES.keys() - set(FOUND)
    assert not ROOMS.keys() - {file.split("/")[0] for file in FOUND}
