"""The sections of a page, each HTML; one that has nothing to show is empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from graphol.interval import deviation
from graphol.report.bounds import within
from graphol.report.outcome import Hindsight
from graphol.report.page.boards import leaderboards, ranks
from graphol.report.page.material import COSTS, Material
from graphol.report.page.parts import dots, figures, heading
from graphol.report.page.provenance import failures, provenance
from graphol.report.page.tables import table
from graphol.report.page.text import element, safe
from graphol.report.table import Column, JsonRow

MOST_CLASSES = 40
"""Columns of the table of classes; of more classes those with the most mistakes are shown."""


def all_of(material: Material) -> Iterator[tuple[str, str, str]]:
    """Anchor, title and HTML of every section."""
    yield "leaderboards", "Leaderboards", leaderboards(material)
    yield "ranks", "Ranks over data sets", ranks(material)
    yield "curves", "Learning curves", curves(material)
    yield "fronts", "Error against queries and updates", fronts(material)
    yield "sensitivity", "Sensitivity", sensitivity(material)
    yield "classes", "Errors by class", classes(material)
    yield "regret", "Regret and bounds", regret(material)
    yield "cost", "Cost", cost(material)
    title = "Failures" if material.gathered.failures else "Progress"
    yield "failures", title, failures(material)
    yield "provenance", "Provenance", provenance(material)


def curves(material: Material) -> str:
    """The error so far."""
    text = f"The mean over games; bands are {100 * material.confidence:g} % intervals of the mean. "
    text += "The vertical axis is cut where the first rounds go beyond it."
    if not material.shown.looks.by_player:
        text += (
            " Of every learner the setting with the least error there is drawn, chosen by these "
            "very results: it looks a little better than it is."
        )
    drawings = material.drawings()["curves"]
    return element("p", safe(text), class_="cap") + figures(drawings) if drawings else ""


def fronts(material: Material) -> str:
    """The error against queries, and against updates."""
    found = material.drawings()
    parts = []
    for what in COSTS[:2]:
        if found[what]:
            parts.append(f"<h3>Against {what}</h3>" + figures(found[what]))
        elif material.entries:
            parts.append(element("p", f"Everybody has the same number of {what}.", class_="cap"))
    text = (
        "A mark is the mean of one learner by one protocol; the dashed line is the front: what "
        "nobody beats in both. All protocols of a data set are in one figure."
    )
    return element("p", text, class_="cap") + "\n".join(parts) if any(
        found[what] for what in COSTS[:2]
    ) else ""  # fmt: skip


def sensitivity(material: Material) -> str:
    """Figures for each parameter that varies."""
    parts = []
    for each in material.sensitivities:
        drawings = material.drawings()[f"over {each.parameter}"]
        parts.append(f"<h3>{safe(each.parameter)}</h3>" + figures(drawings))
    if not parts:
        return ""
    text = (
        "The mean error at every value of a parameter, over games that were played with each of "
        "its values and are the same otherwise; bars are intervals of the mean."
    )
    return element("p", text, class_="cap") + "\n".join(parts)


def classes(material: Material) -> str:
    """The share of mistakes in every class, a table per board."""
    parts = []
    for board in material.standings.boards:
        own: dict[str, dict[str, tuple[int, int]]] = {}
        for entry in material.entries:
            if (entry.dataset, entry.protocol) == (board.dataset, board.protocol):
                per = own.setdefault(entry.player, {})
                for name, (wrong, asked) in entry.outcome.by_class.items():
                    before = per.get(name, (0, 0))
                    per[name] = before[0] + wrong, before[1] + asked
        names = sorted({name for per in own.values() for name in per}, key=_by_number)
        if not names:
            continue
        mistakes = {name: sum(per.get(name, (0, 0))[0] for per in own.values()) for name in names}
        caption = ""
        if len(names) > MOST_CLASSES:
            kept = sorted(names, key=lambda name: -mistakes[name])[:MOST_CLASSES]
            caption = f"The {MOST_CLASSES} of {len(names)} classes with the most mistakes."
            names = [name for name in names if name in kept]
        rows = [
            {"label": each.player}
            | {
                f"class {name}": own[each.player][name][0] / own[each.player][name][1]
                for name in names
                if own[each.player].get(name, (0, 0))[1]
            }
            for each in board.standings
        ]
        shares = [v for row in rows for v in row.values() if isinstance(v, float)]
        most = max(shares, default=0.0) or 1.0
        columns = [
            Column("label", "learner"),
            *(Column(f"class {name}", name, form=".1f", scale=100) for name in names),
        ]
        parts.append(
            heading(board.dataset, board.protocol)
            + table(
                rows, columns, safe(caption), lead=dots(material),
                shade=_shading(most),
            )
        )  # fmt: skip
    if not parts:
        return ""
    text = "Mistakes in per cent of the rounds in which a class was the truth, over all games."
    return element("p", text, class_="cap") + "\n".join(parts)


def _shading(most: float) -> Callable[[JsonRow, Column], float | None]:
    """The tint of a share of mistakes, the strongest at the most."""

    def tint(row: JsonRow, column: Column) -> float | None:
        value = row.get(column.key)
        return value / most if isinstance(value, float) else None

    return tint


def _by_number(name: str) -> tuple[float, str]:
    try:
        return float(name), name
    except ValueError:
        return np.inf, name


def cost(material: Material) -> str:
    """What games take."""
    rows = [row for board in material.standings.boards for row in board.rows()]
    columns = [
        Column("label", "learner"),
        Column("dataset", "data set"),
        Column("protocol"),
        Column("us_per_round", "", "µs/round", ".2f"),
        Column("seconds", "game", "ms", ".2f", 1000),
        Column("updates_mean", "updates", form=".1f"),
        Column("queries_mean", "queries", form=".1f"),
        Column("games"),
    ]
    text = (
        "Time is of prediction and update alone, without embedding and compilation; it depends on "
        "the machine and on what else it did."
    )
    shown = table(rows, columns, text, lead=dots(material)) if rows else ""
    drawings = material.drawings()["us_per_round"]
    return shown + ("<h3>Error against time</h3>" + figures(drawings) if drawings else "")


def regret(material: Material) -> str:
    """Regret and bound, where results hold them."""
    rows = []
    for board in material.standings.boards:
        for standing in board.standings:
            found = [
                entry.outcome.hindsight
                for entry in material.entries
                if (entry.player, entry.dataset, entry.protocol)
                == (standing.player, board.dataset, board.protocol)
                and entry.outcome.hindsight is not None
            ]
            if not found:
                continue
            regrets = [each.regret for each in found if each.regret is not None]
            rows.append(
                {
                    "label": standing.player,
                    "dataset": board.dataset,
                    "protocol": board.protocol,
                    "repeats": len(found),
                    "mistakes": _mean([each.mistakes for each in found]),
                    "best": _mean([each.best for each in found]),
                    "regret": _mean([each.regret for each in found]),
                    "regret_std": deviation(regrets) if regrets else 0.0,
                    "bound": _mean([each.bound for each in found]),
                    "holds": _holds(found),
                }
            )
    columns = [
        Column("label", "learner"),
        Column("dataset", "data set"),
        Column("protocol"),
        Column("repeats", "games"),
        Column("mistakes", form=".1f"),
        Column("best", "best in hindsight", form=".1f"),
        Column("regret", form=".1f", spread="regret_std"),
        Column("bound", form=".1f"),
        Column("holds"),
    ]
    text = (
        "Regret is mistakes beyond those of the best fixed model that was found in hindsight. A "
        "bound is the most mistakes that a theorem allows; one that does not hold is a bug."
    )
    return table(rows, columns, text, lead=dots(material)) if rows else ""


def _holds(found: Sequence[Hindsight]) -> str:
    """Does the bound hold: in every game, or in the mean if it is one on the mean?"""
    bound, mistakes = (_mean([e.bound for e in found]), _mean([e.mistakes for e in found]))
    if found[0].of_mean and bound is not None and mistakes is not None:
        return "yes (mean)" if within(mistakes, bound) else "NO (mean)"
    holds = [each.holds for each in found]
    return "NO" if False in holds else "yes" if all(holds) else ""


def _mean(values: Sequence[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return float(np.mean(found)) if found else None
