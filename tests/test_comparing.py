"""Comparisons: paired figures against scipy.stats, and the same games for everybody."""

from __future__ import annotations

import json

import attrs
import numpy as np
import pytest

import graphol
from graphol import UsageError, simulate
from graphol.comparing import compare
from graphol.interval import paired
from graphol.report.comparison import label, reference
from graphol.report.table import table
from graphol.testing.games import signal_game

SBM = "sbm:nodes=120,classes=3"


def test_rows_are_those_of_simulate():
    found = compare(["gpa", "molg-f:phi=3", "molg-f"], SBM, repeats=3, seed=7)
    alone = [simulate(x, SBM, repeats=3, seed=7) for x in ("gpa", "molg-f:phi=3", "molg-f")]
    for one, other in zip(found.results, alone, strict=True):
        for a, b in zip(one.traces, other.traces, strict=True):
            np.testing.assert_array_equal(a.node, b.node)
            np.testing.assert_array_equal(a.predicted, b.predicted)
    for row, other in zip(found.rows(), alone, strict=True):
        theirs = other.row()
        for key in list(theirs)[:11]:
            assert row[key] == theirs[key]
    assert [row["label"] for row in found.rows()] == ["gpa", "molg-f:phi=3", "molg-f"]
    means = [row["error_rate_mean"] for row in found.rows()]
    assert found.against == int(np.argmin(means))


def test_differences_are_taken_repeat_by_repeat():
    found = compare(["gpa", "oslg"], SBM, repeats=4, against="gpa", confidence=0.8)
    errors = [[trace.error_rate for trace in result.traces] for result in found.results]
    own, row = found.rows()
    expected = paired(errors[1], errors[0], 0.8)
    assert (row["difference"], row["difference_low"], row["difference_high"]) == (
        expected.mean, expected.low, expected.high,
    )  # fmt: skip
    assert (row["against"], row["confidence"], row["interval"]) == ("gpa", 0.8, "paired t")
    assert row["differs"] == expected.differs
    assert own["difference"] == 0 and own["differs"] is None
    assert own.keys() == row.keys()
    assert json.loads(json.dumps([own, row])) == [own, row]


def test_the_embedding_is_computed_once(monkeypatch):
    from graphol.embeddings.spectral import Spectral

    calls = []
    embed = Spectral.embed
    monkeypatch.setattr(Spectral, "embed", lambda *args: calls.append(1) or embed(*args))
    compare(["gpa", "molg-f", "molg-b"], SBM, repeats=2)
    assert len(calls) == 1


def test_every_setting_is_checked_before_the_first_game(monkeypatch):
    def no(*args, **kwargs):
        raise AssertionError("a game was played")

    monkeypatch.setattr("graphol.runner.each_turn", no)
    for specs, options, message in [
        (["gpa"], {}, "at least 2 learners, got 1"),
        (["gpa", "gpa"], {}, "gpa is given twice"),
        (["gpa", "molg-b:phi=10", "molg-b"], {}, "molg-b is given twice"),
        (["molg-b", "gpa"], {"feedback": "bandit"}, "reveals a bit"),
        (["gpa", "molg-b:b=0.01"], {}, "b must be > max"),
        (["gpa", "molg-f"], {"against": "molg-b"}, "'molg-b' is not one of those compared: did"),
        (["gpa", "molg-f"], {"confidence": 1.0}, "confidence must be > 0 and < 1, got 1.0"),
        (["gpa", "molg-f"], {"noise": 2.0}, "noise must be"),
        (["gpa", "molgf"], {}, "did you mean 'molg-f'?"),
    ]:
        with pytest.raises(UsageError) as error:
            compare(specs, SBM, repeats=2, **options)
        assert message in str(error.value) and "\n" not in str(error.value)


def test_the_reference_by_label_name_spec_and_value():
    learners = [graphol.make("learner", x) for x in ("molg-b", "molg-b:b=20", "gpa")]
    who = list(map(label, learners)), list(map(graphol.describe, learners))
    assert reference(None, *who) is None
    assert reference("molg-b", *who) == 0
    assert reference("gpa", *who) == 2
    assert reference("molg-b:b=20", *who) == reference("molg-b:b=20.0,phi=10", *who) == 1
    assert reference(learners[1], *who) == reference(graphol.describe(learners[1]), *who) == 1
    other = graphol.make("learner", "molg-b:b=30")
    for wrong in (other, "molg-b:b=30", "oslg"):
        with pytest.raises(UsageError, match="compared"):
            reference(wrong, *who)


def test_labels_say_what_is_not_the_default():
    assert label(graphol.make("learner", "molg-b:exploration=0.05,b=2.5,phi=3")) == (
        "molg-b:b=2.5,phi=3"
    )
    assert label(graphol.make("learner", "gpa:when=always")) == "gpa:when=always"


def test_unlike_feedback_is_noted():
    assert not compare(["gpa", "oslg"], SBM, repeats=1).notes
    (note,) = compare(["gpa", "molg-b"], SBM, repeats=1).notes
    assert note == "not all are told the same (full feedback: gpa; bandit feedback: molg-b)"
    assert not compare(["oslg-bandit", "molg-b"], SBM, repeats=1, feedback="full").notes


def test_the_table_marks_what_counts():
    found = compare(["gpa", "oslg", "molg-f"], SBM, repeats=3, against="oslg")
    lines = table(found.rows(), found.columns).splitlines()
    assert lines[0].split()[-5:] == ["oslg", "95", "%", "paired", "t"]
    assert len(lines) == 4 and ".." not in lines[2]
    row = found.rows()[0]
    low, high = 100 * row["difference_low"], 100 * row["difference_high"]
    end = f"{100 * row['difference']:+.2f}  {low:+.2f} .. {high:+.2f}"
    assert lines[1].endswith(end + (" *" if row["differs"] else ""))
    single = compare(["gpa", "oslg"], SBM, repeats=1)
    assert "paired" not in table(single.rows(), single.columns)


def test_differences_of_squared_errors_keep_their_digits():
    found = compare(["adam:alpha=0.001", "adam:alpha=0.00101"], signal_game("real"), repeats=3)
    other = 1 - found.against
    row = found.rows()[other]
    line = table([row], found.columns).split()
    assert 0 < abs(row["difference"]) < 0.005
    assert f"{row['difference']:+.3g}" in line and "+0.00" not in line


def test_saved_comparisons(tmp_path):
    found = compare(["gpa", "oslg"], SBM, repeats=2)
    found.save(tmp_path)
    rows = json.loads((tmp_path / "compare.json").read_text())
    assert rows == [row | {"schema": 1} for row in found.rows()]
    back = graphol.Trace.load(tmp_path / "2-oslg" / "trace-001.npz")
    assert back.error_rate == found.results[1].traces[1].error_rate
    with pytest.raises(UsageError, match="add force=True"):
        found.save(tmp_path)
    attrs.evolve(found, confidence=0.5).save(tmp_path, force=True)
    assert json.loads((tmp_path / "compare.json").read_text())[0]["confidence"] == 0.5


def test_an_arena_has_one_seed():
    from graphol.arena import Arena

    with pytest.raises(UsageError, match="the arena is of seed 1, the games are of seed 0"):
        simulate("gpa", Arena(SBM, seed=1), repeats=1)
