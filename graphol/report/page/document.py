"""An HTML file with everything in it: style, script, a head and sections."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from importlib.metadata import version
from importlib.resources import files

from graphol.report.page.panel import style
from graphol.report.page.text import element, safe


def document(title: str, head: str, sections: Iterable[tuple[str, str, str]]) -> str:
    """The whole file; nothing in it asks for anything from a network.

    Its policy allows no script but its own, by digest, and no address at all.

    Parameters
    ----------
    title
        Of the window.
    head
        HTML above the links to the sections.
    sections
        Name, title and HTML of each; empty ones are left out.
    """
    script = _own("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    shown = [(name, title, inside) for name, title, inside in sections if inside]
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
<title>{safe(title)}</title>
<link rel="icon" href="data:,">
<style>{style()}{_own("page.css")}</style>
</head>
<body>
<header>
{head}
</header>
<nav aria-label="Sections"><div>{links}</div></nav>
<main>
{body}
</main>
<footer>Made by graphol {safe(version("graphol"))}. This file holds everything: it can be mailed,
printed, and opened without a network.</footer>
<script>{script}</script>
</body>
</html>
"""


def _own(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
