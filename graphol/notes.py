"""What is said beside a figure; what makes a figure doubtful stands with it, not only on stderr."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?![\w.]*\w)")
NAMED = 8
"""Stretches of repeats that a note names, before it only counts them."""
DOUBTFUL = "doubtful: "
"""With this begins a note on something that makes figures doubtful."""


def doubts(notes: Iterable[str]) -> list[str]:
    """Those that make figures doubtful.

    >>> doubts(["12 self loop(s) dropped", "doubtful: 3 node(s) are guessed"])
    ['doubtful: 3 node(s) are guessed']
    """
    return [note for note in notes if note.startswith(DOUBTFUL)]


def of_repeats(said: Mapping[int, Sequence[str]]) -> tuple[str, ...]:
    """The notes of many repeats, each once, with the repeats if it was not said in all of them.

    Notes that differ in their numbers only are one, from the smallest to the largest number.

    >>> of_repeats({0: ["3 components", "odd"], 1: ["5 components"], 2: ["4 components"]})
    ('3 to 5 components', 'odd (repeat 0)')
    """
    alike: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for repeat, notes in said.items():
        for note in dict.fromkeys(notes):
            words = tuple(NUMBER.split(note)[::2])
            alike.setdefault(words, {}).setdefault(note, []).append(repeat)
    found = []
    for words, notes_of in alike.items():
        repeats = sorted({repeat for each in notes_of.values() for repeat in each})
        where = "" if len(repeats) == len(said) else f" ({_which(repeats, len(said))})"
        found.append(_merged(words, [NUMBER.split(note)[1::2] for note in notes_of]) + where)
    return tuple(found)


def _merged(words: Sequence[str], numbers: Sequence[Sequence[str]]) -> str:
    """The words, with each number from its smallest to its largest between them."""
    text = words[0]
    for word, *values in zip(words[1:], *numbers, strict=True):
        least, most = min(values, key=float), max(values, key=float)
        text += (least if least == most else f"{least} to {most}") + word
    return text


def _which(repeats: Sequence[int], of: int) -> str:
    """``repeats 0, 3-5``, in words that stay short."""
    stretches: list[list[int]] = []
    for repeat in repeats:
        if stretches and stretches[-1][-1] == repeat - 1:
            stretches[-1].append(repeat)
        else:
            stretches.append([repeat])
    if len(stretches) > NAMED:
        return f"{len(repeats)} of {of} repeats"
    each = ", ".join(f"{s[0]}-{s[-1]}" if len(s) > 1 else f"{s[0]}" for s in stretches)
    return f"repeat{'s' * (len(repeats) > 1)} {each}"
