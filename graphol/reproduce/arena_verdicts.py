"""Who wins in the arena: paired differences, corrected for their number, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from graphol.correction import LOSS, TIE, WIN, holm, verdict
from graphol.interval import CONFIDENCE
from graphol.reproduce.experiment import Row

CHAMPION, BESIDE = OWN = "champion", "ours"
NO_INTERVAL = "one repeat: no interval"
EQUAL = 0.05
"""How far apart, relatively, numbers of queries may be that count as equal."""


@attrs.frozen
class ArenaRow(Row):
    """One learner in one game on one data set."""

    game: str = ""
    setting: str = ""
    """The learner as the command line writes it."""
    settings: int = 1
    """Among how many it was chosen."""
    chosen_on: str = ""
    scored_on: str = ""
    low: float | None = None
    """Of the error's own interval; all errors and differences are in per cent."""
    high: float | None = None
    champion: str = ""
    difference: float | None = None
    """Our champion's error less this one's; below 0 we are ahead."""
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    """Corrected for all comparisons of the run."""
    comparisons: int = 0
    """So many."""
    queries: float | None = None
    us_per_round: float | None = None
    state_bytes: int | None = None
    errors: tuple[float, ...] = ()
    """Of every repeat."""

    def as_dict(self) -> dict[str, Any]:
        """As plain data, in this order."""
        return super().as_dict() | {"errors": list(self.errors)}


def corrected(rows: Sequence[ArenaRow]) -> list[ArenaRow]:
    """The rows with p values corrected by Holm's method over all of them, and verdicts."""
    adjusted = holm([row.p for row in rows])
    compared, found = sum(p is not None for p in adjusted), list(rows)
    for i, (row, p_holm) in enumerate(zip(rows, adjusted, strict=True)):
        if p_holm is None:
            continue
        assert row.difference is not None
        said = verdict(row.difference, p_holm, 1 - CONFIDENCE) or ""
        if row.verdict:  # what keeps it from being one of these
            said = f"{row.verdict} ({said})"
        found[i] = attrs.evolve(row, p_holm=p_holm, verdict=said, comparisons=compared)
    return found


def conclusions(rows: Sequence[ArenaRow]) -> Iterator[str]:
    """Where our champion wins, ties and loses, and whether it should be the default."""
    yield (
        "a win over a data set is one over every rival there that played; a loss, one to any of "
        "them; all else is a tie"
    )
    for game in dict.fromkeys(row.game for row in rows if row.game):
        mine = [row for row in rows if row.game == game]
        names = {row.champion for row in mine if row.champion}
        if len(names) == 1:
            yield from _of_game(game, names.pop(), mine)


def _of_game(game: str, champion: str, rows: Sequence[ArenaRow]) -> Iterator[str]:
    by: dict[str, list[str]] = {WIN: [], TIE: [], LOSS: []}
    played, silent = [], 0
    for dataset in dict.fromkeys(row.dataset for row in rows):
        rivals = [row for row in rows if row.dataset == dataset and row.verdict not in OWN]
        verdicts = [row.verdict for row in rivals if row.p is not None]
        silent += sum(row.measured is None for row in rivals)
        if not verdicts:
            continue
        played += verdicts
        if LOSS in verdicts:
            best = min((r for r in rivals if r.verdict == LOSS), key=lambda r: r.measured or 0.0)
            by[LOSS].append(f"{dataset} (to {best.learner} by {best.difference:.2f})")
        else:
            by[WIN if set(verdicts) == {WIN} else TIE].append(dataset)
    if not played:
        yield f"{game}: {champion} was held against nobody"
        return
    counts = ", ".join(
        f"{many} {what}" for many, what in (
            (played.count(WIN), "won"), (played.count(TIE), "tied"), (played.count(LOSS), "lost"),
        )
    )  # fmt: skip
    if unfair := sum(verdict not in by for verdict in played):
        counts += f", {unfair} not at equal queries"
    where = "; ".join(f"{what}s on {', '.join(on)}" for what, on in (
        (WIN, by[WIN]), ("tie", by[TIE]), ("lose", by[LOSS]),
    ) if on)  # fmt: skip
    rest = f", and {silent} more were not played" if silent else ""
    yield f"{game}: {champion} {where}; of {len(played)} comparisons {counts}{rest}"
    yield f"{game}: {_default(champion, by)}"


def _default(champion: str, by: dict[str, list[str]]) -> str:
    """Should the champion play where nobody says who?"""
    if not by[LOSS] and by[WIN]:
        return f"{champion} should be the default: it loses on none and wins on {len(by[WIN])}"
    if not by[LOSS]:
        return f"nothing speaks for or against {champion} as the default: it only ties"
    if len(by[WIN]) > len(by[LOSS]):
        return (
            f"{champion} should be the default only where the data are unlike those on which it "
            f"loses: it wins on {len(by[WIN])} and loses on {len(by[LOSS])}"
        )
    return (
        f"{champion} should not be the default: it wins on {len(by[WIN])} and loses on "
        f"{len(by[LOSS])}"
    )
