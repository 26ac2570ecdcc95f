"""The arena on tiny graphs: who chooses on what, what is compared, what is played once."""

from __future__ import annotations

import json
import shlex
import time
from collections import Counter

import attrs
import numpy as np
import pytest
from scipy import stats

from graphol import make, seeding
from graphol.api import Prediction
from graphol.bases.usual import UsualLearner
from graphol.cli import main
from graphol.errors import GrapholError, UsageError
from graphol.params import param
from graphol.reproduce import arena, arena_cells, run
from graphol.reproduce.arena import ARENA, Contest, fittest
from graphol.reproduce.arena_cells import NotPlayed, Played
from graphol.reproduce.arena_players import Player
from graphol.reproduce.arena_verdicts import EQUAL

SBM = "sbm:nodes=80,classes=3"
SEARCH = {int(seeding.learner(0, r).integers(2**62)) for r in range(5)}
TRUTH = make("dataset", SBM).load(seeding.data(0)).graph.labels


@attrs.frozen
class Mirage(UsualLearner):
    """Knows all labels, in one half of the shuffles.

    Parameters
    ----------
    where
        ``search``, or ``fresh``.
    """

    name = "mirage"
    needs = "graph"
    where: str = param("search", choices=("search", "fresh"))

    def start(self, problem):
        """Which half is this?"""
        searching = int(problem.rng.integers(2**62)) in SEARCH
        return (np.array([searching == (self.where == "search")]),)

    def predict(self, state, instance):
        """The truth, or what is wrong for certain."""
        return Prediction(
            int(TRUTH[instance.node] if state[0][0] else (TRUTH[instance.node] + 1) % 3)
        )

    def update(self, state, instance, prediction, reveal):
        """Nothing to learn."""
        return 0


@attrs.frozen
class Slow(Mirage):
    """Takes its time."""

    name = "slow"

    def update(self, state, instance, prediction, reveal):
        """Six thousandths of a second."""
        until = time.process_time() + 0.006
        while time.process_time() < until:
            pass
        return 0


@attrs.frozen
class Failing(Mirage):
    """Breaks in the middle."""

    name = "failing"

    def update(self, state, instance, prediction, reveal):
        """Give up in round 30."""
        if instance.t == 30:
            raise GrapholError("no more")
        return 0


def meeting(monkeypatch, *rivals):
    """An arena in which walk, for us, meets these."""
    monkeypatch.setattr(arena, "champion", lambda game: Player("walk", ("walk",), ours=True))
    monkeypatch.setattr(arena, "players", lambda game, only=(): list(rivals))


def only(tmp_path, games=("full",), learners=("molg-f", "gpa"), **more) -> Contest:
    """With walk for our champion, which is quick, whoever it is in truth."""
    narrow = ARENA.narrowed(games=games, learners=learners, out=tmp_path / "cells", **more)
    return attrs.evolve(
        narrow, games=tuple(attrs.evolve(game, champions=("walk",)) for game in narrow.games)
    )


@pytest.fixture
def plays(monkeypatch):
    """How often every repeat of every learner was played to its end."""
    counts: Counter[tuple[str, int]] = Counter()
    real = arena_cells.simulate_by

    def counting(plan, learners, *rest, **more):
        found = real(plan, learners, *rest, **more)
        if plan.rounds is None:
            counts.update((repr(learners[0]), repeat) for repeat in plan.repeats)
        return found

    monkeypatch.setattr(arena_cells, "simulate_by", counting)
    return counts


def figures(rows):
    return [(row.dataset, row.game, row.setting, row.errors, row.p_holm) for row in rows]


def test_settings_are_chosen_on_search_shuffles_alone(monkeypatch, tmp_path):
    meeting(monkeypatch, Player("mirage", (Mirage("fresh"), Mirage("search")), ours=False))
    rows = run(only(tmp_path, learners=()), datasets=[SBM], repeats=range(100, 103)).rows
    champion, mirage = rows
    assert mirage.params == {"where": "search"} and mirage.settings == 2
    assert mirage.errors == (100.0, 100.0, 100.0)  # chosen on 0-4, where it was always right
    assert (mirage.chosen_on, mirage.scored_on) == ("0-4", "100-102")
    assert champion.learner == "walk" and champion.chosen_on == "" and champion.settings == 1
    assert mirage.difference < 0 and mirage.verdict == "win"


def test_repeats_that_choose_do_not_score(tmp_path):
    with pytest.raises(UsageError, match="repeats 0-4 choose the settings, so 0-19 cannot score"):
        run(only(tmp_path), datasets=[SBM], repeats=20)


