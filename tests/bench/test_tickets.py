"""Saving and loading a predictor with many open tickets; one line per number of classes."""

import time

import pytest

from graphol import Predictor
from graphol.testing.games import blocks

pytestmark = pytest.mark.bench


@pytest.mark.parametrize("K", [3, 10])
def test_a_hundred_thousand_open_tickets_are_saved_in_a_second(tmp_path, capsys, K):
    """Columns in arrays; each ticket as a member of its own took minutes."""
    graph = blocks(200, K=K)
    predictor = Predictor("gpa:when=always", graph, embedding="spectral:dim=20")
    for i in range(100_000):
        node = i * 7919 % graph.n
        predictor.ask(graph.ids[node])
        told = predictor.ask(graph.ids[node])  # so that the scores of all differ
        predictor.tell(told, label=graph.label_names[(graph.labels[node] + (i % 3 == 0)) % K])
    start = time.process_time()
    predictor.save(tmp_path / "p.npz")
    saved = time.process_time()
    again = Predictor.load(tmp_path / "p.npz")
    loaded = time.process_time()
    size = (tmp_path / "p.npz").stat().st_size / 1e6
    with capsys.disabled():
        print(
            f"\n100000 tickets, K={K:2}  save {saved - start:.2f} s  load {loaded - saved:.2f} s  "
            f"{size:.1f} MB",
            end="",
        )
    assert len(again.waiting) == 100_000
    assert saved - start < 1
