"""How long calls take, without the code that is loaded or compiled in the middle of some."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

now = time.perf_counter_ns

P = ParamSpec("P")
R = TypeVar("R")


class Clock:
    """Adds up the time of calls of several kinds, within a ``with`` block.

    Somebody's projection may be compiled in round 1, a solver be imported at the first mistake;
    that is the price of the program, not of a round. A call during which a module was loaded or
    numba's compiler was at work counts as the mean of the other calls of its kind; where there is
    none, as what it took less the compiler's time. Nothing is called twice, so nothing that is
    drawn, kept or learnt depends on the clock.

    >>> with Clock() as clock:
    ...     twice = clock.timing(lambda x: 2 * x)
    ...     four = twice(2)
    >>> four, clock.elapsed_ns > 0
    (4, True)
    """

    def __init__(self) -> None:
        self._tallies: list[_Tally] = []
        self._compiler: Any = _Silent

    def __enter__(self) -> Clock:
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        if self._compiler is not _Silent:
            _events().unregister(LOCK, self._compiler)
            self._compiler = _Silent

    def _listen(self) -> None:
        """Hear of numba's compiler, once there is one in this process."""
        if self._compiler is _Silent and "numba.core.event" in sys.modules:
            self._compiler = _compiler()

    def timing(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function, on the clock."""
        tally, loaded = _Tally(), sys.modules
        self._tallies.append(tally)

        def timed(*arguments: P.args, **keywords: P.kwargs) -> R:
            modules, compiling = len(loaded), self._compiler.spent
            start = now()
            answer = function(*arguments, **keywords)
            took = now() - start
            if len(loaded) == modules and self._compiler.spent == compiling:
                tally.usual += 1
                tally.usual_ns += took
            else:
                tally.odd += 1
                tally.odd_ns += max(took - (self._compiler.spent - compiling), 0)
                self._listen()  # numba may have been among the modules
            return answer

        return timed

    @property
    def elapsed_ns(self) -> int:
        """Of all calls so far."""
        return sum(tally.elapsed_ns for tally in self._tallies)

    @property
    def left_out(self) -> int:
        """How many calls loaded or compiled something."""
        return sum(tally.odd for tally in self._tallies)

    @property
    def compiling_ns(self) -> int:
        """How long numba's compiler was at work so far."""
        return int(self._compiler.spent)


class _Tally:
    """Calls of one kind, and their time."""

    usual = usual_ns = odd = odd_ns = 0

    @property
    def elapsed_ns(self) -> int:
        if self.usual == 0:
            return self.odd_ns
        return self.usual_ns + self.usual_ns * self.odd // self.usual


class _Silent:
    """No compiler yet."""

    spent = 0


LOCK = "numba:compiler_lock"
"""numba's event that spans compiling a function as well as reading it from the disk."""


def _events() -> Any:
    from numba.core import event

    return event


def _compiler() -> Any:
    Listener: Any = _events().Listener

    class Compiler(Listener):  # type: ignore[misc]
        """Adds up the time that numba compiles; one function compiles others on the way."""

        def __init__(self) -> None:
            self.depth, self.begin, self.spent = 0, 0, 0

        def on_start(self, event: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                self.begin = now()

        def on_end(self, event: Any) -> None:
            if self.depth == 1:
                self.spent += max(now() - self.begin, 1)
            self.depth = max(self.depth - 1, 0)  # it may have been at work when we came

    made = Compiler()
    _events().register(LOCK, made)
    return made
