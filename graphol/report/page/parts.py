"""What several sections of a page have in common: legends, figures, headings, counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from graphol.notes import doubts
from graphol.report.cast import Entry
from graphol.report.page.look import Look
from graphol.report.page.material import Material
from graphol.report.page.panel import Drawing
from graphol.report.page.text import element, safe
from graphol.report.table import JsonRow


def heading(what: str, protocol: str) -> str:
    """Of a board, or of whoever is alone in a protocol."""
    return f"<h3>{safe(what)} <small>{safe(protocol)}</small></h3>"


def dots(material: Material) -> Callable[[JsonRow], str]:
    """The mark before the name of a row's player."""
    return lambda row: dot(material.shown.look(row["label"]))


def dot(look: Look) -> str:
    """Somebody's mark in a line of text."""
    mark = look.draw(6, 6, "", 4.6)
    return f'<svg class="dot" viewBox="0 0 12 12" aria-hidden="true">{mark}</svg>'


def legend(drawings: Sequence[Drawing]) -> str:
    """Who is who, once for several figures."""
    found = dict(sorted(pair for drawing in drawings for pair in drawing.legend))
    items = "".join(element("li", dot(look) + safe(text)) for text, look in found.items())
    return element("ul", items, class_="legend") if found else ""


def figure(drawing: Drawing) -> str:
    """A figure under its title."""
    return element("figure", f"<figcaption>{safe(drawing.title)}</figcaption>{drawing.svg()}")


def figures(drawings: Sequence[Drawing]) -> str:
    """Figures beside each other, as many as there is room for."""
    shown = "\n".join(map(figure, drawings))
    return legend(drawings) + element("div", shown, class_="grid") if drawings else ""


def doubtful(entries: Iterable[Entry]) -> list[str]:
    """Every doubtful note once."""
    return [*dict.fromkeys(note for e in entries for note in doubts(e.outcome.notes))]


def many(count: int, what: str) -> str:
    """``1 game``, ``3 games``."""
    return f"{count} {what}{'' if count == 1 else 's'}"
