"""Several data sets: every figure again from simulate and scipy, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphol
from graphol import UsageError
from graphol.report.comparison import Comparison
from graphol.report.comparisons import Comparisons, parts_in, ranks
from graphol.report.table import table
from graphol.testing.games import signal_game

DATA = ["sbm:nodes=60,classes=2", "sbm:nodes=90,classes=3", "sbm:nodes=80"]
WHO = ["gpa", "molg-f", "oslg"]


@pytest.fixture(scope="module")
def found():
    return graphol.compare(WHO, DATA, repeats=6, seed=1, against="gpa", confidence=0.9)


def test_rows_are_those_of_simulate_and_p_values_those_of_scipy(found):
    from scipy import stats

    played = {
        (data, who): graphol.simulate(who, data, repeats=6, seed=1).error_rates
        for data, who in itertools.product(DATA, WHO)
    }
    rows = found.rows()
    assert [(row["dataset_label"], row["label"]) for row in rows] == list(played)
    ps = {}
    for row, (key, errors) in zip(rows, played.items(), strict=True):
        base = played[key[0], "gpa"]
        assert row["error_rate_mean"] == errors.mean()
        assert row["difference"] == pytest.approx((errors - base).mean(), abs=1e-15)
        if key[1] == "gpa":
            assert row["p"] is row["p_holm"] is row["verdict"] is None
        else:
            ps[key] = stats.ttest_rel(errors, base).pvalue
            assert row["p"] == pytest.approx(ps[key])
    most = 0.0
    for rank, key in enumerate(sorted(ps, key=ps.__getitem__)):  # Holm's steps
        most = max(most, min(1.0, (len(ps) - rank) * ps[key]))
        (row,) = (x for x in rows if (x["dataset_label"], x["label"]) == key)
        assert row["p_holm"] == pytest.approx(most) and row["comparisons"] == 6
        better = "win" if row["difference"] < 0 else "loss"
        assert row["verdict"] == (better if most < 0.1 else "tie")


def test_the_tally_counts_verdicts_and_ranks(found):
    rows = found.rows()
    for line in found.tally():
        own = [row["verdict"] for row in rows if row["label"] == line["label"]]
        if line["label"] == "gpa":
            assert line["wins"] is line["ties"] is line["losses"] is None
        else:
            counted = [own.count(each) for each in ("win", "tie", "loss")]
            assert [line[key] for key in ("wins", "ties", "losses")] == counted
        places = []
        for data in DATA:
            errors = {r["label"]: r["error_rate_mean"] for r in rows if r["dataset_label"] == data}
            mine = errors[line["label"]]
            below = sum(error < mine for error in errors.values())
            same = sum(error == mine for error in errors.values())
            places.append(below + (same + 1) / 2)
        assert line["mean_rank"] == pytest.approx(np.mean(places))
    assert found.says.startswith("against gpa on 3 data sets, by p Holm < 0.1 of 6 comparisons")


def test_ranks_share_places():
    assert ranks([0.2, 0.1, 0.2, 0.3]) == [2.5, 1.0, 2.5, 4.0]


def test_the_reference_is_that_of_the_best_mean_rank():
    free = graphol.compare(WHO, DATA, repeats=2)
    ranked = {line["label"]: line["mean_rank"] for line in free.tally()}
    assert ranked[free.against] == min(ranked.values())


def test_the_table_has_a_row_per_game_and_learner(found):
    lines = table(found.rows(), found.columns).splitlines()
    assert len(lines) == 10 and lines[0].startswith("dataset ") and lines[0].endswith("verdict")
    assert "*" not in lines[1]
    assert "embedding" not in lines[0]
    both = graphol.compare(["gpa", "molg-f"], ["sbm:nodes=60"], repeats=2,
                           embedding=["spectral:dim=2", "spectral:dim=4"])  # fmt: skip
    shown = [row["embedding_label"] for row in both.rows()]
    assert shown == ["spectral:dim=2"] * 2 + ["spectral:dim=4"] * 2
    assert "pairs of data set and embedding" in both.says
    assert table(both.rows(), both.columns).splitlines()[0].split()[1] == "embedding"


def test_saved_and_found_again(found, tmp_path):
    found.save(tmp_path / "out")
    folders = parts_in(tmp_path / "out")
    assert [folder.name for folder in folders] == ["1-sbm", "2-sbm", "3-sbm"]
    with pytest.raises(UsageError, match="holds results already"):
        found.save(tmp_path / "out")
    found.save(tmp_path / "out", force=True)
    fewer = Comparisons.of(found.parts[:2], against="gpa")
    with pytest.raises(UsageError, match="3-sbm is of another comparison"):
        fewer.save(tmp_path / "out", force=True)
    found.parts[0].save(tmp_path / "one")
    with pytest.raises(UsageError, match="holds results of one data set"):
        found.save(tmp_path / "one", force=True)


def test_everything_is_checked_before_the_first_game(monkeypatch):
    def no(*args, **kwargs):
        raise AssertionError("a game was played")

    monkeypatch.setattr("graphol.runner.each_turn", no)
    for data, more, message in [
        ([DATA[0], "no-such"], {}, "unknown dataset"),
        ([DATA[0], DATA[0]], {}, "is given twice"),
        ([], {}, "no data set"),
        (DATA, {"embedding": ["spectral", "spectral:dim=auto"]}, "with spectral is given twice"),
        (DATA, {"against": "ollgc"}, "'ollgc' is not one of those compared"),
        (DATA[0], {"embedding": ["spectral", "kernel"]}, "need a list of data sets"),
    ]:
        with pytest.raises(UsageError) as error:
            graphol.compare(["gpa", "molg-f"], data, repeats=2, **more)
        assert message in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(UsageError, match="b must be > max"):
        graphol.compare(["gpa", "molg-b:b=0.01"], DATA, repeats=2)


def test_unlike_losses_and_unlike_learners_are_no_table():
    def part(who, data):
        return Comparison.of([graphol.simulate(each, data, repeats=2) for each in who])

    real, signs = part(["adam", "da-iht"], signal_game("real")), part(["gpa", "molg-f"], DATA[0])
    with pytest.raises(UsageError, match="ask for real numbers and some do not"):
        Comparisons.of([real, signs])
    with pytest.raises(UsageError, match="no learner played on all"):
        Comparisons.of([part(["oslg", "ollgc"], DATA[1]), signs])
    some = Comparisons.of([part(["gpa", "oslg"], DATA[1]), signs])
    assert some.against == "gpa" and {row["mean_rank"] for row in some.rows()} == {None}
