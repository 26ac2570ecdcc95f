"""Who broke is read from the traceback; what is ours, and what the user does, passes."""

from __future__ import annotations

import io
import signal
import sys
import threading
from types import ModuleType

import pytest

from graphol import GrapholError, InputError, UsageError, answers, engine, guard, simulate
from graphol.errors import PluginError, in_one_line, plainly
from graphol.registry import registry

SOURCE = """
import attrs

@attrs.frozen
class Mine:
    name = "mine"

    def predict(self, what):
        return helper(what)

def helper(what):
    raise what
"""


@pytest.fixture
def plugin(monkeypatch):
    """A module that belongs to somebody."""
    monkeypatch.setattr(guard, "_owners", {})
    made = ModuleType("somebody.inside")
    exec(compile(SOURCE, "somebody.py", "exec"), vars(made))
    guard.belongs("somebody", "plugin x (x 1.0)")
    return made


class Unspeakable(Exception):
    """Its text cannot be had."""

    def __str__(self):
        raise KeyboardInterrupt


class Sly(type(UsageError)):
    """A metaclass that hides a name."""

    @property
    def __name__(cls):
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (ZeroDivisionError("no"), "ZeroDivisionError: no"),
        (SystemExit(0), r"it called sys.exit\(0\)"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(), "StopIteration"),
        (Unspeakable(), r"Unspeakable: \(reading its text raised KeyboardInterrupt\)"),
        (Sly("Hidden", (Exception,), {})("a"), "Hidden: a"),
        (ValueError("x" * 10**6), r"ValueError: x+ \.\.\. .*"),
    ],
)
def test_whatever_leaves_a_plugin_names_it(plugin, reason, said):
    """The outermost frame of the plugin is what we called; its helper is its own affair."""
    told = rf"^plugin x \(x 1.0\) failed in predict of 'mine' \(somebody.py, line 9\): {said}; "
    with pytest.raises(PluginError, match=told) as found, guard.guard():
        plugin.Mine().predict(reason)
    assert found.value.__cause__ is reason and found.value.exit_code == 4
    assert len(str(found.value)) < 3000 and "\n" not in str(found.value)


def test_what_graphol_stumbles_over_is_the_plugins_too(plugin):
    def ours(learner):
        prediction = learner.name.upper
        return prediction.label

    with (
        pytest.raises(PluginError, match=r"^plugin x .* in what predict of 'mine' gave: Attrib"),
        guard.guard(),
    ):
        ours(plugin.Mine())


@pytest.mark.parametrize(
    ("text", "kind"), [("mine predicted 99", PluginError), ("gpa predicted 99", GrapholError)]
)
def test_a_check_of_ours_is_about_whom_it_names(plugin, text, kind):
    def ours(learner):
        raise GrapholError(text)

    with pytest.raises(GrapholError) as found, guard.guard():
        ours(plugin.Mine())
    assert type(found.value) is kind and text in str(found.value)


@pytest.mark.parametrize("reason", [ZeroDivisionError(), SystemExit(0), MemoryError()])
def test_what_no_plugin_did_passes(plugin, reason):
    with pytest.raises(type(reason)) as found, guard.guard():
        raise reason
    assert found.value is reason


@pytest.mark.parametrize("kind", [UsageError, GrapholError])
def test_a_plugin_may_refuse_as_we_do(plugin, kind):
    with pytest.raises(kind, match=r"^not so$") as found, guard.guard():
        plugin.Mine().predict(kind("not so"))
    assert type(found.value) is kind


def own(kind, *codes):
    """A class of the plugin's, perhaps with an exit code of its own."""
    return type("Own", (kind,), dict.fromkeys(["exit_code"], *codes) if codes else {})


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (own(GrapholError), UsageError),
        (own(UsageError), UsageError),
        (own(InputError), InputError),
        (own(UsageError, 3), InputError),
    ],
)
def test_a_refusal_in_a_plugins_own_class_is_named(plugin, kind, told):
    with pytest.raises(told, match=r"^plugin x \(x 1.0\): not so$") as found, guard.guard():
        plugin.Mine().predict(kind("not so"))
    assert type(found.value) is told


