"""The page: one HTML file with everything in it, the same bytes for the same results."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from graphol.report.page.head import head
from graphol.report.page.material import Material
from graphol.report.page.panel import Drawing, style
from graphol.report.page.sections import all_of
from graphol.report.page.text import element, safe

__all__ = ["Material", "figure_files", "page"]


def page(material: Material) -> str:
    """The whole page; nothing in it asks for anything from a network.

    Its policy allows no script but its own, by digest, and no address at all.
    """
    script = _own("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    shown = [(name, title, inside) for name, title, inside in all_of(material) if inside]
    links = "".join(element("a", safe(title), href=f"#{name}") for name, title, _ in shown)
    body = "\n".join(
        element("section", f"<h2>{safe(title)}</h2>\n{inside}", id=name)
        for name, title, inside in shown
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{safe(material.title)}</title>
<link rel="icon" href="data:,">
<style>{style()}{_own("page.css")}</style>
</head>
<body>
<header>
{head(material)}
</header>
<nav aria-label="Sections"><div>{links}</div></nav>
<main>
{body}
</main>
<footer>Made by graphol {safe(material.version)}. This file holds everything: it can be mailed,
printed, and opened without a network.</footer>
<script>{script}</script>
</body>
</html>
"""


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


def _own(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
