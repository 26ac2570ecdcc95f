"""Tickets expire by age and by number, also while they are on disk; many are saved fast."""

import numpy as np
import pytest

from graphol import Prediction, Predictor, UsageError, tickets
from graphol.npz import read as read_npz
from graphol.testing.games import blocks
from graphol.tickets import Tickets

GRAPH = blocks(40)
NAMES = ("red", "green", "blue")


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(tickets, "clock", made)
    return made


def predictor(**limits):
    return Predictor("gpa", GRAPH, classes=NAMES, embedding="spectral:dim=3", **limits)


def test_old_tickets_expire(clock):
    asked = predictor(max_age=60)
    old = asked.ask("node 1")
    clock.now += 40
    young = asked.ask("node 2")
    clock.now += 30
    with pytest.raises(UsageError, match=r"ticket 0 is unknown .* has expired \(max_age=60\)"):
        asked.tell(old, label="red")
    assert asked.expired == 1 and list(asked.waiting) == [1]
    asked.tell(young, label="red")


def test_the_oldest_of_too_many_expires(clock):
    asked = predictor(max_open=3)
    handed = [asked.ask("node 1") for _ in range(5)]
    assert list(asked.waiting) == [2, 3, 4] and asked.expired == 2
    asked.tell(handed[3], label="red")
    asked.ask("node 2")
    assert list(asked.waiting) == [2, 4, 5] and asked.expired == 2
    with pytest.raises(UsageError, match=r"has expired \(max_open=3\)"):
        asked.forget(handed[0])


@pytest.mark.parametrize("model_only", [False, True])
def test_expiry_goes_on_across_save_and_load(clock, tmp_path, model_only):
    asked = predictor(max_age=60, max_open=4)
    for _ in range(6):
        asked.ask("node 1")
    clock.now += 50
    young = asked.ask("node 2")
    asked.save(tmp_path / "p.npz", model_only=model_only)
    graph = GRAPH if model_only else None
    same = Predictor.load(tmp_path / "p.npz", graph=graph)
    assert list(same.waiting) == list(asked.waiting) == [3, 4, 5, 6]
    assert same.expired == asked.expired == 3
    clock.now += 20  # on disk
    later = Predictor.load(tmp_path / "p.npz", graph=graph)
    assert list(later.waiting) == [6] and later.expired == 6
    for _ in range(5):
        later.ask("node 3")
    assert list(later.waiting) == [8, 9, 10, 11] and later.expired == 8
    same.tell(young, label="red")
    clock.now += 45
    with pytest.raises(UsageError, match=r"expired \(max_age=60, max_open=4\)"):
        Predictor.load(tmp_path / "p.npz", graph=graph).tell(young, label="red")


def test_expired_tickets_are_not_saved(clock, tmp_path):
    asked = predictor(max_age=60)
    asked.ask("node 1")
    clock.now += 61
    asked.save(tmp_path / "p.npz")
    assert len(read_npz(tmp_path / "p.npz", "saved predictor", (4,))[0]["ticket_number"]) == 0


def test_the_clock_may_be_set_back(clock):
    asked = predictor(max_age=60)
    ticket = asked.ask("node 1")
    clock.now -= 3600
    asked.ask("node 2")
    asked.tell(ticket, label="red")
    assert (len(asked.waiting), asked.expired) == (1, 0)


def test_columns_hold_what_was_asked():
    """Scores of several lengths, of none, and queries of numpy's own kind."""
    kept = Tickets()
    said = [
        Prediction(2, np.array([0.1, 0.2, 0.7]), np.bool_(False)),
        Prediction(np.int64(1), None, True),
        Prediction(3, np.array([0.0, np.inf, -np.inf, 5e-324])),
        Prediction(0, np.zeros(0)),
    ]
    for row, prediction in enumerate(said):
        kept.add(row, prediction, *((row + 2**39,) if row else ()))
    kept.close(1)
    again = Tickets.read(kept.columns(), kept.meta())
    assert list(again) == [0, 2, 3] and again.asked == 4
    for number in again:
        (row, ours, since, context), (_, theirs, then, _) = again[number], kept[number]
        assert (row, ours.label, ours.query, since) == (number, theirs.label, theirs.query, then)
        assert context == (number + 2**39 if number else -1)
        np.testing.assert_array_equal(ours.scores, theirs.scores)


