"""All seeding: who draws from which child of the one seed that a user gives.

Seed s has the children [s, 0] for what comes before the games (data, embedding) and [s, r + 1] for
repeat r, whose own children are order of play, learner, protocol and noise.
"""

from __future__ import annotations

import numpy as np


def data(seed: int) -> np.random.Generator:
    """For loading or generating the data."""
    return np.random.default_rng([seed, 0]).spawn(2)[0]


def embedding(seed: int) -> np.random.Generator:
    """For embedding the graph."""
    return np.random.default_rng([seed, 0]).spawn(2)[1]


def game(seed: int, repeat: int) -> np.random.Generator:
    """For one repeat, see :func:`graphol.play`."""
    return np.random.default_rng([seed, repeat + 1])


def order(seed: int, repeat: int) -> np.random.Generator:
    """For the order of play of one repeat, as :func:`graphol.play` draws it."""
    return game(seed, repeat).spawn(4)[0]
