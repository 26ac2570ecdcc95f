"""Contexts by number and by name, and closed forms as plain data."""

import json

import numpy as np
import pytest

import graphol
from graphol import Clique, Graph, Line, SupportTree, UsageError
from graphol.contexts import Named, Numbered, checked_latent, restored_form

DAYS = Graph.from_edges(["mon", "tue"], ["tue", "wed"], name="days")


@pytest.mark.parametrize(
    ("contexts", "count", "allowed"),
    [
        (Numbered(Clique(24)), 24, "from 0 to 23"),
        (Numbered(Line(2)), 2, "from 0 to 1"),
        (Numbered(SupportTree(1000)), 1000, "from 0 to 999"),
        (Numbered(), None, r">= 0 and below 2\^40"),
    ],
)
def test_numbers(contexts, count, allowed):
    assert contexts.count == count
    last = 2**40 - 1 if count is None else count - 1
    for good in (0, last, np.int64(last)):
        assert contexts.number(good) == good
    for odd in (-1, last + 1, 1.0, True, "0", None, [0], np.array([1, 2]), 10**5000):
        with pytest.raises(
            UsageError, match=f"a context is a whole number {allowed}, got"
        ) as error:
            contexts.number(odd)
        assert "\n" not in str(error.value) and len(str(error.value)) < 200


def test_names():
    contexts = Named(DAYS, None)
    assert [contexts.number(day) for day in ("mon", "tue", "wed")] == [0, 1, 2]
    for odd in (0, "thu", ["mon"], -1):
        with pytest.raises(
            UsageError, match="a context is a node of the latent graph: days has no"
        ):
            contexts.number(odd)


@pytest.mark.parametrize("form", [Clique(24), Line(7), SupportTree(1000), SupportTree(np.int64(5))])
def test_a_closed_form_survives_json(form):
    record = json.loads(json.dumps(Numbered(checked_latent(form)).record()))
    assert restored_form(record) == form


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "clique", "count": 1}, {"kind": "clique", "count": 10**30},
        {"kind": "clique", "count": 2.5}, {"kind": "line", "count": True},
        {"kind": "line", "count": 2**26}, {"kind": "tree", "count": 5}, {"kind": [], "count": 5},
        {"kind": "support-tree", "count": None}, {"kind": "support-tree", "count": -1},
    ],
)  # fmt: skip
def test_records_of_nothing_are_refused(record):
    with pytest.raises(ValueError, match=r"latent is|contexts has|support tree has"):
        restored_form(record)


@pytest.mark.parametrize(
    ("latent", "message"),
    [
        (24, "latent must be graphol.Clique.* got 24"),
        ("clique", "latent must be graphol.Clique.* got 'clique'"),
        (Clique, "latent must be graphol.Clique"),
        (Clique(2.5), "latent has a whole number of contexts"),
    ],
)
def test_what_is_no_latent_graph_is_one_line(latent, message):
    with pytest.raises(graphol.UsageError, match=message) as error:
        checked_latent(latent)
    assert "\n" not in str(error.value)
