import numpy as np
from graphol_example.hubs import Hubs

import graphol
import graphol.testing


@graphol.testing.strategy_checks(Hubs())
def test_strategy_conforms(component, check):
    check(component)


def test_counts_who_is_without_a_label():
    star = graphol.Graph.from_edges(["hub"] * 3 + ["a"], ["a", "b", "c", "b"])
    before = graphol.Situation.unasked(star, classes=2)
    labels = np.array([-1, -1, 0, -1])  # b is known
    after = graphol.Situation(star, labels, before.probabilities, before.known)
    assert Hubs().values(before, np.random.default_rng(0)).tolist() == [3, 2, 2, 1]
    assert Hubs().values(after, np.random.default_rng(0)).tolist() == [2, 1, 2, 1]
    assert Hubs().reason(after, star.index("hub")) == "2 neighbours wait for a label"
