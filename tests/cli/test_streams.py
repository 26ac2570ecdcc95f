"""stdout is for the answer only, and both streams are as they were when a command has ended."""

from __future__ import annotations

import json
import sys

import pytest

GAME = ("--dataset", "sbm:nodes=60,classes=2", "--repeats", 1, "--json")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('{'); ", "{\n" * 60),
        ("import sys; sys.stdout.close(); print('{'); ", "{\n" * 60),
        ("import sys; sys.stdout = sys.stderr = None; ", ""),
        ("import os; os.write(1, b''); ", ""),
    ],
)
def test_a_plugin_that_writes_leaves_the_answer_whole(run, plugin_file, code, said):
    before = sys.stdout, sys.stderr
    path = plugin_file("loud", ("state.counts[", f"{code}state.counts["))
    found = run("simulate", "--learner", "loud", "--plugin", path, *GAME)
    assert (sys.stdout, sys.stderr) == before
    assert (found.code, found.err) == (0, said)
    assert json.loads(found.out)["learner"] == "loud"


def test_a_descriptor_is_turned_away_and_back(capfd, plugin_file):
    """Under capfd stdout is a file: what goes past ``sys.stdout`` goes to stderr too."""
    from graphol.cli import main

    write = "import os, sys; os.write(sys.stdout.fileno(), b'{'); "
    path = plugin_file("loud", ("state.counts[", f"{write}state.counts["))
    assert main([*map(str, ("simulate", "--learner", "loud", "--plugin", path, *GAME))]) == 0
    print("after")
    out, err = capfd.readouterr()
    answer = out.removesuffix("after\n")
    assert json.loads(answer)["learner"] == "loud" and out != answer
    assert err == "{" * 60
