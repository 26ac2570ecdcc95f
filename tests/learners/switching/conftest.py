"""One way to play for the tests of this room."""

import numpy as np
import pytest

import graphol


@pytest.fixture(scope="session")
def play():
    def played(task, learner, feedback="full", seed=0, **options):
        return graphol.play(
            task, graphol.make("learner", learner), graphol.make("feedback", feedback),
            np.random.default_rng(seed), **options,
        )  # fmt: skip

    return played
