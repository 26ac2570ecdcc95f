"""``graphol list`` and ``graphol show``: what there is, and all about one."""

from __future__ import annotations

import json

import attrs
import pytest

from graphol.api import KINDS, plural
from graphol.registry import registry


@pytest.mark.parametrize("kind", KINDS)
def test_list_has_every_component_and_its_first_line(run, kind):
    offers = registry().offers(kind)
    lines = run("list", plural(kind)).out.splitlines()
    assert lines[0].split() == ["name", "about", "plugin"]
    assert [line.split()[0] for line in lines[1:]] == list(offers)
    for line, (found, *_) in zip(lines[1:], offers.values(), strict=True):
        assert found.cls.__doc__.splitlines()[0] in line
    assert run("list", kind).out == run("list", plural(kind)).out


def test_list_of_all_kinds(run):
    rows = json.loads(run("list", "--json").out)
    assert list(rows[0]) == ["kind", "name", "about", "plugin", "conflict", "schema"]
    assert list(dict.fromkeys(row["kind"] for row in rows)) == list(KINDS)
    lines = run("list").out.splitlines()
    assert len(lines) == len(rows) + 1
    assert lines[0].split()[0] == "kind"


def test_list_shows_a_plugin_file(run, plugin_file):
    path = plugin_file()
    rows = json.loads(run("list", "learners", "--plugin", path, "--json").out)
    (mine,) = (row for row in rows if row["name"] == "majority")
    assert mine["about"] == "Says the class that it has seen most often."
    assert mine["plugin"] == str(path)


@pytest.mark.parametrize("kind", KINDS)
def test_show_works_for_every_component(run, kind):
    for name, (offer,) in registry().offers(kind).items():
        shown = json.loads(run("show", name, "--kind", kind, "--json").out)
        assert shown["about"] == offer.cls.__doc__.splitlines()[0]
        assert [p["name"] for p in shown["parameters"]] == [f.name for f in attrs.fields(offer.cls)]
        text = run("show", name, "--kind", kind)
        assert text.code == 0
        assert all(p["help"] in text.out for p in shown["parameters"])


def test_show_is_readable(run, plugin_file):
    path = plugin_file()
    assert (
        run("show", "majority", "--plugin", path).out
        == f"""\
majority: learner from {path}

Says the class that it has seen most often.

It maximises \\sum_s [y_s = k].

          \\hat y = \\arg\\max_k n_k

feedback: full
learns from: label
targets: classes
needs: nothing

Parameters
  name   type   allowed  default  help
  prior  float  >= 0         0.0  Count that every class begins with.

References
  Nobody. On counting.
"""
    )


def test_show_parameters(run):
    shown = json.loads(run("show", "molg-b", "--json").out)
    assert shown["parameters"][0] == {
        "name": "b",
        "type": "float",
        "allowed": "> 0",
        "default": 10.0,
        "help": "Ridge; must be > max ||x||², which keeps r < 1.",
    }
    assert "Parameters" not in shown["sections"]
    assert "IJCAI" in shown["sections"]["References"]
    assert shown["declares"]["learns_from"] == "bit or label"


def test_show_asks_which_kind(refused, run, plugin_file):
    path = plugin_file("digits")
    line = refused("show", "digits", "--plugin", path)
    assert line == "'digits' is a learner and a dataset; choose with --kind learner"
    shown = json.loads(run("show", "digits", "--kind", "datasets", "--json").out)
    assert shown["kind"] == "dataset"
