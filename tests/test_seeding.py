"""One seed, one tree of generators, one file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import graphol
from graphol import seeding


def test_no_other_file_makes_a_generator_of_several_numbers():
    root = Path(graphol.__file__).parent
    files = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "default_rng([" in path.read_text() and "testing" not in path.parts
    }
    assert files == {"seeding.py"}


def test_the_tree():
    """Written out once more: recorded figures depend on every one of these."""
    first = {
        "data": seeding.data(3), "embedding": seeding.embedding(3), "game": seeding.game(3, 5),
        "order": seeding.order(3, 5), "learner": seeding.learner(3, 5),
        "fresh": seeding.fresh_data(3, 5), "tuning": seeding.game(3, 5, held_out=True),
    }  # fmt: skip
    again = {
        "data": np.random.default_rng([3, 0]).spawn(2)[0],
        "embedding": np.random.default_rng([3, 0]).spawn(2)[1],
        "game": np.random.default_rng([3, 6]),
        "order": np.random.default_rng([3, 6]).spawn(4)[0],
        "learner": np.random.default_rng([3, 6]).spawn(4)[1],
        "fresh": np.random.default_rng([3, 6]),
        "tuning": np.random.default_rng([1_000_006, 6]),
    }
    for name, rng in first.items():
        assert rng.random(3).tolist() == again[name].random(3).tolist(), name


def test_drawing_and_spawning_move_a_generator():
    rng = seeding.data(0)
    still = seeding.position(rng)
    assert seeding.position(seeding.data(0)) == still
    rng.spawn(1)
    spawned = seeding.position(rng)
    rng.random()
    assert len({repr(x) for x in (still, spawned, seeding.position(rng))}) == 3
