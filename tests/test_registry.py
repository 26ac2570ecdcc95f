"""Plugins come in one by one; a bad one is listed and hurts nothing."""

import importlib.metadata
import itertools
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import attrs
import pytest

from graphol import GrapholError, UsageError, hookimpl
from graphol.errors import PluginError
from graphol.registry import Registry, registry

GPA = registry().find("learner", "gpa")


def learner(name):
    return type("Mine", (GPA,), {"__doc__": "Mine.", "name": name})


def module(**members):
    made = ModuleType("a_plugin")
    vars(made).update(members)
    return made


def offering(*classes):
    @hookimpl
    def graphol_learners():
        return classes

    return module(graphol_learners=graphol_learners)


@pytest.fixture
def registry_of(monkeypatch):
    """A registry that finds the built-ins and the given loaders."""
    real = [p for p in importlib.metadata.entry_points(group="graphol") if p.name == "builtin"]

    def make(**loaders):
        fake = [
            SimpleNamespace(
                name=name, load=load, dist=SimpleNamespace(name=f"dist-{name}", version="1")
            )
            for name, load in loaders.items()
        ]
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [*fake, *real])
        return Registry()

    return make


def fails(reason):
    def load():
        raise reason

    return load


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (fails(ImportError("no module named torch")), "ImportError: no module named torch"),
        (fails(SystemExit(3)), "it called sys.exit(3)"),
        (fails(KeyboardInterrupt()), "while it was imported: KeyboardInterrupt"),
        (fails(GeneratorExit()), "while it was imported: GeneratorExit"),
        (fails(RuntimeError("two\nlines")), "RuntimeError: two lines"),
        (lambda: module(GRAPHOL_API=99), "version 99 of the plugin interface, this graphol has"),
        (lambda: module(GRAPHOL_API="2.1"), "written for version '2.1' of the plugin interface"),
        (
            lambda: module(GRAPHOL_API=1),
            "this graphol has version 2; change it as",
        ),
        (
            lambda: module(graphol_lerners=offering().graphol_learners),
            "unknown hook 'graphol_lerners'",
        ),
        (lambda: offering(GPA()), "hooks return classes, not instances"),
        (lambda: offering(object), "it needs a class attribute `name`"),
        (lambda: offering(attrs.frozen(type("N", (), {"name": "n"}))), "it lacks "),
        (lambda: module(graphol_learners=hookimpl(lambda: 1 / 0)), "ZeroDivisionError"),
        (
            lambda: module(graphol_learners=hookimpl(lambda: itertools.repeat(GPA))),
            "graphol_learners offers more than 10000 classes",
        ),
        (
            lambda: module(graphol_learners=hookimpl(lambda: None)),
            "graphol_learners gave NoneType, not a list of classes",
        ),
        (lambda: offering(learner("a:b")), "its name 'a:b' cannot be typed"),
        (lambda: offering(learner("a+b")), "its name 'a+b' cannot be typed: give it letters, and"),
        (lambda: offering(learner("a ")), "its name 'a ' cannot be typed"),
        (
            lambda: offering(type("L", (GPA,), {"name": "l", "learns_from": "label"})),
            "its learns_from must be a tuple of kinds of answers",
        ),
    ],
)
def test_a_failed_plugin_is_listed_and_hurts_nothing(registry_of, load, reason):
    registry = registry_of(bad=load, good=lambda: offering(learner("mine")))
    failed = registry.failed()
    assert [p.name for p in failed] == ["bad"]
    assert reason in failed[0].failure and "\n" not in failed[0].failure
    assert failed[0].owner == "dist-bad 1"
    assert {"mine", "gpa", "molg-b"} <= set(registry.offers("learner"))
    assert registry.make("learner", "mine").name == "mine"


def test_an_interrupt_is_not_swallowed(registry_of):
    with pytest.raises(KeyboardInterrupt):
        registry_of(slow=lambda: signal.raise_signal(signal.SIGINT))


def test_one_name_two_owners_is_refused_naming_both(registry_of):
    registry = registry_of(
        one=lambda: offering(learner("mine")), two=lambda: offering(learner("mine"))
    )
    with pytest.raises(UsageError, match="'mine' is offered by both dist-one 1 and dist-two 1"):
        registry.find("learner", "mine")
    assert registry.find("learner", "gpa") is GPA


