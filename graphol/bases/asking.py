"""When a label is worth its price, for learners that ask for a share of the labels."""

from __future__ import annotations

import numpy as np

HASTE = 0.05
"""How fast the price of a question follows the number of those that were asked."""

LARGE = 700.0
"""e to a power above this is no number any more."""


def worth_asking(most, labels, around, t, rate, voi):
    """Is the label worth its price, which rises with every question and falls with every round?

    ``most`` is the probability of the likeliest class, ``around`` 1 more than the neighbours
    without a label. Few labels make nobody sure: m of them are believed to m / (m + 1).
    """
    price = 0.5 * np.exp(min(HASTE * (labels - rate * t), LARGE))
    unsure = 1.0 - most * labels / (labels + 1.0)
    if voi * np.log(around) > LARGE:
        return unsure > 0.0
    return unsure * around**voi > price
