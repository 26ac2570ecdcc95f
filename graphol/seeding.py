"""All seeding: who draws from which child of the one seed that a user gives.

Seed s has the children [s, 0] for what comes before the games (data, embedding) and [s, r + 1] for
repeat r, whose own children are order of play, learner, protocol and noise. Data that are drawn
anew in every repeat come from [s, r + 1] itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

HELD_OUT = 1_000_003
"""Shuffles that tune are those of the seed this much above the one that scores."""


def data(seed: int) -> np.random.Generator:
    """For loading or generating the data."""
    return np.random.default_rng([seed, 0]).spawn(2)[0]


def embedding(seed: int) -> np.random.Generator:
    """For embedding the graph."""
    return np.random.default_rng([seed, 0]).spawn(2)[1]


def embedding_of_old(seed: int) -> np.random.Generator:
    """For embedding again what a predictor embedded that has no mark of its seeding."""
    return np.random.default_rng([seed, 0])


def game(seed: int, repeat: int, *, held_out: bool = False) -> np.random.Generator:
    """For one repeat, of those that score or of those that tune; see :func:`graphol.play`."""
    return np.random.default_rng([seed + HELD_OUT * held_out, repeat + 1])


def fresh_data(seed: int, repeat: int) -> np.random.Generator:
    """For generating the data of one repeat."""
    return game(seed, repeat)


def order(seed: int, repeat: int) -> np.random.Generator:
    """For the order of play of one repeat, as :func:`graphol.play` draws it."""
    return game(seed, repeat).spawn(4)[0]


def learner(seed: int, repeat: int = 0) -> np.random.Generator:
    """For the learner of one repeat, as :func:`graphol.play` draws it."""
    return game(seed, repeat).spawn(4)[1]


def position(rng: np.random.Generator) -> tuple[Any, str]:
    """How far a generator is: what it has drawn, and how many children it has."""
    return rng.bit_generator.state, repr(rng.bit_generator.seed_seq)


def labelled(seed: int, count: int) -> np.random.Generator:
    """For what is drawn about so many known labels: folds, checks, guesses of their number."""
    return np.random.default_rng([seed, count])
