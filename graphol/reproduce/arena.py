"""The arena: every learner on every graph under every kind of feedback, ours against the best.

It is no table of a paper. Rivals choose their settings on search shuffles and are scored on others;
ours play as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import attrs
import numpy as np

from graphol.api import Learner
from graphol.errors import UsageError
from graphol.folders import cache_folder
from graphol.interval import deviation, interval, paired, paired_p
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.report.columns import CONTEST
from graphol.report.comparison import label
from graphol.report.table import Column
from graphol.reproduce.arena_cells import Cells, NotPlayed, Played
from graphol.reproduce.arena_players import (
    DATASETS,
    GAMES,
    MOST_SETTINGS,
    PASSIVE,
    SMALL,
    SPARING,
    Game,
    Player,
    asking,
    champion,
    check_learners,
    chosen_games,
    player,
    players,
)
from graphol.reproduce.arena_verdicts import (
    BESIDE,
    CHAMPION,
    EQUAL,
    NO_INTERVAL,
    OWN,
    ArenaRow,
    conclusions,
    corrected,
)
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row, params
from graphol.reproduce.verdict import NO_DATA, NOT_COMPARED

NOBODY_ASKS = (
    "no table of selective, as nobody says how many labels to buy; add one of {} to --learners"
)
LIMIT = 600.0
"""Seconds per cell, where nobody says how many."""
TRIES = 4
"""Rates that are tried on the search shuffles to ask as often as a rival."""


@attrs.frozen(eq=False)
class Result:
    """How one learner did in one game."""

    name: str
    role: str
    """``champion``, ``ours`` or ``rival``."""
    settings: int
    learner: Learner | None = None
    played: Played | None = None
    why: str = ""
    """Where it was not played."""


@attrs.frozen(eq=False)
class Table:
    """One data set and game: who plays by whose rules."""

    desk: Desk
    cells: Cells
    dataset: str
    search: Plan
    score: Plan

    def play(self, learner: Learner, feedback: str, plan: Plan) -> Played:
        """These repeats of one learner."""
        protocol = registry().make("feedback", feedback)
        watcher = self.desk.watcher
        watcher.stage(f"{self.dataset}, {protocol.name}: {label(learner)} on {plan.which}")
        return self.cells.get(self.desk.arena(self.dataset), learner, protocol, plan, watcher)

    def choose(self, who: Player, feedback: str) -> tuple[Learner, int]:
        """The setting with the lowest mean error on the search shuffles; the first of equals.

        Those that ask choose among settings that buy neither hardly any label nor most of them.
        Also among how many it was chosen: of those that could be played.
        """
        candidates = list(self.desk.thin(who.candidates()))
        if len(candidates) == 1:
            return candidates[0], 1
        found: dict[int, Played] = {}
        reasons: dict[str, str] = {}
        for i, learner in enumerate(candidates):
            try:
                found[i] = self.play(learner, feedback, self.search)
            except NotPlayed as reason:
                reasons[label(learner)] = str(reason)
        if not found:
            raise NotPlayed(next(iter(reasons.values())))
        for setting, why in reasons.items():
            self.desk.notes.append(f"{self.dataset}, {feedback}: {setting} {why}")
        return candidates[fittest(found, asking=who.name in asking())], len(found)

    def meet(self, who: Player, feedback: str, role: str, name: str = "") -> Result:
        """Choose, then play; whatever goes wrong is one line."""
        tried, name = len(self.desk.thin(who.settings)), name or who.name
        try:
            learner, tried = self.choose(who, feedback)
            return Result(name, role, tried, learner, self.play(learner, feedback, self.score))
        except NotPlayed as reason:
            return Result(name, role, tried, why=str(reason))

    def games(self, game: Game, only: Sequence[str]) -> Iterator[tuple[str, list[Result]]]:
        """Every table of a game: its name, and our champion first."""
        mine = champion(game)
        if game.name == "selective":
            yield from self._selective(game, mine, only)
            return
        found = [self.meet(mine, game.feedback, CHAMPION)]
        for who in players(game, only):
            if who.name != mine.name:
                found.append(self.meet(who, game.feedback, BESIDE if who.ours else "rival"))
        yield game.name, found

    def _selective(
        self, game: Game, mine: Player, only: Sequence[str]
    ) -> Iterator[tuple[str, list[Result]]]:
        """One table per rival that asks: all others get as many labels as it bought.

        How many that are is read off the search shuffles, as its setting is.
        """
        rivals = [each for each in asking() if not only or each in only]
        if not rivals:
            self.desk.notes.append(f"{self.dataset}: {NOBODY_ASKS.format(', '.join(asking()))}")
        for name in rivals:
            table = f"{game.name}-{name}"
            rival = self.meet(player(name), game.feedback, "rival")
            if rival.learner is None or rival.played is None:
                yield table, [rival]
                continue
            rehearsed = self.play(rival.learner, game.feedback, self.search)
            wanted, T = float(rehearsed.queries.mean()), rehearsed.rounds
            yield (
                table,
                [
                    self._asking(mine, game, wanted, T),
                    rival,
                    *self._tossing(mine, wanted / T, only),
                ],
            )

    def _asking(self, mine: Player, game: Game, wanted: float, T: int) -> Result:
        """Our champion, made to ask as often on the search shuffles."""
        try:
            learner = self.as_often(mine.candidates()[0], game.feedback, wanted, T)
            played = self.play(learner, game.feedback, self.score)
        except NotPlayed as reason:
            return Result(mine.name, CHAMPION, 1, why=str(reason))
        return Result(mine.name, CHAMPION, 1, learner, played)

    def as_often(self, learner: Any, feedback: str, wanted: float, T: int) -> Learner:
        """The learner with the rate at which it asks so often on the search shuffles."""
        if not wanted > 0:
            raise NotPlayed("not played: its rival buys no label, so there is no rate as high")
        if "rate" not in attrs.fields_dict(type(learner)):
            raise NotPlayed(f"failed: {learner.name} has no rate at which it asks")
        rate = min(wanted / T, 1.0)
        for _ in range(TRIES):
            learner = attrs.evolve(learner, rate=rate)
            got = float(self.play(learner, feedback, self.search).queries.mean())
            if abs(got / wanted - 1) <= EQUAL / 5 or (rate == 1.0 and got <= wanted):
                break
            rate = float(np.clip(rate * wanted / max(got, 1.0), 1e-6, 1.0))
        found: Learner = learner
        return found

    def _tossing(self, mine: Player, p: float, only: Sequence[str]) -> Iterator[Result]:
        """Our champion and passive rivals, told as often by a coin."""
        coin = f"random-query:p={p!r}"
        for name in (mine.name, *PASSIVE):
            who = player(name)
            if who.ours or not only or name in only:
                role = BESIDE if who.ours else "rival"
                yield self.meet(who, coin, role, f"{name} + random-query")


def fittest(found: Mapping[int, Played], *, asking: bool) -> int:
    """Which setting is chosen by its figures on the search shuffles."""
    errors = {i: float(played.errors.mean()) for i, played in found.items()}
    low, high = SPARING
    sparing = [i for i in errors if low <= found[i].queries.mean() / found[i].rounds <= high]
    return min(sparing if asking and sparing else errors, key=lambda i: errors[i])


@attrs.frozen
class Contest(Experiment):
    """All tables of the arena."""

    games: tuple[Game, ...] = GAMES
    learners: tuple[str, ...] = ()
    """Rivals and others of ours that play beside the champions; all of them for none."""
    limit: float = LIMIT
    """Seconds that a cell may take."""
    folder: Path | None = None
    """Where cells are kept; by default in the cache."""
    usual_repeats: ClassVar[int] = 20
    first_repeat: ClassVar[int] = 100
    row: ClassVar[type[Row]] = ArenaRow

    def narrowed(
        self,
        *,
        games: Sequence[str] = (),
        learners: Sequence[str] = (),
        limit: float | None = None,
        out: Path | None = None,
    ) -> Self:
        """Some games and learners alone, another limit, another folder."""
        if limit is not None and not limit > 0:
            raise UsageError(f"--limit must be > 0 seconds, got {limit:g}")
        if out is not None and out.exists() and not out.is_dir():
            raise UsageError(f"{out} is not a folder; name another with --out")
        check_learners(learners)
        if list(games) == ["selective"] and learners and not {*learners} & {*asking()}:
            raise UsageError(NOBODY_ASKS.format(", ".join(asking())))
        return attrs.evolve(
            self,
            games=chosen_games(games),
            learners=tuple(learners),
            limit=self.limit if limit is None else limit,
            folder=self.folder if out is None else out,
        )

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """All rows, with verdicts that are corrected for the number of all comparisons."""
        both = set(desk.plan.repeats) & set(range(desk.held_out))
        if both:
            raise UsageError(
                f"repeats 0-{desk.held_out - 1} choose the settings, so {desk.plan.which} cannot "
                f"score; take others, for example --repeats {self.first_repeat}-"
                f"{self.first_repeat + self.usual_repeats - 1}"
            )
        usual = SMALL if desk.quick else self.datasets
        rows = super().run(desk, datasets or usual)
        return list(corrected([row for row in rows if isinstance(row, ArenaRow)]))

    def rows(self, desk: Desk, dataset: str) -> Iterator[Row]:
        """Every learner in every game, our champion first."""
        folder = cache_folder() / "arena" if self.folder is None else self.folder
        search = attrs.evolve(desk.plan, repeats=desk.held_out)
        table = Table(desk, Cells(folder, self.limit), dataset, search, desk.plan)
        for game in self.games:
            for name, results in table.games(game, self.learners):
                for result in results:
                    yield self._row(table, name, result, results[0])

    def _row(self, table: Table, game: str, result: Result, first: Result) -> ArenaRow:
        learner, played = result.learner, result.played
        row = ArenaRow(
            table=self.name, dataset=table.dataset, learner=result.name, metric="error_percent",
            paper=None, paper_std=None, measured=None, std=None, verdict=result.why, params=None,
            embedding="", feedback=None, repeats=0, command=None, game=game,
            settings=result.settings, champion=first.name if first.role == CHAMPION else "",
            chosen_on=table.search.which if result.settings > 1 else "",
            scored_on=table.score.which,
        )  # fmt: skip
        if learner is None or played is None:
            return row
        errors, vectors = 100 * played.errors, played.recipe["embedding"]
        own = interval(errors)
        row = attrs.evolve(
            row, measured=own.mean, low=own.low, high=own.high,
            std=deviation(errors),
            params=params({"learner": describe(learner)}), setting=label(learner),
            embedding=vectors["name"] if vectors else "",
            feedback=played.recipe["feedback"]["name"], repeats=len(errors),
            command=played.command, queries=float(played.queries.mean()),
            us_per_round=float(played.us_per_round.min()), state_bytes=played.state_bytes,
            errors=tuple(map(float, errors)),
            verdict=result.role if result.role in OWN else NOT_COMPARED,
        )  # fmt: skip
        if result is first or first.played is None or first.role != CHAMPION:
            return row
        ours = 100 * first.played.errors
        apart = paired(ours, errors)
        row = attrs.evolve(
            row, difference=apart.mean, difference_low=apart.low, difference_high=apart.high
        )
        if result.role == BESIDE:
            return row
        p = paired_p(ours, errors)
        return attrs.evolve(row, p=p, verdict=NO_INTERVAL if p is None else _unequal(first, played))

    def absent(self, dataset: str, **more: Any) -> Iterator[Row]:
        """One row without figures."""
        yield ArenaRow(
            table=self.name, dataset=dataset, learner="all", metric="error_percent", paper=None,
            paper_std=None, measured=None, std=None, verdict=NO_DATA, params=None, embedding="",
            feedback=None, repeats=0, command=None, settings=0,
        )  # fmt: skip

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """Where we win, tie and lose."""
        return list(conclusions([row for row in rows if isinstance(row, ArenaRow)]))

    def tables(self, rows: Sequence[Row]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """One table per data set and game."""
        lines: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            assert isinstance(row, ArenaRow)
            line = row.as_dict()
            heading = f"{row.dataset}, {row.game}: scored on repeats {row.scored_on}"
            lines.setdefault(heading if row.game else row.dataset, []).append(line)
        for heading, found in lines.items():
            chose = {line["chosen_on"] for line in found} - {""}
            more = f", settings chosen on {chose.pop()}" if chose else ""
            yield heading + more, found

    def columns(self, rows: Sequence[Row]) -> tuple[Column, ...]:
        """As a person reads the rows."""
        return CONTEST


def _unequal(first: Result, played: Played) -> str:
    """Why numbers of labels that should be equal are not, or ''."""
    if played.recipe["feedback"]["name"] not in ("selective", "random-query"):
        return ""
    assert first.played is not None
    ratio = float(first.played.queries.mean() / max(played.queries.mean(), 1.0))
    if abs(ratio - 1) <= EQUAL:
        return ""
    return f"not at equal queries: {ratio:.2f} times as many"


ARENA = Contest(
    name="arena",
    title="Arena: learners of graphol's own against all others, fresh shuffles, error in per cent",
    reference="no paper: see docs/howto/arena.md",
    datasets=DATASETS,
    entries=(),
    notes=(
        f"rivals choose among up to {MOST_SETTINGS} settings, the lowest mean error on the search "
        "shuffles (those that ask: among settings that buy at most half of the labels, if any); "
        "ours (champion, ours) play their defaults; the champion of a game is named beforehand",
        "difference: the champion's error less the row's, repeat by repeat, below 0 where the "
        "champion is ahead; its interval is not corrected; win, tie and loss are the champion's, "
        "by p values corrected by Holm's method over all comparisons shown",
        "selective-NAME: as many labels as NAME buys; with random-query a coin chooses them",
        "intervals are over shuffles of one graph; µs/round: the least over the repeats; state: "
        "arrays of the state before round 1, without graph and vectors",
        "learners that need vectors read those of the usual spectral embedding",
    ),
)
