"""Gene sets: what is read, and what is refused."""

from __future__ import annotations

import pytest

from graphol.errors import InputError
from graphol.formats.gmt import read_gmt

GMT = (
    "hsa04110\tCell cycle\tCDK1\tCCNB1\tCDK1\tTP53\r\n"
    "\r\n"
    "hsa03440\t\tBRCA1\tRAD51\t\r\n"
    "lonely\thttp://example.org\tXYZ\r\n"
)


def test_gmt(tmp_path):
    """Tabs between, an empty description, a gene that is repeated, a tab at the end."""
    file = tmp_path / "p.gmt"
    file.write_bytes(GMT.encode())
    assert read_gmt(file) == {
        "hsa04110": ("CDK1", "CCNB1", "TP53"),
        "hsa03440": ("BRCA1", "RAD51"),
        "lonely": ("XYZ",),
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty; it needs a gene set per line"),
        ("a\tb\tc\na b c\n", "line 2: a gene set is an id, a description and at least one gene"),
        ("a\tb\n", "line 1: a gene set is"),
        ("a\tb\t\t\n", "line 1: a gene set is"),
        ("\tb\tc\n", "line 1: a gene set is"),
        ("a\tb\tc\n\na\tb\td\n", "line 3: gene set 'a' is there already on line 1"),
        (b"a\tb\t\xff\n", "line 1: not UTF-8"),
    ],
)
def test_broken_gmt(tmp_path, content, says):
    file = tmp_path / "p.gmt"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_gmt(file)
    assert says in str(caught.value) and "\n" not in str(caught.value)
