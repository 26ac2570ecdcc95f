"""The command of a row, read by a shell, plays the row again."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphol
from graphol.command import command, spelled
from graphol.registry import registry


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("learner", "molg-b:b=20,phi=1e-3"),
        ("learner", "graphda:s=7,gamma=2"),
        ("learner", "confidit:alpha=-0.9"),
        ("learner", "da-gl:blocks=3x3"),
        ("embedding", "spectral:dim=5,solver=(splu:max_fill=1e5)"),
        ("embedding", "kernel"),
        ("feedback", "random-query:p=0.30000000000000004"),
        ("dataset", "sbm:nodes=80,classes=3"),
        ("dataset", "switching:of=(sbm:nodes=80,classes=3),K=4,context=segment"),
        ("dataset", "multitask-grid:tasks=7,latent=ring.csv"),
    ],
)
def test_what_is_spelled_out_is_read_back(kind, spec):
    made = graphol.make(kind, spec)
    text = spelled(graphol.describe(made))
    assert graphol.make(kind, text) == made
    for field in graphol.describe(made):
        assert field == "name" or f"{field}=" in text  # no default is left to chance


def test_components_inside_keep_their_parameters():
    spec = "spectral:solver=(splu:max_fill=1e5),dim=5"
    assert graphol.make("embedding", spec).solver.max_fill == 1e5
    assert graphol.make("embedding", spec).dim == 5
    assert graphol.make("embedding", "spectral:solver=splu").solver.name == "splu"


def test_paths_are_quoted_for_the_shell():
    made = graphol.make("dataset", "digits")
    recipe = {
        "learner": {"name": "gpa"}, "feedback": {"name": "full"}, "embedding": None, "seed": 0,
        "dataset": {"name": "files", "graph": "my, edges.csv", "labels": "l's.csv",
                    "component": "all"},
        "engine": {"repeats": "0-9", "rounds": 40, "noise": 0.1, "delay": 3, "fresh_data": True,
                   "one_vs_rest": True},
    }  # fmt: skip
    words = shlex.split(command(recipe, ["plug in.py"]))
    assert words[:4] == ["graphol", "simulate", "--plugin", "plug in.py"]
    for option, value in (
        ("--graph", "my, edges.csv"), ("--labels", "l's.csv"), ("--component", "all"),
        ("--rounds", "40"), ("--noise", "0.1"), ("--delay", "3"), ("--repeats", "0-9"),
    ):  # fmt: skip
        assert words[words.index(option) + 1] == value
    assert "--fresh-data" in words and "--one-vs-rest" in words
    assert command(recipe | {"dataset": graphol.describe(made)}).count("--dataset") == 1


def test_a_stream_is_said_by_options():
    recipe = graphol.simulate("gpa", "sbm:nodes=60", repeats=1).recipe
    own = {"name": "stream", "graph": "my, edges.csv", "stream": "s.csv", "latent": None,
           "component": "largest"}  # fmt: skip
    words = shlex.split(command(recipe | {"dataset": own}))
    at = words.index("--graph")
    assert words[at : at + 6] == [
        "--graph", "my, edges.csv", "--stream", "s.csv", "--component", "largest",
    ]  # fmt: skip
    own["latent"] = "l.csv"
    assert "--latent l.csv" in command(recipe | {"dataset": own})


def test_what_the_command_line_cannot_say_has_no_command():
    odd = {"name": "signals", "graph": "a,b.csv", "samples": "x.csv"}
    recipe = graphol.simulate("gpa", "sbm:nodes=60", repeats=1).recipe
    assert command(recipe, registry().files) == recipe["command"]
    assert command(recipe | {"dataset": odd}) is None
    task = registry().make("dataset", "sbm").load(graphol.seeding.data(0))
    assert graphol.simulate("gpa", task, repeats=1).row()["command"] is None


NUMBERS = st.floats(1e-300, 1e300)
LEAVES = st.one_of(
    st.sampled_from(["gpa", "molg-f", "gpa:when=always", "label-propagation:solver=splu"]),
    st.builds("molg-b:b={!r},phi={:+.3e}".format, NUMBERS, st.floats(1, 1e9)),
    st.builds("label-propagation:solver=(cg:tol={:e})".format, st.floats(1e-12, 1e-3)),
)


def team(members, shift):
    """A learner made of others; names may stand without brackets."""
    written = (f"({each})" if ":" in each or len(each) == 3 else each for each in members)
    return f"first-of:learners={'+'.join(written)},shift={shift!r}"


@given(
    st.recursive(
        LEAVES, lambda some: st.builds(team, st.lists(some, min_size=1, max_size=3), NUMBERS)
    )
)
def test_whatever_is_nested_is_written_down_and_read_back(combinator, spec):
    made = graphol.make("learner", spec)
    described = graphol.describe(made)
    assert registry().restore("learner", json.loads(json.dumps(described))) == made
    text = spelled(described)
    assert graphol.make("learner", text) == made
    words = shlex.split(shlex.join(["--learner", text]))
    assert words == ["--learner", text]


def test_a_list_stands_in_brackets_and_only_components_can_be_listed():
    one = {"name": "first-of", "learners": [{"name": "gpa"}, {"name": "molg-b", "b": 2.0}]}
    assert spelled(one) == "first-of:learners=(gpa)+(molg-b:b=2.0)"
    recipe = graphol.simulate("gpa", "sbm:nodes=60", repeats=1).recipe
    assert "'first-of:learners=(gpa)+(molg-b:b=2.0)'" in command(recipe | {"learner": one})
    for odd in ([], [1, 2], [{"name": "gpa"}, 3]):
        assert command(recipe | {"learner": {"name": "mine", "of": odd}}) is None
