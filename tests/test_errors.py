"""Messages: one line that a terminal shows and does not obey."""

from __future__ import annotations

import pytest

from graphol.errors import LINE, GrapholError, InputError, nearest, one_line, printable, shown


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202egpj", "a\\u202egpj"),
        ("\udcff.csv", "\\xff.csv"),
        ("a\r\nb", "a\\x0d\\x0ab"),
        ("\ufeffid", "\\ufeffid"),
        ("Zoë 数学 αβγ ΩÅ 👩‍🔬 می‌خواهم", "Zoë 数学 αβγ ΩÅ 👩‍🔬 می‌خواهم"),
    ],
)
def test_control_characters_are_written_and_letters_stay(text, seen):
    assert printable(text) == seen
    assert printable(printable(text)) == seen


def test_no_character_that_a_terminal_obeys_is_left():
    everything = "".join(map(chr, range(0x3000)))
    assert all(c.isprintable() or ord(c) >= 0xA0 for c in printable(everything))
    assert printable("a\nb\tc", keep="\n") == "a\nb\\x09c"


def test_every_error_is_one_line_of_bounded_length():
    for kind in (GrapholError, InputError):
        assert str(kind("a\n\n b\x1b[0m")) == "a b\\x1b[0m"
        assert len(str(kind("x" * 10**6 + "the end"))) <= LINE and "x ... x" in one_line(
            "x" * 10**6
        )


def test_a_value_that_cannot_be_written_is_still_named():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    assert shown(Mute()) == "of type Mute" and shown(10**5000) == "of type int"
    assert len(shown("x" * 10**6)) == 80


def test_nearest_is_not_looked_for_where_it_takes_long():
    assert nearest("x" * 10**6, ["x"]) is None
    assert nearest("eva", ["y" * 10**6, "eve"]) == "eve"
