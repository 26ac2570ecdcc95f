"""The figures of a page: curves, fronts, sensitivity and ranks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import attrs
import numpy as np

from graphol.api import Vector
from graphol.interval import CONFIDENCE, interval
from graphol.report.board import Board, Series, Standing
from graphol.report.cast import Entry
from graphol.report.page.look import Look, Looks
from graphol.report.page.panel import (
    HEIGHT,
    WIDTH,
    Drawing,
    axes,
    band,
    clipped,
    line,
    path,
    whisker,
    x_ends,
    y_ends,
)
from graphol.report.page.scale import over, said
from graphol.report.page.text import number, safe, short
from graphol.report.sensitivity import Line, Sensitivity

Field = tuple[str, str]
"""Protocol and data set."""
APART = 3.5
"""Between bars of several learners at one value."""
ROW = 34.0
"""Height of a player in the figure of ranks."""


@attrs.frozen
class Shown:
    """What the figures are drawn of."""

    entries: Sequence[Entry]
    boards: Sequence[Board]
    looks: Looks
    learners: Mapping[str, str]
    """Of every player its learner's name."""
    confidence: float = CONFIDENCE

    def learner(self, player: str) -> str:
        """The learner of a player."""
        return self.learners[player]

    def look(self, player: str) -> Look:
        """Its colour and mark."""
        return self.looks.of(player, self.learner(player))


def file_name(*parts: str) -> str:
    """A name that every file system takes.

    >>> file_name("curves", "sbm:nodes=90", "full")
    'curves-sbm-nodes-90-full'
    """
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()).strip("-.")[:80]


def error_title(board: Board | Line) -> tuple[str, float]:
    """What an axis of errors says, and by how much they are multiplied."""
    return ("mean squared error", 1.0) if board.target == "real" else ("error rate (%)", 100.0)


