"""When a label is worth its price."""

import numpy as np
import pytest

from graphol.bases.asking import HASTE, worth_asking


def test_the_price_rises_with_questions_and_falls_with_rounds():
    """The most sure that a learner may be to ask, by the formula solved for it."""
    for labels, t in [(1.0, 0), (5.0, 40), (30.0, 40)]:
        price = 0.5 * np.exp(HASTE * (labels - 0.2 * t))
        most = (1 - price / 3.0**0.5) * (labels + 1) / labels
        assert worth_asking(most - 1e-9, labels, 3.0, t, 0.2, 0.5)
        assert not worth_asking(most + 1e-9, labels, 3.0, t, 0.2, 0.5)


@pytest.mark.parametrize("around", [1.0, 2.0, 1e5])
def test_no_power_is_too_large(around):
    with np.errstate(all="raise"):
        assert worth_asking(0.9, 20.0, around, 400, 0.2, 1e9)
        assert not worth_asking(0.9, 1e9, 1.0, 0, 0.2, 0.0)
