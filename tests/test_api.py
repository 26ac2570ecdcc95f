"""What components may offer beyond their interface is declared in api.py, and nowhere guessed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import graphol
from graphol import api
from graphol.registry import registry

PACKAGE = Path(graphol.__file__).parent

ALLOWED = {
    ("linalg/parallel.py", "sched_getaffinity"): "of os, on some systems only",
    ("cli/__init__.py", "reconfigure"): "of a stream that somebody may have put in place of stdout",
    ("cli/__init__.py", "ctx"): "of an error of typer's, which does not declare it",
    ("cli/show.py", "__name__"): "of a type in attrs' metadata, where there is one",
    ("formats/libraries.py", "columns"): "of pandas, which is not imported: a frame or a series",
    ("label/page/app.py", "status_code"): "of an error of starlette's, which may be another",
    (
        "label/project_file.py",
        "enable_load_extension",
    ): "of sqlite3, if it was built in",
    ("label/project_file.py", "setconfig"): "of sqlite3, from Python 3.12",
    ("label/project_file.py", "sqlite_errorcode"): "of an error of sqlite3's, which may lack it",
    ("notebook.py", "item"): "of a number, which may be numpy's",
    ("sklearn.py", "adj"): "of a graph, which may be networkx's",
    ("sklearn.py", "labels_"): "of itself: whether it was fitted, as scikit-learn asks",
    ("claims.py", "O_NOFOLLOW"): "of os, on systems that have it",
    ("claims.py", "O_NONBLOCK"): "of os, on systems that have it",
    ("door.py", "O_NONBLOCK"): "of os, on systems that have it",
    ("door.py", "strerror"): "of any error that reading raised",
    ("door.py", "unconsumed_tail"): "of a decompressor: zlib's has it",
    ("workers.py", "_processes"): "of the standard library's pool, to end it at once",
    ("cli/streams.py", "closed"): "of a stream that a plugin may have put in place of stdout",
    ("guard.py", "exit_code"): "of an error, which may be typer's",
    ("guard.py", "__dict__"): "of whatever a frame of ours calls self",
    ("guard.py", "__attrs_attrs__"): "decides whether a value in a frame is a component at all",
    ("guard.py", "name"): "decides whether a value in a frame is a component at all",
    ("fitting.py", "__doc__"): "of whatever a plugin's hook returned",
    ("registry.py", "GRAPHOL_API"): "of a plugin's module",
    ("registry.py", "__name__"): "of whatever a plugin's hook returned",
    ("fitting.py", "name"): "decides whether a class is a component at all",
    ("fitting.py", "reveals"): "decides which interface a protocol must have",
    ("compiled/digest.py", "_fields"): "of any class that a rule reads",
    ("compiled/digest.py", "__module__"): "of any value that a rule reads",
    ("compiled/digest.py", "__name__"): "of any value that a rule reads",
}
"""Attributes that are looked up by a name in quotes: of what, which is never a component."""


def asked(source: str) -> set[str]:
    """The literal names that getattr, hasattr or attrgetter are called with."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {
        argument.value
        for call in calls
        if ast.unparse(call.func).split(".")[-1]
        in ("getattr", "hasattr", "attrgetter", "getattr_static")
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        if argument.value.isidentifier()
    }


def test_nothing_is_read_from_a_component_by_a_name_in_quotes():
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in asked(path.read_text(encoding="utf-8"))
    }
    assert found - set(ALLOWED) == set(), "declare a small Protocol in graphol/api.py instead"


def test_the_scan_sees_what_it_forbids():
    source = 'f(getattr(learner, "grows", False)); hasattr(a.b, "seconds"); getattr(x, name)'
    assert asked(source) == {"grows", "seconds"}
    assert asked('inspect.getattr_static(x, "remembers"); operator.attrgetter("facts")(x)') == {
        "remembers", "facts",
    }  # fmt: skip


OFFERS = {
    "learner": {
        api.Bounded: "banditron confidit gpa matrix-winnow molg-b molg-f multitask-perceptron "
        "ollgc oslg oslg-bandit tracking-perceptron",
        api.Fits: "dongle fastonl knn-logistic label-propagation multi-mrf poisson poisson-ridge "
        "pool pool-b robust-lp smoothed-logistic walk",
        api.HearsFlips: "banditron confidit gpa molg-b neighbour-bayes neighbour-histogram "
        "neighbour-logistic oslg-bandit pool pool-b ridge-bandit soba walk",
        api.PlaysAlong: "confidit fastonl molg-b molg-f msg neighbour-bayes neighbour-histogram "
        "neighbour-logistic oslg oslg-bandit ridge ridge-bandit smoothed-ridge "
        "walk",
        api.Influences: "dongle fastonl label-propagation multi-mrf robust-lp walk",
        api.KeepsScores: "banditron confidit fastonl gpa molg-b molg-f msg neighbour-bayes "
        "neighbour-histogram neighbour-logistic ollgc oslg oslg-bandit pool pool-b ridge "
        "ridge-bandit smoothed-ridge soba sslgc walk",
        api.Tells: "multi-mrf pool pool-b",
        api.Weighs: "label-propagation multi-mrf robust-lp",
    },
    "projection": {api.Approximate: "wgm-head wgm-tail"},
    "feedback": {api.GivesAway: "seeds", api.PlaysSplit: "seeds"},
}


@pytest.mark.parametrize(
    ("kind", "interface"), [(kind, each) for kind, some in OFFERS.items() for each in some]
)
def test_who_offers_more(kind, interface):
    """A method that is misspelt, or inherited by a rule it does not fit, is seen here."""
    own = [
        name
        for name, offers in registry().offers(kind).items()
        if any(offer.plugin.name == "builtin" for offer in offers)
        and isinstance(offers[0].cls(), interface)
    ]
    assert sorted(own) == OFFERS[kind][interface].split()


def test_every_extra_is_in_the_docs():
    """What is runtime-checkable is what graphol asks a component for; tasks are no component."""
    extras = re.findall(
        r"@runtime_checkable\nclass (\w+)\(Protocol\)", (PACKAGE / "api.py").read_text("utf-8")
    )
    page = (Path(__file__).parents[1] / "docs" / "reference" / "python.md").read_text("utf-8")
    assert len(extras) > 12 and "Bounded" in extras
    assert [name for name in extras if f"| `{name}` | " not in page] == ["Task"]


def test_solvers_that_auto_may_choose():
    own = {name: offers[0].cls for name, offers in registry().offers("solver").items()}
    timed = {name for name, cls in own.items() if issubclass(cls, api.Estimates)}
    assert {"cg", "splu", "approx-chol"} <= timed and "auto" not in timed


def test_what_a_dataset_loads_is_a_task():
    task = graphol.make("dataset", "sbm:nodes=100").load(np.random.default_rng(0))
    assert isinstance(task, api.Task)
    assert isinstance(graphol.OneVsRest(task, 0), api.Task)
    assert not isinstance(graphol.make("dataset", "sbm"), api.Task)
    assert not isinstance("sbm", api.Task)
