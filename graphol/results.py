"""The folder that results are kept in: its files, and its ``meta.json`` of any version."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphol.errors import InputError, UsageError, in_one_line
from graphol.schema import FOLDER

META, WEIGHTS = "meta.json", "weights.npz"
RECIPE = (
    "learner", "dataset", "task", "feedback", "embedding", "engine", "seed", "graph_hash",
    "versions",
)  # fmt: skip
"""What states how the games came about; every version has it."""
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
    path = folder / META
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
        f"{path}: schema {schema} is not 1 or {FOLDER}, those I know; read it with the version of "
        "graphol that wrote it"
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
        float(value or 0)
    if not all(isinstance(text, str) for text in meta["notes"]):
        raise ValueError("notes are not texts")


def open_folder(folder: Path, *, force: bool) -> None:
    """Make the folder for results, or say why not, before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{folder} is not a folder; name another with --out") from None
    except OSError as reason:
        raise InputError(f"cannot make the folder {folder}: {reason.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write into {folder}; name another folder with --out")
    if result_files(folder) and not force:
        raise UsageError(f"{folder} holds results already; add --force to replace them")


def result_files(folder: Path) -> list[Path]:
    """What :meth:`Simulation.save` left in a folder."""
    return [file for name in ("trace-*.npz", WEIGHTS, META) for file in folder.glob(name)]
