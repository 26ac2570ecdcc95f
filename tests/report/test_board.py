"""The leaderboard against scipy, by brute force, and where nothing differs."""

import numpy as np
import pytest
from scipy import stats

from graphol.errors import UsageError
from graphol.report.board import standings
from graphol.report.cast import cast
from graphol.report.table import table

NAMES = ("gpa", "molg-f", "oslg", "soba")


def draw(rng, datasets=("digits", "sbm"), names=NAMES, n=8, better=0.0):
    """Errors around those of the game; the first learner is better by so much."""
    errors = {}
    for dataset in datasets:
        hard = rng.normal(0.3, 0.05, n)
        for i, name in enumerate(names):
            errors[name, dataset] = hard + rng.normal(0, 0.01, n) - better * (i == 0)
    return errors


def by_hand(p):
    """Holm's correction as it is written in textbooks: stop at the first that is not rejected."""
    order, found, most = np.argsort(p), np.zeros(len(p)), 0.0
    for step, i in enumerate(order):
        most = max(most, min(1, p[i] * (len(p) - step)))
        found[i] = most
    return found


def test_means_intervals_and_tests_against_scipy(played):
    errors = draw(np.random.default_rng(3), better=0.03)
    found = standings(played(errors), "gpa")
    assert found.comparisons == 6 and found.named
    keys, ps = [], []
    for board in found.boards:
        for each in board.standings:
            mine, theirs = errors[each.player, board.dataset], errors["gpa", board.dataset]
            low, high = stats.t.interval(0.95, 7, mine.mean(), stats.sem(mine))
            np.testing.assert_allclose(
                (each.error.mean, each.error.low, each.error.high), (mine.mean(), low, high)
            )
            if each.player == "gpa":
                assert each.difference is None and each.verdict == ""
                continue
            test = stats.ttest_rel(mine, theirs)
            span = test.confidence_interval(0.95)
            np.testing.assert_allclose(
                (each.difference.mean, each.difference.low, each.difference.high, each.p),
                ((mine - theirs).mean(), span.low, span.high, test.pvalue),
            )
            keys.append(each)
            ps.append(test.pvalue)
    np.testing.assert_allclose([each.p_holm for each in keys], by_hand(np.array(ps)))
    for each in keys:
        expected = "loss" if each.p_holm < 0.05 else "tie"
        assert each.verdict == expected and each.pairs == 8
    assert any(each.verdict == "loss" for each in keys)


def test_without_a_named_reference_all_pairs_count(played):
    found = standings(played(draw(np.random.default_rng(4))))
    assert not found.named and found.comparisons == 2 * 6
    (series,) = found.series
    ranks = dict(zip(series.ranking.players, series.ranking.mean_ranks, strict=True))
    assert ranks[series.reference] == min(ranks.values())


def null_share(played, rng, tables, names, **how):
    """In how many leaderboards of learners that do not differ is anybody marked."""
    wrong = 0
    for _ in range(tables):
        found = standings(played(draw(rng, names=names, **how)))
        wrong += any(e.verdict in ("win", "loss") for b in found.boards for e in b.standings)
    return wrong


def test_one_comparison_under_the_null_is_marked_in_one_of_twenty(played):
    tables = 600
    wrong = null_share(played, np.random.default_rng(5), tables, NAMES[:2], datasets=("digits",))
    low, high = stats.binom.ppf((0.005, 0.995), tables, 0.05)
    assert low <= wrong <= high


def test_many_comparisons_under_the_null_mark_anybody_no_more_often(played):
    """Though the reference is chosen by the results."""
    tables = 200
    wrong = null_share(played, np.random.default_rng(6), tables, NAMES, n=6)
    assert wrong <= stats.binom.ppf(0.995, tables, 0.05)


def test_only_pairs_of_the_same_game_are_tested(outcome):
    one = [outcome("gpa", error=0.1 + i / 100, repeat=i) for i in range(4)]
    apart = {
        "another seed": {"seed": 1}, "another graph": {"played_on": "else"},
        "other questions": {"questions": "else"},
    }  # fmt: skip
    for more in apart.values():
        two = [outcome("oslg", error=0.5 + i / 50, repeat=i, **more) for i in range(4)]
        found = standings(cast([*one, *two])[0], "gpa")
        (board,) = found.boards
        assert [each.verdict for each in board.standings] == ["", "not tested: 0 pairs"]
        assert found.comparisons == 0 and found.series[0].ranking is None
    two = [outcome("oslg", error=0.5 + i / 50, repeat=i) for i in (2, 3, 4)]
    (board,) = standings(cast([*one, *two])[0], "gpa").boards
    assert board.standings[1].pairs == 2 and board.standings[1].games == 3
    np.testing.assert_allclose(board.standings[1].difference.mean, 0.55 - 0.125)


def test_protocols_are_not_compared(outcome):
    one = [outcome("gpa", repeat=i) for i in range(3)]
    two = [outcome("soba", repeat=i, feedback={"name": "bandit"}) for i in range(3)]
    found = standings(cast([*one, *two])[0], "gpa")
    assert [series.protocol for series in found.series] == ["bandit", "full"]
    assert found.comparisons == 0


