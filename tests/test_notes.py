"""Notes of many repeats, each once."""

from __future__ import annotations

import pytest

from graphol.notes import doubts, of_repeats


def test_what_all_say_is_said_once():
    assert of_repeats({4: ["odd", "even"], 5: ["odd", "even"]}) == ("odd", "even")
    assert of_repeats({0: ["7 components"]}) == ("7 components",)
    assert of_repeats({0: [], 1: []}) == ()


def test_in_which_repeats_if_not_in_all():
    said = {r: ["odd"] if r in (0, 2, 3, 4, 7) else [] for r in range(8)}
    assert of_repeats(said) == ("odd (repeats 0, 2-4, 7)",)
    assert of_repeats({8: [], 9: ["odd"]}) == ("odd (repeat 9)",)


def test_many_repeats_are_counted():
    said = {r: ["odd"] if r % 2 else [] for r in range(1000)}
    assert of_repeats(said) == ("odd (500 of 1000 repeats)",)


def test_numbers_become_ranges_of_which_the_words_are_one_note():
    said = {
        0: ["doubtful: 3 of 98 node(s), 0.5 %"],
        1: ["doubtful: 12 of 98 node(s), 0.25 %"],
        2: [],
    }
    (note,) = of_repeats(said)
    assert note == "doubtful: 3 to 12 of 98 node(s), 0.25 to 0.5 % (repeats 0-1)"
    assert doubts([note]) == [note]


@pytest.mark.parametrize(("one", "two"), [("see a1.csv", "see a2.csv"), ("v1.2.3", "v1.2.4")])
def test_digits_of_a_name_are_no_numbers(one, two):
    assert of_repeats({0: [one], 1: [two]}) == (f"{one} (repeat 0)", f"{two} (repeat 1)")
