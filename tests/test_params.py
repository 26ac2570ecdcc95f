"""Hyper-parameters: every wrong value is one line that says what is allowed."""

import json
from typing import ClassVar

import attrs
import pytest

from graphol import GrapholError, InputError, UsageError, describe, param
from graphol.params import read_params
from graphol.registry import registry


@attrs.frozen
class Recipe:
    """One of each kind."""

    name: ClassVar = "recipe"
    b: float = param(10.0, above=0)
    s: int = param(3, least=1, most=9)
    p: float = param(0.5, least=0, below=1)
    how: str = param("fast", choices=("fast", "exact"))
    on: bool = param(True)
    limit: int = param(None, type=int, least=1)
    size: int = param(5, least=1, word="auto")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"b": 0}, "recipe: b must be > 0, got 0.0"),
        ({"b": float("nan")}, "recipe: b must be > 0, got nan"),
        ({"b": float("inf")}, "recipe: b must be > 0 and finite, got inf"),
        ({"b": "3"}, "recipe: b must be a number, got '3'"),
        ({"b": True}, "recipe: b must be a number, got True"),
        ({"s": 0}, "recipe: s must be >= 1 and <= 9, got 0"),
        ({"s": 10}, "recipe: s must be >= 1 and <= 9, got 10"),
        ({"s": 2.5}, "recipe: s must be a whole number, got 2.5"),
        ({"p": 1.0}, "recipe: p must be >= 0 and < 1, got 1.0"),
        (
            {"how": "fats"},
            "recipe: how must be one of fast, exact, got 'fats'; did you mean 'fast'?",
        ),
        ({"on": 1}, "recipe: on must be true or false, got 1"),
        ({"limit": 0}, "recipe: limit must be >= 1, got 0"),
        ({"size": 0}, "recipe: size must be >= 1 or auto, got 0"),
        ({"size": "much"}, "recipe: size must be a whole number or auto, got 'much'"),
    ],
)
def test_wrong_values(values, message):
    with pytest.raises(UsageError) as error:
        Recipe(**values)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        ({"b": "2"}, {"b": 2.0}),
        ({"b": "1e-3", "s": "4"}, {"b": 1e-3, "s": 4}),
        ({"on": "no"}, {"on": False}),
        ({"on": "TRUE"}, {"on": True}),
        ({"how": "exact"}, {"how": "exact"}),
        ({"limit": "none"}, {"limit": None}),
        ({"size": "auto"}, {"size": "auto"}),
        ({"size": "7"}, {"size": 7}),
        ({"limit": "7"}, {"limit": 7}),
    ],
)
def test_command_line_texts(texts, values):
    assert read_params(Recipe, texts) == values
    Recipe(**read_params(Recipe, texts))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"b": "two"}, "recipe: b must be a number, got 'two'"),
        ({"s": "2.5"}, "recipe: s must be a whole number, got '2.5'"),
        ({"on": "maybe"}, "recipe: on must be true or false, got 'maybe'"),
        ({"c": "1"}, "recipe has no parameter 'c'; there are: b, how, limit, on, p, s, size"),
        ({"limits": "1"}, "recipe has no parameter 'limits'; did you mean 'limit'?"),
    ],
)
def test_wrong_texts(texts, message):
    with pytest.raises(UsageError) as error:
        Recipe(**read_params(Recipe, texts))
    assert str(error.value) == message


def test_describe_and_restore_nested_components():
    kernel = registry().make("embedding", "kernel:eps=0.5,solver=cg")
    described = describe(kernel)
    assert described["solver"]["name"] == "cg"
    assert registry().restore("embedding", described) == kernel


def test_describe_and_restore_lists_of_components(combinator):
    inner = "first-of:learners=(molg-f:b=1e+3)+gpa,shift=2"
    made = registry().make("learner", f"first-of:learners=({inner})+(oslg)")
    described = describe(made)
    assert [each["name"] for each in described["learners"]] == ["first-of", "oslg"]
    assert described["learners"][0]["learners"][0]["b"] == 1000
    assert json.loads(json.dumps(described)) == described
    assert registry().restore("learner", described) == made


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        (5, "what should describe a learner has no name: 5"),
        ([{"name": "gpa"}, None], "what should describe a learner has no name: None"),
        ([{"nam": "gpa"}], "what should describe a learner has no name: {'nam': 'gpa'}"),
        ({"name": "gpa"}, "this is no list"),
        ([], "learners []: it is empty"),
        ([{"name": "gpa", "b": 2}], "learner gpa of this version has no parameter 'b'"),
        ([[{"name": "gpa"}]], "list is not a learner"),
    ],
)
def test_a_damaged_description_is_refused_in_one_line(combinator, learners, message):
    with pytest.raises(GrapholError) as error:
        registry().restore("learner", {"name": "first-of", "learners": learners})
    assert message in str(error.value)


def test_a_description_without_end_is_refused(combinator):
    described = {"name": "gpa"}
    for _ in range(1000):
        described = {"name": "first-of", "learners": [described]}
    with pytest.raises(InputError, match="described more than 50 components deep"):
        registry().restore("learner", described)
