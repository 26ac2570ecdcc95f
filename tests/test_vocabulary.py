"""The user's names and the learners' numbers."""

import numpy as np
import pytest

from graphol import Graph, UsageError
from graphol.vocabulary import ClassNames, SignNames, vocabulary

EDGE = Graph.from_edges(["a"], ["b"], name="edge")
LABELLED = EDGE.labelled([0, 1], ["tea", "coffee"])


def test_names_and_numbers_are_inverse_to_each_other():
    for words, numbers in (
        (ClassNames(["x", "y", "z"]), [0, 1, 2]),
        (SignNames(["no", "yes"]), [-1, 1]),
        (SignNames([7, 5]), [-1, 1]),
    ):
        assert words.known(words.names) == [*words.numbers] == numbers
        for kind in (int, float, np.int64, np.float64):
            assert [words.name(kind(k)) for k in numbers] == words.names
        for odd in (0.5, float("nan"), 9, -2):
            assert words.name(odd) is None
    assert ClassNames(["x", "y"]).name(-1) is None and SignNames(["no", "yes"]).name(0) is None


@pytest.mark.parametrize(
    ("target", "graph", "names"),
    [
        ("classes", LABELLED, ["tea", "coffee"]),
        ("signs", LABELLED, [-1, 1]),
        ("signs", EDGE, [-1, 1]),
    ],
)
def test_names_nobody_gave(target, graph, names):
    words = vocabulary(target, None, graph)
    assert (words.target, words.names) == (target, names)
    assert words.n_classes == (2 if target == "classes" else None)


@pytest.mark.parametrize(
    ("target", "given", "message"),
    [
        ("sign", ["a", "b"], "target must be 'classes' or 'signs', got 'sign'"),
        (["signs"], ["a", "b"], "target must be"),
        ("real", ["a", "b"], "target must be"),
        ("classes", None, "edge has no labels; name the classes"),
        ("signs", ["a", "b", "c"], r"that of -1 first, got \['a', 'b', 'c'\]"),
        ("signs", ["a", "a"], "exactly 2 distinct names"),
        ("signs", ["a"], "exactly 2 distinct names"),
        ("signs", [True, False], "a list of texts or a list of whole numbers"),
        ("signs", ["a", 1], "a list of texts or a list of whole numbers"),
    ],
)  # fmt: skip
def test_odd_names_are_one_line(target, given, message):
    with pytest.raises(UsageError, match=message) as error:
        vocabulary(target, given, EDGE)
    assert "\n" not in str(error.value)


def test_names_of_another_kind_are_refused():
    assert SignNames([-1, 1]).plain([np.int64(1)]) == [1]
    with pytest.raises(UsageError, match="the signs are of type int, such as -1, got '1'"):
        SignNames([-1, 1]).plain(["1"])
    with pytest.raises(UsageError, match="the signs are of type int, such as -1, got True"):
        SignNames([-1, 1]).plain([True])
