"""Every figure of the benchmark page is in its data file, and those of the files are on it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FILES = sorted((DOCS / "data" / "arena").glob("*.json"))
NUMBER = re.compile(r"\d+(?:\.\d+)?")
TITLES = {
    "Every label": "full", "One bit": "bandit", "As many labels as msg buys": "selective-msg",
    "As many labels as sslgc buys": "selective-sslgc", "20 labels": "seeds20",
    "50 labels": "seeds50", "200 labels": "seeds200",
}  # fmt: skip


def figures() -> dict[tuple[str, str, str], list[dict]]:
    """What the files have for a game, a data set and a learner."""
    found: dict[tuple[str, str, str], list[dict]] = {}
    for path in FILES:
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            found.setdefault((row["game"], row["dataset"], row["learner"]), []).append(row)
    return found


def cells(page: str):
    """Every cell of every table with its place."""
    game, head = "", []
    for line in page.splitlines():
        if line.startswith("## "):
            game, head = TITLES.get(line[3:], ""), []
        elif not line.startswith("|"):
            head = []
        elif not head:
            head = [part.strip() for part in line.strip("|").split("|")]
        elif game and not line.startswith("| ---"):
            learner, *values = (part.strip() for part in line.strip("|").split("|"))
            for dataset, value in zip(head[1:], values, strict=True):
                yield (game, dataset, learner.strip("*")), value


def wrong(page: str) -> list[str]:
    """Cells that no row says."""
    known, bad = figures(), []
    for place, value in cells(page):
        said = set()
        for row in known.get(place, []):
            if "measured" in row:
                said.add(f"{row['measured']:.2f} ± {(row['high'] - row['low']) / 2:.2f}")
                for key in ("queries", "us_per_round"):
                    said |= {format(row[key], form) for form in (".0f", ".3g") if key in row}
        value = value.rstrip(" ★=▲")
        if value not in said and not (value == "–" and not said):
            bad.append(f"{place}: {value}")
    return bad


PAGE = (DOCS / "benchmark.md").read_text(encoding="utf-8")


def test_every_figure_is_in_its_file():
    assert wrong(PAGE) == []


def test_a_figure_that_is_not_is_found():
    place, value = next((p, v) for p, v in cells(PAGE) if "±" in v)
    number = NUMBER.match(value)[0]
    assert wrong(PAGE.replace(number, f"{float(number) + 0.01:.2f}", 1)) != []
    assert figures()[place]


def test_every_figure_of_the_files_is_on_the_page():
    shown = {place for place, value in cells(PAGE) if value != "–"}
    measured = {place for place, rows in figures().items() if any("measured" in r for r in rows)}
    assert shown == measured
    assert len({dataset for _, dataset, _ in shown}) >= 5


CLAIMED = {
    "cora": "Cora", "citeseer": "CiteSeer", "pubmed": "PubMed", "facebook-pages": "Facebook pages",
    "github-developers": "GitHub developers", "lastfm-asia": "LastFM Asia", "wordnet30": "WordNet",
}  # fmt: skip
TOLD = {
    "every label": "full", "one bit": "bandit", "50 labels": "seeds50",
    "a label, if you pay": "selective-msg",
}  # fmt: skip


def unfounded(page: str) -> list[str]:
    """Shares in the rows of the chooser that name the benchmark, and that no file has."""
    bad = []
    for line in page.splitlines():
        if "(benchmark.md" not in line or not line.startswith("|"):
            continue
        told, _, who, measured, _ = (part.strip() for part in line.strip("|").split("|"))
        (game,) = {g for text, g in TOLD.items() if text in f"{told}, {measured}"}
        names = set(re.findall(r"`([\w-]+)`", f"{who} {measured}"))
        said = {
            f"{row['measured']:.1f}"
            for (g, dataset, learner), rows in figures().items()
            if g == game and learner in names and CLAIMED.get(dataset, "?") in measured
            for row in rows
            if "measured" in row
        }
        shown = re.findall(r"\d+\.\d+", measured)
        assert shown
        bad += [f"{who}: {number}" for number in shown if number not in said]
    return bad


def test_the_chooser_says_what_the_files_say():
    page = (DOCS / "choose.md").read_text(encoding="utf-8")
    assert unfounded(page) == []
    assert unfounded(page.replace("Cora 14.2 %", "Cora 14.3 %")) != []
    front = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    (pool,) = {row["measured"] for row in figures()["full", "cora", "pool"]}
    assert f"`pool` | {pool:.1f} % |" in front


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_says_when_with_what_and_by_which_command(path):
    assert path.stat().st_size < 400_000
    content = json.loads(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", content["date"])
    assert {"graphol", "numpy", "scipy", "numba", "python"} <= content["versions"].keys()
    assert content["made_by"].startswith("graphol reproduce arena ")
    assert content["made_by"] in PAGE
    for row in content["rows"]:
        assert ("measured" in row) == row.get("command", "").startswith("graphol simulate ")
