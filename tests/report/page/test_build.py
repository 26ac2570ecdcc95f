"""The page as a file: whole, the same twice, and deaf to what is written in results."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

from graphol.report.gather import Failed, Gathered
from graphol.report.outcome import Hindsight
from graphol.report.page import Material, figure_files, page
from graphol.report.page.text import safe

EMPTY = {"meta", "link", "br", "hr", "img", "input"}
EVIL = "<script>alert(1)</script>\"'&\x1b[2J</style><img src=x onerror=alert(2)>\u202e"


class Reader(HTMLParser):
    """Elements, their attributes and the text of a page; refuses what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)


def read(text: str) -> Reader:
    found = Reader()
    found.feed(text)
    found.close()
    assert not found.open
    return found


@pytest.fixture
def some(outcome):
    """Three learners on two data sets, an unfinished fourth, a failure, everything there is."""

    def make(evil: str = "", repeats: int = 5) -> Gathered:
        rng = np.random.default_rng(1)
        games = [
            outcome(
                {"name": f"{name}{evil}", "b": b}, f"{dataset}{evil}",
                0.2 + 0.05 * i + 0.01 * b + rng.normal(0, 0.01), repeat=r,
                queries=100.0 - 10 * i,
                by_class={f"red{evil}": (3 + i, 10), "blue": (1, 10)},
                hindsight=Hindsight(bound=90.0, holds=True, mistakes=20, best=12 + i),
                notes=(f"doubtful: odd{evil}", f"a note{evil}"),
                versions={"graphol": "0.1.0", f"plugin{evil}": f"1{evil}"},
                command=f"graphol simulate --learner x{evil}",
            )
            for i, name in enumerate(("ann", "bob", "eve"))
            for b in (1.0, 2.0)
            for dataset in ("one", "two")
            for r in range(repeats)
            if (name, b, dataset) != ("eve", 2.0, "two") or r < 1
        ]  # fmt: skip
        who, where, why = f"eve{evil}", f"two{evil}", f"broke{evil}"
        failed = Failed("c", who, where, "full", "0", "3-3", why, 2, f"graphol {evil}")
        row = {"learner": f"eve{evil}", "dataset": "two", "planned": 10, "done": 6, "failed": 1}
        return Gathered(tuple(games), (row,), (failed,), (f"said{evil}",))

    return make


def test_a_page_holds_every_section_and_asks_for_nothing(some):
    text = page(Material(some(), "ann:b=1", command="graphol report x --html y.html"))
    found = read(text)
    names = {each.get("id") for tag, each in found.elements if tag == "section"}
    assert names == {
        "leaderboards", "ranks", "curves", "fronts", "sensitivity", "classes", "regret", "cost",
        "failures", "provenance",
    }  # fmt: skip
    for tag, each in found.elements:
        for key in ("src", "href", "xlink:href", "action", "data", "srcset"):
            assert (each.get(key) or "#").startswith(("#", "data:,")), (tag, each)
    assert (
        "@import" not in text
        and "url(" not in text
        and "http" not in text.replace("http-equiv", "")
    )
    said = " ".join(found.text)
    assert "6 of 10 planned cells are done, 1 failed" in said and "broke" in said
    assert "graphol report x --html y.html" in said and "not tested: 1 pair" in said


def test_the_same_results_give_the_same_bytes_in_any_order(some):
    first = some()
    again = Gathered(first.outcomes[::-1], first.progress, first.failures, first.notes)
    assert page(Material(first)) == page(Material(again))
    assert dict(figure_files(Material(first))) == dict(figure_files(Material(again)))


def test_nothing_that_comes_from_results_is_obeyed(some):
    plain, evil = (read(page(Material(some(text)))) for text in ("", EVIL))
    assert [tag for tag, _ in plain.elements] == [tag for tag, _ in evil.elements]
    own = {key for _, each in plain.elements for key in each}
    assert {key for _, each in evil.elements for key in each} == own
    text = page(Material(some(EVIL)))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "<script>alert" not in text and "<img" not in text


def test_figures_are_files_of_their_own(some):
    for evil in ("", EVIL):
        files = dict(figure_files(Material(some(evil))))
        assert len(files) > 8
        for name, content in files.items():
            root = ET.fromstring(content)
            assert re.fullmatch(r"[a-z0-9.-]+\.svg", name)
            assert {each.tag.rpartition("}")[2] for each in root.iter()} <= {
                "svg", "style", "rect", "path", "text", "title",
            }  # fmt: skip


def test_the_page_s_leaderboard_has_the_printed_digits(some):
    material = Material(some(), "ann:b=1")
    said = read(page(material)).text
    for board in material.standings.boards:
        for row in board.rows():
            for column in board.columns():
                assert column.cell(row) in {*said, ""}


def test_a_page_of_960_cells_is_small(outcome):
    rng = np.random.default_rng(2)
    rounds = np.arange(1, 61) * 40
    games = [
        outcome(
            {"name": name, "b": b}, dataset, float(rng.random()), repeat=r, rounds=rounds,
            curve=rng.random(60), by_class={str(k): (1, 5) for k in range(10)},
            command="graphol simulate " + "x" * 200, updates=float(rng.random()),
        )
        for name in ("ann", "bob", "cat", "eve")
        for b in (1.0, 2.0, 3.0, 4.0)
        for dataset in ("one", "two", "three")
        for r in range(20)
    ]  # fmt: skip
    assert len(games) == 960
    assert len(page(Material(Gathered(tuple(games)))).encode()) < 3e6


def test_why_nothing_is_tested_is_said(outcome):
    bandit = {"feedback": {"name": "bandit"}}
    games = [outcome(who, repeat=i) for who in ("gpa", "oslg") for i in range(2)]
    apart = [outcome("confidit", repeat=0, **bandit), outcome("soba", repeat=9, **bandit)]
    found = Gathered((*games, *apart))
    full, bandit = "".join(read(page(Material(found))).text).split("bandit: ", 1)
    assert "nothing is tested" not in full.split("Leaderboards")[0]
    assert bandit.startswith("Nobody has two games in common with ")
    named = "".join(read(page(Material(found, "gpa"))).text)
    assert "bandit: gpa, which was named, did not play here, so nothing is tested" in named


def test_a_folder_in_which_nothing_is_done_yet_has_a_page():
    row = {"learner": "ann", "dataset": "one", "planned": 4, "done": 0, "failed": 0}
    found = read(page(Material(Gathered((), (row,)))))
    assert "0 of 4 planned cells are done" in " ".join(found.text)


def test_one_game_has_a_page(outcome):
    found = read(page(Material(Gathered((outcome(),)))))
    assert "1 learner, 1 data set, 1 protocol, 1 game" in " ".join(found.text)


def test_attributes_and_text_are_escaped():
    assert safe("<a href='x'>&\"") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;"
