"""What a node is to a person: its title, description, link, picture and whatever else is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphol.errors import UsageError, shown

SPECIAL = ("title", "description", "link", "picture")
"""Columns that a page shows in a way of their own."""
MOST_CHARACTERS = 100_000
"""Of one text."""
MOST_COLUMNS = 1000
PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
"""How a picture's file begins; RIFF....WEBP is one, too. Nothing that could hold a script."""


def checked_texts(texts: Any) -> dict[str, str]:
    """The texts of one node, those that are empty left out.

    >>> checked_texts({"title": "Tea", "link": ""})
    {'title': 'Tea'}
    """
    if not isinstance(texts, Mapping):
        raise UsageError(f"the texts of a node are a table of columns, got {shown(texts)}")
    if len(texts) > MOST_COLUMNS:
        raise UsageError(f"a node has {len(texts)} columns, at most {MOST_COLUMNS} are allowed")
    found = {}
    for column, text in texts.items():
        if not (isinstance(column, str) and 0 < len(column) <= 200):
            raise UsageError(f"a column of texts cannot be called {shown(column)}")
        if text is None or text != text:
            continue
        if not isinstance(text, str | int | float):
            raise UsageError(f"{shown(column)} must be a text, got {shown(text)}")
        said = str(text)
        if len(said) > MOST_CHARACTERS:
            raise UsageError(
                f"{shown(column)} has {len(said)} characters, at most {MOST_CHARACTERS} are "
                "allowed; shorten it"
            )
        if said:
            found[column] = said
    return found


def read_texts(stored: Any) -> dict[str, str]:
    """The texts from a row of the table; ValueError if they are none."""
    found = json.loads(stored)
    if not isinstance(found, dict) or not all(type(text) is str for text in found.values()):
        raise ValueError("the texts of a node are not texts")
    return found


def check_picture(name: str, what: str) -> None:
    """A picture is named, and never a path."""
    if name in (".", "..") or any(sign in name for sign in "/\\\0:"):
        raise UsageError(
            f"{what}: the picture {shown(name)} must be the name of a file in the folder of "
            "pictures, not a path"
        )


def picture_in(folder: str, name: str) -> tuple[Path, str] | None:
    """The file of a picture and its kind, if it is one and lies in the folder; links out do not."""
    try:
        check_picture(name, "")
        inside = Path(folder).resolve(strict=True)
        path = (inside / name).resolve(strict=True)
        if path.parent != inside or not path.is_file():
            return None
        with open(path, "rb") as file:
            start = file.read(16)
    except (OSError, ValueError, UsageError):
        return None
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return path, "image/webp"
    kind = next((kind for begin, kind in PICTURES.items() if start.startswith(begin)), None)
    return None if kind is None else (path, kind)


def safe_link(text: str) -> str | None:
    """The text, if it is an address on the web that a page may link to.

    >>> safe_link("https://example.org/a"), safe_link("javascript:alert(1)")
    ('https://example.org/a', None)
    """
    lower = text.lower()
    visible = text.isprintable() and not any(sign.isspace() for sign in text)
    return text if visible and lower.startswith(("http://", "https://")) else None
