"""The columns of every table, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from graphol.interval import CONFIDENCE
from graphol.report.table import Column, JsonRow
from graphol.simulation import Simulation

GAME = tuple(map(Column, ("learner", "dataset", "feedback", "rounds", "repeats")))
PLAYER = (Column("label", "learner"), Column("feedback"), Column("repeats"))
COST = (
    Column("updates_mean", "updates", form=".1f"),
    Column("queries_mean", "queries", form=".1f"),
    Column("us_per_round", "", "µs/round", ".1f"),
)
KNOWN = (
    Column("known_error_rate_mean", "of known", "%", ".2f", 100),
    Column("known_mean", "known", "%", ".1f", 100),
)
EMBEDDED = (
    *map(Column, ("graph", "nodes", "edges", "components", "embedding", "dim", "method")),
    Column("residual", form=".1e"),
    Column("seconds", form=".2f"),
    Column("cpu_seconds", form=".2f"),
)
SOLVED = (
    *map(Column, ("graph", "nodes", "edges", "solver", "columns")),
    *map(Column, ("setup_s", "solve_s", "iterations", "residual")),
)
FUSED = (
    *map(Column, ("layer", "kind", "edges")),
    Column("weight", form=".4g"),
    Column("share", "share", "%", ".1f", 100),
)
AGREEMENT = (
    *map(Column, ("annotator", "other", "nodes")),
    Column("agreement", "agree", "%", ".1f", 100),
    Column("kappa", form=".3f"),
)
SUGGESTED = (
    *map(Column, ("rank", "node")),
    Column("worth", form=".4g"),
    Column("guess"),
    Column("probability", "sure", "%", ".0f", 100),
    Column("reason"),
)
EXPLAINED = (
    *map(Column, ("node", "label")),
    Column("amount", form=".4g"),
    Column("share", "share", "%", ".1f", 100),
)

FORETOLD = (
    *map(Column, ("node", "predicted", "known")),
    Column("probability", form=".2f"),
)
TRIED = (
    Column("learner"),
    Column("loss", form=".3f"),
    Column("error", "error", "%", ".1f", 100),
    Column("weight", form=".2f"),
    Column("seconds", form=".1f"),
)
HELD = (
    Column("low", "sure from", form=".1f"),
    Column("high", "to", form=".1f"),
    Column("answers"),
    Column("confidence", "said", "%", ".1f", 100),
    Column("right", "right", "%", ".1f", 100),
)


def regrets(*rows: JsonRow) -> tuple[Column, ...]:
    """Regret and bound, of the games that these rows are of."""
    against = {row["hindsight"] for row in rows}
    best = f"best {against.pop() if len(against) == 1 else 'fixed'}"
    return (
        Column("mistakes_mean", "mistakes", form=".1f"),
        Column("hindsight_mistakes_mean", best, form=".1f"),
        Column("regret_mean", "regret", form=".1f", spread="regret_std"),
        Column(
            "bound_mean",
            "bound",
            form=".1f",
            of=lambda row: row["bound_mean"] if row["bound"] else row["bound_note"].split(":")[0],
        ),
        Column("bound_holds", "holds", of=_holds),
    )


def figures(result: Simulation, confidence: float = CONFIDENCE) -> tuple[Column, ...]:
    """Error, its interval, cost and further scores of a simulation."""
    names = [name for name in result.scores[0] if not name.endswith("_average")]  # --json has them
    scores = (Column(f"{name}_mean", name, form=".4g") for name in names)
    return *_errors(result.target == "real", confidence), *_known(result), *COST, *scores


def _known(result: Simulation) -> tuple[Column, ...]:
    """Where some nodes were guessed: the error on the others, and how many they are."""
    return () if all(trace.known.all() for trace in result.traces) else KNOWN


def differences(
    result: Simulation, against: str, confidence: float, *, mark: bool = True
) -> tuple[Column, ...]:
    """The paired comparison with the learner of this label, with a ``mark`` where it counts."""
    form, scale = (".3g", 1) if result.target == "real" else (".2f", 100)

    def mean(row: JsonRow) -> float | None:
        return None if row.get("label") == against else row["difference"]

    def ends(row: JsonRow) -> str | None:
        if row.get("label") == against or row["difference_low"] is None:
            return None
        low, high = scale * row["difference_low"], scale * row["difference_high"]
        return f"{low:+{form}} .. {high:+{form}}" + (" *" if mark and row["differs"] else "")

    return (
        Column("difference", f"vs {against}", form=f"+{form}", scale=scale, of=mean),
        Column("differs", _percent(confidence), "paired t", of=ends),
    )


def tuned(result: Simulation, confidence: float) -> tuple[Column, ...]:
    """The setting that was chosen: held-out and fresh error, and the one that was given."""
    real = result.target == "real"
    form, scale = (".4g", 1) if real else (".2f", 100)
    unit = "" if real else "%"
    gap, ends = differences(result, "", confidence)
    return (
        *map(Column, ("learner", "dataset", "setting", "settings")),
        Column("held_out_error_rate_mean", "held-out", unit, of=_held_out(form, scale)),
        Column("repeats"),
        *figures(result, confidence),
        Column("default_error_rate_mean", "as given", unit, form, scale),
        replace(gap, heading="vs as given"),
        ends,
    )


def rehearsed(result: Simulation) -> tuple[Column, ...]:
    """Every setting that could be chosen."""
    form, scale = (".4g", 1) if result.target == "real" else (".2f", 100)
    unit = "" if result.target == "real" else "%"
    return (
        Column("setting"),
        Column("held_out_error_rate_mean", "held-out", unit, of=_held_out(form, scale)),
        Column("held_out_updates_mean", "updates", form=".1f"),
        Column("held_out_queries_mean", "queries", form=".1f"),
        COST[2],
        Column("chosen", of=lambda row: "chosen" if row["chosen"] else None),
    )


def _held_out(form: str, scale: float) -> Callable[[JsonRow], str | None]:
    def cell(row: JsonRow) -> str | None:
        mean, std = row["held_out_error_rate_mean"], row["held_out_error_rate_std"]
        if mean is None:
            return None
        text = f"{scale * mean:{form}}"
        return f"{text} ± {scale * std:{form}}" if row.get("shuffles", 2) > 1 else text

    return cell


def _errors(real: bool, confidence: float) -> tuple[Column, ...]:
    """The mean loss ± standard deviation, and half the width of the mean's interval."""
    heading, unit, form, spread_form, scale = (
        ("squared error", "", ".4g", ".2g", 1) if real else ("error", "%", ".2f", ".2f", 100)
    )

    def half(row: JsonRow) -> float | None:
        low, high = row["error_rate_ci_low"], row["error_rate_ci_high"]
        return None if low is None else (high - low) / 2

    return (
        Column("error_rate_mean", heading, unit, form, scale, "error_rate_std", spread_form),
        Column("error_rate_ci_high", _percent(confidence), "±", spread_form, scale, of=half),
    )


