"""Numbers as every other program reads them."""

from __future__ import annotations

import pytest

from graphol.errors import InputError
from graphol.formats.numerals import plain_float, weight, whole


@pytest.mark.parametrize("text", ["1_0", "٣", "½", "", "1e", "0x1p3", "9" * 5000])
def test_what_only_python_reads_is_no_number(text):
    with pytest.raises(ValueError, match=r"."):
        plain_float(text)
    with pytest.raises(InputError, match=r"f line 3: weight .* is not a number"):
        weight(text, "f line 3")


@pytest.mark.parametrize("text", ["1", " 2.5e-3 ", "+4", ".5", "0"])
def test_numbers_are_read(text):
    assert weight(text, "f") == float(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [("1_0", "is not a whole"), ("٣", "is not a whole"), ("3.0", "is not a whole"), ("", "is not"),
     ("9" * 19, "more than 18 digits"), ("9" * 5000, r"9\.\.\. has more than 18 digits")],
)  # fmt: skip
def test_whole_numbers(text, said):
    with pytest.raises(InputError, match=said):
        whole(text, "f")
    assert whole("-" + "9" * 18, "f") == -(10**18) + 1
