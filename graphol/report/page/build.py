"""The page of results, and its figures: the same bytes for the same results."""

from __future__ import annotations

from collections.abc import Iterator

from graphol.report.page.document import document
from graphol.report.page.head import head
from graphol.report.page.material import Material
from graphol.report.page.panel import Drawing
from graphol.report.page.sections import all_of

__all__ = ["Material", "figure_files", "page"]


def page(material: Material) -> str:
    """The whole page."""
    return document(material.title, head(material), all_of(material))


def figure_files(material: Material) -> Iterator[tuple[str, str]]:
    """Every figure of the page as an SVG file of its own: name and content."""
    seen: dict[str, int] = {}
    for drawing in _drawings(material):
        many = seen[drawing.name] = seen.get(drawing.name, 0) + 1
        number = "" if many == 1 else f"-{many}"
        yield f"{drawing.name}{number}.svg", drawing.alone()


def _drawings(material: Material) -> Iterator[Drawing]:
    for group in material.drawings().values():
        yield from group