def curves(shown: Shown) -> Iterator[Drawing]:
    """The error so far against rounds, one figure per board."""
    for board in shown.boards:
        players = drawn_players(shown, board)
        title, scale = error_title(board)
        found = {player: _curve(shown, board, player) for player in players}
        ends = [scale * end for _, _, low, high in found.values() for end in (*low, *high)]
        if not ends:
            continue
        last = max(float(rounds[-1]) for rounds, *_ in found.values())
        x = attrs.evolve(over([0.0, last], *x_ends()), low=0.0, high=last)
        tail = [scale * v for _, mean, _, _ in found.values() for v in mean[len(mean) // 12 :]]
        y = over([*tail, 0.0], *y_ends(), zero=True)
        grid = axes(x, y, "round", f"{title.replace(' (%)', '')} so far{' (%)' * (scale > 1)}")
        parts, top = [], []
        for player in players:
            rounds, mean, low, high = found[player]
            look, at = shown.look(player), [x(float(r)) for r in rounds]
            lower = [(a, y(scale * v)) for a, v in zip(at, low, strict=True)]
            upper = [(a, y(scale * v)) for a, v in zip(at, high, strict=True)]
            parts.append(band(lower, upper, look))
        for i, player in enumerate(players):
            rounds, mean, _, _ = found[player]
            look = shown.look(player)
            points = [(x(float(r)), y(scale * v)) for r, v in zip(rounds, mean, strict=True)]
            parts.append(line(points, look))
            every = max(1, len(points) // 5)
            marked = points[(every // 2 + i * every // max(len(players), 1)) % every :: every]
            top += [look.draw(a, b, player, 4.2) for a, b in marked if b >= y.end]
        yield Drawing(
            file_name("curves", board.dataset, board.protocol),
            _where(board, shown),
            f"error rate so far against rounds on {board.dataset}",
            grid + clipped("".join(parts)) + "".join(top), WIDTH, HEIGHT, _legend(shown, players),
        )  # fmt: skip


def drawn_players(shown: Shown, board: Board) -> list[str]:
    """All players of a board; of many, each learner's that is first on the board."""
    players = [each.player for each in board.standings]
    if not shown.looks.by_player:
        best: dict[str, str] = {}
        for player in players:
            best.setdefault(shown.learner(player), player)
        players = list(best.values())
    return sorted(players, key=lambda player: shown.learner(player) + player)


def _curve(shown: Shown, board: Board, player: str) -> tuple[Vector, Vector, Vector, Vector]:
    """Rounds, mean and interval of the error so far, where all games have one."""
    own = [
        entry.outcome
        for entry in shown.entries
        if (entry.player, entry.dataset, entry.protocol) == (player, board.dataset, board.protocol)
    ]
    shortest = min(own, key=lambda outcome: int(outcome.rounds[-1]))
    rounds = shortest.rounds.astype(np.float64)
    table = np.array([np.interp(rounds, outcome.rounds, outcome.curve) for outcome in own])
    kept = np.isfinite(table).all(axis=0)
    spans = [interval(column, shown.confidence) for column in table[:, kept].T]
    mean = np.array([span.mean for span in spans])
    low = np.array([span.mean if span.low is None else span.low for span in spans])
    high = np.array([span.mean if span.high is None else span.high for span in spans])
    return rounds[kept], mean, np.maximum(low, 0.0), high


def fronts(shown: Shown, what: str) -> Iterator[Drawing]:
    """The error against ``queries``, ``updates`` or ``us_per_round``: one figure per data set.

    Where nobody differs there is nothing to see, and no figure. The dashed line joins those whom
    nobody beats in both.
    """
    figures: dict[str, Callable[[Standing], float]] = {
        "queries": lambda each: each.queries,
        "updates": lambda each: each.updates,
        "us_per_round": lambda each: each.us_per_round,
    }
    titles = {
        "queries": "queries: answers that came back",
        "updates": "updates of class models",
        "us_per_round": "µs per round",
    }
    by_data: dict[str, list[Board]] = {}
    for board in shown.boards:
        by_data.setdefault(board.dataset, []).append(board)
    for dataset, boards in by_data.items():
        measure = figures[what]
        title, scale = error_title(boards[0])
        dots = [
            (measure(each), scale * each.error.mean, each.player, board.protocol)
            for board in boards
            for each in board.standings
        ]
        costs = [cost for cost, *_ in dots]
        if len(dots) < 2 or max(costs) - min(costs) <= 1e-9 * max(costs):
            continue
        x = over(costs, *x_ends(), log=30)
        y = over([error for _, error, *_ in dots], *y_ends())
        parts = [axes(x, y, titles[what], title)]
        steps = _staircase([(cost, error) for cost, error, *_ in dots])
        parts.append(f'<path class="f" d="{path([(x(a), y(b)) for a, b in steps])}"/>')
        several = len({board.protocol for board in boards}) > 1
        for cost, error, player, protocol in sorted(dots, key=lambda dot: (dot[2], dot[3])):
            said_of = f"{player}{f', {protocol}' * several}: {error:.4g} at {cost:.4g}"
            parts.append(shown.look(player).draw(x(cost), y(error), said_of, 5.2))
        yield Drawing(
            file_name("error", what, dataset),
            dataset + ("" if len(shown.boards) == len(by_data) else f" ({len(boards)} protocols)"),
            f"error against {titles[what]} on {dataset}",
            "".join(parts), WIDTH, HEIGHT, _legend(shown, [dot[2] for dot in dots]),
        )  # fmt: skip


def front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those that no other beats in both, from left to right.

    >>> front([(1, 5), (2, 3), (3, 4), (4, 1)])
    [(1, 5), (2, 3), (4, 1)]
    """
    found: list[tuple[float, float]] = []
    for point in sorted(set(points)):
        if not found or point[1] < found[-1][1]:
            found.append(point)
    return found


def _staircase(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The border of what the front's points beat."""
    best = front(points)
    steps = [best[0]]
    for one, two in pairwise(best):
        steps += [(two[0], one[1]), two]
    return [*steps, (max(x for x, _ in points), best[-1][1])]


def sensitivity(shown: Shown, found: Sensitivity) -> Iterator[Drawing]:
    """The error against a parameter's values, one figure per place."""
    places: dict[str, list[Line]] = {}
    for each in found.lines:
        places.setdefault(each.where, []).append(each)
    for where, lines in places.items():
        title, scale = error_title(lines[0])
        values: list[Any] = list({str(v): v for each in lines for v in each.values}.values())
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            at = {str(v): float(v) for v in values}
            x = over(at.values(), *x_ends(), log=7)
        else:
            at = {str(v): float(i) for i, v in enumerate(values)}
            x = attrs.evolve(over([0.0], *x_ends()), low=-0.5, high=len(values) - 0.5)
        named = {at[str(v)]: _value(v) for v in values}
        ends = [
            scale * end
            for each in lines
            for span in each.errors
            for end in (span.mean, span.low, span.high)
            if end is not None
        ]
        y = over(ends, *y_ends())
        parts = [axes(x, y, found.parameter, title, named)]
        legend = []
        for i, each in enumerate(lines):
            look = _look_of_learner(shown, each.learner)
            legend.append((each.learner, look))
            aside = APART * (i - (len(lines) - 1) / 2)  # so that bars do not hide each other
            points = [
                (x(at[str(v)]) + aside, y(scale * span.mean))
                for v, span in zip(each.values, each.errors, strict=True)
            ]
            for (place, _), span in zip(points, each.errors, strict=True):
                if span.low is not None and span.high is not None:
                    parts.append(whisker(place, y(scale * span.low), y(scale * span.high), look))
            parts.append(line(points, look))
            for (a, b), v, span in zip(points, each.values, each.errors, strict=True):
                text = f"{each.learner}, {found.parameter} {_value(v)}: {scale * span.mean:.4g}"
                parts.append(look.draw(a, b, text))
        games = sorted({each.games for each in lines})
        many = f"{games[0]}" if len(games) == 1 else f"{games[0]} to {games[-1]}"
        yield Drawing(
            file_name("sensitivity", found.parameter, where),
            f"{where} ({many} games each)",
            f"error against {found.parameter} on {where}",
            "".join(parts), WIDTH, HEIGHT, tuple(legend),
        )  # fmt: skip


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("name", value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _look_of_learner(shown: Shown, learner: str) -> Look:
    """A learner's own look, or that of its first player where every player has one."""
    if not shown.looks.by_player:
        return shown.looks.looks[learner]
    return shown.look(min(e.player for e in shown.entries if e.learner == learner))


def ranks(shown: Shown, series: Series) -> Drawing | None:
    """Mean ranks with half the critical difference to either side: bars that meet do not differ."""
    ranking = series.ranking
    if ranking is None or ranking.critical is None:
        return None
    half = ranking.critical / 2
    lowest, highest = ranking.mean_ranks[0] - half, ranking.mean_ranks[-1] + half
    width, top = 460.0, 34.0
    height = top + ROW * len(ranking.players) + 40
    x = over([lowest, highest], 14.0, width - 14.0)
    x = attrs.evolve(x, low=lowest - 0.05, high=highest + 0.05)
    bottom = height - 34
    start, end = x(ranking.mean_ranks[0] - half), x(ranking.mean_ranks[0] + half)
    parts = [
        f'<rect class="z" x="{number(start)}" y="{number(top - 8)}" '
        f'width="{number(end - start)}" height="{number(bottom - top + 8)}"/>',
        f'<path class="a" d="M{number(x.start)} {number(bottom)}H{number(x.end)}"/>',
        f'<path class="a" d="M{number(start)} 20H{number(end)}M{number(start)} 15v10'
        f'M{number(end)} 15v10"/>',
        f'<text class="t" x="{number(end + 8)}" y="24">critical difference '
        f"{ranking.critical:.2f}</text>",
    ]
    for value in x.ticks(12):
        if not 1 <= value <= len(ranking.players):
            continue  # no rank is there
        parts.append(
            f'<path class="a" d="M{number(x(value))} {number(bottom)}v4"/><text class="t k" '
            f'x="{number(x(value))}" y="{number(bottom + 16)}">{said(value)}</text>'
        )
    parts.append(
        f'<text class="l k" x="{number(width / 2)}" y="{number(bottom + 32)}">'
        "mean rank (1 is best)</text>"
    )
    for i, (player, mean) in enumerate(zip(ranking.players, ranking.mean_ranks, strict=True)):
        y, look = top + ROW * i + 22, shown.look(player)
        a, b = number(x(mean - half)), number(x(mean + half))
        parts.append(
            f'<path class="w c{look.colour}" d="M{a} {number(y)}H{b}"/>'
            + look.draw(x(mean), y, f"{player}: mean rank {mean:.2f}", 5.2)
            + f'<text class="l" x="14" y="{number(y - 9)}">{safe(short(player, 58))}</text>'
            + f'<text class="t e" x="{number(width - 14)}" y="{number(y - 9)}">{mean:.2f}</text>'
        )
    return Drawing(
        file_name("ranks", series.protocol),
        f"{series.protocol}: {len(ranking.datasets)} data sets",
        "mean ranks: " + ", ".join(
            f"{player} {mean:.2f}"
            for player, mean in zip(ranking.players, ranking.mean_ranks, strict=True)
        ),
        "".join(parts), width, height,
    )  # fmt: skip


def _legend(shown: Shown, players: Sequence[str]) -> tuple[tuple[str, Look], ...]:
    found: dict[str, Look] = {}
    for player in sorted(players):
        found[shown.looks.key(player, shown.learner(player))] = shown.look(player)
    return tuple(sorted(found.items()))


def _where(board: Board, shown: Shown) -> str:
    several = len({each.protocol for each in shown.boards}) > 1
    return f"{board.dataset}, {board.protocol}" if several else board.dataset
