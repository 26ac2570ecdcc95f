"""Fetched and embedded before, nothing is fetched or embedded later."""

from __future__ import annotations

import pytest

from graphol.errors import InputError
from graphol.plan import Plan
from graphol.sweep import prepare as preparing
from graphol.sweep.cell import Cell
from graphol.sweep.prepare import prepare


def cell(learner="gpa", dataset="sbm:nodes=40,classes=2", **rules):
    return Cell(learner, dataset, plan=Plan(repeats=1, **rules))


def test_every_graph_is_embedded_once_for_every_seed(monkeypatch):
    cells = [cell(), cell("molg-f"), cell("molg-f", seed=1), cell("label-propagation"),
             cell(fresh_data=True)]  # fmt: skip
    assert prepare(cells) == [
        "sbm, seed 0: embedded by spectral",
        "sbm, seed 1: embedded by spectral",
    ]


def test_what_has_an_address_is_fetched(monkeypatch):
    fetched = []

    def fetch(name, progress=None):
        fetched.append(name)
        raise InputError("no network")

    monkeypatch.setattr(preparing, "fetch", fetch)
    with pytest.raises(InputError, match="no network"):
        prepare([cell(dataset="largest:of=(cora:component=all)")])
    assert fetched == ["cora"]


def test_what_has_none_says_where_it_comes_from(monkeypatch):
    with pytest.raises(InputError, match="facebook-pages is not on this machine"):
        prepare([cell(dataset="facebook-pages")])
