"""Who holds when: exact numbers of switches, even draws."""

from __future__ import annotations

import numpy as np
import pytest

from graphol.errors import UsageError
from graphol.tasks.schedules import Sequence, Switches, Tasks


@pytest.mark.parametrize(("T", "S", "K"), [(1, 0, 2), (2, 1, 2), (50, 49, 2), (60, 7, 3)])
def test_there_are_exactly_so_many_switches(T, S, K):
    for seed in range(30):
        context, active = Switches(T, S).draw(K, np.random.default_rng(seed))
        assert np.count_nonzero(np.diff(active)) == S  # and so the next one is another
        assert context.tolist() == list(range(T)) and set(active) <= set(range(K))


def test_switches_and_labelings_are_drawn_evenly():
    rng, T, S, K, games = np.random.default_rng(0), 11, 3, 3, 4000
    at, after, first = np.zeros(T), np.zeros((K, K)), np.zeros(K)
    for _ in range(games):
        active = Switches(T, S).draw(K, rng).active
        first[active[0]] += 1
        switched = np.flatnonzero(np.diff(active)) + 1
        at[switched] += 1
        np.add.at(after, (active[switched - 1], active[switched]), 1)
    assert at[0] == 0
    for counts, mean in ((at[1:], games * S / (T - 1)), (first, games / K),
                         (after[~np.eye(K, dtype=bool)], games * S / (K * (K - 1)))):  # fmt: skip
        assert np.abs(counts - mean).max() < 5 * mean**0.5


def test_a_task_keeps_its_labeling_and_all_are_drawn_evenly():
    rng, counts, asked = np.random.default_rng(0), np.zeros((5, 3)), np.zeros(5)
    for _ in range(400):
        task, active = Tasks(rounds=60, tasks=5).draw(3, rng)
        for k in range(5):
            assert len(set(active[task == k].tolist())) <= 1
        asked += np.bincount(task, minlength=5)
        np.add.at(counts, (task, active), 1)
    assert np.abs(asked - 4800).max() < 5 * 4800**0.5
    assert np.abs(counts.sum(axis=0) / counts.sum() - 1 / 3).max() < 0.05


def test_a_sequence_is_played_as_it_is():
    active = np.array([0, 0, 2, 1])
    assert Sequence(active).draw(3, np.random.default_rng(0)).active.tolist() == active.tolist()
    with pytest.raises(UsageError, match="labelings beyond 0 to 1"):
        Sequence(active).draw(2, np.random.default_rng(0))
