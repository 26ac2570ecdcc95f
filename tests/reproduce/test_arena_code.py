"""The digest of a learner's code changes with what is run, and with nothing else."""

from __future__ import annotations

import importlib
import sys

import pytest

from graphol import make
from graphol.reproduce import arena_code
from graphol.reproduce.arena_code import code_of

MODULE = '''"""{doc}"""
import attrs
from graphol.bases.usual import UsualLearner

@attrs.frozen
class Odd(UsualLearner):
    """{doc}"""  {comment}
    name = "odd"
    def predict(self, state, instance):
        """{doc}"""
        return {value}
'''


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """The digest of a learner in a module of this text."""
    monkeypatch.syspath_prepend(tmp_path)

    def of(doc="one", comment="", value=0):
        (tmp_path / "odd_module.py").write_text(
            MODULE.format(doc=doc, comment=comment, value=value)
        )
        arena_code._read.cache_clear()
        importlib.invalidate_caches()
        sys.modules.pop("odd_module", None)
        return code_of(importlib.import_module("odd_module").Odd())

    yield of
    sys.modules.pop("odd_module", None)


def test_only_what_is_run_counts(digest):
    plain = digest()
    assert digest(doc="two") == digest(comment="# a remark") == plain
    assert digest(value=1) != plain


def test_a_rule_that_is_imported_counts(digest, monkeypatch):
    before = digest()
    real = arena_code._read

    def changed(module):
        text, imported = real(module)
        return (text + "!" if module == "graphol.bases.usual" else text), imported

    changed.cache_clear = real.cache_clear
    monkeypatch.setattr(arena_code, "_read", changed)
    assert digest() != before


def test_members_count():
    team = "weighted-majority:learners=(molg-f)+({})"
    assert code_of(make("learner", team.format("oslg"))) != code_of(
        make("learner", team.format("gpa"))
    )
    assert code_of(make("learner", "molg-f:b=2")) == code_of(make("learner", "molg-f"))


def test_compiled_loops_and_bases_of_walk_are_found():
    seen = arena_code._read("graphol.learners.nodes.walk")[1]
    assert {"graphol.bases.walks", "graphol.bases.pushes", "graphol.compiled.walk"} <= set(seen)
    assert "graphol.bases.shared" in arena_code._read("graphol.learners.nodes.molg_f")[1]


def test_what_a_package_passes_on_is_found_where_it_stands():
    assert arena_code._home("graphol.compiled", "compiled") == "graphol.compiled.template"
    assert arena_code._home("graphol.bases", "SharedInverse") == "graphol.bases.shared"
    assert arena_code._home("graphol.compiled", "walk") == "graphol.compiled.walk"
