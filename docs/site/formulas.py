"""Formulas as MathML, which browsers show by themselves: made when the site is built, no script."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from latex2mathml.converter import convert

SPOKEN = {r"\arg\max": r"\operatorname{argmax}", r"\arg\min": r"\operatorname{argmin}"}
"""What the converter does not know, and what says the same to it."""


def mathml(tex: str, display: str) -> str:
    r"""One formula; what it was made of stands in ``alttext`` for those who hear the page.

    >>> "<mi>x</mi>" in mathml("x", "inline")
    True
    """
    plain = " ".join(tex.split())
    source = plain
    for theirs, ours in SPOKEN.items():
        source = source.replace(theirs, ours)
    made = convert(source, display=display)
    if re.search(r"<m\w+>\\", made):
        raise ValueError(f"a formula with a command that is not understood: {plain}")
    return made.replace("<math ", f'<math alttext="{escape(plain)}" ', 1)


def inline(source: str, language: str, class_name: str, md: Any) -> str:
    """``:::math x`` between single backticks."""
    return mathml(source, "inline")


def block(source: str, language: str, class_name: str, options: Any, md: Any, **rest: Any) -> str:
    """A fenced block ``math``."""
    made = mathml(source, "block")
    return f'<div class="formula" tabindex="0" role="group" aria-label="formula">{made}</div>'