@pytest.mark.parametrize(
    ("column", "change", "message"),
    [
        ("number", lambda a: a[::-1], "numbers of the open tickets are out of order"),
        ("number", lambda a: a + 5, "numbers of the open tickets are out of order"),
        ("number", lambda a: a - 9, "numbers of the open tickets are out of order"),
        ("row", lambda a: a[:-1], "do not fit together"),
        ("row", lambda a: a.astype(float), "do not fit together"),
        ("query", lambda a: a.astype(int), "do not fit together"),
        ("context", lambda a: a[:-1], "do not fit together"),
        ("context", lambda a: a * 0.5, "do not fit together"),
        ("since", lambda a: a * np.nan, "asked at no time"),
        ("width", lambda a: a + 1, "more or fewer scores"),
        ("width", lambda a: a - 100, "more or fewer scores"),
        ("scores", lambda a: a[:-1], "more or fewer scores"),
        ("scores", lambda a: a * np.nan, "are no numbers"),
        ("scores", lambda a: a.astype(str), "are no numbers"),
    ],
)
def test_columns_that_do_not_fit_are_refused(column, change, message):
    kept = Tickets()
    for row in range(3):
        kept.add(row, Prediction(0, np.ones(2)))
    columns = kept.columns()
    columns[f"ticket_{column}"] = change(columns[f"ticket_{column}"])
    with pytest.raises(ValueError, match=message):
        Tickets.read(columns, kept.meta())


@pytest.mark.parametrize(
    ("key", "value"),
    [("asked", -1), ("asked", 2**64), ("asked", "5"), ("expired", 0.5), ("max_age", -1)],
)
def test_counts_that_are_none_are_refused(key, value):
    kept = Tickets()
    with pytest.raises(ValueError, match=r"is no number of tickets|must be a number of seconds"):
        Tickets.read(kept.columns(), kept.meta() | {key: value})


@pytest.mark.parametrize(
    ("waiting", "message"),
    [([7, 0, 0, True], "ticket 7 was never asked"), ([0, "a", 0, True], "what is no number")],
)
def test_a_list_that_does_not_fit_is_refused(waiting, message):
    """As open tickets were written before they had columns."""
    with pytest.raises(ValueError, match=message):
        Tickets.read_list({}, {"asked": 3, "waiting": [waiting]})


def test_any_number_of_tickets_is_a_few_members(tmp_path):
    """100 000 of them are eight columns, not an entry each; tests/bench has the seconds."""
    sizes = []
    for count in (1, 2000):
        asked = predictor()
        for _ in range(count):
            asked.ask("node 1")
        asked.save(tmp_path / f"{count}.npz")
        arrays, meta = read_npz(tmp_path / f"{count}.npz", "saved predictor", (4,))
        sizes.append((len(arrays), meta["tickets"].keys()))
        assert len(Predictor.load(tmp_path / f"{count}.npz").waiting) == count
    assert sizes[0] == sizes[1]


def test_marks_of_lives_without_open_tickets_are_dropped(tmp_path):
    asked = predictor()
    first = asked.ask("node 1")
    for _ in range(5):
        asked.save(tmp_path / "p.npz", force=True)
        asked = Predictor.load(tmp_path / "p.npz")
        asked.ask("node 2")
    assert len(asked.waiting.meta()["marks"]) == 6
    asked.tell(first, label="red")
    for number in list(asked.waiting):
        asked.forget(number)
    assert len(asked.waiting.meta()["marks"]) == 1
