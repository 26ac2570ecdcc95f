"""The leaderboard: mean errors, and paired differences to a reference with Holm's correction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import combinations
from typing import Any

import attrs
import numpy as np

from graphol.api import Target
from graphol.correction import LOSS, TIE, WIN, holm, verdict
from graphol.errors import UsageError, near
from graphol.interval import CONFIDENCE, Interval, check_confidence, interval, paired, paired_p
from graphol.report.cast import Entry
from graphol.report.columns import CORRECTED
from graphol.report.ranks import Ranking, mean_where_all, rank
from graphol.report.table import Column, JsonRow

Games = Mapping[tuple[Any, ...], Entry]
"""Of one player, by what makes two outcomes a pair."""


@attrs.frozen
class Standing:
    """A player on one data set by one protocol."""

    player: str
    games: int
    error: Interval
    queries: float
    updates: float
    us_per_round: float
    seconds: float
    pairs: int = 0
    """Games that the reference played as well."""
    difference: Interval | None = None
    """Its error less that of the reference, in those; None for the reference, or without pairs."""
    p: float | None = None
    p_holm: float | None = None
    verdict: str = ""
    """Win, tie or loss; what keeps it from being one of these; '' for the reference."""


@attrs.frozen
class Board:
    """All players on one data set by one protocol, the least error first."""

    dataset: str
    protocol: str
    target: Target
    reference: str
    standings: tuple[Standing, ...]

    def rows(self, confidence: float = CONFIDENCE) -> list[dict[str, Any]]:
        """One row per player, with fixed keys."""
        return [
            {
                "dataset": self.dataset,
                "protocol": self.protocol,
                "target": self.target,
                "label": each.player,
                "games": each.games,
                "error_rate_mean": each.error.mean,
                "error_rate_ci_low": each.error.low,
                "error_rate_ci_high": each.error.high,
                "confidence": confidence,
                "against": self.reference,
                "pairs": each.pairs if each.player != self.reference else None,
                "difference": each.difference and each.difference.mean,
                "difference_low": each.difference and each.difference.low,
                "difference_high": each.difference and each.difference.high,
                "p": each.p,
                "p_holm": each.p_holm,
                "verdict": each.verdict,
                "queries_mean": each.queries,
                "updates_mean": each.updates,
                "us_per_round": each.us_per_round,
                "seconds": each.seconds,
            }
            for each in self.standings
        ]

    def columns(self, confidence: float = CONFIDENCE) -> tuple[Column, ...]:
        """As a person reads the rows: errors in per cent, differences in percentage points."""
        return (
            Column("label", "learner"),
            *_figures({self.target}, f"vs {self.reference}", confidence),
        )


def _figures(targets: set[Target], against: str, confidence: float) -> tuple[Column, ...]:
    """Error, difference and what that is worth; real numbers have squared errors."""
    heading, unit = ("squared error", "") if targets == {"real"} else ("error", "%")
    percent = f"{100 * confidence:g} %"
    if len(targets) > 1 and "real" in targets:
        unit = "% or squared"

    def shown(key: str, sign: str = "") -> Callable[[JsonRow], str | None]:
        def text(row: JsonRow) -> str | None:
            real, value = row["target"] == "real", row[key]
            if value is None:
                return None
            return f"{value:{sign}.4g}" if real else f"{100 * value:{sign}.2f}"

        return text

    def half(row: JsonRow) -> str | None:
        low, high = row["error_rate_ci_low"], row["error_rate_ci_high"]
        if low is None:
            return None
        return f"{(high - low) / 2:.2g}" if row["target"] == "real" else f"{50 * (high - low):.2f}"

    def ends(row: JsonRow) -> str | None:
        low, high = (shown(f"difference_{end}", "+")(row) for end in ("low", "high"))
        return None if low is None else f"{low} .. {high}"

    return (
        Column("error_rate_mean", heading, unit, of=shown("error_rate_mean")),
        Column("error_rate_ci_high", percent, "±", of=half),
        Column("difference", against, of=shown("difference", "+")),
        Column("difference_low", percent, "paired t", of=ends),
        *CORRECTED,
        Column("pairs"),
        Column("games"),
    )


@attrs.frozen
class Series:
    """The boards of one protocol, one per data set, and ranks over them."""

    protocol: str
    reference: str
    boards: tuple[Board, ...]
    ranking: Ranking | None

    @property
    def players(self) -> set[str]:
        """Who plays by this protocol; a reference that was named may not."""
        return {each.player for board in self.boards for each in board.standings}

    def tally(self) -> list[dict[str, Any]]:
        """Of every player wins, ties and losses against the reference, and its mean rank."""
        ranks = {} if self.ranking is None else dict(
            zip(self.ranking.players, self.ranking.mean_ranks, strict=True)
        )  # fmt: skip
        found = []
        for player in sorted(self.players):
            verdicts = [
                each.verdict
                for board in self.boards
                for each in board.standings
                if each.player == player
            ]
            counted = player != self.reference
            found.append(
                {
                    "label": player,
                    "protocol": self.protocol,
                    "datasets": len(verdicts),
                    "mean_rank": ranks.get(player),
                    "against": self.reference,
                    "wins": verdicts.count(WIN) if counted else None,
                    "ties": verdicts.count(TIE) if counted else None,
                    "losses": verdicts.count(LOSS) if counted else None,
                    "untested": len(verdicts) - sum(map(verdicts.count, (WIN, TIE, LOSS)))
                    if counted
                    else None,
                }
            )
        return sorted(found, key=lambda row: (row["mean_rank"] or np.inf, row["label"]))


TALLY = (
    Column("label", "learner"),
    Column("datasets", "data sets"),
    Column("mean_rank", "mean rank", form=".2f"),
    Column("wins"),
    Column("ties"),
    Column("losses"),
    Column("untested", "not tested", of=lambda row: row["untested"] or None),
)
"""The columns of a tally."""


@attrs.frozen
class Standings:
    """All boards of a report."""

    series: tuple[Series, ...]
    comparisons: int
    """Tests that the p values are corrected for."""
    named: bool
    """Was the reference named beforehand? If not, all pairs of players count as comparisons."""
    confidence: float
    settings: int = 0
    """Players that bear the name that was given; of several the best one is the reference."""

    @property
    def boards(self) -> list[Board]:
        """Of all protocols."""
        return [board for each in self.series for board in each.boards]

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all boards, one table."""
        return [row for board in self.boards for row in board.rows(self.confidence)]

    @property
    def columns(self) -> tuple[Column, ...]:
        """As a person reads them."""
        return (
            Column("dataset", "data set"),
            Column("protocol"),
            Column("label", "learner"),
            Column("against", of=lambda row: None if row["pairs"] is None else row["against"]),
            *_figures({board.target for board in self.boards}, "difference", self.confidence),
        )