def test_figures_are_those_of_simulate(tmp_path, capsys):
    rows = run(only(tmp_path), datasets=[SBM], repeats=range(104, 107)).rows
    assert [row.learner for row in rows] == ["walk", "gpa", "molg-f"]
    for row in rows:
        capsys.readouterr()
        assert main([*shlex.split(row.command)[1:], "--json", "--quiet"]) == 0
        played = json.loads(capsys.readouterr().out)
        assert row.measured == pytest.approx(100 * played["error_rate_mean"], rel=1e-12)
        assert row.queries == played["queries_mean"]


def test_differences_are_paired_and_corrected(tmp_path):
    rows = run(only(tmp_path, games=("full", "bandit"), learners=("gpa", "confidit", "molg-f")),
               datasets=[SBM], repeats=range(100, 108)).rows  # fmt: skip
    champions = {row.game: np.array(row.errors) for row in rows if row.verdict == "champion"}
    rivals = [row for row in rows if row.p is not None]
    assert len(rivals) == 4 and all(row.comparisons == 4 for row in rivals)
    for row in rivals:
        d = champions[row.game] - np.array(row.errors)
        half = stats.t.ppf(0.975, 7) * np.sqrt(np.sum((d - d.mean()) ** 2) / 7) / np.sqrt(8)
        assert row.difference == pytest.approx(d.mean())
        assert (row.difference_low, row.difference_high) == pytest.approx(
            (d.mean() - half, d.mean() + half)
        )
        assert row.p == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    by_p = sorted(rivals, key=lambda row: row.p)
    corrected, most = [], 0.0
    for factor, row in zip((4, 3, 2, 1), by_p, strict=True):
        most = max(most, min(1.0, factor * row.p))
        corrected.append(most)
    assert [row.p_holm for row in by_p] == pytest.approx(corrected)
    for row in rivals:
        sure = "win" if row.difference < 0 else "loss"
        assert row.verdict == (sure if row.p_holm < 0.05 else "tie")


def test_nothing_is_played_twice(tmp_path, plays):
    first = run(only(tmp_path), datasets=[SBM], repeats=range(100, 105))
    assert plays and set(plays.values()) == {1}
    before = dict(plays)
    again = run(only(tmp_path), datasets=[SBM], repeats=range(100, 105))
    assert dict(plays) == before and figures(again.rows) == figures(first.rows)
    run(only(tmp_path), datasets=[SBM], repeats=range(100, 108))
    new = Counter(plays) - Counter(before)
    assert {repeat for _, repeat in new} == {105, 106, 107} and set(plays.values()) == {1}


def test_an_interrupted_run_goes_on_where_it_was(tmp_path, plays, monkeypatch):
    counted, calls = arena_cells.simulate_by, []

    def interrupting(*given, **more):
        calls.append(given)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return counted(*given, **more)

    monkeypatch.setattr(arena_cells, "simulate_by", interrupting)
    with pytest.raises(KeyboardInterrupt):
        run(only(tmp_path), datasets=[SBM], repeats=range(100, 103))
    monkeypatch.setattr(arena_cells, "simulate_by", counted)
    half = sum(plays.values())
    resumed = run(only(tmp_path), datasets=[SBM], repeats=range(100, 103))
    assert half and sum(plays.values()) > half
    assert sum(many - 1 for many in plays.values()) <= 3  # of the cell that was interrupted
    whole = run(only(tmp_path / "other"), datasets=[SBM], repeats=range(100, 103))
    assert figures(resumed.rows) == figures(whole.rows)


def test_who_fails_or_is_slow_says_so_and_stops_nobody(monkeypatch, tmp_path, plays):
    meeting(
        monkeypatch,
        Player("failing", (Failing(),), ours=False),
        Player("slow", (Slow(),), ours=False),
        Player("gpa", ("gpa",), ours=False),
    )
    narrow = only(tmp_path, learners=(), limit=2.0)
    rows = {row.learner: row for row in run(narrow, datasets=[SBM], repeats=range(100, 105)).rows}
    assert rows["failing"].verdict == "failed: no more" and rows["failing"].measured is None
    assert rows["slow"].verdict.startswith("not played: about ")
    assert rows["slow"].verdict.endswith("s for 100-104, above --limit 2 s")
    assert rows["gpa"].p is not None and rows["walk"].verdict == "champion"
    assert not any(repr(Slow()) == who for who, _ in plays)
    rows = run(attrs.evolve(narrow, limit=60.0), datasets=[SBM], repeats=range(100, 105)).rows
    assert {row.learner for row in rows if row.errors} == {"walk", "slow", "gpa"}


