"""The one file that a played cell leaves: its traces, weights, scores, notes and recipe.

It is an npz file. Columns are members ``GAME.COLUMN``, weights are ``GAME.weights.NAME``, all else
is in ``meta.json``. Times are a member of their own (``times.ns``, per game): all others are the
same, bit by bit, whoever played the cell.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from graphol import npz
from graphol.errors import InputError, in_one_line, plainly, shown
from graphol.schema import plain
from graphol.simulation import MOST_WEIGHTS, Simulation
from graphol.trace import Trace

TIMES = "times.ns"
SCHEMA = 1
COUNTED = ("updates_mean", "queries_mean", "rounds", "error_rate_mean", "target")
"""Figures of a row that ``meta.json`` holds, so that a table needs no trace."""
AGAIN = "remove it, and `graphol sweep` plays it again"


def to_bytes(played: Simulation, name: str, cell: Mapping[str, Any]) -> bytes:
    """A simulation of one repeat as the file of the cell of this name and recipe."""
    arrays: dict[str, Any] = {}
    games = []
    for k, trace in enumerate(played.traces):
        columns, meta = trace.members()
        arrays |= {f"{k}.{column}": values for column, values in columns.items()}
        own = {key: value for key, value in meta.items() if key not in played.recipe}
        own.pop("elapsed_ns", None)
        games.append({"scores": played.scores[k], "trace": own})
    weights = {
        f"{k}.weights.{key}": values
        for k, each in enumerate(played.weights)
        for key, values in each.items()
    }
    if sum(np.size(values) for values in weights.values()) <= MOST_WEIGHTS:
        arrays |= weights
    arrays[TIMES] = np.array([trace.meta.get("elapsed_ns", 0) for trace in played.traces], np.int64)
    row = played.row()
    meta = {
        "schema": SCHEMA,
        "name": name,
        "cell": cell,
        "recipe": played.recipe,
        "notes": list(played.notes),
        "games": plain(games),
        "figures": plain({key: row[key] for key in COUNTED}),
    }
    return npz.packed(arrays, meta, Path(f"{name}.npz"))


def read(path: Path) -> Simulation:
    """The simulation that is kept there; columns that a later version added have their defaults."""
    with _mendable(path):
        arrays, meta = npz.read(path, "cell", (SCHEMA,))
        _check_name(meta, path)
        recipe, games, times = meta["recipe"], meta["games"], arrays.pop(TIMES)
        traces, weights, scores = [], [], []
        for k, game in enumerate(games):
            own = {
                key.removeprefix(f"{k}."): values
                for key, values in arrays.items()
                if key.startswith(f"{k}.")
            }
            weights.append(
                {
                    key.removeprefix("weights."): own.pop(key)
                    for key in [*own]
                    if key.startswith("weights.")
                }
            )
            about = recipe | game["trace"] | {"elapsed_ns": int(times[k])}
            traces.append(Trace.of_members(own, about, path))
            scores.append({key: _number(value) for key, value in game["scores"].items()})
        notes = tuple(map(str, meta["notes"]))
        found = Simulation(
            tuple(traces), tuple(scores), recipe, notes, None, tuple(weights), len(traces)
        )
        found.row()  # is everything there that a row is made of?
        return found


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def read_meta(path: Path) -> dict[str, Any]:
    """Its ``meta.json`` alone, which is enough for a table."""
    with _mendable(path):
        meta: dict[str, Any] = json.loads(bytes(npz.members(path, (npz.META,), "a cell")[npz.META]))
        if meta["schema"] != SCHEMA:
            raise InputError(f"{path}: schema {meta['schema']!r} is not {SCHEMA}")
        _check_name(meta, path)
        float(meta["figures"]["error_rate_mean"])
        return meta


def _check_name(meta: Mapping[str, Any], path: Path) -> None:
    """A cell is known by the name of its file, so a file of another name is another cell."""
    if meta["name"] != path.stem:
        raise InputError(f"{path} holds the cell {shown(meta['name'])}")


@contextlib.contextmanager
def _mendable(path: Path) -> Iterator[None]:
    """Whatever is wrong with the file, without it the cell is played again."""
    try:
        yield
    except InputError as reason:
        raise InputError(f"{plainly(reason).args[0]}; {AGAIN}") from None
    except Exception as reason:  # whatever comes of bytes that are not ours
        said = f"{path} is no cell, or is damaged ({in_one_line(reason)})"
        raise InputError(f"{said}; {AGAIN}") from None


def differing(one: Path, other: Path) -> list[str]:
    """What differs between the figures of two files of one cell.

    Times may differ, and what the recipe says of the machine: paths, and the version of Python.
    """
    first, second = map(_figures, (one, other))
    return sorted(
        name
        for name in first.keys() | second.keys()
        if name not in first or name not in second or first[name] != second[name]
    )


def _figures(path: Path) -> dict[str, Any]:
    """Type, shape and bytes of every column; scores and figures."""
    meta = read_meta(path)
    arrays = npz.members(path, (TIMES,), "a cell", None)
    return {
        **{
            name: (values.dtype.str, values.shape, values.tobytes())
            for name, values in arrays.items()
            if name not in (TIMES, npz.META)
        },
        "scores": meta.get("games"),
        "figures": meta["figures"],
    }
