"""How games are played: rounds, repeats, seed, noise, delay and jobs as one value."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import attrs

from graphol.errors import UsageError, near, shown

KEEPABLE = ("scores",)
"""What a trace keeps only where it is asked for."""

MOST_REPEATS = 1_000_000
"""Of one plan; more are a slip of the finger, and would fill the memory before the first game."""


def _whole(name: str, value: Any, least: int, unit: str = "") -> None:
    if not isinstance(value, Integral):
        raise UsageError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise UsageError(f"{name} must be >= {least}{unit}, got {value}")


def _at_least(least: int, unit: str = "") -> Callable[..., None]:
    def check(plan: Plan, field: attrs.Attribute[int], value: Any) -> None:
        _whole(field.name, value, least, unit)

    return check


def _probability(plan: Plan, field: attrs.Attribute[float], value: float) -> None:
    if not 0 <= value < 1:
        raise UsageError(f"{field.name} must be >= 0 and < 1, got {shown(value)}")


def _numbered(repeats: Any) -> range:
    """So many repeats, from 0 on; or these."""
    if isinstance(repeats, range):
        found = repeats
        if not found or found.start < 0 or found.step != 1:
            raise UsageError(f"repeats must be whole numbers one after another, got {found}")
    else:
        _whole("repeats", repeats, 1)
        found = range(int(repeats))
    count = found.stop - found.start
    if count > MOST_REPEATS:
        raise UsageError(f"repeats must be at most {MOST_REPEATS}, got {count}")
    return found


def _kept(names: Any) -> tuple[str, ...]:
    """Names in their order, each once; one text is a list of one."""
    names = [names] if isinstance(names, str) else names or ()
    if not isinstance(names, list | tuple | set | frozenset):
        raise UsageError(f"keep must be a list of names, got {names!r:.40}; {near('', KEEPABLE)}")
    found = tuple(dict.fromkeys(map(str, names)))
    for name in found:
        if name not in KEEPABLE:
            raise UsageError(f"a trace cannot keep {name!r}; {near(str(name), KEEPABLE)}")
    return found


@attrs.frozen(kw_only=True)
class Plan:
    """How games are played, whoever plays what.

    >>> Plan(repeats=range(5, 10)).which
    '5-9'
    >>> Plan(noise=2.0)
    Traceback (most recent call last):
    graphol.errors.UsageError: noise must be >= 0 and < 1, got 2.0
    """

    repeats: range = attrs.field(default=range(10), converter=_numbered)
    """Which repeats, numbered from 0; a whole number n stands for the first n."""
    seed: int = attrs.field(default=0, validator=_at_least(0))
    """Of everything random: the same seed plays the same games."""
    rounds: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(_at_least(1))
    )
    """Rounds per game; None is the whole stream."""
    noise: float = attrs.field(default=0.0, validator=_probability)
    """Probability of an answer about a wrong label."""
    delay: int = attrs.field(default=0, validator=_at_least(0, " rounds"))
    """Rounds by which answers come late."""
    jobs: int = attrs.field(default=1, validator=_at_least(1))
    """Games played at once: on threads for a compiled learner, else in processes."""
    compiled: bool = True
    """False forces the plain loop."""
    keep: tuple[str, ...] = attrs.field(default=(), converter=_kept)
    """What the traces keep beside their columns: ``scores``, of which
    not every compiled loop has any."""
    fresh_data: bool = False
    """Are generated data drawn anew in every repeat?"""
    one_vs_rest: bool = False
    """Is a repeat one binary game per class, in place of one game of all classes?"""
    fuse: int | None = attrs.field(default=None, validator=attrs.validators.optional(_at_least(1)))
    """Labels of every repeat that weigh the layers before its first round; those are not scored."""
    held_out: bool = False
    """Are the shuffles those that tune, of which none scores?"""

    def __attrs_post_init__(self) -> None:
        if self.fuse is not None and self.fresh_data:
            raise UsageError("fuse weighs the layers of data that are read; leave fresh_data out")
        if self.fuse is not None and self.noise:
            raise UsageError("fuse weighs layers by true labels; leave noise out")
        if self.fuse is not None and self.rounds is not None and self.rounds <= self.fuse:
            raise UsageError(
                f"fuse spends {self.fuse} labels, so none of {self.rounds} rounds would count; "
                "play more rounds"
            )

    @property
    def which(self) -> str:
        """The repeats as the command line writes them."""
        return f"{self.repeats[0]}-{self.repeats[-1]}"

    def recipe(self) -> dict[str, Any]:
        """What can change a figure, beside the seed, as plain data."""
        return {
            "repeats": self.which,
            "rounds": self.rounds,
            "noise": self.noise,
            "delay": self.delay,
            "compiled": self.compiled,
            "fresh_data": self.fresh_data,
            "one_vs_rest": self.one_vs_rest,
        } | ({} if self.fuse is None else {"fuse": self.fuse})