def standings(
    entries: Iterable[Entry], against: str | None = None, confidence: float = CONFIDENCE
) -> Standings:
    """The boards of all data sets and protocols.

    Differences are taken in pairs of the same data, seed, repeat and questions; nothing else is
    tested. Without a named reference it is the player with the least mean rank over the data sets
    of a protocol, and the p values are corrected for all pairs of players, since any of them could
    have become the reference. A name that several settings bear stands for the one of these with
    the least mean rank; then the pairs that any of them is in are counted.
    """
    check_confidence(confidence)
    fields: dict[str, dict[str, dict[str, dict[tuple[Any, ...], Entry]]]] = {}
    for entry in entries:
        per = fields.setdefault(entry.protocol, {}).setdefault(entry.dataset, {})
        per.setdefault(entry.player, {})[entry.outcome.pair] = entry
    players = {
        player: next(iter(games.values())).learner
        for sets in fields.values()
        for per in sets.values()
        for player, games in per.items()
    }
    named = None if against is None else _named(against, players)
    open_to = frozenset(players) if named is None else named
    references: dict[str, str] = {}
    rankings: dict[str, Ranking | None] = {}
    tests: dict[tuple[str, str, str, str], float | None] = {}
    for protocol, sets in sorted(fields.items(), key=_size):
        rankings[protocol] = _ranking(sets, 1 - confidence)
        best = _best(sets, rankings[protocol], open_to)
        references[protocol] = best or next(filter(None, references.values()), min(open_to))
        for dataset, per in sorted(sets.items()):
            for one, two in combinations(sorted(per), 2):
                if {one, two} & open_to:
                    tests[protocol, dataset, one, two] = _test(per[one], per[two])
    tested = {key: p for key, p in tests.items() if p is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    series = []
    for protocol, sets in sorted(fields.items(), key=_size):
        reference = references[protocol]
        boards = []
        for dataset, per in sorted(sets.items()):

            def ps(
                player: str,
                protocol: str = protocol,
                dataset: str = dataset,
                reference: str = reference,
            ) -> tuple[float | None, float | None]:
                one, two = sorted((player, reference))
                key = (protocol, dataset, one, two)
                return tests.get(key), corrected.get(key)

            found = [
                _standing(player, games, reference, per.get(reference), ps, confidence)
                for player, games in per.items()
            ]
            found.sort(key=lambda each: (each.error.mean, each.player))
            target = next(iter(next(iter(per.values())).values())).outcome.target
            boards.append(Board(dataset, protocol, target, reference, tuple(found)))
        series.append(Series(protocol, reference, tuple(boards), rankings[protocol]))
    settings = len(named or ())
    return Standings(tuple(series), len(tested), settings == 1, confidence, settings)


def _size(field: tuple[str, Mapping[str, Mapping[str, Games]]]) -> tuple[int, str]:
    """Protocols that most play come first."""
    protocol, sets = field
    return -len({player for per in sets.values() for player in per}), protocol


def _named(against: str, players: Mapping[str, str]) -> frozenset[str]:
    """The player of this label, or all settings of the learner of this name."""
    if against in players:
        return frozenset([against])
    alike = frozenset(player for player, learner in players.items() if learner == against)
    if alike:
        return alike
    raise UsageError(f"{against!r} is not one of those compared: {near(against, players)}")


def _ranking(sets: Mapping[str, Mapping[str, Games]], alpha: float) -> Ranking | None:
    """Ranks by the mean errors in the games that all have.

    Of all players on a data set, and of those on every data set, the group that has the most
    players times data sets in common is ranked: in a sweep that is half done some have just begun.
    """
    everybody = sorted({player for per in sets.values() for player in per})
    everywhere = frozenset(everybody).intersection(*sets.values())
    best: tuple[list[str], list[str]] = [], []
    for group in sorted({everywhere, *map(frozenset, sets.values())}, key=sorted):
        shared = [name for name, per in sorted(sets.items()) if group <= per.keys()]
        if len(group) > 1 and len(group) * len(shared) > len(best[0]) * len(best[1]):
            best = sorted(group), shared
    players, shared = best
    errors: dict[str, dict[str, float]] = {player: {} for player in everybody}
    for name in shared:
        means = mean_where_all([_errors(sets[name][player]) for player in players])
        for player, mean in zip(players, means or (), strict=False):
            errors[player][name] = mean
    return rank(errors, alpha) if any(errors.values()) else None


def _best(
    sets: Mapping[str, Mapping[str, Games]], ranking: Ranking | None, among: Collection[str]
) -> str:
    """The least mean rank; without ranks the most data sets; then the least error.

    Empty where none of them plays.
    """
    ranks = {} if ranking is None else dict(
        zip(ranking.players, ranking.mean_ranks, strict=True)
    )  # fmt: skip

    def key(player: str) -> tuple[float, int, float, str]:
        own = [_errors(per[player]) for per in sets.values() if player in per]
        errors = [error for each in own for error in each.values()]
        return ranks.get(player, np.inf), -len(own), float(np.mean(errors)), player

    here = {player for per in sets.values() for player in per if player in among}
    return min(here, key=key, default="")


def _errors(games: Games) -> dict[object, float]:
    return {pair: entry.outcome.error for pair, entry in games.items()}


def _pairs(one: Games, two: Games) -> tuple[list[float], list[float]]:
    common = sorted(one.keys() & two.keys())
    return [one[k].outcome.error for k in common], [two[k].outcome.error for k in common]


def _test(one: Games, two: Games) -> float | None:
    mine, theirs = _pairs(one, two)
    return paired_p(mine, theirs) if len(mine) > 1 else None


def _standing(
    player: str,
    games: Games,
    reference: str,
    theirs: Games | None,
    ps: Callable[[str], tuple[float | None, float | None]],
    confidence: float,
) -> Standing:
    played = [games[key].outcome for key in sorted(games)]
    found = Standing(
        player,
        len(played),
        interval([each.error for each in played], confidence),
        queries=float(np.mean([each.queries for each in played])),
        updates=float(np.mean([each.updates for each in played])),
        us_per_round=float(np.mean([each.us_per_round for each in played])),
        seconds=float(np.mean([each.seconds for each in played])),
    )
    if player == reference:
        return found
    if theirs is None:
        return attrs.evolve(found, verdict="not tested: the reference did not play here")
    one, two = _pairs(games, theirs)
    if len(one) < 2:
        short = f"not tested: {len(one)} pair{'s' * (len(one) != 1)}"
        return attrs.evolve(found, pairs=len(one), verdict=short)
    apart = paired(one, two, confidence)
    p, p_holm = ps(player)
    said = verdict(apart.mean, p_holm, 1 - confidence) or "not tested"
    return attrs.evolve(found, pairs=len(one), difference=apart, p=p, p_holm=p_holm, verdict=said)
