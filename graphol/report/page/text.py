"""Text of users, data and plugins as HTML: nothing in it is obeyed, by a browser or a terminal."""

from __future__ import annotations

import html

from graphol.errors import printable


def safe(value: object) -> str:
    r"""As text or as an attribute's value in double quotes.

    >>> print(safe('<script>alert("x")</script>\x1b[2J'))
    &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\x1b[2J
    """
    return html.escape(printable(str(value), keep="\n"), quote=True)


def short(value: object, most: int) -> str:
    """Cut to so many characters, for places that do not wrap; not escaped yet.

    >>> short("sbm:nodes=400,classes=3", 12)
    'sbm:nodes=4…'
    """
    text = printable(" ".join(str(value).split()))
    return text if len(text) <= most else text[: most - 1] + "…"


def element(name: str, inside: str, **attributes: object) -> str:
    """An element; ``inside`` is HTML already, attributes are not. A trailing _ is dropped.

    >>> element("th", "error", scope="col", class_="n")
    '<th scope="col" class="n">error</th>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{inside}</{name}>"


def number(value: float) -> str:
    """A coordinate: one decimal, and none where it is 0.

    >>> number(12.04), number(3.25), number(-0.01)
    ('12', '3.2', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