def test_settings_that_cannot_play_keep_no_other_from_it(monkeypatch, tmp_path):
    settings = (Failing(), Failing("fresh"), Mirage("search"))
    meeting(monkeypatch, Player("mirage", settings, ours=False))
    found = run(only(tmp_path, learners=()), datasets=[SBM], repeats=range(100, 102))
    assert found.rows[1].setting == "mirage:where=search" and found.rows[1].errors
    assert found.rows[1].settings == 1  # that could be played
    assert [text.split(": ", 1)[1] for text in found.notes] == [
        "failing:where=search failed: no more", "failing:where=fresh failed: no more",
    ]  # fmt: skip


def test_equal_queries(tmp_path):
    data = "sbm:nodes=400,classes=3,degree_in=6,degree_out=2"
    narrow = only(tmp_path, games=("selective",), learners=("msg", "fastonl"))
    rows = run(narrow, datasets=[data], repeats=range(100, 105)).rows
    assert [row.learner for row in rows] == [
        "walk", "msg", "walk + random-query", "fastonl + random-query",
    ]  # fmt: skip
    assert {row.game for row in rows} == {"selective-msg"}
    walk, msg, coin, passive = (row.queries for row in rows)
    assert 20 < msg < 390
    assert walk == pytest.approx(msg, rel=EQUAL)
    assert (coin, passive) == pytest.approx((msg, msg), rel=0.1)  # whatever falls
    assert all("not at equal" not in row.verdict for row in rows[:2])


def test_who_asks_chooses_a_setting_that_buys_some_labels_and_not_most():
    def played(error, queries):
        figures = (np.array([value]) for value in (error, queries, 1.0))
        return Played({}, (0,), *figures, rounds=100, state_bytes=0)

    found = {0: played(0.1, 99), 1: played(0.3, 40), 2: played(0.2, 50), 3: played(0.9, 0)}
    assert fittest(found, asking=True) == 2
    assert fittest(found, asking=False) == 0
    assert fittest({0: found[0], 3: found[3]}, asking=True) == 0


def test_what_is_concluded(tmp_path):
    rows = run(only(tmp_path), datasets=[SBM], repeats=range(100, 103)).rows
    base = [attrs.evolve(row, verdict="win", p=0.0) for row in rows[1:]]
    lost = [attrs.evolve(row, verdict="loss", dataset="b", difference=1.5) for row in base]
    tied = [attrs.evolve(base[0], dataset="c"), attrs.evolve(base[1], dataset="c", verdict="tie")]
    _, told, default = ARENA.conclusions([rows[0], *base, *lost, *tied])
    best = min(lost, key=lambda row: row.measured).learner
    assert told == (
        f"full: walk wins on {SBM}; ties on c; loses on b (to {best} by 1.50); of "
        "6 comparisons 3 won, 1 tied, 2 lost"
    )
    assert default == "full: walk should not be the default: it wins on 1 and loses on 1"
    assert ARENA.conclusions([rows[0], *base])[-1].startswith("full: walk should be the default:")
    assert "only ties" in ARENA.conclusions([rows[0], *tied])[-1]
    odd = attrs.evolve(base[0], verdict="not at equal queries: 1.20 times as many (loss)")
    told = ARENA.conclusions([rows[0], odd, base[1]])[1]
    assert told.endswith("of 2 comparisons 1 won, 0 tied, 0 lost, 1 not at equal queries")


def test_nobody_asks_and_nobody_buys(tmp_path):
    with pytest.raises(UsageError, match=r"^no table of selective, .* add one of msg, sslgc to"):
        only(tmp_path, games=("selective",))
    found = run(only(tmp_path, games=("selective", "full")), datasets=[SBM], quick=True)
    assert {row.game for row in found.rows} == {"full"}
    assert any("no table of selective" in text for text in found.notes)
    with pytest.raises(NotPlayed, match="buys no label"):
        arena.Table(None, None, SBM, None, None).as_often(make("learner", "walk"), "", 0.0, 80)


def test_data_that_are_not_there_are_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("GRAPHOL_DATA", raising=False)
    (row,) = run(only(tmp_path), datasets=["cora"], repeats=range(100, 102)).rows
    assert (row.learner, row.verdict, row.measured) == ("all", "data not available", None)
