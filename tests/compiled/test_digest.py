"""What a digest sees and what it does not; ``made`` makes functions as a plugin's author would."""

import math
from types import ModuleType

import numpy as np
import pytest
from numba import njit

from graphol.compiled.digest import called, digest, reads
from graphol.errors import UsageError

RULE = """
def rule(x, least=0.5):
    return helper(x) * SCALE if x > least else 0.0
"""
HELPER = """
def helper(x):
    return x + 1.0
"""


def made(source, name="rule", file="rules.py", **scope):
    """The function of this name in a file with this text."""
    scope = {"math": math, "np": np, "SCALE": 2.0, **scope}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def module(name, source):
    found = ModuleType(name)
    exec(source, found.__dict__)
    return found


def test_lines_files_and_docstrings_are_not_seen():
    text = RULE.replace("\n    return", '\n    """{}"""\n    return') + HELPER
    first = made(text.format("One."))
    moved = made("\n\n\n" + text.format("Another, longer."), file="elsewhere.py")
    assert digest(first) == digest(moved)


def test_a_function_that_has_run_is_the_same():
    """Python rewrites its byte code while it runs."""
    rule = made(RULE + HELPER)
    before = digest(rule)
    for k in range(10_000):
        rule(k / 7)
    assert digest(rule) == before


CHANGES = {
    "code": (RULE + HELPER).replace("x > least", "x >= least"),
    "constant": (RULE + HELPER).replace("else 0.0", "else -0.0"),
    "type of a constant": (RULE + HELPER).replace("else 0.0", "else 0"),
    "default": (RULE + HELPER).replace("least=0.5", "least=0.25"),
    "keyword": (RULE + HELPER).replace("least=0.5", "*, least=0.5"),
    "helper": (RULE + HELPER).replace("x + 1.0", "x + 2.0"),
    "default of a helper": (RULE + HELPER).replace("helper(x):", "helper(x, y=1):"),
    "global": RULE + HELPER + "\nSCALE = 3.0",
    "type of a global": RULE + HELPER + "\nSCALE = 2",
    "another function of that name": RULE.replace("helper(x)", "abs(x)") + HELPER,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_ingredient_counts(change):
    assert digest(made(CHANGES[change])) != digest(made(RULE + HELPER))


def test_helpers_of_modules_count():
    """Called as module.name, in packages too."""
    source = "def rule(x):\n    return tools.deep.helper(x) + tools.SIZE"

    def of(helper, size):
        tools = module("tools", f"SIZE = {size}")
        tools.deep = module("tools.deep", helper)
        return made(source, tools=tools)

    one = of(HELPER, 1)
    assert set(reads(one)) == {("tools", "deep", "helper"), ("tools", "SIZE")}
    assert digest(one) == digest(of(HELPER, 1))
    assert digest(one) != digest(of(HELPER.replace("1.0", "2.0"), 1))
    assert digest(one) != digest(of(HELPER, 2))


def test_closures_count():
    source = "def make(k, helper):\n    def rule(x):\n        return k * helper(x)\n    return rule"
    make = made(source, "make")
    helper, other = made(HELPER, "helper"), made(HELPER.replace("1.0", "2.0"), "helper")
    assert digest(make(1, helper)) == digest(make(1, made(HELPER, "helper")))
    assert len({digest(make(1, helper)), digest(make(2, helper)), digest(make(1, other))}) == 3


def test_functions_that_call_themselves_or_each_other():
    source = """
def rule(n):
    return 1 if n < 1 else n * other(n - 1)
def other(n):
    return rule(n) + STEP
STEP = {}
"""
    assert digest(made(source.format(1))) == digest(made(source.format(1)))
    assert digest(made(source.format(1))) != digest(made(source.format(2)))
    assert [f.__name__ for f in called(made(source.format(1)))] == ["rule", "other"]


def test_loops_within_count():
    """A comprehension is a function of its own on some Pythons."""
    source = "def rule(x):\n    return [helper(k) * SCALE for k in range(3)]"
    assert digest(made(source + HELPER)) != digest(made(source + HELPER.replace("1.0", "2.0")))
    assert digest(made(source + HELPER)) != digest(made(source + HELPER, SCALE=3.0))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (np.arange(3), np.arange(3) + 1),
        (np.arange(3), np.arange(3.0)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.float64(1), np.float32(1)),
        (np.dtype("f8"), np.dtype("f4")),
        ((1, (2, 3)), (1, 2, 3)),
        ((1, 2), (2, 1)),
        (math.pi, 3.14),
        (True, 1),
        (None, 0),
        (np.sqrt, np.exp),
        (math.sqrt, math.exp),
        (np.dot, np.vdot),
        (np.float64, np.float32),
    ],
    ids=str,
)
def test_values_of_globals(one, two):
    source = "def rule(x):\n    return VALUE"
    assert digest(made(source, VALUE=one)) == digest(made(source, VALUE=one))
    assert digest(made(source, VALUE=one)) != digest(made(source, VALUE=two))


def test_options_of_compiled_helpers_count():
    source = "def rule(x):\n    return helper(x)"
    helper = made(HELPER, "helper")
    exact, fast = njit(helper), njit(fastmath=True)(helper)
    assert digest(made(source, helper=exact)) != digest(made(source, helper=fast))


class Odd:
    """Its methods would not be seen."""


class OddLibrary:
    """Of a library, but no function of it."""

    __module__ = "numpy.odd"


@pytest.mark.parametrize(
    "value",
    [
        {},
        [1],
        {1},
        object(),
        Odd,
        OddLibrary(),
        np.random.default_rng(0),
        np.array([None]),
        iter(()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_values_are_refused_by_name(value):
    source = "def rule(x):\n    return helper(x)\ndef helper(x):\n    return VALUE"
    with pytest.raises(UsageError, match=r"^helper: VALUE is a .* cannot be part of a compiled"):
        digest(made(source, VALUE=value))


def test_an_unknown_name_and_a_hidden_module_are_refused():
    with pytest.raises(UsageError, match="rule: helper is not defined"):
        digest(made(RULE))
    source = "def make():\n    import math\n    return lambda x: math.sqrt(x)"
    with pytest.raises(UsageError, match="<lambda>: math is a module imported within a function"):
        digest(made(source, "make")())
