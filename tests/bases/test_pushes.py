"""How far pushes go: never further than what labels bring pays for."""

import numpy as np
import pytest

import graphol
from graphol.bases.pushes import HEAD, spread
from graphol.bases.walks import learn


def lattice(n, neighbours, seed):
    """A ring with chords: about so many neighbours each, all edges of weight 1."""
    rng = np.random.default_rng(seed)
    i = np.arange(n)
    ends = [np.roll(i, 1), *(rng.permutation(n) for _ in range(neighbours // 2 - 1))]
    edges = np.unique(np.sort(np.c_[np.tile(i, len(ends)), np.concatenate(ends)], axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    return graphol.Graph.from_edges(*edges.T.tolist(), labels=i % 3)


@pytest.mark.parametrize("recipe", ["tol=0.05", "tol=0.02,lam=0.5,rho=0.6,beta=0", "tol=0.2,lam=2"])
@pytest.mark.parametrize("n", [60, 240])
def test_visits_are_within_what_labels_pay_for(recipe, n):
    """A label at a node of degree d pays (1 + lam) / ((1 - rho) lam tol) d |v - F| visits."""
    graph, who = lattice(n, 6, seed=n), graphol.make("learner", f"walk:precision=double,{recipe}")
    rng = np.random.default_rng(1)
    z, F, r, counts, plays, _, system = who.start(
        graphol.NodeTask((graph,), name="lattice").problem(rng)
    )
    unit = (1 + who.lam) / ((1 - who.rho) * who.lam * who.tol)
    queue, d, paid, visits = np.empty(n, np.int32), graph.degrees, 0.0, 0
    for i in [*rng.permutation(n), *rng.integers(n, size=n // 4)]:  # some are told twice
        y, target = int(rng.integers(3)), np.zeros(3)
        if (z[i] == 0).all():
            target[y] = (d[i] / d.mean()) ** -who.beta
            paid += unit * d[i] * np.abs(target - F[i] / system.root[i]).sum()
        elif z[i, y] != 3:  # the old target goes, the new one comes
            paid += unit * d[i] * 2 * (d[i] / d.mean()) ** -who.beta
        _, waiting = learn(system.web, z, F, r, counts, plays, i, 0, y, False, queue)
        visits += spread(system.web, z, F, r, queue, waiting)
        assert visits <= paid
        assert (np.abs(r[:, HEAD:]).max(axis=1) <= r[:, 0]).all()
    assert visits > paid / 50, "the bound is not idle"
