"""A small figure with two axes, as SVG of our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

import attrs

from graphol.report.page.look import Look
from graphol.report.page.scale import Scale, said
from graphol.report.page.text import number, safe, short

WIDTH, HEIGHT = 380.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 54.0, 12.0, 12.0, 40.0
"""Margins around the axes; text in them is 11 to 12 px at the figure's own size."""
LEGEND_LINE = 18.0
LETTER = 6.2
"""Width of a letter of a tick, or a little more."""
Point = tuple[float, float]


def x_ends() -> tuple[float, float]:
    """Where the horizontal axis starts and ends."""
    return LEFT, WIDTH - RIGHT


def y_ends() -> tuple[float, float]:
    """Where the vertical axis starts, at the bottom, and ends."""
    return HEIGHT - BOTTOM, TOP


def path(points: Iterable[Point]) -> str:
    """Straight lines through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


@attrs.frozen
class Drawing:
    """A finished figure: what is inside its SVG element, and who is in it."""

    name: str
    """Of its file, without ending; told apart from others of the page by its number."""
    title: str
    says: str
    """In words, for whoever cannot see it."""
    inside: str
    width: float
    height: float
    legend: tuple[tuple[str, Look], ...] = ()

    def svg(self) -> str:
        """For a page, whose style sheet it uses; title and legend stand beside it."""
        box = f"0 0 {number(self.width)} {number(self.height)}"
        return f'<svg viewBox="{box}" role="img" aria-label="{safe(self.says)}">{self.inside}</svg>'

    def alone(self) -> str:
        """As a file of its own, with title and legend inside."""
        rows = [
            look.draw(12, self.height + 26 + i * LEGEND_LINE)
            + f'<text class="l" x="24" y="{number(self.height + 30 + i * LEGEND_LINE)}">'
            f"{safe(short(text, 50))}</text>"
            for i, (text, look) in enumerate(self.legend)
        ]
        height = self.height + 24 + (len(rows) * LEGEND_LINE + 12 if rows else 0)
        box = f"0 -24 {number(self.width)} {number(height)}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" '
            f'width="{number(1.5 * self.width)}" height="{number(1.5 * height)}" '
            f'aria-label="{safe(self.says)}"><style>{style()}</style>'
            f'<rect class="bg" x="0" y="-24" width="{number(self.width)}" '
            f'height="{number(height)}"/>'
            f'<text class="h" x="6" y="-7">{safe(short(self.title, 48))}</text>'
            f"{self.inside}{''.join(rows)}</svg>\n"
        )


def style() -> str:
    """The colours, light and dark, and what figures look like."""
    return (files(__package__) / "figures.css").read_text(encoding="utf-8")


def axes(
    x: Scale,
    y: Scale,
    x_title: str,
    y_title: str,
    named: Mapping[float, str] | None = None,
) -> str:
    """Grid, ticks and titles; what is ``named`` stands at its x in place of round numbers."""
    parts = []
    left, right, bottom, top = x.start, x.end, y.start, y.end
    for value in y.ticks():
        at, lower = number(y(value)), number(y(value) + 4)
        parts.append(f'<path class="g" d="M{number(left)} {at}H{number(right)}"/>')
        parts.append(f'<text class="t e" x="{number(left - 6)}" y="{lower}">{said(value)}</text>')
    texts = {value: said(value) for value in x.ticks(5)} if named is None else dict(named)
    room, free = int((right - left) / max(len(texts), 1) / LETTER), -1.0
    for value, name in sorted(texts.items()):
        text, at_x = short(name, max(room, 4)), x(value)
        parts.append(f'<path class="a" d="M{number(at_x)} {number(bottom)}v4"/>')
        half = len(text) * LETTER / 2
        if at_x - half >= free:  # else it would stand on its neighbour
            free = at_x + half + LETTER
            parts.append(
                f'<text class="t k" x="{number(at_x)}" y="{number(bottom + 16)}">'
                f"{safe(text)}</text>"
            )
    parts.append(f'<path class="a" d="M{number(left)} {number(bottom)}H{number(right)}"/>')
    middle = (left + right) / 2
    parts.append(
        f'<text class="l k" x="{number(middle)}" y="{number(bottom + 34)}">{safe(x_title)}</text>'
    )
    middle = (bottom + top) / 2
    parts.append(
        f'<text class="l k" transform="translate(11 {number(middle)}) rotate(-90)">'
        f"{safe(y_title)}</text>"
    )
    return "".join(parts)


def clipped(inside: str) -> str:
    """What is drawn between the axes, cut where it leaves them."""
    width, height = number(WIDTH - LEFT - RIGHT), number(HEIGHT - TOP - BOTTOM)
    box = f'x="{number(LEFT)}" y="{number(TOP)}" width="{width}" height="{height}"'
    return f'<svg {box} viewBox="{number(LEFT)} {number(TOP)} {width} {height}">{inside}</svg>'


def line(points: Sequence[Point], look: Look) -> str:
    """A curve."""
    return f'<path class="w c{look.colour}" d="{path(points)}"/>' if len(points) > 1 else ""


def band(lower: Sequence[Point], upper: Sequence[Point], look: Look) -> str:
    """The area between two curves."""
    if len(lower) < 2:
        return ""
    return f'<path class="b c{look.colour}" d="{path([*lower, *reversed(upper)])}z"/>'


def whisker(x: float, low: float, high: float, look: Look) -> str:
    """A vertical bar from low to high, places both."""
    return f'<path class="w c{look.colour}" d="M{number(x)} {number(low)}V{number(high)}"/>'
