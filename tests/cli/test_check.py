"""``graphol check``: the conformance kit from the command line."""

from __future__ import annotations

import json

from graphol.testing import checks


def test_a_good_component_passes(run):
    result = run("check", "feedback", "full")
    *lines, last = result.out.splitlines()
    assert result.code == 0
    assert [line.split(None, 1) for line in lines] == [["ok", name] for name in checks("feedback")]
    assert last == f"{len(lines)} passed, 0 failed"


def test_kinds_may_be_plural_and_have_parameters(run):
    result = run("check", "feedbacks", "random-query", "-p", "p=0.3")
    assert result.code == 0


def test_a_bad_component_fails(run, plugin_file):
    path = plugin_file("forgetful", ("np.argmax(state.counts)", "np.argmax(state.counts) + 99"))
    result = run("check", "learner", "forgetful", "--plugin", path)
    *lines, last = result.out.splitlines()
    assert result.code == 1
    failed = [line for line in lines if line.startswith("FAILED  ")]
    assert failed
    assert all(": " in line for line in failed)
    assert last == f"{len(lines) - len(failed)} passed, {len(failed)} failed"


def test_json(run, plugin_file):
    path = plugin_file("forgetful", ("np.argmax(state.counts)", "np.argmax(state.counts) + 99"))
    result = run("check", "learner", "forgetful", "--plugin", path, "--json")
    rows = json.loads(result.out)
    assert result.code == 1
    assert [row["name"] for row in rows] == list(checks("learner"))
    assert list(rows[0]) == ["name", "protects", "failure", "schema"]
    assert all(row["protects"] for row in rows)


def test_what_is_raised_is_told_with_its_place(run, plugin_file):
    path = plugin_file("buggy", ("np.argmax(state.counts)", "1 // 0"))
    told = run("check", "learner", "buggy", "--plugin", path).out
    line = 1 + path.read_text().splitlines().index("        return graphol.Prediction(int(1 // 0))")
    assert (
        f"ZeroDivisionError: integer division or modulo by zero (buggy_file.py, line {line})"
        in told
    )
