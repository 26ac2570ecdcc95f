"""What was told comes back as it was, from memory and from columns."""

import numpy as np
import pytest

from graphol.api import Prediction, Reveal
from graphol.tickets import Open
from graphol.told import FORM, Told

REVEALS = [
    Reveal(label=1),
    Reveal(correct=False),
    Reveal(answer=np.array([True, False, True]), kind="candidates"),
    Reveal(correct=True),
    Reveal(answer=np.array(0.25), kind="cost"),
    Reveal(answer=np.array([[3, 4]], dtype=np.int16), kind="cost"),
    Reveal(label=0),
]


def filled():
    told = Told(2)
    for t, reveal in enumerate(REVEALS):
        told.add(
            2 * t, Open(t % 4, Prediction(t % 2, None, t != 3), 0.0, t - 1), reveal, 2 + t // 4
        )
    return told


def same(one, two):
    if one.kind != two.kind or (one.label, one.correct) != (two.label, two.correct):
        return False
    if one.answer is None:
        return two.answer is None
    return one.answer.dtype == two.answer.dtype and np.array_equal(one.answer, two.answer)


def test_answers_come_back_through_columns():
    told = filled()
    again = Told.read(told.columns(), told.meta())
    for one in (told, again):
        assert len(one) == 7 and one.begun == 2
        assert all(same(one.reveal(t), reveal) for t, reveal in enumerate(REVEALS))
        assert one.entries["number"].tolist() == [0, 2, 4, 6, 8, 10, 12]
        assert one.entries["query"].tolist() == [t != 3 for t in range(7)]
        one.check(nodes=4, asked=13, contexts=6, labels=range(3), classes=3)
    assert all(column.dtype.kind in "iubU" for column in told.columns().values())
    assert FORM.itemsize == 34  # as the docs say


def test_a_copy_of_the_entries_does_not_change():
    told = filled()
    before, kept = told.entries, told.entries.copy()
    for t in range(100):
        told.add(100 + t, Open(0, Prediction(0), 0.0), Reveal(label=0), 3)
    assert np.array_equal(before, kept) and len(told) == 107


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, m: a.update(told_row=a["told_row"][:-1]), "do not fit together"),
        (lambda a, m: a.update(told_row=a["told_row"].astype(float)), "do not fit together"),
        (lambda a, m: a.update(told_row=a["told_row"] + 1), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_number=a["told_number"] + 1), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_context=a["told_context"] + 1), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_said=a["told_said"] + 2), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_told=a["told_told"] + 2), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_classes=a["told_classes"][::-1]), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_kind=a["told_kind"] + 2), "nodes, tickets or classes"),
        (lambda a, m: m.update(kinds=["candidates"]), "nodes, tickets or classes"),
        (lambda a, m: m.update(kinds=[1, 2]), "no texts"),
        (lambda a, m: m.update(begun=True), "no number of classes"),
        (lambda a, m: m.update(begun=4), "nodes, tickets or classes"),
        (lambda a, m: a.update(told_bits=a["told_bits"][:-1]), "cut short"),
        (lambda a, m: a.update(told_bits=np.append(a["told_bits"], np.uint8(0))), "longer"),
        (lambda a, m: a.update(told_bits=a["told_bits"] + np.uint8(1)), "cut short"),
        (lambda a, m: a.update(told_form=a["told_form"][:-1]), "longer"),
        (lambda a, m: a.update(told_form=np.array(["|O:3", "<f8:", "<i2:1,2"])), "an answer is"),
        (lambda a, m: a.update(told_form=np.array(["|b1:-3", "<f8:", "<i2:1,2"])), "an answer is"),
        (lambda a, m: a.update(told_form=np.array([1.0])), "have no form"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, message):
    told = filled()
    arrays, meta = told.columns(), told.meta()
    change(arrays, meta)
    with pytest.raises(ValueError, match=message):
        Told.read(arrays, meta).check(nodes=4, asked=13, contexts=6, labels=range(3), classes=3)
