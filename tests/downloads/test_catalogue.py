"""The catalogue: one row per graph, its counts once."""

from __future__ import annotations

import attrs
import pytest

from graphol.downloads.catalogue import CATALOGUE, ROWS, Counts, named_graph
from graphol.errors import InputError, UsageError
from graphol.graph import Graph


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UsageError, match="unknown data set 'corra': did you mean 'cora'"):
        named_graph("corra")


def test_only_citeseer_is_published_as_another_graph():
    """LINQS has 3312 papers, planetoid fifteen more without a record."""
    other = {
        row.name: row.published.counts for row in ROWS if row.published and row.published.counts
    }
    assert other == {"citeseer": Counts(3312, 4536, 6)}
    assert CATALOGUE["citeseer"].counts == Counts(3327, 4552, 6)


@pytest.mark.parametrize(("tolerance", "said"), [(0.0, "gave 2 edges where 3"), (0.4, None)])
def test_counts_may_differ_as_far_as_is_said(tolerance, said):
    row = attrs.evolve(CATALOGUE["wordnet30"], counts=Counts(3, 3, 2))
    there = attrs.evolve(row.published, tolerance=tolerance)
    graph = Graph.from_edges("ab", "bc", labels=[0, 1, 0])
    if said is None:
        row.check(graph, there)
    else:
        with pytest.raises(InputError, match=said):
            row.check(graph, there)
    with pytest.raises(InputError, match="gave 2 classes where 5"):
        attrs.evolve(row, counts=Counts(3, 2, 5)).check(graph, there)
