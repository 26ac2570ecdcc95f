"""Plugins that break, one way each: at import, in a hook, in a class, in a game, at the end.

``LISTED`` break before a game: ``--plugin FILE`` ends with exit code 4, and installed they are a
listed failure. ``PLAYED`` break in a game: exit code 4. ``HARMLESS`` misbehave and yet hurt nobody:
the answer is whole and the exit code 0. Every one offers, or would, the learner ``broken``; the
word that its message has to contain stands beside it.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

LEARNER = '''
import atexit, multiprocessing as m, os, signal, sys, threading, time, warnings
from typing import ClassVar, NamedTuple

import attrs
import numpy as np
import typer

import graphol
from graphol.errors import GrapholError, InputError, UsageError


class State(NamedTuple):
    counts: np.ndarray


class Unspeakable(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__


class Root(BaseException):
    pass


class Two(Exception):
    def __init__(self, one, two):
        super().__init__(one)


class Zero(GrapholError):
    exit_code = 0


class Round(UsageError):
    exit_code = 256  # of which a shell sees 0


class Forged(InputError):
    exit_code = 0
    __module__ = "graphol.errors"


class Sly(GrapholError):
    @property
    def exit_code(self):
        sys.exit(0)


class Own(InputError):
    pass


IMPORT

@attrs.frozen
class Broken:
    """Breaks."""

    name: ClassVar[str] = "broken"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "nothing"
    CLASS

    def start(self, problem):
        START
        return State(np.zeros(problem.n_classes))

    def predict(self, state, instance):
        PREDICT
        return graphol.Prediction(int(np.argmax(state.counts)))

    def update(self, state, instance, prediction, reveal):
        UPDATE
        state.counts[int(reveal.label)] += 1
        return 1


@graphol.hookimpl
def graphol_learners():
    HOOK
    return [Broken]
'''

FEEDBACK = '''
@attrs.frozen
class Odd:
    """Breaks."""

    name: ClassVar[str] = "odd"
    reveals: ClassVar[str] = "label"
    on_request: ClassVar[bool] = False

    def reveal(self, instance, truth, prediction, rng):
        REVEAL
        return graphol.Reveal(label=truth)

    def answered(self, rounds, rng):
        return None

    def scored(self, rounds):
        SCORED
        return np.ones(rounds, dtype=bool)


@graphol.hookimpl
def graphol_feedbacks():
    return [Odd]
'''

SLOTS = ("IMPORT", "CLASS", "START", "PREDICT", "UPDATE", "HOOK", "REVEAL", "SCORED")


class Case(NamedTuple):
    """A plugin's source, and a word that its message contains."""

    source: str
    word: str = ""
    options: tuple[str, ...] = ()
    """Of ``graphol simulate``, beside the usual ones."""


def case(word: str = "", options: tuple[str, ...] = (), **slots: str) -> Case:
    """A plugin with code put into its slots."""
    source = LEARNER
    if {"REVEAL", "SCORED"} & slots.keys():
        source, options = source + FEEDBACK, ("--feedback", "odd")
    for slot in SLOTS:
        before = next((line for line in source.splitlines() if line.strip() == slot), "")
        indent = before[: len(before) - len(before.lstrip())]
        code = textwrap.indent(textwrap.dedent(slots.get(slot, "pass")).strip("\n"), indent)
        source = source.replace(before, code) if before else source
    return Case(source, word, options)


ENDLESS = """
def each():
    while True:
        yield Broken
return each()
"""
STUBBORN = """
def each():
    while True:
        try:
            yield Broken
        except GeneratorExit:
            pass
return each()
"""
META = """
class Meta(type):
    def __getattribute__(cls, name):
        if name == 'learns_from':
            raise Root('no')
        return super().__getattribute__(name)
@attrs.frozen
class Strange(Broken, metaclass=Meta):
    name: ClassVar[str] = 'strange'
return [Strange]
"""
MISSPELT = """
@graphol.hookimpl
def graphol_lerners():
    return []
"""
HALF_WAY = """
def each():
    yield Broken
    raise ValueError('x')
return each()
"""
LATE = """
refused = UsageError('no')
refused.exit_code = 0
raise refused
"""
FOREVER = "threading.Thread(target=time.sleep, args=(600,)).start()"

