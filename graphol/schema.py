"""JSON that every parser reads, with the number of its schema.

A number rises when a key goes or changes its meaning; keys that are added leave it as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from graphol.errors import UNSEEN

ROWS = 1
"""Of every ``--json`` and of ``compare.json``: each object at the top carries it."""
FOLDER = 2
"""Of the ``meta.json`` in a folder of results; 1 had no number and no scores of every repeat."""


def stamped(value: Any) -> Any:
    """An object, or a list of objects, each with the schema number as its last key.

    >>> stamped([{"learner": "gpa"}])
    [{'learner': 'gpa', 'schema': 1}]
    """
    if isinstance(value, Mapping):
        return {**value, "schema": ROWS}
    return [stamped(each) for each in value]


def json_text(value: Any) -> str:
    """As strict JSON: what is not a finite number is null, and what a terminal obeys is escaped."""
    text = json.dumps(plain(value), indent=1, ensure_ascii=False, allow_nan=False)
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}" if found[0] != "\n" else "\n", text)


def plain(value: Any) -> Any:
    """As plain data; what is not a finite number is None."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int | str) else str(value)
