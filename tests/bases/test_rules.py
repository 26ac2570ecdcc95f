"""How rules are called: parameters by name, compiled or plain; what is said when they cannot."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np
import pytest

import graphol
import graphol.bases
import graphol.registry
from graphol.bases import FirstOrder, SharedInverse
from graphol.errors import UsageError
from graphol.testing.games import node_game

HALVES = {True: 0.5, False: 1.0}
HALF = 0.5


def length(best, heard):
    return f"{best}" < f"{heard:>2}"  # numba cannot


@attrs.frozen
class Mover(FirstOrder):
    """A perceptron with a rate, half as fast for classes below the one it took for best."""

    name: ClassVar[str] = "mover"
    rate: float = graphol.param(1.0, above=0)

    @staticmethod
    def move(W, x, f, best, said, heard, rate):
        if said == heard:
            return 0
        W[heard] += (HALF if heard < best else 1.0) * rate * x
        W[best] -= rate * x
        return 2


@attrs.frozen
class TableMover(Mover):
    """The same with a dict."""

    @staticmethod
    def move(W, x, f, best, said, heard, rate):
        if said == heard:
            return 0
        W[heard] += HALVES[bool(heard < best)] * rate * x
        W[best] -= rate * x
        return 2


@attrs.frozen
class TextMover(Mover):
    """The same by way of texts, which numba does not format."""

    @staticmethod
    def move(W, x, f, best, said, heard, rate):
        if said == heard:
            return 0
        W[heard] += (HALF if f"{heard:1}" < f"{best:1}" else 1.0) * rate * x
        W[best] -= rate * x
        return 2


@attrs.frozen
class HelpedMover(Mover):
    """The culprit is a function that the rule calls."""

    @staticmethod
    def move(W, x, f, best, said, heard, rate):
        return 2 if length(best, heard) else 0


def played(learner, **options):
    full = graphol.make("feedback", "full")
    return graphol.play(node_game(), learner, full, np.random.default_rng(0), **options)


def line_of(function, text):
    lines = Path(__file__).read_text().splitlines()
    first = function.__code__.co_firstlineno
    return next(k for k, line in enumerate(lines[first:], first + 1) if text in line)


def test_rules_that_cannot_be_compiled_are_one_line_and_play_plain():
    good = played(Mover(rate=0.5))
    assert good.trace.meta["compiled"]
    table = (
        r"^mover: its rules cannot be compiled: move: HALVES is a dict, which cannot be part of "
        r"[^\n]*; the plain loop plays it, more slowly$"
    )
    text = (
        rf"^mover: rule move cannot be compiled \({Path(__file__).name}, line "
        rf"{line_of(TextMover.move, ':1}')}: [^\n]+\); the plain loop plays it, more slowly$"
    )
    for learner, said in ((TableMover(rate=0.5), table), (TextMover(rate=0.5), text)):
        for _ in range(2):  # said for every game, however often numba was asked
            with pytest.warns(RuntimeWarning, match=said):
                run = played(learner)
        assert not run.trace.meta["compiled"]
        np.testing.assert_array_equal(run.trace.predicted, good.trace.predicted)
        np.testing.assert_array_equal(run.trace.updates, good.trace.updates)
        np.testing.assert_allclose(run.state.W, good.state.W, atol=1e-12)


def test_a_helper_that_cannot_be_compiled_is_blamed_with_its_rule():
    here = f"{Path(__file__).name}, line {line_of(length, 'numba cannot')}"
    with pytest.warns(RuntimeWarning, match=rf"rule move cannot be compiled \({here}: "):
        played(HelpedMover())


def test_an_unknown_parameter_is_refused_with_the_nearest_name():
    @attrs.frozen
    class Misspelt(Mover):
        move = staticmethod(lambda W, x, f, best, said, heard, rat: 0)

    for compiled in (True, False):
        with pytest.raises(
            UsageError, match=r"asks for rat, which is no .* did you mean 'rate'\?$"
        ):
            played(Misspelt(), compiled=compiled)


def test_methods_are_no_parameters_and_properties_are():
    @attrs.frozen
    class Methodical(Mover):
        move = staticmethod(lambda W, x, f, best, said, heard, start: 0)

    with pytest.raises(UsageError, match="asks for start, which is no parameter"):
        played(Methodical())

    @attrs.frozen(slots=False)
    class Doubled(Mover):
        extra: float = graphol.param(3.0)

        @property
        def twice(self):
            return 2 * self.rate

        @staticmethod
        def move(W, x, f, best, said, heard, twice, extra):
            W[0, 0] = twice + extra
            return 1

    assert played(Doubled(rate=4.0), compiled=False).state.W[0, 0] == 11.0


def test_a_rule_with_self_and_one_with_too_few_parameters_are_refused():
    @attrs.frozen
    class WithSelf(SharedInverse):
        name: ClassVar[str] = "with-self"
        b: float = graphol.param(1.0)

        def decide(self, f, r, best, y, tau):
            return 0.0, 0

    with pytest.raises(UsageError, match=r"WithSelf.decide is a rule.*write @staticmethod above"):
        played(WithSelf())

    @attrs.frozen
    class TooFew(SharedInverse):
        name: ClassVar[str] = "too-few"
        b: float = graphol.param(1.0)

        @staticmethod
        def decide(f, r, best):
            return 0.0, 0

    with pytest.raises(UsageError, match=r"TooFew.decide takes 3 parameters, its base hands it 5"):
        played(TooFew())


class Ruled(SharedInverse):
    """A base of learners that are wrong in one way each."""

    name: ClassVar[str] = "ruled"


@attrs.frozen
class NoRule(Ruled):
    b: float = graphol.param(1.0)


@attrs.frozen
class NoParameter(Ruled):
    decide = staticmethod(lambda f, r, best, y, tau: (0.0, 0))


@attrs.frozen
class NoReturn(Ruled):
    b: float = graphol.param(1.0)

    @staticmethod  # noqa: RET503 (what is tested)
    def decide(f, r, best, y, tau):
        if best == y:
            return 0.0, 0
        tau[:] = f


@attrs.frozen
class OneNumber(Ruled):
    b: float = graphol.param(1.0)
    decide = staticmethod(lambda f, r, best, y, tau: 0.5)


@attrs.frozen
class NoWay(FirstOrder):
    name: ClassVar[str] = "no-way"

    @staticmethod
    def move(W, x, f, best, said, heard):
        if said == heard:
            return
        W[heard] += x


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (NoRule, "NoRule has no decide, which its base needs; .* graphol.bases.shared.SharedInv"),
        (NoParameter, "NoParameter has no b, which its base needs; "),
        (NoReturn, "NoReturn.decide may end without an answer; end every way"),
        (NoWay, "NoWay.move may end without an answer; end every way"),
        (OneNumber, "OneNumber.decide must return two numbers, .* got 0.5$"),
    ],
)
@pytest.mark.filterwarnings("ignore:ruled. its rules")
def test_what_is_missing_is_said_in_one_line(cls, said, compiled):
    with pytest.raises(UsageError, match=said):
        played(cls(), compiled=compiled)


def test_a_division_by_zero_in_compiled_code_names_the_learner():
    @attrs.frozen
    class Divides(Ruled):
        b: float = graphol.param(1.0)
        decide = staticmethod(lambda f, r, best, y, tau: (1.0 / (r - r), 1))

    with pytest.raises(graphol.GrapholError, match=r"^ruled: a rule divides by zero; `graphol ch"):
        played(Divides())


BASES = [x for x in vars(graphol.bases).values() if isinstance(x, type)]


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.__name__)
def test_docstrings_name_what_rules_get(base):
    """As our own learners write them: the same names in the same order."""
    documented = {
        name: tuple(names.split(", "))
        for name, names in re.findall(r"^    ``(\w+)\((.+)\)``$", base.__doc__, re.MULTILINE)
    }
    assert documented
    page = (Path(__file__).parents[2] / "docs/reference/python.md").read_text(encoding="utf-8")
    [row] = [line for line in page.splitlines() if f"`graphol.bases.{base.__name__}` |" in line]
    assert dict(re.findall(r"`(\w+)\((.+?)\)`", row)) == {
        name: ", ".join(names) for name, names in documented.items()
    }
    offers = graphol.registry.registry().offers("learner").values()
    learners = [offer.cls for [offer] in offers if issubclass(offer.cls, base)]
    if base.__name__ == "SignalLearner":
        learners = [x for x in learners if not issubclass(x, graphol.bases.HeadAndTail)]
    assert learners
    for learner in learners:
        for name, names in documented.items():
            own = tuple(inspect.signature(getattr(learner, name)).parameters)
            assert own[: len(names)] == names, (learner, name)


NO_NUMBA = {
    "a learner": "import graphol.learners.nodes.molg_f, graphol.learners.signals.graphda",
    "a plain round": """
import numpy as np, graphol
graph = graphol.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], labels=[0, 0, 1, 1])
predictor = graphol.Predictor("molg-f", graph, embedding="spectral:dim=2")
predictor.tell(predictor.ask(0), label="1"); predictor.ask(1)
""",
    "the command": "from graphol.cli import main\nassert main(['--help']) == 0",
}


@pytest.mark.parametrize("what", NO_NUMBA)
def test_imports_no_numba(what):
    code = f"import sys\n{NO_NUMBA[what]}\nassert 'numba' not in sys.modules"
    place = {"PYTHONPATH": str(Path(graphol.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | place, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
