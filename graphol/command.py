"""The command that plays a recipe again, every parameter spelled out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class _Unsayable(Exception):
    """The command line has no way to write this."""


def command(recipe: Mapping[str, Any], files: Sequence[Path] = ()) -> str | None:
    """``graphol simulate ...``; None for what cannot be said there.

    >>> command({
    ...     "learner": {"name": "molg-f", "b": 10.0}, "dataset": {"name": "digits"},
    ...     "feedback": {"name": "full"}, "embedding": None, "seed": 3,
    ...     "engine": {"repeats": "7-7", "rounds": None, "noise": 0.0, "delay": 0,
    ...                "fresh_data": False, "one_vs_rest": True},
    ... })
    'graphol simulate --learner molg-f:b=10.0 --dataset digits --feedback full --one-vs-rest --repeats 7-7 --seed 3'
    """  # noqa: E501
    rules = recipe["engine"]
    try:
        words = ["graphol", "simulate"]
        for path in files:
            words += ["--plugin", str(path)]
        words += ["--learner", spelled(recipe["learner"]), *_data(recipe["dataset"])]
        words += ["--feedback", spelled(recipe["feedback"])]
        if recipe["embedding"] is not None:
            words += ["--embedding", spelled(recipe["embedding"])]
    except _Unsayable:
        return None
    for key in ("fresh_data", "one_vs_rest"):
        words += [_option(key)] if rules[key] else []
    if rules.get("fuse"):
        words += ["--fuse", str(rules["fuse"]), "--fuser", spelled(recipe["fuser"])]
    if "strategy" in rules:
        words += ["--strategy", rules["strategy"]]
        words += ["--first", str(rules["first"]), "--every", str(rules["every"])]
    for key in ("rounds", "noise", "delay"):
        words += [_option(key), _text(rules[key])] if rules[key] else []
    return shlex.join([*words, "--repeats", rules["repeats"], "--seed", str(recipe["seed"])])


def spelled(component: Mapping[str, Any]) -> str:
    """A described component as the command line writes it, with all its parameters.

    >>> spelled({"name": "kernel", "dim": None, "solver": {"name": "cg", "tol": 1e-08}})
    'kernel:dim=none,solver=(cg:tol=1e-08)'
    >>> spelled({"name": "team", "learners": [{"name": "molg-b", "b": 20.0}, {"name": "gpa"}]})
    'team:learners=(molg-b:b=20.0)+(gpa)'
    """
    shown = {k: v for k, v in component.items() if k != "name" and (v != [] or k not in AGAIN)}
    params = ",".join(f"{k}={_text(v)}" for k, v in shown.items())
    return f"{component['name']}:{params}" if params else str(component["name"])


def _option(key: str) -> str:
    return "--" + key.replace("_", "-")


OPTIONS = {
    "files": ("graph", "more", "labels", "features", "component"),
    "stream": ("graph", "stream", "latent", "component"),
}
"""Data sets whose parameters are options, in which any text goes."""
AGAIN = {"more": "graph"}
"""Parameters that are further values of an option."""


def options_of(source: Mapping[str, Any]) -> list[str] | None:
    """The options that ask for a described data set; None where there are none."""
    try:
        return _data(source)
    except _Unsayable:
        return None


def _data(source: Mapping[str, Any]) -> list[str]:
    if source["name"] not in OPTIONS:
        return ["--dataset", spelled(source)]
    words: list[str] = []
    for key in OPTIONS[source["name"]]:
        found = source.get(key)
        for value in found if isinstance(found, list) else [found]:
            words += [] if value is None else [f"--{AGAIN.get(key, key)}", value]
    return words


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = spelled(value)
        return f"({inside})" if ":" in inside else inside
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        return "+".join(f"({spelled(each)})" for each in value)
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        if any("+" in each or not each for each in value):
            raise _Unsayable
        return "+".join(map(_text, value))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        if value != value.strip() or not value or any(mark in value for mark in ",()"):
            raise _Unsayable
        return value
    if not isinstance(value, int | float):
        raise _Unsayable
    return repr(float(value) if isinstance(value, float) else int(value))
