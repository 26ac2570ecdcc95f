"""A learner with a list of learners, from a plugin file, on the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

PLUGIN = Path(__file__).parents[1] / "combinator.py"
MEMBERS = "(gpa:when=mistakes)+(molg-f)"
SPEC = f"first-of:learners={MEMBERS}"
GAME = ("--plugin", PLUGIN, "--dataset", "sbm:nodes=80", "--repeats", 2)
FIGURES = ("error_rate_mean", "error_rate_std", "updates_mean", "queries_mean", "params", "command")


def test_the_printed_command_plays_the_same_game(run):
    first = json.loads(run("simulate", *GAME, "--learner", SPEC, "--json").out)
    assert first["params"]["learners"][0] == {"name": "gpa", "when": "mistakes"}
    program, *words = shlex.split(first["command"])
    assert program == "graphol"
    assert "--learner 'first-of:learners=(gpa:when=mistakes)+(molg-f:" in first["command"]
    again = json.loads(run(*words, "--json").out)
    assert {key: first[key] for key in FIGURES} == {key: again[key] for key in FIGURES}
    alone = json.loads(run("simulate", *GAME, "--learner", "gpa", "--json").out)
    assert alone["error_rate_mean"] == first["error_rate_mean"]


def test_a_list_may_be_given_with_p(run):
    rows = [
        json.loads(run("simulate", *GAME, "--learner", *how, "--json").out)
        for how in ((SPEC,), ("first-of", "-p", f"learners={MEMBERS}"))
    ]
    assert rows[0]["params"] == rows[1]["params"]


def test_results_with_lists_are_kept_and_reported(run, tmp_path):
    played = run("simulate", *GAME, "--learner", SPEC, "--out", tmp_path / "out", "--regret")
    assert played.code == 0
    assert run("report", tmp_path / "out", "--regret", "--plugin", PLUGIN).out == played.out


def test_members_are_told_apart_in_a_comparison(run, tmp_path):
    pair = f"{SPEC},first-of:learners=(gpa:when=always)+molg-f,shift=2"
    run("compare", *GAME, "--learners", pair, "--out", tmp_path / "out")
    rows = json.loads(run("report", tmp_path / "out", "--plugin", PLUGIN, "--json").out)
    assert [row["label"] for row in rows] == [
        "first-of", "first-of:learners=(gpa:when=always)+(molg-f),shift=2",
    ]  # fmt: skip


def test_show_says_that_it_is_a_list_and_what_the_default_declares(run):
    shown = json.loads(run("show", "first-of", "--plugin", PLUGIN, "--json").out)
    assert shown["parameters"][0] == {
        "name": "learners",
        "type": "learners",
        "allowed": "a list of learners",
        "default": "(gpa)+(molg-f)",
        "help": "The members.",
    }
    assert shown["declares"] == {
        "feedback": "full", "learns_from": "label", "targets": "classes", "needs": "rows",
    }  # fmt: skip
    assert "a list of learners" in run("show", "first-of", "--plugin", PLUGIN).out


def test_members_decide_what_it_can_play(run, refused):
    line = refused("simulate", *GAME, "--learner", f"{SPEC}+(adam)")
    assert line == "first-of: gpa, molg-f, adam share no game"
    line = refused("simulate", *GAME, "--learner", SPEC, "--feedback", "bandit")
    assert line.startswith("first-of learns from a label, but bandit feedback reveals a bit")
    kernel = "first-of:learners=kernel-perceptron+gpa"
    row = json.loads(run("simulate", *GAME, "--learner", kernel, "--json").out)
    assert row["embedding"] == "kernel"


def test_a_thousand_brackets_are_one_line(refused):
    for begin in ("(", "(first-of:learners="):
        spec = f"first-of:learners={begin * 1000}gpa{')' * 1000}"
        line = refused("simulate", *GAME, "--learner", spec)
        assert line.endswith("more than 50 brackets inside each other")


def test_the_kit_knows_lists(run):
    done = run("check", "learner", SPEC, "--plugin", PLUGIN)
    assert done.code == 0, done.out