LISTED = {
    "import-raises": case("no luck", IMPORT="raise RuntimeError('no luck')"),
    "import-two-lines": case("no luck today", IMPORT="raise RuntimeError('no luck\\ntoday')"),
    "import-exit-0": case("sys.exit(0)", IMPORT="sys.exit(0)"),
    "import-exit-text": case("sys.exit('bye')", IMPORT="sys.exit('bye')"),
    "import-exit-unspeakable": case("sys.exit((reading", IMPORT="sys.exit(Unspeakable())"),
    "import-base-exception": case("Root: deep", IMPORT="raise Root('deep')"),
    "import-generator-exit": case("GeneratorExit", IMPORT="raise GeneratorExit"),
    "import-interrupt": case("KeyboardInterrupt", IMPORT="raise KeyboardInterrupt"),
    "import-unspeakable": case("Unspeakable", IMPORT="raise Unspeakable"),
    "import-recursion": case("RecursionError", IMPORT="def f(): f()\nf()"),
    "import-memory": case("MemoryError", IMPORT="raise MemoryError"),
    "import-missing": case("no_such_package", IMPORT="import no_such_package"),
    "import-syntax": Case("def f(:\n", "SyntaxError"),
    "import-null-bytes": Case("x = '\0'\n", "SyntaxError"),
    "import-typer-exit": case("Exit", IMPORT="raise typer.Exit(0)"),
    "import-zero": case("Zero: no", IMPORT="raise Zero('no')"),
    "api-of-the-future": case("version 99", IMPORT="GRAPHOL_API = 99"),
    "api-no-number": case("sys.exit(0)", IMPORT="GRAPHOL_API = Unspeakable()"),
    "hook-misspelt": case("graphol_lerners", IMPORT=MISSPELT),
    "hook-raises": case("graphol_learners: KeyError", HOOK="raise KeyError('x')"),
    "hook-exit-0": case("graphol_learners: it called sys.exit(0)", HOOK="sys.exit(0)"),
    "hook-interrupt": case("graphol_learners: KeyboardInterrupt", HOOK="raise KeyboardInterrupt"),
    "hook-zero": case("graphol_learners: Zero: no", HOOK="raise Zero('no')"),
    "hook-none": case("gave NoneType", HOOK="return None"),
    "hook-number": case("gave int", HOOK="return 3"),
    "hook-instance": case("not instances", HOOK="return [Broken()]"),
    "hook-text": case("gave str", HOOK="return 'broken'"),
    "hook-endless": case("more than 10000", HOOK=ENDLESS),
    "hook-stubborn": case("more than 10000", HOOK=STUBBORN),
    "hook-half-way": case("ValueError", HOOK=HALF_WAY),
    "hook-metaclass": case("Root: no", HOOK=META),
    "class-name-number": case("`name`", CLASS="name = 3"),
    "class-name-escape": case("cannot be typed", CLASS="name = 'bro\\033[31mken'"),
    "class-not-attrs": case("attrs class", HOOK="class Plain: name = 'broken'\nreturn [Plain]"),
    "class-lacks-update": case("it lacks", HOOK="del Broken.update"),
    "class-docstring": case("docstring", HOOK="Broken.__doc__ = 5"),
    "class-needs": case("its needs must be", CLASS="needs = 'magic'"),
    "class-learns-from": case("learns_from", CLASS="learns_from = 5"),
}  # fmt: skip

