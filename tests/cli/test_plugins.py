"""Plugins that break in every way, and the rest that goes on as if nothing had happened."""

from __future__ import annotations

import json
import textwrap

import pytest

from graphol.registry import registry

BROKEN = {
    "raises": ("raise RuntimeError('no luck\\ntoday')", "RuntimeError: no luck today"),
    "exits": ("import sys; sys.exit(4)", "it called sys.exit(4)"),
    "imports": ("import no_such_thing", "No module named 'no_such_thing'"),
    "future": ("GRAPHOL_API = 99", "written for version 99 of the plugin interface"),
    "misspelt": (
        """
        import graphol

        @graphol.hookimpl
        def graphol_learnerz():
            return []
        """,
        "graphol_learnerz",
    ),
    "late": (
        """
        import graphol

        @graphol.hookimpl
        def graphol_learners():
            raise ValueError("not today")
        """,
        "in graphol_learners: ValueError: not today",
    ),
    "unfit": (
        """
        import graphol

        class Nobody:
            name = "nobody"

        @graphol.hookimpl
        def graphol_learners():
            return [Nobody]
        """,
        "it must be an attrs class",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_reported_and_hurts_nothing(run, install, name):
    source, reason = BROKEN[name]
    install(name, source)
    install("fine", learner="majority")
    result = run("plugins", "--json")
    rows = {row["name"]: row for row in json.loads(result.out)}
    assert result.code == 0
    assert list(rows["builtin"]) == ["name", "owner", "offers", "state", "conflicts", "schema"]
    assert rows["builtin"]["state"] == rows["fine"]["state"] == "ok"
    assert rows[name]["state"].startswith("failed: ")
    assert reason in rows[name]["state"]
    assert rows["fine"]["offers"] == {"learner": ["majority"]}
    call = ("simulate", "--learner", "majority", "--dataset", "sbm:nodes=60,classes=2")
    assert run(*call).code == 0
    listed = run("list", "learners")
    assert "majority" in listed.out
    assert listed.err.count("\n") <= 2


def test_plugins_as_a_table(run, install):
    install("raises", BROKEN["raises"][0])
    install("fine", learner="majority")
    head, builtin, fine, broken = run("plugins").out.splitlines()
    assert head.split() == ["name", "owner", "offers", "state"]
    assert builtin.startswith("builtin  graphol ")
    assert fine.split()[:5] == ["fine", "fake-fine", "1.0", "1", "learner"]
    assert broken.split()[:4] == ["raises", "fake-raises", "1.0", "nothing"]
    assert broken.endswith("failed: while it was imported: RuntimeError: no luck today")


def test_an_unknown_name_points_at_the_failed_plugin(refused, install):
    install("raises", BROKEN["raises"][0])
    line = refused("simulate", "--learner", "majority")
    assert "plugin raises failed: see `graphol plugins`" in line


def test_two_plugins_with_one_name_are_both_named(run, refused, install):
    install("one", learner="twin")
    install("two", learner="twin")
    for call in (("simulate", "--learner", "twin"), ("show", "twin"), ("check", "learner", "twin")):
        line = refused(*call)
        assert "fake-one 1.0" in line
        assert "fake-two 1.0" in line
    rows = [row for row in json.loads(run("list", "--json").out) if row["name"] == "twin"]
    assert [row["conflict"] for row in rows] == [
        "also offered by fake-two 1.0",
        "also offered by fake-one 1.0",
    ]
    assert "conflict" in run("list", "learners").out.splitlines()[0]
    told = run("plugins").out.splitlines()[-2:]
    assert told == [
        "fake-one 1.0: learner 'twin' is also offered by fake-two 1.0",
        "fake-two 1.0: learner 'twin' is also offered by fake-one 1.0",
    ]
    assert run("simulate", "--learner", "gpa", "--dataset", "sbm", "--repeats", 1).code == 0


def test_a_file_may_not_take_a_name_either(refused, plugin_file):
    path = plugin_file("gpa")
    assert str(path) in refused("simulate", "--learner", "gpa", "--plugin", path)


@pytest.mark.parametrize(
    ("wanted", "loaded"),
    [("", ["builtin"]), ("one", ["builtin", "one"]), (None, ["builtin", "one", "two"])],
)
def test_loading_can_be_restricted(run, install, monkeypatch, wanted, loaded):
    install("one", learner="first")
    install("two", learner="second")
    if wanted is None:
        monkeypatch.delenv("GRAPHOL_PLUGINS")
    else:
        monkeypatch.setenv("GRAPHOL_PLUGINS", wanted)
    registry.cache_clear()
    result = run("plugins", "--json")
    names = [row["name"] for row in json.loads(result.out)]
    assert [name for name in names if name in ("builtin", "one", "two")] == loaded
    assert (f"GRAPHOL_PLUGINS={wanted} keeps all other" in result.err) == (wanted is not None)


@pytest.mark.parametrize("name", ["raises", "exits", "imports", "future", "misspelt"])
def test_a_broken_file_is_refused(refused, tmp_path, name):
    source, reason = BROKEN[name]
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(source))
    line = refused("list", "--plugin", path, code=4)
    assert str(path) in line
    assert reason in line


def test_a_file_that_is_not_python(refused, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    assert "must end in .py" in refused("list", "--plugin", tmp_path / "notes.txt")
