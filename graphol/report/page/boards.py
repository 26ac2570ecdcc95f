"""The leaderboards of a page, and the ranks over data sets."""

from __future__ import annotations

from graphol.report.board import TALLY, Board, Series
from graphol.report.page.material import Material
from graphol.report.page.parts import dots, doubtful, figure, heading, many
from graphol.report.page.scale import over
from graphol.report.page.tables import table
from graphol.report.page.text import element, number, safe
from graphol.report.table import Column, JsonRow


def leaderboards(material: Material) -> str:
    """A table per data set and protocol."""
    told = material.standings
    percent = f"{100 * told.confidence:g} %"
    how = (
        f"Differences are taken game by game, in pairs of the same data, seed and repeat, and only "
        f"those are tested: a paired t-test, its p corrected by Holm's method for all "
        f"{many(told.comparisons, 'comparison')} of this page. A win is an error below that of the "
        "reference. "
    )
    if told.comparisons and told.settings > 1:
        how += (
            f"The reference is the one with the least mean rank of {told.settings} settings of the "
            "learner that was named, and all pairs that one of these is in count as comparisons. "
        )
    elif told.comparisons and not told.named:
        how += (
            "Nobody named a reference (--against), so it is the one with the least mean rank, and "
            "all pairs of players count as comparisons. "
        )
    how += f"Intervals are of the mean at {percent}, by Student's t, and not corrected."
    parts = [element("p", safe(how), class_="cap")]
    for series in told.series:
        alone = len(series.tally()) == 1
        for board in series.boards:
            found = doubtful(
                entry
                for entry in material.entries
                if (entry.dataset, entry.protocol) == (board.dataset, board.protocol)
            )
            if not alone:
                parts.append(heading(board.dataset, board.protocol))
            elif board is series.boards[0]:
                parts.append(heading(series.reference, series.protocol))
            parts += [element("p", safe(f"{board.dataset}: {n}"), class_="doubt") for n in found]
            parts += [] if alone else [_board(material, board)]
        if alone:
            parts.append(_alone(material, series))
    return "\n".join(parts)


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
        lead=dots(material),
        extra=[("error and interval", drawn)] if len(rows) > 1 else [],
        place=1 if rows[0]["error_rate_ci_low"] is None else 2,
        marked=lambda row: "ref" if row["label"] == board.reference and len(rows) > 1 else "",
    )


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
            few = many(len(ranking.datasets), "data set")
            caption += f" With {few} the test tells little apart."
    else:
        caption += " No data set has games that all played, so there are no ranks."
    found.append(
        table(
            series.tally(), TALLY, safe(caption), lead=dots(material),
            marked=lambda row: "ref" if row["label"] == series.reference else "",
        )
    )  # fmt: skip
    drawings = [
        drawing
        for drawing in material.drawings()["ranks"]
        if drawing.title.startswith(f"{series.protocol}: ")
    ]
    return element("div", "\n".join(found) + "".join(map(figure, drawings[:1])), class_="pair")