def test_wins_ties_and_losses_are_counted_against_the_reference(played):
    rng = np.random.default_rng(7)
    errors = {}
    for dataset, shift in (("digits", 0.1), ("sbm", -0.1), ("cora", 0.0), ("grid", 0.1)):
        hard = rng.normal(0.3, 0.02, 10)
        errors["gpa", dataset] = hard
        errors["oslg", dataset] = hard + shift + rng.normal(0, 0.003, 10)
    errors["soba", "sbm"] = [0.2]
    found = standings(played(errors), "gpa").series[0]
    (row,) = [row for row in found.tally() if row["label"] == "oslg"]
    assert (row["wins"], row["ties"], row["losses"], row["untested"]) == (1, 1, 2, 0)
    (row,) = [row for row in found.tally() if row["label"] == "soba"]
    assert (row["untested"], row["mean_rank"]) == (1, None)
    assert found.ranking.left_out == ("soba",)


def test_a_sweep_that_has_just_begun_on_a_data_set_is_ranked_on_the_others(played):
    errors = draw(np.random.default_rng(8), datasets=("digits", "sbm", "cora"))
    for name in NAMES[1:]:
        del errors[name, "cora"]
    ranking = standings(played(errors)).series[0].ranking
    assert set(ranking.players) == set(NAMES) and set(ranking.datasets) == {"digits", "sbm"}


def test_a_data_set_of_others_does_not_spoil_the_ranks(played):
    """Nobody is on all data sets; the larger group is ranked, and one of it is the reference."""
    errors = draw(np.random.default_rng(10), datasets=("digits", "sbm", "cora"))
    errors |= {(name, "grid"): [0.01, 0.02] for name in ("walk", "ridge")}
    (series,) = standings(played(errors)).series
    assert set(series.ranking.players) == set(NAMES) and len(series.ranking.datasets) == 3
    assert series.reference in NAMES and series.ranking.left_out == ("ridge", "walk")


def test_a_reference_that_is_not_there_is_refused(played):
    entries = played(draw(np.random.default_rng(9)))
    with pytest.raises(UsageError, match="'molg' is not one of those compared: did you mean"):
        standings(entries, "molg")


def test_of_several_settings_of_a_name_the_best_is_the_reference(outcome):
    """And the p values are corrected for all pairs that a setting of it is in."""
    rng = np.random.default_rng(11)
    errors = {name: rng.normal(0.2, 0.05, 6) for name in ("gpa", "oslg", "soba")}
    errors |= {b: rng.normal(0.3 / b, 0.05, 6) for b in (1.0, 2.0)}
    learner = {b: {"name": "molg-f", "b": b} for b in (1.0, 2.0)}
    found = standings(
        cast(outcome(learner.get(who, who), error=e, repeat=i)
             for who, own in errors.items() for i, e in enumerate(own))[0],
        "molg-f",
    )  # fmt: skip
    (board,) = found.boards
    assert board.reference.startswith("molg-f:b=2") and not found.named and found.settings == 2
    others = {"gpa", "oslg", "soba"}
    pairs = [(b, other) for b in (1.0, 2.0) for other in others] + [(1.0, 2.0)]
    ps = [stats.ttest_rel(errors[one], errors[two]).pvalue for one, two in pairs]
    assert found.comparisons == len(pairs) == 7
    wanted = dict(zip(pairs, by_hand(np.array(ps)), strict=True))
    for each in board.standings:
        if each.player in others:
            np.testing.assert_allclose(each.p_holm, wanted[2.0, each.player])


def test_a_reference_that_did_not_play_by_a_protocol_is_said(outcome):
    full = [outcome({"name": "molg-f", "b": b}, repeat=i) for b in (1.0, 2.0) for i in range(2)]
    bandit = [outcome("soba", repeat=i, feedback={"name": "bandit"}) for i in range(2)]
    one, two = standings(cast([*full, *bandit])[0], "molg-f").series
    assert (one.protocol, two.protocol) == ("full", "bandit")
    assert one.reference == two.reference and one.reference in one.players - two.players
    assert [each.verdict for board in two.boards for each in board.standings] == [
        "not tested: the reference did not play here"
    ]


def test_rows_are_printed_with_their_target_s_digits(outcome):
    both = [outcome("gpa", error=0.12345, repeat=i) for i in range(2)]
    both += [outcome("gpa", "grid", error=1.23456, repeat=i, target="real") for i in range(2)]
    found = standings(cast(both)[0])
    text = table(found.rows(), found.columns)
    assert "12.35" in text or "12.34" in text
    assert "1.235" in text and "error % or squared" in text


def test_a_folder_that_is_given_twice_counts_once(outcome):
    entries, twice = cast([outcome("gpa", repeat=i % 3) for i in range(6)])
    assert (len(entries), twice) == (3, 3)