PLAYED = {
    "make-exit-0": case("__init__ of 'broken'", CLASS="def __attrs_post_init__(self): sys.exit(0)"),
    "start-exit-0": case("start of 'broken'", START="sys.exit(0)"),
    "predict-exit-0": case("predict of 'broken'", PREDICT="sys.exit(0)"),
    "predict-exit-0-jobs": case("predict of 'broken'", ("--jobs", "2"), PREDICT="sys.exit(0)"),
    "predict-raises-jobs": case("predict of 'broken'", ("--jobs", "2"), PREDICT="1 / 0"),
    "predict-two-jobs": case("Two", ("--jobs", "2"), PREDICT="raise Two(1, 2)"),
    "predict-zero": case("Zero: no", PREDICT="raise Zero('no')"),
    "predict-zero-jobs": case("Zero: no", ("--jobs", "2"), PREDICT="raise Zero('no')"),
    "predict-zero-late": case("UsageError: no", PREDICT=LATE),
    "predict-256": case("Round: no", PREDICT="raise Round('no')"),
    "predict-forged": case("Forged: no", PREDICT="raise Forged('no')"),
    "predict-sly": case("Sly: no", PREDICT="raise Sly('no')"),
    "predict-sly-jobs": case("Sly: no", ("--jobs", "2"), PREDICT="raise Sly('no')"),
    "predict-patched": case("no", PREDICT="UsageError.exit_code = 0\nraise UsageError('no')"),
    "make-zero": case("Zero: no", CLASS="def __attrs_post_init__(self): raise Zero('no')"),
    "predict-typer-exit": case("predict of 'broken'", PREDICT="raise typer.Exit(0)"),
    "predict-base-exception": case("Root: deep", PREDICT="raise Root('deep')"),
    "predict-generator-exit": case("GeneratorExit", PREDICT="raise GeneratorExit"),
    "predict-stop-iteration": case("StopIteration", PREDICT="raise StopIteration"),
    "predict-interrupt": case("KeyboardInterrupt", PREDICT="raise KeyboardInterrupt"),
    "predict-interrupt-jobs": case(
        "KeyboardInterrupt", ("--jobs", "2"), PREDICT="raise KeyboardInterrupt"
    ),
    "predict-unspeakable": case("Unspeakable", PREDICT="raise Unspeakable"),
    "predict-recursion": case("RecursionError", PREDICT="return self.predict(state, instance)"),
    "predict-memory": case("not enough memory", PREDICT="np.zeros(2**50)"),
    "predict-broken-pipe": case("BrokenPipeError", PREDICT="raise BrokenPipeError"),
    "predict-none": case("predict of 'broken' gave", PREDICT="return None"),
    "predict-text": case("predict of 'broken' gave", PREDICT="return graphol.Prediction('x')"),
    "predict-class-99": case("predicted 99", PREDICT="return graphol.Prediction(99)"),
    "predict-closes-and-raises": case(
        "predict of 'broken'", PREDICT="sys.stdout.close(); sys.stderr.close(); 1 / 0"
    ),
    "update-negative": case("updated -5 models in round 0", UPDATE="return -5"),
    "update-text": case("update of 'broken' gave", UPDATE="return 'many'"),
    "update-dies-jobs": case("of broken of plugin", ("--jobs", "2"), UPDATE="os._exit(0)"),
    "update-killed-jobs": case(
        "of broken of plugin", ("--jobs", "2"), UPDATE="os.kill(os.getpid(), signal.SIGKILL)"
    ),
    "reveal-exit-0": case("reveal of 'odd'", REVEAL="sys.exit(0)"),
    "reveal-none": case("of 'odd'", REVEAL="return None"),
    "scored-short": case("scored", SCORED="return np.ones(3, dtype=bool)"),
    "atexit-and-raises": case("predict", IMPORT="atexit.register(os._exit, 0)", PREDICT="1 / 0"),
    "pickle-exit-0-jobs": case(
        "sys.exit(0)", ("--jobs", "2"), CLASS="def __reduce__(self): return sys.exit, (0,)"
    ),
    "import-dies-in-jobs": case(
        "ended while it loaded plugin", ("--jobs", "2"), IMPORT="if m.parent_process(): os._exit(0)"
    ),
    "thread-and-raises": case("predict of 'broken'", IMPORT=FOREVER, PREDICT="1 / 0"),
}

HARMLESS = {
    "import-prints": case(IMPORT="print('hello'); os.write(1, b'hello'); os.system('echo hello')"),
    "predict-prints": case(PREDICT="print('{'); sys.__stdout__.write('{')"),
    "predict-prints-jobs": case(options=("--jobs", "2"), PREDICT="print('{', flush=True)"),
    "import-closes-stdout": case(IMPORT="sys.stdout.close(); sys.__stdout__.close()"),
    "predict-replaces-streams": case(PREDICT="sys.stdout = sys.stderr = None"),
    "thread-without-end": case(IMPORT=FOREVER),
    "thread-without-end-jobs": case(options=("--jobs", "2"), PREDICT=FOREVER),
    "thread-raises": case(IMPORT="threading.Thread(target=lambda: 1 / 0).start()"),
    "process-without-end": case(IMPORT="m.Process(target=time.sleep, args=(600,)).start()"),
    "atexit-exits": case(IMPORT="atexit.register(sys.exit, 7)"),
    "atexit-prints": case(IMPORT="atexit.register(print, 'bye')"),
    "warns": case(PREDICT="warnings.warn('two\\nlines')"),
    "warns-jobs": case(options=("--jobs", "2"), PREDICT="warnings.warn('two\\nlines \\x1b[31m')"),
}
