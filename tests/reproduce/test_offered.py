"""Who offers what can be reproduced, and how often they are asked."""

from __future__ import annotations

from graphol.registry import Registry, registry
from graphol.reproduce import OWN
from graphol.reproduce.offered import experiments, named

PLUGIN = """
import attrs
import graphol
from graphol.reproduce import OWN

@graphol.hookimpl
def graphol_experiments():
    return [attrs.evolve(OWN[0], name="mine")]
"""


def test_plugins_are_asked_once_and_again_when_one_comes(monkeypatch, tmp_path):
    asked, real = [], Registry.values
    monkeypatch.setattr(
        Registry,
        "values",
        lambda self, hook, misfit: asked.append(hook) or real(self, hook, misfit),
    )
    registry.cache_clear()
    try:
        assert [named(each.name) for each in OWN[:3]] == list(OWN[:3])
        assert len(asked) == 1 and "mine" not in experiments()
        (tmp_path / "mine.py").write_text(PLUGIN)
        registry().load_file(tmp_path / "mine.py")
        assert named("mine").datasets == OWN[0].datasets
        assert len(asked) == 2
    finally:
        registry.cache_clear()
    assert "mine" not in experiments()