def test_a_built_in_cannot_be_replaced_quietly(registry_of):
    registry = registry_of(one=lambda: offering(learner("gpa")))
    with pytest.raises(UsageError, match=r"graphol .* and dist-one 1"):
        registry.find("learner", "gpa")


@pytest.mark.parametrize(
    ("wanted", "names"), [("", []), ("one", ["one"]), ("one, two", ["one", "two"])]
)
def test_graphol_plugins_restricts_loading(registry_of, monkeypatch, wanted, names):
    monkeypatch.setenv("GRAPHOL_PLUGINS", wanted)
    registry = registry_of(one=lambda: module(), two=lambda: module())
    assert [p.name for p in registry.plugins] == ["builtin", *names]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("molgb", "unknown learner 'molgb': did you mean 'molg-b'?"),
        ("zzz", "unknown learner 'zzz': there are: adagrad, adam, auto-winnow"),
        ("molg-b:b", "learner 'molg-b:b': 'b' is not of the form key=value"),
        ("molg-b:b=", "'b=' is not of the form key=value"),
        ("molg-b:b=2,b=3", "'b' is given twice"),
        ("molg-b:bb=2", "molg-b has no parameter 'bb'; did you mean 'b'?"),
    ],
)
def test_wrong_names_are_answered(registry_of, spec, message):
    with pytest.raises(UsageError) as error:
        registry_of().make("learner", spec)
    assert message in str(error.value)


def test_a_value_passes_through_and_a_stranger_does_not(registry_of):
    registry = registry_of()
    assert registry.make("learner", GPA()) == GPA()
    with pytest.raises(UsageError, match="int is not a learner"):
        registry.make("learner", 3)


def test_one_file_is_a_plugin(registry_of, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import attrs, graphol\n"
        "from graphol.learners.nodes.gpa import GPA\n"
        "@attrs.frozen\n"
        "class Mine(GPA):\n"
        "    'Mine.'\n"
        "    name = 'mine'\n"
        "@graphol.hookimpl\n"
        "def graphol_learners():\n"
        "    return [Mine]\n"
    )
    registry = registry_of()
    registry.load_file(path)
    registry.load_file(path)
    assert registry.make("learner", "mine:when=always").when == "always"
    path.write_text("1 / 0")
    with pytest.raises(PluginError, match=r"ZeroDivisionError"):
        registry_of().load_file(path)
    with pytest.raises(UsageError, match="no such file"):
        registry.load_file(tmp_path / "other.py")


def test_a_file_whose_offer_does_not_fit_is_refused_with_the_reason(registry_of, tmp_path):
    path = tmp_path / "odd.py"
    path.write_text(
        "import graphol\n"
        "class Odd:\n"
        "    name = 'odd'\n"
        "@graphol.hookimpl\n"
        "def graphol_learners():\n"
        "    return [Odd]\n"
    )
    with pytest.raises(PluginError, match="its learner Odd: it must be an attrs class"):
        registry_of().load_file(path)


def test_what_a_plugin_prints_is_not_part_of_the_answer(registry_of, capsys):
    def load():
        print("hello")
        return module()

    registry_of(loud=load)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hello" in captured.err


def test_importing_graphol_loads_no_plugin():
    assert "graphol" in sys.modules
    import subprocess

    code = "import graphol, sys; print([m for m in ('numpy','numba','pluggy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_plugins_asked_by_many_threads_leave_stdout_alone(registry_of):
    """While a plugin answers, stdout is turned away; two threads must not restore it crosswise."""

    @hookimpl
    def graphol_learners():
        time.sleep(0.02)
        return [learner("slow")]

    @hookimpl
    def graphol_feedbacks():
        time.sleep(0.05)
        return []

    made = module(graphol_learners=graphol_learners, graphol_feedbacks=graphol_feedbacks)
    found = registry_of(slow=lambda: made)
    before = sys.stdout
    with ThreadPoolExecutor(4) as pool:
        kinds = ["feedback", "learner", "feedback", "learner"]
        offers = list(pool.map(found.offers, kinds))
    assert sys.stdout is before
    assert "slow" in offers[1] and offers[1] is offers[3]


@pytest.fixture
def first_of(combinator):
    """Makes a learner with these members."""
    cls = registry().find("learner", "first-of")
    return lambda learners: cls(learners=learners)


