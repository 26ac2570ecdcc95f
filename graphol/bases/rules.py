"""How a base calls the rules of a learner: with hyper-parameters by name, and compiled."""

from __future__ import annotations

import functools
import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphol.api import Learner, NotCompiled, Stretch
from graphol.errors import UsageError, near

Rule = Callable[..., Any]
"""A static method of a learner; after what its base hands it come hyper-parameters by name."""


def settings(learner: Any, rule: Rule, fixed: int, derived: object = None) -> tuple[Any, ...]:
    """What a rule names after its ``fixed`` first parameters.

    Each is a hyper-parameter or property of the learner, or a field of what it derived.
    """
    kinds: list[Any] = [type(learner), type(derived)]
    wanted = _wanted(rule, fixed, *kinds)
    return tuple([getattr(derived if of_derived else learner, name) for name, of_derived in wanted])


@functools.cache
def _wanted(rule: Rule, fixed: int, cls: Any, derived: Any) -> tuple[tuple[str, bool], ...]:
    names = tuple(inspect.signature(rule).parameters)
    if len(names) < fixed:
        raise UsageError(
            f"{cls.__name__}.{rule.__name__} takes {len(names)} parameters, its base hands it "
            f"{fixed} and then hyper-parameters by name"
        )
    for name in names[fixed:]:
        if not hasattr(cls, name) and not hasattr(derived, name):
            known = [key for key in dir(cls) if not key.startswith("_")]
            raise UsageError(
                f"{cls.__name__}.{rule.__name__} asks for {name}, which is no parameter of the "
                f"learner; {near(name, known)}"
            )
    return tuple((name, not hasattr(cls, name)) for name in names[fixed:])


def play(
    learner: Learner, template: Any, rules: dict[str, Rule], stretch: Stretch, *arguments: Any
) -> Any:
    """What the template says, compiled with the learner's rules.

    Rules that cannot be compiled are named in one line, and the plain loop plays.
    """
    from graphol.compiled import compiled

    first_call = len(stretch.row) == 0  # nothing is played: it compiles, or reads what is kept
    try:
        return compiled(template, learner.name, **rules)(*arguments)
    except OSError:  # compiled, but not kept: the disk is full, or not ours
        return compiled(template, learner.name, **rules)(*arguments)
    except Exception as reason:
        if not first_call:
            raise
        said = f"{learner.name}: {_blame(reason, rules)}; the plain loop plays it, more slowly"
        warnings.warn(said, RuntimeWarning, stacklevel=2)
        raise NotCompiled from None


def _blame(reason: Exception, rules: dict[str, Rule]) -> str:
    """Which rule cannot be compiled, where and why, in one line."""
    text = str(reason)
    if isinstance(reason, UsageError):
        return f"its rules cannot be compiled: {text}"
    lines = [line.strip() for line in text.splitlines()]
    why = next((x for x in lines if x and not x.startswith("Failed in")), type(reason).__name__)
    for file, number in reversed(re.findall(r'File "([^"]+)", line (\d+)', text)):
        for name, rule in rules.items():
            code = rule.__code__
            last = max(line or 0 for *_, line in code.co_lines())
            if Path(file).name == Path(code.co_filename).name and (
                code.co_firstlineno <= int(number) <= last
            ):
                return f"rule {name} cannot be compiled ({Path(file).name}, line {number}: {why})"
    return f"its rules {', '.join(rules)} cannot be compiled ({why})"
