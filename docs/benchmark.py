"""The benchmark page, made of what the arena printed and docs/data/arena/ keeps."""

# ruff: noqa: E501

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ARENA = Path(__file__).parent / "data" / "arena"
DATASETS = (
    "cora", "citeseer", "lastfm-asia", "pubmed", "facebook-pages", "github-developers",
    "movies-wikidata-decade", "wordnet30",
)  # fmt: skip
GAMES = {
    "full": "Every label",
    "bandit": "One bit",
    "selective-msg": "As many labels as msg buys",
    "selective-sslgc": "As many labels as sslgc buys",
    "seeds20": "20 labels",
    "seeds50": "50 labels",
    "seeds200": "200 labels",
}
MARKS = {"champion": " ★", "win": "", "tie": " =", "loss": " ▲", "ours": "", "not compared": ""}

Row = dict[str, Any]


def read() -> list[tuple[str, dict[str, Any]]]:
    """All files: their names, and what is in them."""
    found = sorted(ARENA.glob("*.json"))
    return [(path.name, json.loads(path.read_text(encoding="utf-8"))) for path in found]


def best(files: Iterable[tuple[str, dict[str, Any]]]) -> dict[tuple[str, str, str], Row]:
    """One row for a learner in a game on a data set: played before not played, compared before not."""
    found: dict[tuple[str, str, str], Row] = {}
    for name, content in files:
        for row in content["rows"]:
            key = row["game"], row["dataset"], row["learner"]
            row = row | {"file": name}
            worth = ("measured" in row, row["verdict"] != "not compared")
            other = found.get(key)
            if other is None or worth > ("measured" in other, other["verdict"] != "not compared"):
                found[key] = row
            elif "measured" in row and row["measured"] != other.get("measured"):
                raise ValueError(f"{name} and {other['file']} have two figures for {key}")
    return found


def page(head: list[str]) -> str:
    """The whole page."""
    files = read()
    rows = best(files)
    days = sorted({content["date"] for _, content in files})
    versions = sorted({_versions(content["versions"]) for _, content in files})
    parts = [
        "# Benchmark",
        *head,
        "Learners by graph and kind of feedback, as far as they were played: the share of wrong "
        "predictions over the whole game in per cent, mean over shuffles that chose nothing, and half of its "
        f"95 % interval. Played {days[0]}{f' to {days[-1]}' * (len(days) > 1)} with {'; '.join(versions)}.",
        "★ is the learner of ours that was named beforehand; the others are held against it on the same "
        "shuffles, paired, with Holm's correction within each file. = ties with it, ▲ is ahead of it, and "
        "what has no mark of those compared is behind. *Italic* are learners of our own, which are not tested against it. "
        "– was not played, mostly because it would have taken longer than the limit. Rivals chose among up to six "
        "settings on shuffles 0-4; ours have one setting. [How it is played, and what is not fair about it](howto/arena.md).",
    ]
    for game, title in GAMES.items():
        of = {key[1:]: row for key, row in rows.items() if key[0] == game}
        if of:
            parts += _section(game, title, of)
    parts += ["## Files and commands", _files(files)]
    return "\n\n".join(parts) + "\n"


def _section(game: str, title: str, of: dict[tuple[str, str], Row]) -> list[str]:
    played = [d for d in DATASETS if any("measured" in of.get((d, n), {}) for _, n in of)]
    names = list(dict.fromkeys(name for _, name in of))
    names = [n for n in names if any("measured" in of.get((d, n), {}) for d in played)]
    names.sort(key=lambda name: _order(name, played, of))
    shuffles = ", ".join(
        f"{d} {next(row['scored_on'] for (x, _), row in of.items() if x == d)}" for d in played
    )
    said = [
        f"## {title}",
        f"`--games {game.partition('-')[0]}`. Shuffles that score: {shuffles}.",
        _table(names, played, of, _error),
    ]
    if game.startswith("selective"):
        said += ["Labels bought:", _table(names, played, of, lambda row: _whole(row, "queries"))]
    if game in ("full", "bandit"):
        said += [
            "Microseconds a round, prediction and update, on a machine that was busy:",
            _table(names, played, of, lambda row: _whole(row, "us_per_round")),
        ]
    left = sorted({name for _, name in of} - set(names))
    if left:
        said.append(
            f"Not played in this game: {', '.join(f'`{name}`' for name in left)}; the files say why."
        )
    return said


def _order(name: str, played: list[str], of: dict[tuple[str, str], Row]) -> tuple[float, ...]:
    """By the mean distance to the lowest error of each data set, where it was played."""
    apart = []
    for d in played:
        errors = [row["measured"] for (x, _), row in of.items() if x == d and "measured" in row]
        row = of.get((d, name), {})
        if "measured" in row:
            apart.append(row["measured"] - min(errors))
    return sum(apart) / len(apart), -len(apart)


def _table(
    names: list[str], played: list[str], of: dict[tuple[str, str], Row], cell: Callable[[Row], str]
) -> str:
    lines = [["learner", *played], ["---", *["---:"] * len(played)]]
    for name in names:
        ours = any(of.get((d, name), {}).get("verdict") in ("ours", "champion") for d in played)
        lines.append(
            [f"*{name}*" if ours else name, *(cell(of.get((d, name), {})) for d in played)]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _error(row: Row) -> str:
    if "measured" not in row:
        return "–"
    half = f" ± {(row['high'] - row['low']) / 2:.2f}" if "low" in row else ""
    return f"{row['measured']:.2f}{half}{MARKS.get(row['verdict'], '')}"


def _whole(row: Row, key: str) -> str:
    """To three digits, or to the whole number where that has more."""
    if "measured" not in row or key not in row:
        return "–"
    return format(row[key], ".0f" if row[key] >= 99.5 else ".3g")


def _versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _files(files: list[tuple[str, dict[str, Any]]]) -> str:
    """What made each file, and where it is; every row in it has the command of its own figure."""
    lines = [
        f"- [{name}](data/arena/{name}), {content['date']}: `{content['made_by']}`"
        for name, content in files
    ]
    first = (
        "Every row of a file has the `graphol simulate` line that plays its games again, with every parameter. "
        "`python docs/data/keep.py` keeps a file, `python docs/generate.py` makes this page of all of them.\n\n"
    )
    return first + "\n".join(lines)