def test_a_list_of_components_as_text_names_and_values(first_of):
    made = registry().make
    two = (made("learner", "gpa:when=always"), made("learner", "molg-b:b=1e+3"))
    for same in (
        two, list(two), ["gpa:when=always", two[1]], ("(gpa:when=always)", "molg-b:b=1e+3"),
        "(gpa:when=always)+(molg-b:b=1e+3)", " ( gpa:when=always ) + molg-b:b=1e+3 ",
    ):  # fmt: skip
        assert first_of(same).learners == two
    assert hash(first_of(list(two))) == hash(first_of(two))
    for text in ("gpa+molg-f", "(gpa)+molg-f", "gpa+(molg-f)", "((gpa))+(molg-f)"):
        assert [each.name for each in first_of(text).learners] == ["gpa", "molg-f"]
    assert first_of("molg-b:b=1e+3").learners == two[1:]
    assert made("learner", "first-of", {"learners": "gpa+oslg"}) == first_of(["gpa", "oslg"])


@pytest.mark.parametrize(
    ("learners", "message"),
    [
        ("(gpa", "learners '(gpa': a bracket is not closed; add a )"),
        ("(gpa)+(molg-f", "learners '(gpa)+(molg-f': a bracket is not closed"),
        ("(gpa))", "')' comes after a closed bracket"),
        ("(gpa)(oslg)", "'(oslg)' comes after a closed bracket, where only a + and another comp"),
        ("gpa)", "unknown learner 'gpa)': did you mean 'gpa'?"),
        ("", "learners '': a place in it is empty; write (NAME:KEY=VALUE)+(NAME), or in Python a"),
        ("()", "learners '()': a place in it is empty"),
        ("()+()", "learners '()+()': a place in it is empty"),
        ("gpa+", "learners 'gpa+': a place in it is empty"),
        ("+(gpa)", "learners '+(gpa)': a place in it is empty"),
        ([], "learners []: it is empty; write "),
        (["gpa", " "], "a place in it is empty"),
        (["gpa+oslg"], "learner 'gpa+oslg' is a list of 2; one learner is wanted here"),
        (["gpa", 3], "int is not a learner"),
        (3, "learners 3: this is no list; write "),
        (GPA(), "this is no list"),
        ("(gpaa)+(oslg)", "unknown learner 'gpaa': did you mean 'gpa'?"),
        ("(molg-b:b=-1e+3)+(oslg)", "molg-b: b must be > 0, got -1000.0"),
        ("molg-b:b=2+gpa", "molg-b: b must be a number, got '2+gpa'"),
        ("gpa+label-propagation+adam", "first-of: gpa, label-propagation, adam share no game"),
    ],
)
def test_wrong_lists_are_answered(first_of, learners, message):
    with pytest.raises(UsageError) as error:
        first_of(learners)
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1000 + "gpa" + ")" * 1000,
        "(first-of:learners=" * 1000 + "gpa" + ")" * 1000,
        "(" * 1000,
    ],
)
def test_a_thousand_brackets_are_one_line(first_of, text):
    with pytest.raises(UsageError, match="more than 50 brackets inside each other"):
        first_of(text)


def test_fifty_brackets_are_read(first_of):
    made = first_of("(first-of:learners=" * 49 + "(molg-f:b=2)" + ")" * 49)
    for _ in range(49):
        (made,) = made.learners
    assert made.learners[0].b == 2


class Declaring(GPA):
    """A learner whose parameters decide what it declares."""

    name = "declaring"

    @property
    def needs(self):
        return {"always": "gram"}.get(self.when, "nobody")

    @property
    def targets(self):
        return ("signs",) if self.when == "always" else "signs"


def test_what_parameters_decide_is_checked_for_every_value(registry_of):
    found = registry_of(one=lambda: offering(Declaring))
    assert not found.failed()
    assert found.make("learner", "declaring:when=always").needs == "gram"
    assert found.make("learner", Declaring(when="always")).targets == ("signs",)
    for spec in ("declaring", Declaring()):
        with pytest.raises(GrapholError, match="declaring: its targets must be a tuple of classes"):
            found.make("learner", spec)
    described = {"name": "declaring", "when": "mistakes"}
    with pytest.raises(GrapholError, match="declaring: its targets must be"):
        found.restore("learner", described)
