"""How a table over signals is tuned and reported, on data that needs no file."""

import attrs
import numpy as np

import graphol
from graphol.reproduce import find, kdd19
from graphol.reproduce import run as reproduce
from graphol.reproduce.signals import best, trial
from graphol.scores import held_out_scores
from graphol.testing.games import signal_game


def held_game():
    task, more = signal_game(), signal_game(seed=1)
    held = graphol.scores.Held(more.samples, more.truth)
    return attrs.evolve(task, validation=held, test=held)


def test_the_best_on_validation_is_chosen():
    task = held_game()
    grid = [graphol.make("learner", f"da-iht:s={s},gamma={g}") for s in (1, 3, 9) for g in (1, 50)]
    chosen = best(task, grid, seed=0)
    accuracies = []
    for learner in grid:
        one = best(task, [learner], seed=0)
        accuracies.append((one.scores["accuracy"], -one.scores["misses"]))
    assert (chosen.scores["accuracy"], -chosen.scores["misses"]) == max(accuracies)
    assert chosen.misses[-1] == chosen.scores["misses"]


def test_trials_differ_and_repeat():
    players = {"da-iht": [graphol.make("learner", "da-iht:s=10,gamma=1")]}
    one, again, other = (trial("digit-pixels:train=60", players, 0, n) for n in (0, 0, 1))
    assert one == again
    assert one["da-iht"].scores["mse"] != other["da-iht"].scores["mse"]


def test_a_figure_over_pixels():
    figure = attrs.evolve(
        find("kdd19-fig8"),
        entries=tuple(e for e in kdd19.FIGURE8.entries if e.label in ("da-iht", "l1-rda")),
        values=(50, 100),
    )
    rows = reproduce(figure, datasets=["digit-pixels:digit=1"], quick=True, repeats=2).rows
    assert {(row.learner, row.metric, row.at) for row in rows} == {
        (learner, metric, at)
        for learner in ("da-iht", "l1-rda")
        for metric in ("f1", "mse")
        for at in (50, 100)
    }
    assert all(0 <= row.measured <= 1 for row in rows)


def test_missing_data_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = reproduce("kdd19-table1", repeats=1)
    assert {row.verdict for row in result.rows} == {"data not available"}
    assert "graphda_grid.npz" in result.notes[0]


def test_validation_is_scored_with_the_intercept():
    held = held_game().validation
    w = np.append(np.zeros(12), 1.0)
    share = float(np.mean(held.truth > 0))
    assert held_out_scores(w, held, "signs")["accuracy"] == share
