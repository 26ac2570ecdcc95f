"""Numbers as texts of a file, by one rule: decimal digits, as every other program reads them.

Python reads more: ``1_0`` as 10, digits of any script, whole numbers without end.
"""

from __future__ import annotations

import math
from typing import Any

from graphol.errors import InputError, shown

MOST_CHARACTERS = 1000
MOST_DIGITS = 18
"""Of a whole number: it fits into 64 bits."""


def plain_float(text: str) -> float:
    """A number, also nan and inf; ValueError for anything else.

    >>> plain_float(" -1.5e3")
    -1500.0
    >>> plain_float("1_0")
    Traceback (most recent call last):
    ValueError: '1_0' is not a number
    """
    if "_" in text or not text.isascii() or len(text) > MOST_CHARACTERS:
        raise ValueError(f"{shown(text)} is not a number")
    return float(text)


def weight(value: Any, where: str) -> float:
    """A weight from text, or from another library's value; ``where`` begins the error message."""
    try:
        found = plain_float(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: weight {shown(value)} is not a number") from None
    if not math.isfinite(found) or found < 0:
        raise InputError(
            f"{where}: weight {str(value)[:80]} is not allowed; weights are finite and >= 0"
        )
    return found


def whole(text: str, where: str) -> int:
    """A whole number of up to 18 digits."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
        many = digits.isascii() and digits.isdigit()
        what = f"has more than {MOST_DIGITS} digits" if many else "is not a whole number"
        raise InputError(f"{where}: {shown(text)} {what}")
    return int(text)
