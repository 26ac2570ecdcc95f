"""How a base calls the rules of a learner: with hyper-parameters by name, and compiled."""

from __future__ import annotations

import dis
import functools
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import attrs

from graphol.api import NotCompiled, Stretch
from graphol.errors import GrapholError, UsageError, near

Rule = Callable[..., Any]
"""A static method of a learner; after what its base hands it come hyper-parameters by name."""


PLACES = (r"(\S+\.py) \((\d+)\)", r'File "([^"]+)", line (\d+)')
"""How numba writes where it was; the innermost stands last."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""How numba writes in bold, on a terminal or not."""


class Required:
    """Stands in a base where a learner must have a rule or a parameter of its own."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, learner: object, cls: type) -> Any:
        """Only an instance must have it: a base may be looked at."""
        if learner is None:
            return self
        base = f"{self.owner.__module__}.{self.owner.__name__}"
        raise UsageError(
            f"{cls.__name__} has no {self.name}, which its base needs; "
            f"`python -m pydoc {base}` says what it is"
        )


def required() -> Any:
    """A rule or a parameter that a learner must have."""
    return Required()


def settings(
    learner: Any, rule: Rule, fixed: int, derived: object = None, *, answers: bool = True
) -> tuple[Any, ...]:
    """What a rule names after its ``fixed`` first parameters.

    Each is a hyper-parameter or property of the learner, or a field of what it derived. A rule that
    ``answers`` is refused if it may end without a return.
    """
    kinds: Any = (type(learner), type(derived))
    if answers and _may_be_silent(rule):
        raise UsageError(
            f"{type(learner).__name__}.{rule.__name__} may end without an answer; "
            "end every way through it with a return"
        )
    wanted = _wanted(rule, fixed, *kinds)
    return tuple([getattr(derived if of_derived else learner, name) for name, of_derived in wanted])


@functools.cache
def _may_be_silent(rule: Rule) -> bool:
    """Is there a way through the rule that returns None?"""
    before: Any = None
    for step in dis.get_instructions(rule) if isinstance(rule, FunctionType) else ():
        none = before is not None and before.opname == "LOAD_CONST" and before.argval is None
        if (step.opname == "RETURN_VALUE" and none) or (
            step.opname == "RETURN_CONST" and step.argval is None
        ):
            return True
        before = step
    return False


@functools.cache
def _wanted(rule: Rule, fixed: int, cls: Any, derived: Any) -> tuple[tuple[str, bool], ...]:
    """The names, each with whether it is a field of what was derived."""
    said = f"{cls.__name__}.{rule.__name__}"
    if isinstance(rule, MethodType):
        raise UsageError(f"{said} is a rule, which gets no self; write @staticmethod above it")
    names = tuple(inspect.signature(rule).parameters)
    if len(names) < fixed:
        raise UsageError(
            f"{said} takes {len(names)} parameters, its base hands it {fixed} and then "
            "hyper-parameters by name"
        )
    own, other = _values(cls), _values(derived)
    for name in names[fixed:]:
        if name not in own | other:
            raise UsageError(
                f"{said} asks for {name}, which is no parameter of the learner; "
                f"{near(name, own | other)}"
            )
    return tuple((name, name not in own) for name in names[fixed:])


def _values(cls: Any) -> set[str]:
    """The public fields, properties and constants of a class."""
    fields = {field.name for field in attrs.fields(cls)} if attrs.has(cls) else set()
    static = {name: inspect.getattr_static(cls, name) for name in dir(cls)}
    found = {x for x, value in static.items() if not (callable(value) or type(value) is Required)}
    return {name for name in fields | found if not name.startswith("_")}


def play(
    owner: str, template: Any, rules: dict[str, Rule], stretch: Stretch, *arguments: Any
) -> Any:
    """What the template says, compiled with the rules of a learner, which is the owner.

    Rules that cannot be compiled are named in one line, and the plain loop plays.
    """
    from graphol.compiled import compiled

    rules_of = (template, owner, *rules.values())
    said = _refused.get(rules_of)
    if said is None:
        try:
            return compiled(template, owner, **rules)(*arguments)
        except ZeroDivisionError:
            raise GrapholError(
                f"{owner}: a rule divides by zero; `graphol check learner {owner}` names the line"
            ) from None
        except Exception as reason:
            if len(stretch.row):  # not the first call, which plays nothing: it compiles, or reads
                raise
            said = _refused[rules_of] = f"{owner}: {_blame(reason, rules)}"
    warnings.warn(f"{said}; the plain loop plays it, more slowly", RuntimeWarning, stacklevel=2)
    raise NotCompiled


def quick(owner: str, rule: Rule) -> Rule:
    """The rule, compiled if numba is there already: a plain round does not import it."""
    if "numba" not in sys.modules:
        return rule
    from graphol.compiled import compiled

    made: Rule = compiled(rule, owner)
    return made


_refused: dict[tuple[Any, ...], str] = {}
"""What was said of rules that cannot be compiled: numba is not asked again in every repeat."""


def refused(owner: str) -> bool:
    """Was it said that rules of this learner cannot be compiled?"""
    return any(said.startswith(f"{owner}: ") for said in [*_refused.values()])


def _blame(reason: Exception, rules: dict[str, Rule]) -> str:
    """Which rule cannot be compiled, where and why, in one line."""
    from graphol.compiled.digest import called

    text = COLOURS.sub("", str(reason))
    if isinstance(reason, UsageError):
        return f"its rules cannot be compiled: {text}"
    lines = [line.partition("Raised from")[0].strip() for line in text.splitlines()]
    why = next((x for x in lines if x and not x.startswith("Failed in")), type(reason).__name__)
    why = why.rstrip(".:")
    for file, number in reversed([pair for form in PLACES for pair in re.findall(form, text)]):
        for name, rule in rules.items():
            for code in (function.__code__ for function in called(rule)):
                last = max(line or 0 for *_, line in code.co_lines())
                if Path(file).name == Path(code.co_filename).name and (
                    code.co_firstlineno <= int(number) <= last
                ):
                    place = f"{Path(file).name}, line {number}"
                    return f"rule {name} cannot be compiled ({place}: {why})"
    return f"its rules {', '.join(rules)} cannot be compiled ({why})"
