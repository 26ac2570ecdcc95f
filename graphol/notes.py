"""What is said beside a figure; what makes a figure doubtful stands with it, not only on stderr."""

from __future__ import annotations

from collections.abc import Iterable

DOUBTFUL = "doubtful: "
"""With this begins a note on something that makes figures doubtful."""


def doubts(notes: Iterable[str]) -> list[str]:
    """Those that make figures doubtful.

    >>> doubts(["12 self loop(s) dropped", "doubtful: 3 node(s) are guessed"])
    ['doubtful: 3 node(s) are guessed']
    """
    return [note for note in notes if note.startswith(DOUBTFUL)]