@pytest.mark.parametrize("code", [0, -1, 1, 256, True, 2.0, "2", None, 10**30, property(sys.exit)])
def test_no_exit_code_of_a_plugins_own_fakes_success(plugin, code):
    said = r"^plugin x .* failed in predict of 'mine' .*: Own: not so \(its exit code is neither"
    with pytest.raises(PluginError, match=said), guard.guard():
        plugin.Mine().predict(own(InputError, code)("not so"))


def test_an_error_of_a_script_is_not_a_plugins(plugin):
    """Though one is at hand."""

    def ours(learner):
        raise own(UsageError, 0)("not so")

    with pytest.raises(UsageError, match=r"^not so$"), guard.guard():
        ours(plugin.Mine())


def test_an_interrupt_is_the_users_unless_a_plugin_raised_it(plugin):
    plugin.helper = lambda what: signal.raise_signal(signal.SIGINT)
    before = signal.getsignal(signal.SIGINT)
    stoppable, guarded = guard.stoppable(signal.SIGINT), guard.guard(interrupts=True)
    with pytest.raises(KeyboardInterrupt), stoppable, guarded:
        plugin.Mine().predict(None)
    assert signal.getsignal(signal.SIGINT) is before
    del plugin.helper
    exec(compile(SOURCE, "somebody.py", "exec"), vars(plugin))
    with pytest.raises(PluginError, match="KeyboardInterrupt"), guard.guard(interrupts=True):
        plugin.Mine().predict(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt), guard.guard():  # without a handler nobody can tell
        plugin.Mine().predict(KeyboardInterrupt())


def test_signals_are_left_alone_in_other_threads():
    found = []

    def run():
        with guard.stoppable(signal.SIGINT):
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]


def test_graphol_itself_is_nobodys_plugin(plugin):
    guard.belongs("graphol.learners", "plugin y (y 1.0)")
    assert guard.owner_of("graphol.learners.nodes.gpa") == ""
    assert guard.owner_of("somebody.inside.deeper") == "plugin x (x 1.0)"
    assert guard.owner_of("somebodyelse") == guard.owner_of(None) == guard.owner_of("") == ""


def test_a_refusal_of_a_strangers_class_is_told_in_one_of_ours():
    class Free(UsageError):
        exit_code = 0

        def __init__(self, one, two):
            super().__init__(one)

    told = plainly(Free("so", "what"))
    assert (type(told), str(told), told.exit_code) == (UsageError, "so", 2)
    assert in_one_line(SystemExit(Unspeakable())) == "it called sys.exit(Unspeakable())"


def test_what_is_written_aside_goes_to_stderr(monkeypatch):
    aside, err = guard.Aside(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    print("hello", file=aside)
    aside.close()
    print("again", file=aside, flush=True)
    assert err.getvalue() == "hello\nagain\n"
    monkeypatch.setattr(sys, "stderr", None)
    print("nowhere", file=aside)


@pytest.mark.parametrize("module", [engine, answers])
def test_a_round_is_played_without_a_guard(module):
    """It stands around games: the modules that play rounds do not know of it."""
    assert not {"guard", "accused", "PluginError"} & vars(module).keys()


NONSENSE = """
from typing import ClassVar
import attrs, graphol

@attrs.frozen
class Empty:
    "Gives nothing."
    name: ClassVar[str] = "empty"
    def embed(self, graph, rng): pass
    def load(self, rng): pass

@graphol.hookimpl
def graphol_embeddings(): return [Empty]

@graphol.hookimpl
def graphol_datasets(): return [Empty]
"""


@pytest.mark.parametrize(
    ("dataset", "options", "said"),
    [
        ("empty", {}, "empty: load must give a task, got NoneType"),
        ("sbm:nodes=60", {"embedding": "empty"}, "empty: embed must give rows and gram, got None"),
    ],
)
def test_simulate_names_a_plugin_that_gives_nothing(tmp_path, dataset, options, said):
    (tmp_path / "nothing.py").write_text(NONSENSE)
    registry.cache_clear()
    try:
        registry().load_file(tmp_path / "nothing.py")
        with pytest.raises(PluginError, match=rf"^plugin nothing \(.*\): {said}"):
            simulate("gpa", dataset, repeats=1, **options)
    finally:
        registry.cache_clear()
