"""One colour and one mark for everybody, in all figures of a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from graphol.report.cast import Entry
from graphol.report.page.text import number, safe

COLOURS = 8
"""As many as tell apart with colour blindness; the style sheet has one for light and for dark."""
MARKS = ("circle", "square", "up", "diamond", "down", "cross", "plus", "star")
OPEN = {"cross": (1, 3), "plus": (0, 2), "star": (0, 4 / 3, 8 / 3)}
"""Marks of strokes alone, in eighths of a turn."""
MOST = 8
"""Players that have a look each; of more players, each learner has one."""


@attrs.frozen
class Look:
    """Colour and mark by number."""

    colour: int
    mark: int

    def draw(self, x: float, y: float, title: str = "", r: float = 4.6) -> str:
        """The mark at a place, with a text to read when it is pointed at."""
        shown = f"<title>{safe(title)}</title>" if title else ""
        kind = MARKS[self.mark]
        thick = " o" if kind in OPEN else ""
        shape = _shape(kind, x, y, r)
        return f'<path class="m{thick} c{self.colour}" d="{shape}">{shown}</path>'


@attrs.frozen
class Looks:
    """Who looks how."""

    by_player: bool
    looks: dict[str, Look]

    def of(self, player: str, learner: str) -> Look:
        """The look of a player, or of its learner where there are many players."""
        return self.looks[player if self.by_player else learner]

    def key(self, player: str, learner: str) -> str:
        """What a legend calls it."""
        return player if self.by_player else learner


def looks(entries: Sequence[Entry]) -> Looks:
    """The same for the same players, whatever else is on the page."""
    players = sorted({entry.player for entry in entries})
    by_player = len(players) <= MOST
    names = players if by_player else sorted({entry.learner for entry in entries})
    found = {
        name: Look(i % COLOURS, (i + i // COLOURS) % len(MARKS)) for i, name in enumerate(names)
    }
    return Looks(by_player, found)


def _shape(kind: str, x: float, y: float, r: float) -> str:
    if kind == "circle":
        at, d = f"{number(x - r)} {number(y)}", number(2 * r)
        return f"M{at}a{number(r)} {number(r)} 0 1 0 {d} 0a{number(r)} {number(r)} 0 1 0 -{d} 0z"
    if kind in OPEN:
        arms = []
        for turn in OPEN[kind]:
            dx, dy = (1.25 * r * f(turn * math.pi / 4) for f in (math.cos, math.sin))
            arms.append(f"M{number(x - dx)} {number(y - dy)}L{number(x + dx)} {number(y + dy)}")
        return "".join(arms)
    corners = {
        "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        "up": ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
        "down": ((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
        "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    }[kind]
    k = 0.9 * r
    return "M" + "L".join(f"{number(x + k * dx)} {number(y + k * dy)}" for dx, dy in corners) + "z"
