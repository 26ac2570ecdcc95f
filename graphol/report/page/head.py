"""The top of a page: what is here, how much of it, and what came out."""

from __future__ import annotations

from collections.abc import Iterator

from graphol.correction import LOSS, TIE, WIN
from graphol.report.gather import DONE, FAILED, PLANNED
from graphol.report.page.material import Material
from graphol.report.page.parts import doubtful, many
from graphol.report.page.text import element, safe


def head(material: Material) -> str:
    """Title, what is here, how much of it, and what came out."""
    entries, gathered = material.entries, material.gathered
    learners = {entry.learner for entry in entries}
    players = {entry.player for entry in entries}
    what = [
        many(len(learners), "learner")
        + (f" in {len(players)} settings" if len(players) > len(learners) else ""),
        many(len({entry.dataset for entry in entries}), "data set"),
        many(len({entry.protocol for entry in entries}), "protocol"),
        many(len(entries), "game"),
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
            sets = many(len(series.boards), "data set")
            text += (
                f"<b>{safe(best['label'])}</b> has the least mean rank, "
                f"{best['mean_rank']:.2f} over {sets}. "
            )
        verdicts = [each.verdict for b in series.boards for each in b.standings]
        found = {name: verdicts.count(name) for name in (WIN, TIE, LOSS)}
        compared = many(sum(found.values()), "comparison")
        against = f"<b>{safe(series.reference)}</b>"
        if sum(found.values()):
            text += (
                f"In {compared} with {against} the other is {found[WIN]} times better and "
                f"{found[LOSS]} times worse; the rest tie."
            )
        elif series.reference in series.players:
            text += f"Nobody has two games in common with {against}, so nothing is tested."
        else:
            text += f"{against}, which was named, did not play here, so nothing is tested."
        yield text
    doubts = doubtful(material.entries)
    if doubts:
        yield f"Doubtful: {many(len(doubts), 'note')} at the leaderboards."
