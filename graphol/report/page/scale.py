"""From values to places on an axis, and the values that an axis names."""

from __future__ import annotations

import math
from collections.abc import Iterable

import attrs


@attrs.frozen
class Scale:
    """An axis from ``low`` at place ``start`` to ``high`` at place ``end``.

    >>> Scale(0.0, 10.0, 40.0, 140.0)(2.5)
    65.0
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value; beyond the ends if it is."""
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log(low), math.log(high), math.log(max(value, 1e-300))
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round values on the axis, at most so many."""
        return (
            _log_ticks(self.low, self.high, most) if self.log else ticks(self.low, self.high, most)
        )


def over(
    values: Iterable[float],
    start: float,
    end: float,
    *,
    zero: bool = False,
    log: float = math.inf,
) -> Scale:
    """A scale with room for all values, and for 0 if asked for.

    It is logarithmic if the largest is more than ``log`` times the smallest, and that is positive.
    """
    found = [value for value in values if math.isfinite(value)]
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    if low > 0 and high > log * low:
        return Scale(low / 1.25, high * 1.25, start, end, log=True)
    room = 0.06 * (high - low) or abs(high) * 0.1 or 1.0
    least = 0.0 if (zero or low >= 0) and low - room < 0 else low - room
    return Scale(0.0 if zero else least, high + room, start, end)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten.

    >>> ticks(0, 0.37)
    [0.0, 0.1, 0.2, 0.3]
    >>> ticks(0, 1797, 4)
    [0.0, 500.0, 1000.0, 1500.0]
    """
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = power
    for times in (1, 2, 2.5, 5, 10, 20):
        step = times * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            break
    return [float(f"{i * step:.10g}") for i in range(first, last + 1)]


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for times in ((1, 2, 5), (1, 3), (1,)):
        found = [t * 10.0**p for p in range(first, last + 1) for t in times]
        found = [value for value in found if low <= value <= high]
        if len(found) <= most:
            break
    return found if len(found) <= most else found[:: math.ceil(len(found) / most)]


def said(value: float) -> str:
    """A tick's value.

    >>> said(0.25), said(1500.0), said(20000.0), said(2.5e7)
    ('0.25', '1500', '20k', '25M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 10 * size or (abs(value) >= size and unit != "k"):
            return f"{value / size:g}{unit}"
    return f"{value:.6g}"
