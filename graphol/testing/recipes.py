"""Checks that every kind of component shares: it is a recipe, and a recipe can be written down."""

from __future__ import annotations

import json
import pickle
from typing import Any

import attrs

from graphol.docstrings import helps
from graphol.fitting import misdeclared, misfit
from graphol.params import describe
from graphol.registry import registry


def has_the_interface(kind: str, component: Any) -> None:
    """The registry and the engine can use it: a name and every method of its interface."""
    wrong = misfit(kind, type(component)) or misdeclared(kind, component)
    assert not wrong, wrong


def is_a_frozen_recipe(kind: str, component: Any) -> None:
    """Two runs of one recipe are the same run: hyper-parameters cannot change half-way."""
    for field in attrs.fields(type(component)):
        try:
            setattr(component, field.name, getattr(component, field.name))
        except attrs.exceptions.FrozenInstanceError:
            continue
        raise AssertionError(f"{field.name} can be set; decorate the class with @attrs.frozen")
    assert component == attrs.evolve(component), "an identical recipe does not compare equal"


def documents_every_parameter(kind: str, component: Any) -> None:
    """`graphol list` and `graphol show` have something to say about it."""
    doc = type(component).__doc__ or ""
    assert doc.strip().splitlines(), "the class has no docstring"
    first = doc.strip().splitlines()[0]
    assert not first.startswith(f"{type(component).__name__}("), (
        "attrs wrote the docstring, not you"
    )
    silent = [name for name, text in helps(type(component)).items() if not text]
    assert not silent, f"the docstring's section Parameters does not say {', '.join(silent)}"


def can_be_written_down(kind: str, component: Any) -> None:
    """Results state their recipe: it survives JSON."""
    described = describe(component)
    assert json.loads(json.dumps(described)) == described, "not plain JSON data"


def can_be_restored(kind: str, component: Any) -> None:
    """A saved predictor comes back with the same component, where it is a registered one."""
    offers = registry().offers(kind).get(component.name, [])
    if any(offer.cls is type(component) for offer in offers):
        restored = registry().restore(kind, describe(component))
        assert restored == component, f"{restored} came back"


def travels_to_a_worker(kind: str, component: Any) -> None:
    """`--jobs` can send it to another process."""
    assert pickle.loads(pickle.dumps(component)) == component, "it changed on the way"


CHECKS = [
    has_the_interface,
    is_a_frozen_recipe,
    documents_every_parameter,
    can_be_written_down,
    can_be_restored,
    travels_to_a_worker,
]
