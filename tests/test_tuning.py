"""Which candidate is taken: the lowest error, or what costs less and cannot be told apart."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from scipy.sparse import csr_array

import graphol
from graphol import GrapholError, UsageError, param, runner, seeding, simulate
from graphol.simulation import Simulation
from graphol.testing.games import signal_game
from graphol.trace import Trace
from graphol.tuning import choose, combinations, tune

T = 20


def scores(errors, updates):
    """A rehearsal with these errors and so many updates in every shuffle."""
    traces = []
    for error in errors:
        loss = (np.arange(T) < error * T).astype(float)
        every = np.ones(T, dtype=bool)
        changed = np.zeros(T, dtype=np.int32)
        changed[0] = updates
        zeros = np.zeros(T, dtype=np.int64)
        traces.append(Trace(zeros, zeros, zeros, loss, every, changed, loss, every))
    return Simulation(tuple(traces), ({},) * len(traces), {})


class TestChoose:
    def test_lowest_error_where_it_stands_out(self):
        few, best = scores([0.4, 0.4, 0.4], 1), scores([0.2, 0.2, 0.2], 9)
        assert choose([few, best]) == 1

    def test_fewest_updates_within_one_standard_error(self):
        best, near = scores([0.2, 0.3, 0.4], 9), scores([0.25, 0.3, 0.4], 5)
        assert choose([best, near]) == 1
        assert choose([near, best]) == 0

    def test_lowest_error_for_as_many_updates(self):
        assert choose([scores([0.25, 0.3, 0.4], 9), scores([0.2, 0.3, 0.4], 9)]) == 1

    def test_one_shuffle_has_no_spread(self):
        assert choose([scores([0.25], 1), scores([0.2], 9)]) == 1


def test_all_combinations():
    assert list(combinations({})) == [{}]
    assert len(list(combinations({"a": (1, 2), "b": (3, 4, 5)}))) == 6


SBM = "sbm:nodes=80,classes=2"
GRID = {"phi": [0.5, 50], "embedding.dim": [3, 8]}


@attrs.frozen
class Ring:
    """n nodes in a circle, each joined to the k next ones; two halves."""

    name = "ring"
    k: int = param(2, least=1)
    n: int = param(40, least=3)

    def load(self, rng):
        edges = [(i, (i + j) % self.n) for i in range(self.n) for j in range(1, self.k + 1)]
        A = np.zeros((self.n, self.n))
        A[tuple(np.array(edges).T)] = 1
        labels = (2 * np.arange(self.n)) // self.n
        graph = graphol.Graph(csr_array(np.maximum(A, A.T)), labels=labels, name="ring")
        return graphol.NodeTask((graph,), name="ring")


class TestTune:
    def test_brute_force_over_the_grid(self):
        """Every setting alone, by simulate; the rule by hand; the chosen one on fresh shuffles."""
        found = tune("molg-f:b=20", SBM, GRID, shuffles=4, repeats=3, seed=2)
        alone = [
            simulate(f"molg-f:b=20,phi={phi}", SBM, embedding=f"spectral:dim={dim}", repeats=4,
                     seed=2, held_out=True)
            for phi in GRID["phi"] for dim in GRID["embedding.dim"]
        ]  # fmt: skip
        errors = [one.error_rates.mean() for one in alone]
        settings = found.settings()
        assert [each["held_out_error_rate_mean"] for each in settings] == errors
        limit = min(errors) + alone[int(np.argmin(errors))].error_rates.std(ddof=1) / 2
        good = [i for i, error in enumerate(errors) if error <= limit]
        cost = [(one.updates.mean(), error) for one, error in zip(alone, errors, strict=True)]
        assert found.chosen == min(good, key=lambda i: cost[i])
        assert [each["chosen"] for each in settings].index(True) == found.chosen
        phi, dim = settings[found.chosen]["values"].values()
        fresh = simulate(f"molg-f:b=20,phi={phi}", SBM, embedding=f"spectral:dim={dim}", repeats=3,
                         seed=2)  # fmt: skip
        usual = simulate("molg-f:b=20", SBM, repeats=3, seed=2)
        np.testing.assert_array_equal(found.result.error_rates, fresh.error_rates)
        row = found.row()
        assert row["error_rate_mean"] == fresh.error_rate_mean
        assert row["default_error_rate_mean"] == usual.error_rate_mean
        gap = fresh.error_rates - usual.error_rates
        assert row["difference"] == pytest.approx(gap.mean(), abs=1e-15)
        t = 0.95 * np.sqrt(2 / (1 - 0.95**2))  # Student's, of 2 degrees, in closed form
        half = t * gap.std(ddof=1) / np.sqrt(3)
        assert row["difference_high"] - row["difference"] == pytest.approx(half, abs=1e-12)
        assert row["command"] == fresh.recipe["command"]
        assert list(row)[:12] == list(fresh.row())[:12]

    def test_no_shuffle_that_chooses_scores(self, monkeypatch):
        seen = {}
        play = runner.play_by

        def spy(plan, task, learner, feedback, rng, *more):
            key = "held out" if plan.held_out else "fresh"
            seen.setdefault(key, set()).add(tuple(rng.bit_generator.seed_seq.entropy))
            return play(plan, task, learner, feedback, rng, *more)

        monkeypatch.setattr(runner, "play_by", spy)
        tune("molg-f", SBM, {"phi": [1, 100]}, shuffles=3, repeats=2)
        assert len(seen["held out"]) == 3 and len(seen["fresh"]) == 2
        assert not seen["held out"] & seen["fresh"]

    def test_data_drawn_anew_choose_or_score(self, monkeypatch):
        drawn = []
        fresh = seeding.fresh_data
        monkeypatch.setattr(seeding, "fresh_data", lambda s, r: drawn.append(r) or fresh(s, r))
        found = tune("molg-f", SBM, {"phi": [1, 100]}, shuffles=2, repeats=3, fresh_data=True)
        assert found.rehearsal.repeats == (3, 4) and found.result.repeats == (0, 1, 2)
        assert set(drawn) == {0, 1, 2, 3, 4}

    def test_the_setting_as_given_may_be_the_chosen_one(self):
        task = graphol.make("dataset", SBM).load(np.random.default_rng(0))
        chosen = tune("molg-f", task, {"phi": [0.5, 50]}, shuffles=2, repeats=2).candidate
        found = tune(chosen.learner, task, {"phi": [0.5, 50]}, shuffles=2, repeats=2)
        assert found.usual is found.result and found.row()["difference"] == 0
        assert found.row()["command"] is None  # no command makes this task again

    def test_everything_is_checked_before_the_first_game(self, monkeypatch):
        def no(*args, **kwargs):
            raise AssertionError("a game was played")

        monkeypatch.setattr("graphol.runner.each_turn", no)
        for learner, data, grid, message in [
            ("molg-b", SBM, {"b": [10, 0.01]}, "b must be > max"),
            ("molg-f", SBM, {"dataset.nodes": [60, 80]}, "is generated"),
            ("gpa", "no-such", {"when": ["always", "mistakes"]}, "unknown dataset"),
        ]:
            with pytest.raises(GrapholError) as error:
                tune(learner, data, grid, shuffles=2, repeats=2)
            assert message in str(error.value)
        with pytest.raises(UsageError, match="shuffles must be >= 1, got 0"):
            tune("molg-f", SBM, {"phi": [1, 2]}, shuffles=0)

    def test_an_overflow_is_out_of_the_choice(self):
        grid = {"alpha": [1e307, 0.01]}
        found = tune("adam:alpha=1e307", signal_game("real"), grid, shuffles=2, repeats=2)
        assert found.candidate.learner.alpha == 0.01 and found.rehearsals[0] is None
        assert found.usual is None and found.difference is None
        assert found.settings()[0]["held_out_error_rate_mean"] is None
        assert any(note.startswith("alpha=1e+307 overflowed") for note in found.notes)
        with pytest.raises(UsageError, match="every setting of the grid overflowed"):
            tune("adam", signal_game("real"), {"alpha": [1e306, 1e307]}, shuffles=2, repeats=2)

    def test_given_rounds_have_no_other_shuffles(self):
        graph = graphol.make("dataset", SBM).load(np.random.default_rng(0)).graph
        n = graph.n
        task = graphol.SequenceTask(
            graph, np.arange(n), np.zeros(n, dtype=int), np.where(np.arange(n) % 2, 1, -1),
            "mine", graphol.Clique(2), 2,
        )  # fmt: skip
        with pytest.raises(UsageError, match="its rounds are given"):
            tune("kernel-perceptron", task, {"embedding.R": [2, 3]})
        given = attrs.evolve(signal_game("real"), given_order=True)
        with pytest.raises(UsageError, match="its rounds are given"):
            tune("adam", given, {"alpha": [0.01, 0.1]})

    def test_a_view_of_the_same_nodes_may_be_tuned(self):
        found = tune("gpa", Ring(), {"dataset.k": [1, 4]}, shuffles=2, repeats=2)
        k = found.row()["chosen"]["dataset.k"]
        alone = simulate("gpa", Ring(k), repeats=2)
        np.testing.assert_array_equal(found.result.error_rates, alone.error_rates)
        assert found.difference is not None and f"ring:k={k}" in found.row()["command"]
        with pytest.raises(UsageError, match="not every value asks about the same nodes"):
            tune("gpa", Ring(), {"dataset.n": [40, 41]}, shuffles=2, repeats=2)

    def test_unlike_games_are_told(self):
        found = tune(
            "label-propagation", SBM, {"feedback.count": [4, 40]}, feedback="seeds:count=8",
            shuffles=2, repeats=2,
        )  # fmt: skip
        assert any("unlike games" in note for note in found.notes)
        assert found.candidate.feedback.count == 40
        assert found.difference is None and found.row()["difference"] is None
