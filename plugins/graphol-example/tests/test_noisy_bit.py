import numpy as np
import pytest
from graphol_example.noisy_bit import NoisyBit

import graphol
import graphol.testing


@graphol.testing.feedback_checks(NoisyBit(), NoisyBit(p=0.0), NoisyBit(p=0.5))
def test_feedback_conforms(component, check):
    check(component)


def test_bits_are_wrong_at_the_stated_rate():
    trace = graphol.simulate("molg-b", "sbm", feedback=NoisyBit(p=0.2), repeats=1).traces[0]
    right = trace.predicted == trace.label
    assert abs(np.mean(trace.revealed != right) - 0.2) < 0.03


@pytest.mark.parametrize("learner", ["molg-b", "soba", "banditron"])
def test_compiled_learners_play_the_protocol_compiled(learner):
    fast, slow = (
        graphol.simulate(
            learner, "sbm:nodes=200", feedback=NoisyBit(), repeats=1, compiled=compiled
        )
        for compiled in (True, False)
    )
    assert fast.traces[0].meta["compiled"] and not slow.traces[0].meta["compiled"]
    for column in ("predicted", "revealed", "updates"):
        one, two = (getattr(played.traces[0], column) for played in (fast, slow))
        np.testing.assert_array_equal(one, two)
