"""The sections of a page, each HTML; one that has nothing to show is empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graphol.interval import deviation
from graphol.notes import doubts
from graphol.report.board import BETTER, TALLY, TIE, WORSE, Board, Series
from graphol.report.cast import Entry
from graphol.report.gather import DONE, FAILED, PLANNED
from graphol.report.page.look import Look
from graphol.report.page.material import COSTS, Material
from graphol.report.page.panel import Drawing
from graphol.report.page.scale import over
from graphol.report.page.tables import table
from graphol.report.page.text import element, number, safe
from graphol.report.table import Column, JsonRow

MOST_CLASSES = 40
"""Columns of the table of classes; of more classes those with the most mistakes are shown."""
MOST_LINES = 200
"""Of a list of commands."""


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
    yield "failures", "Failures", failures(material)
    yield "provenance", "Provenance", provenance(material)


def head(material: Material) -> str:
    """Title, what is here, how much of it, and what came out."""
    entries, gathered = material.entries, material.gathered
    learners = {entry.learner for entry in entries}
    players = {entry.player for entry in entries}
    what = [
        _many(len(learners), "learner")
        + (f" in {len(players)} settings" if len(players) > len(learners) else ""),
        _many(len({entry.dataset for entry in entries}), "data set"),
        _many(len({entry.protocol for entry in entries}), "protocol"),
        _many(len(entries), "game"),
    ]
    parts = [f"<h1>{safe(material.title)}</h1>", element("p", safe(", ".join(what)), class_="sub")]
    if gathered.progress:
        planned, done, failed = (gathered.total(what) for what in (PLANNED, DONE, FAILED))
        share = [
            element("div", "", class_=name, style=f"width:{100 * count / max(planned, 1):.2f}%")
            for name, count in ((DONE, done), (FAILED, failed))
        ]
        text = f"{done} of {planned} planned cells are done, {failed} failed"
        if done + failed < planned:
            text += f", {planned - done - failed} are still to come: all figures are preliminary"
        link = ' (<a href="#failures">why</a>)' if failed else ""
        parts.append(element("p", safe(text) + link + "."))
        parts.append(element("div", "".join(share), class_="bar", role="img", aria_label=text))
    findings = [*_findings(material)]
    if findings:
        parts.append(element("ul", "".join(element("li", f) for f in findings), class_="short"))
    return "\n".join(parts)


def _findings(material: Material) -> Iterator[str]:
    """What the leaderboards say, in a sentence per protocol."""
    for series in material.standings.series:
        rows = series.tally()
        if len(rows) < 2:
            continue
        where = f"{safe(series.protocol)}: " if len(material.standings.series) > 1 else ""
        best, text = rows[0], where
        if best["mean_rank"] is not None and len(series.boards) > 1:
            sets = _many(len(series.boards), "data set")
            text += (
                f"<b>{safe(best['label'])}</b> has the least mean rank, "
                f"{best['mean_rank']:.2f} over {sets}. "
            )
        verdicts = [each.verdict for b in series.boards for each in b.standings]
        found = {name: verdicts.count(name) for name in (BETTER, TIE, WORSE)}
        compared = _many(sum(found.values()), "comparison")
        yield text + (
            f"In {compared} with <b>{safe(series.reference)}</b> the other is "
            f"{found[BETTER]} times better and {found[WORSE]} times worse; the rest tie."
            if sum(found.values())
            else "No two have two games in common, so nothing is tested."
        )
    found = _doubts(material.entries)
    if found:
        yield f"{_many(len(found), 'note')} make figures doubtful; they stand at the leaderboards."


def leaderboards(material: Material) -> str:
    """A table per data set and protocol."""
    told = material.standings
    percent = f"{100 * told.confidence:g} %"
    how = (
        f"Differences are taken game by game, in pairs of the same data, seed and repeat, and only "
        f"those are tested: a paired t-test, its p corrected by Holm's method for all "
        f"{_many(told.comparisons, 'comparison')} of this page. "
    )
    if told.comparisons and not told.named:
        how += (
            "Nobody named a reference (--against), so it is the one with the least mean rank, and "
            "all pairs of players count as comparisons. "
        )
    how += f"Intervals are of the mean at {percent}, by Student's t, and not corrected."
    parts = [element("p", safe(how), class_="cap")]
    for series in told.series:
        alone = len(series.tally()) == 1
        for board in series.boards:
            found = _doubts(
                entry
                for entry in material.entries
                if (entry.dataset, entry.protocol) == (board.dataset, board.protocol)
            )
            if not alone:
                parts.append(_heading(board))
            elif board is series.boards[0]:
                parts.append(f"<h3>{safe(series.reference)} <small>{safe(series.protocol)}</small></h3>")
            parts += [element("p", safe(f"{board.dataset}: {n}"), class_="doubt") for n in found]
            parts += [] if alone else [_board(material, board)]
        if alone:
            parts.append(_alone(material, series))
    return "\n".join(parts)


def _heading(board: Board) -> str:
    return f"<h3>{safe(board.dataset)} <small>{safe(board.protocol)}</small></h3>"


def _alone(material: Material, series: Series) -> str:
    """Whoever is alone in a protocol has one table of all data sets."""
    rows = [row for board in series.boards for row in board.rows(material.confidence)]
    shown = [c for c in series.boards[0].columns(material.confidence) if c.key != "label"]
    return table(rows, [Column("dataset", "data set"), *shown])


def _board(material: Material, board: Board) -> str:
    rows, confidence = board.rows(material.confidence), material.confidence
    ends = [
        end
        for row in rows
        for end in (row["error_rate_mean"], row["error_rate_ci_low"], row["error_rate_ci_high"])
        if end is not None
    ]
    x = over(ends, 6.0, 144.0)

    def drawn(row: JsonRow) -> str:
        look = material.shown.look(row["label"])
        mean, low, high = (
            row["error_rate_mean"], row["error_rate_ci_low"], row["error_rate_ci_high"]
        )  # fmt: skip
        bar = (
            ""
            if low is None
            else f'<path class="w c{look.colour}" d="M{number(x(low))} 9H{number(x(high))}"/>'
        )
        return (
            '<svg class="mini" viewBox="0 0 150 18" aria-hidden="true">'
            f'<path class="g" d="M6 9H144"/>{bar}{look.draw(x(mean), 9, "", 4.4)}</svg>'
        )

    return table(
        rows,
        board.columns(confidence),
        lead=_dots(material),
        extra=[("error and interval", drawn)] if len(rows) > 1 else [],
        place=1 if rows[0]["error_rate_ci_low"] is None else 2,
        marked=lambda row: "ref" if row["label"] == board.reference and len(rows) > 1 else "",
    )


def _dots(material: Material) -> Callable[[JsonRow], str]:
    return lambda row: _dot(material.shown.look(row["label"]))


def _dot(look: Look) -> str:
    return f'<svg class="dot" viewBox="0 0 12 12" aria-hidden="true">{look.draw(6, 6, "", 4.6)}</svg>'


def _legend(drawings: Sequence[Drawing]) -> str:
    found = dict(sorted(pair for drawing in drawings for pair in drawing.legend))
    items = "".join(element("li", _dot(look) + safe(text)) for text, look in found.items())
    return element("ul", items, class_="legend") if found else ""


def _figure(drawing: Drawing) -> str:
    return element("figure", f"<figcaption>{safe(drawing.title)}</figcaption>{drawing.svg()}")


def _figures(drawings: Sequence[Drawing]) -> str:
    shown = "\n".join(map(_figure, drawings))
    return _legend(drawings) + element("div", shown, class_="grid") if drawings else ""


def ranks(material: Material) -> str:
    """Wins, ties and losses, mean ranks and the critical difference, a table per protocol."""
    parts = []
    for series in material.standings.series:
        if len(series.boards) < 2 or len(series.tally()) < 2:
            continue
        parts.append(f"<h3>{safe(series.protocol)}</h3>")
        parts.append(_ranked(material, series))
    if not parts:
        return ""
    how = (
        "Wins, ties and losses are data sets on which a learner is better than the reference, "
        "the same or worse, by the tests of the leaderboards. Ranks are by the mean error in the "
        "games that all have. The test of Nemenyi holds all learners against each other: two whose "
        "bars meet are not told apart; the shade is what is not told apart from the best."
    )
    return element("p", safe(how), class_="cap") + "\n".join(parts)


def _ranked(material: Material, series: Series) -> str:
    found, ranking = [], series.ranking
    caption = f"Against {series.reference}."
    if ranking is not None:
        if ranking.left_out:
            caption += f" Not ranked, since not on all data sets: {', '.join(ranking.left_out)}."
        if len(ranking.datasets) < len(series.boards):
            caption += f" Ranks are over {', '.join(ranking.datasets)}."
        if ranking.critical is not None and len(ranking.datasets) < 5:
            few = _many(len(ranking.datasets), "data set")
            caption += f" With {few} the test tells little apart."
    else:
        caption += " No data set has games that all played, so there are no ranks."
    found.append(
        table(
            series.tally(), TALLY, safe(caption), lead=_dots(material),
            marked=lambda row: "ref" if row["label"] == series.reference else "",
        )
    )  # fmt: skip
    drawings = [
        drawing
        for drawing in material.drawings()["ranks"]
        if drawing.title.startswith(f"{series.protocol}: ")
    ]
    return element("div", "\n".join(found) + "".join(map(_figure, drawings[:1])), class_="pair")


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
    return element("p", safe(text), class_="cap") + _figures(drawings) if drawings else ""


def fronts(material: Material) -> str:
    """The error against queries, and against updates."""
    found = material.drawings()
    parts = []
    for what in COSTS[:2]:
        if found[what]:
            parts.append(f"<h3>Against {what}</h3>" + _figures(found[what]))
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
        parts.append(f"<h3>{safe(each.parameter)}</h3>" + _figures(drawings))
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
        most = max((v for row in rows for k, v in row.items() if k != "label"), default=1.0) or 1.0
        columns = [
            Column("label", "learner"),
            *(Column(f"class {name}", name, form=".1f", scale=100) for name in names),
        ]
        parts.append(
            _heading(board)
            + table(
                rows, columns, safe(caption), lead=_dots(material),
                shade=_shading(most),
            )
        )  # fmt: skip
    if not parts:
        return ""
    text = "Mistakes in per cent of the rounds in which a class was the truth, over all games."
    return element("p", text, class_="cap") + "\n".join(parts)


def _shading(most: float) -> Callable[[JsonRow, Column], float | None]:
    """The tint of a share of mistakes, the strongest at the most."""
    return lambda row, column: row[column.key] / most if type(row.get(column.key)) is float else None


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
    shown = table(rows, columns, text, lead=_dots(material)) if rows else ""
    drawings = material.drawings()["us_per_round"]
    return shown + ("<h3>Error against time</h3>" + _figures(drawings) if drawings else "")


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
            holds = [each.holds for each in found]
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
                    "holds": "NO" if False in holds else "yes" if all(holds) else "",
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
    return table(rows, columns, text, lead=_dots(material)) if rows else ""


def _mean(values: Sequence[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return float(np.mean(found)) if found else None


def failures(material: Material) -> str:
    """How much of every learner and data set is there, and the cells that failed."""
    gathered, parts = material.gathered, []
    if gathered.failures:
        rows = [
            {
                "learner": each.learner,
                "dataset": each.dataset,
                "protocol": each.protocol,
                "seed": each.seed,
                "repeat": each.repeats.partition("-")[0],
                "tries": each.tries,
                "error": each.error,
                "command": each.command,
            }
            for each in gathered.failures
        ]
        columns = [
            Column("learner"), Column("dataset", "data set"), Column("protocol"), Column("seed"),
            Column("repeat"), Column("tries"), Column("error"), Column("command"),
        ]  # fmt: skip
        parts.append(
            table(rows, columns, "Cells that ended with an error are in no figure of this page.")
        )
    unfinished = any(row[PLANNED] != row[DONE] for row in gathered.progress)
    if unfinished:
        columns = [
            Column("learner"), Column("dataset", "data set"), Column(PLANNED), Column(DONE),
            Column(FAILED),
        ]  # fmt: skip
        parts.append("<h3>How much is there</h3>" + table(gathered.progress, columns))
    return "\n".join(parts)


def provenance(material: Material) -> str:
    """Where all of it comes from, and how to make it again."""
    entries = material.entries
    parts = []
    if material.command:
        parts.append(
            element("p", "This page is made again by")
            + element("pre", element("code", safe(material.command)))
        )
    versions = sorted({tuple(sorted(entry.outcome.versions.items())) for entry in entries})
    if len(versions) > 1:
        text = f"doubtful: the results are of {len(versions)} different sets of versions"
        parts.append(element("p", text, class_="doubt"))
    rows: list[Mapping[str, Any]] = [
        {"what": name, **{f"set {i + 1}": dict(each).get(name, "") for i, each in enumerate(versions)}}
        for name in sorted({name for each in versions for name, _ in each})
    ]
    if rows:
        columns = [
            Column("what", "package"),
            *(
                Column(f"set {i + 1}", "version" if len(versions) == 1 else f"set {i + 1}")
                for i in range(len(versions))
            ),
        ]
        parts.append("<h3>Versions</h3>" + table(rows, columns))
    parts.append("<h3>Data</h3>" + _data(entries))
    notes = [*material.gathered.notes]
    if material.twice:
        notes.append(f"{material.twice} game(s) are there twice; the first of each counts")
    said: dict[str, int] = {}
    for entry in entries:
        for note in dict.fromkeys(entry.outcome.notes):
            text = f"{entry.dataset}: {note}"
            said[text] = said.get(text, 0) + 1
    lines = [safe(note) for note in notes]
    lines += [f"{safe(text)} ({_many(count, 'game')})" for text, count in sorted(said.items())]
    if lines:
        parts.append("<h3>Notes</h3>" + element("ul", "".join(element("li", x) for x in lines)))
    parts.append(_commands(entries))
    return "\n".join(parts)


def _data(entries: Sequence[Entry]) -> str:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.dataset, []).append(entry)
    rows = []
    for dataset, own in sorted(found.items()):
        hashes = sorted({entry.outcome.played_on.split(" ")[0] for entry in own})
        seeds = sorted({entry.outcome.seed for entry in own})
        repeats = sorted({entry.outcome.repeat for entry in own})
        rows.append(
            {
                "dataset": dataset,
                "graphs": len(hashes),
                "hashes": _few(hashes),
                "seeds": _ranges(seeds),
                "repeats": _ranges(repeats),
                "rounds": _ranges(sorted({int(entry.outcome.rounds[-1]) for entry in own})),
            }
        )
    columns = [
        Column("dataset", "data set"), Column("graphs"), Column("hashes", "hash of the graph"),
        Column("seeds"), Column("repeats"), Column("rounds"),
    ]  # fmt: skip
    return table(rows, columns)


def _commands(entries: Sequence[Entry]) -> str:
    """One per player and board: the first of its games."""
    found: dict[tuple[str, str, str], str] = {}
    for entry in entries:
        if entry.outcome.command:
            found.setdefault(
                (entry.dataset, entry.protocol, entry.player), entry.outcome.command
            )
    if not found:
        return ""
    lines = [*found.values()][:MOST_LINES]
    more = len(found) - len(lines)
    text = "Commands that play the first results of every row"
    if more:
        text += f" ({more} more are left out)"
    return element(
        "details", element("summary", safe(text)) + element("pre", safe("\n".join(lines)))
    )


def _doubts(entries: Any) -> list[str]:
    """Every doubtful note once."""
    return [*dict.fromkeys(note for e in entries for note in doubts(e.outcome.notes))]


def _few(names: Sequence[str], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _ranges(numbers: Sequence[int]) -> str:
    """``0-19`` or ``1, 5, 7``."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return _few([str(value) for value in numbers], 6)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
