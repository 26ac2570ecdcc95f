"""How a base calls the rules of a learner: with hyper-parameters by name, and compiled."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import MethodType
from typing import Any

import attrs

from graphol.api import NotCompiled, Stretch
from graphol.errors import UsageError, near

Rule = Callable[..., Any]
"""A static method of a learner; after what its base hands it come hyper-parameters by name."""


PLACES = (r"(\S+\.py) \((\d+)\)", r'File "([^"]+)", line (\d+)')
"""How numba writes where it was; the innermost stands last."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""How numba writes in bold, on a terminal or not."""


def settings(learner: Any, rule: Rule, fixed: int, derived: object = None) -> tuple[Any, ...]:
    """What a rule names after its ``fixed`` first parameters.

    Each is a hyper-parameter or property of the learner, or a field of what it derived.
    """
    kinds: Any = (type(learner), type(derived))
    wanted = _wanted(rule, fixed, *kinds)
    return tuple([getattr(derived if of_derived else learner, name) for name, of_derived in wanted])


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
    found = {name for name in dir(cls) if not callable(inspect.getattr_static(cls, name))}
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
        except Exception as reason:
            if len(stretch.row):  # not the first call, which plays nothing: it compiles, or reads
                raise
            said = _refused[rules_of] = f"{owner}: {_blame(reason, rules)}"
    warnings.warn(f"{said}; the plain loop plays it, more slowly", RuntimeWarning, stacklevel=2)
    raise NotCompiled


_refused: dict[tuple[Any, ...], str] = {}
"""What was said of rules that cannot be compiled: numba is not asked again in every repeat."""


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
