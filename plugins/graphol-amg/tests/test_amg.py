import numpy as np
import pytest
from graphol_amg.amg import Multigrid

import graphol
import graphol.testing
from graphol.formats import from_networkx


@graphol.testing.solver_checks(Multigrid())
def test_conforms(component, check):
    check(component)


def test_iterations_do_not_grow_with_a_grid():
    found = []
    for k in (20, 80):
        grid = graphol.make("dataset", f"grid:rows={k},cols={k}").load(np.random.default_rng(0))
        L = grid.graph.laplacian("combinatorial")
        prepared = Multigrid().prepare(L)
        b = np.random.default_rng(1).standard_normal(k * k)
        prepared.solve(b - b.mean())
        found.append(prepared.iterations)
    assert found[1] <= found[0] + 4


def test_a_social_graph_is_refused():
    networkx = pytest.importorskip("networkx")
    social = networkx.barabasi_albert_graph(3000, 8, seed=0)
    L = from_networkx(social).laplacian("combinatorial")
    with pytest.raises(graphol.InputError, match="no mesh; use solver auto"):
        Multigrid(max_growth=1.5).prepare(L)
