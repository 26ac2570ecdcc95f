"""One row per learner, data set and setting: mean error, its interval, and how much is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graphol.interval import CONFIDENCE, deviation, interval
from graphol.simulation import Simulation
from graphol.sweep.cell import name_of
from graphol.sweep.store import Store

SETTING = ("learner", "dataset", "feedback", "embedding", "fuser")


def rows(store: Store, planned: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of all cells that score, grouped by everything but seed and repeat, in the planned order."""
    done, failed = store.done(), store.failed()
    groups: dict[str, list[str]] = {}
    for name, recipe in planned.items():
        if not recipe["engine"]["held_out"]:
            groups.setdefault(name_of(setting(recipe)), []).append(name)
    found = []
    for names in groups.values():
        figures = [store.meta(name)["figures"] for name in names if name in done]
        errors = np.array([each["error_rate_mean"] for each in figures])
        within = interval(errors) if len(errors) else None
        recipe = planned[names[0]]
        found.append(
            {
                **{key: recipe.get(key) for key in SETTING},
                "engine": setting(recipe)["engine"],
                "cells": len(names),
                "done": len(errors),
                "failed": sum(name in failed for name in names),
                "repeats": len(errors),
                "error_rate_mean": float(errors.mean()) if len(errors) else None,
                "error_rate_std": deviation(errors) if len(errors) else None,
                "error_rate_ci_low": within and within.low,
                "error_rate_ci_high": within and within.high,
                "confidence": CONFIDENCE,
                "updates_mean": _mean(figures, "updates_mean"),
                "queries_mean": _mean(figures, "queries_mean"),
                "target": figures[0].get("target") if figures else None,
                "names": names,
            }
        )
    return found


def setting(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """What cells of one row have in common: the recipe without seed and repeat."""
    engine = {key: value for key, value in recipe["engine"].items() if key != "repeats"}
    return {key: value for key, value in recipe.items() if key != "seed"} | {"engine": engine}


def _mean(figures: Sequence[Mapping[str, Any]], key: str) -> float | None:
    values = [each[key] for each in figures if each.get(key) is not None]
    return float(np.mean(values)) if values else None


def together(played: Iterable[Simulation]) -> Simulation:
    """Simulations of one setting as one of all their repeats; scores that all of them have."""
    import attrs

    each = sorted(played, key=lambda one: (one.recipe["seed"], one.repeats))
    scores = [score for one in each for score in one.scores]
    shared = [key for key in scores[0] if all(key in score for score in scores)]
    return attrs.evolve(
        each[0],
        traces=tuple(trace for one in each for trace in one.traces),
        scores=tuple({key: score[key] for key in shared} for score in scores),
        weights=tuple(weights for one in each for weights in one.weights),
        notes=tuple(dict.fromkeys(note for one in each for note in one.notes)),
        recipe=each[0].recipe | {"command": None},
    )
