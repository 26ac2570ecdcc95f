"""The folder that results are kept in: its files, and its ``meta.json`` of any version."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphol.errors import InputError, in_one_line
from graphol.schema import FOLDER
from graphol.transaction import standing

META, WEIGHTS, SUMMARY = "meta.json", "weights.npz", "compare.json"
RECIPE = (
    "learner", "dataset", "task", "feedback", "embedding", "engine", "seed", "graph_hash",
    "versions",
)  # fmt: skip
"""What states how the games came about; every version has it."""
HASHES = {
    "labelings_hash": "labelings", "latent_hash": "latent graph", "sequence_hash": "rounds",
    "layers_hash": "layers", "split_hash": "split",
}  # fmt: skip
"""What a game may be made of beside its graph; the keys are those of a recipe that has it."""
FIXED = 12
"""Keys with which every row of a simulation begins; further scores come after them."""


def game_names(repeats: Sequence[int], games: int) -> list[tuple[int, str]]:
    """Of every game its repeat, and what its files are called by.

    >>> game_names([5], 1), game_names([5], 2)
    ([(5, '005')], [(5, '005-00'), (5, '005-01')])
    """
    if games == 1:
        return [(repeat, f"{repeat:03d}") for repeat in repeats]
    return [(repeat, f"{repeat:03d}-{k:02d}") for repeat in repeats for k in range(games)]


def read_meta(folder: Path) -> dict[str, Any]:
    """The recipe, ``notes`` and ``played`` of a folder of any version."""
    path = standing(folder, META)
    if not path.is_file():
        raise InputError(
            f"{folder} holds no results; `graphol simulate --out {folder}` writes some"
            if folder.is_dir()
            else f"there is no folder {folder}"
        )
    try:
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        schema = meta.pop("schema", 1)
        if schema in (1, FOLDER):
            summary = meta.pop("summary")
            _check(meta if schema == FOLDER else _upgrade(meta, summary))
            return meta
    except Exception as reason:  # whatever comes of bytes that are not ours
        raise InputError(
            f"{path} is not of graphol's results, or is damaged ({in_one_line(reason)})"
        ) from None
    raise InputError(
        f"{path}: schema {schema} is not 1 or {FOLDER}, which are read here; read it with the "
        "version of graphol that wrote it"
    )


def _upgrade(meta: dict[str, Any], summary: dict[str, Any]) -> dict[str, Any]:
    """What schema 1 kept of notes and games."""
    meta["notes"] = summary["notes"]
    if any(key.endswith("_mean") for key in list(summary)[FIXED:]):
        meta["notes"] += [
            "further scores, of which an earlier version kept the means, are left out"
        ]
    meta["played"] = [{"repeat": r, "scores": {}} for r in range(summary["repeats"])]
    return meta


def _check(meta: dict[str, Any]) -> None:
    """Is everything there that a row is made of?"""
    for key in RECIPE:
        named = key in ("learner", "dataset", "feedback") or (key == "embedding" and meta[key])
        if named and not isinstance(meta[key]["name"], str):
            raise ValueError(f"{key} has no name")
        meta[key]
    for key in ("noise", "delay"):
        float(meta["engine"][key])
    numbers = [game["repeat"] for game in meta["played"]]
    repeats = list(dict.fromkeys(numbers))
    games = len(numbers) // max(len(repeats), 1)
    known = {type(repeat) for repeat in repeats} == {int}
    if not known or numbers != [repeat for repeat in repeats for _ in range(games)]:
        raise ValueError(f"the repeats are {numbers}")
    if len({tuple(game["scores"].keys()) for game in meta["played"]}) > 1:
        raise ValueError("not all repeats have the same scores")
    for value in (value for game in meta["played"] for value in game["scores"].values()):
        if value is not None and (type(value) not in (int, float) or not math.isfinite(value)):
            raise ValueError(f"a score is {value!r:.30}")
    measured = [game["measures"] for game in meta["played"] if "measures" in game]
    if len(measured) not in (0, len(numbers)) or not all(isinstance(m, dict) for m in measured):
        raise ValueError("not all repeats have measures")
    if not all(isinstance(text, str) for text in meta["notes"]):
        raise ValueError("notes are not texts")


def is_of(theirs: dict[str, Any], meta: dict[str, Any], repeat: int) -> bool:
    """Do a trace's meta data say that it is this repeat of the games in ``meta.json``?"""
    wanted = {key: meta.get(key) for key in (*RECIPE, *HASHES)} | {"repeat": repeat}
    return {key: theirs.get(key) for key in wanted} == wanted


def compared(folder: Path) -> list[str]:
    """The folders inside a folder of a comparison; it must have a ``compare.json``."""
    path = standing(folder, SUMMARY)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        names = [inner(i, row["learner"]) for i, row in enumerate(rows)]
        if not names or any(".." in Path(name).parts for name in names):
            raise ValueError(f"the learners are {names}")
    except Exception as reason:  # whatever comes of bytes that are not ours
        raise InputError(
            f"{path} is not of a comparison, or is damaged ({in_one_line(reason)})"
        ) from None
    return names


def inner(i: int, name: str) -> str:
    """The folder of the i-th learner of a comparison.

    >>> inner(0, "gpa")
    '1-gpa'
    """
    return f"{i + 1}-{name}"