SETTINGS = ("rounds", "noise", "delay", "fresh_data", "one_vs_rest", "fuse")
"""What a sweep may vary of the rules, shown where it is not the usual."""


def swept(real: bool, *, embedded: bool) -> tuple[Column, ...]:
    """A learner on a data set in a sweep; with its embedding, where these are several."""

    def rules(row: JsonRow) -> str | None:
        told = {key: row["engine"].get(key) for key in SETTINGS}
        said = [f"{key}={value}" for key, value in told.items() if value]
        said += [f"fuser={row['fuser']['name']}"] if row["fuser"] else []
        return " ".join(said if row["engine"]["compiled"] else [*said, "compiled=False"]) or None

    return (
        Column("learner_label", "learner"),
        Column("dataset_label", "dataset"),
        Column("feedback_label", "feedback"),
        *((Column("embedding_label", "embedding"),) if embedded else ()),
        Column("engine", "rules", of=rules),
        *_errors(real, CONFIDENCE),
        Column("done", "cells", of=lambda row: f"{row['done']}/{row['cells']}"),
        Column("failed", of=lambda row: row["failed"] or None),
    )


def _percent(confidence: float) -> str:
    return f"{100 * confidence:g} %"


def _holds(row: JsonRow) -> str:
    verdict = {True: "yes", False: "NO", None: ""}[row["bound_holds"]]
    return f"{verdict} (mean)" if row["bound_of_mean"] else verdict


def reproduced(axis: str | None) -> tuple[Column, ...]:
    """A paper's figure beside ours; a figure's points have an axis."""
    at = Column("at", axis or "at", form="g")
    return (
        *map(Column, ("dataset", "learner", "metric")),
        *((at,) if axis else ()),
        Column("paper", of=lambda row: _digits(row["paper"])),
        Column("measured", of=_measured),
        Column("verdict"),
        Column("params", "played with", of=_params),
    )


def _measured(row: JsonRow) -> str:
    mean, std = row["measured"], row["std"]
    return _digits(mean, mean) + (f" ± {_digits(std, mean)}" if row["repeats"] > 1 else "")


def _params(row: JsonRow) -> str:
    given = (row["params"] or {}).items()
    return " ".join(f"{key}={value:g}" for key, value in given if isinstance(value, int | float))


def _digits(value: float | None, like: float | None = None) -> str:
    """Four digits or so; a deviation gets as many decimals as what it deviates from."""
    if value is None:
        return ""
    size = abs(value if like is None else like)
    if size >= 100 or (like is None and size == int(size) and size >= 1):
        return f"{value:.0f}"
    return f"{value:.4f}" if size < 1 else f"{value:.2f}"


def _contestant(row: JsonRow) -> str:
    name: str = row["learner"]
    return row["setting"] + name[len(name.split()[0]) :] if row["setting"] else name


def _half_width(row: JsonRow) -> float | None:
    return None if row["low"] is None else (row["high"] - row["low"]) / 2


def _difference_ends(row: JsonRow) -> str | None:
    if row["difference_low"] is None:
        return None
    return f"{row['difference_low']:+.2f} .. {row['difference_high']:+.2f}"


CORRECTED = (Column("p_holm", "p", "Holm", ".2g"), Column("verdict"))
"""What a difference is worth among several."""
TALLY = (
    Column("label", "learner"),
    *map(Column, ("wins", "ties", "losses")),
    Column("mean_rank", "mean rank", form=".2f"),
)
"""A learner over several data sets."""
CONTEST = (
    Column("setting", "learner", of=_contestant),
    Column("settings", of=lambda row: row["settings"] or None),
    Column("measured", "error", "%", ".2f"),
    Column("high", "95 %", "±", ".2f", of=_half_width),
    Column("difference", "champion less this", form="+.2f"),
    Column("difference_low", "95 %", "paired t", of=_difference_ends),
    CORRECTED[0],
    Column(
        "queries", form=".0f", of=lambda row: row["queries"] if "selective" in row["game"] else None
    ),
    Column("us_per_round", "", "µs/round", ".1f"),
    Column("state_bytes", "state", "MB", ".2f", 1e-6),
    Column("verdict"),
)
"""A learner in a table of the arena."""
