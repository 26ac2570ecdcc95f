"""How a table over signals is tuned and reported, on data that needs no file."""

import attrs
import numpy as np
import pytest

import graphol
from graphol.errors import GrapholError, UsageError
from graphol.reproduce import find, kdd19
from graphol.reproduce import run as reproduce
from graphol.reproduce.desk import Desk
from graphol.reproduce.signals import Outcome, best, draw, fitted, outcome, trial
from graphol.tasks.scores import held_out_scores
from graphol.testing.games import signal_game


def held_game():
    task, more = signal_game(), signal_game(seed=1)
    held = graphol.tasks.scores.Held(more.samples, more.truth)
    return attrs.evolve(task, validation=held, test=held)


def made(accuracy, misses, *, average=0.5, f1=0.0):
    """An outcome with this accuracy on validation."""
    scores = {
        "f1": f1, "accuracy": accuracy, "misses": misses, "misses_average": misses,
        "accuracy_average": average, "auc_average": average, "auc_labels_average": average,
    }  # fmt: skip
    validation = {"accuracy": accuracy, "accuracy_average": average}
    return Outcome(None, scores, validation, (), (), np.zeros(1))


def test_mistakes_count_alike_online_and_on_validation():
    top, sum_, few = made(0.80, 130), made(0.79, 120), made(0.70, 110)  # of 400: 210, 204, 230
    scores = best([top, sum_, few], 400).scores
    assert scores["misses"] == 120
    assert scores["misses_published_rule"] == 130 and scores["accuracy_published_rule"] == 0.8
    assert best([top, sum_, few], 4000).scores["misses"] == 130
    tied = best([made(0.8, 130), made(0.8, 129)], 400).scores
    assert tied["misses"] == tied["misses_published_rule"] == 129


def test_the_average_is_tuned_apart():
    one, other = made(0.8, 120, average=0.6), made(0.7, 130, average=0.75)
    scores = best([one, other], 400).scores
    assert (scores["accuracy"], scores["accuracy_average"]) == (0.8, 0.75)


def test_a_candidate_that_overflows_is_left_out():
    task = attrs.evolve(held_game(), given_order=True)
    grid = [graphol.make("learner", f"adam:alpha={a}") for a in ("0.01", "1e307")]
    assert outcome(task, grid[1], 0, lambda done: None) is None
    assert trial(Desk(), task, {"adam": grid})["adam"].learner == grid[0]
    with pytest.raises(GrapholError, match="no candidate of the grid"):
        trial(Desk(), task, {"adam": grid[1:]})


def test_what_does_not_fit_the_data_is_not_taken_for_an_overflow():
    grid = [graphol.make("learner", "da-gl:blocks=3x3")]  # a path is no grid of squares
    with pytest.raises(UsageError, match="da-gl"):
        trial(Desk(), held_game(), {"da-gl": [*grid, graphol.make("learner", "da-gl:blocks=x")]})


def test_trials_differ_and_repeat():
    players = {"da-iht": [graphol.make("learner", "da-iht:s=10,gamma=1")]}
    one, again, other = (
        trial(Desk(jobs=jobs), draw("digit-pixels:train=60", 0, n), players)["da-iht"].scores["mse"]
        for n, jobs in ((0, 1), (0, 2), (1, 1))
    )
    assert one == again != other


def test_maps_are_drawn_beside_the_truth(tmp_path):
    entries = tuple(e for e in kdd19.FIGURE4.entries if e.label in ("adam", "da-iht", "graphda"))
    grids = {"adam": {"alpha": (0.1,)}, "da-iht": {"s": (6,)}, "graphda": {"s": (6,)}}
    figure = attrs.evolve(
        kdd19.FIGURE4, entries=tuple(attrs.evolve(e, grid=grids[e.label]) for e in entries)
    )
    rows = reproduce(figure, datasets=["digit-pixels:digit=1"], seed=3).rows
    by_learner = {row.learner: np.array(row.signs) for row in rows if row.metric == "f1"}
    truth = draw("digit-pixels:digit=1", 3, 0).support
    for row in rows:
        if row.metric == "f1":
            nodes = np.flatnonzero(by_learner[row.learner])
            hits = 2 * len(np.intersect1d(nodes, truth)) / (len(nodes) + len(truth))
            assert row.measured == pytest.approx(hits)
    assert np.count_nonzero(by_learner["adam"]) > 50 and len(by_learner["adam"]) == 64
    figure.draw(rows, tmp_path / "maps.png")
    assert (tmp_path / "maps.png").stat().st_size > 5000
    assert find("kdd19-fig4") is kdd19.FIGURE4


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


def only(name, *labels):
    experiment = find(name)
    return attrs.evolve(
        experiment, entries=tuple(e for e in experiment.entries if e.label in labels)
    )


@pytest.mark.parametrize(
    ("name", "dataset", "says"),
    [
        ("kdd19-table1", "digit-pixels", "predicts signs, which digit-pixels does not ask for"),
        ("kdd19-fig8", "digit-pixels:train=30", "kdd19-fig8 sets train itself"),
        ("kdd19-fig8", "digits", "digits has no signals"),
    ],
)
def test_data_that_does_not_fit_is_refused_before_anything_is_played(name, dataset, says):
    with pytest.raises(UsageError, match=says):
        reproduce(name, datasets=[dataset], repeats=1)


def test_sizes_above_the_graph_are_said():
    players = {"da-iht": [graphol.make("learner", "da-iht:s=13")]}
    with pytest.raises(UsageError, match="every size s of its grid is above the graph's 12 nodes"):
        trial(Desk(), held_game(), players)


def test_a_support_that_is_not_known_cannot_be_scored():
    task = attrs.evolve(held_game(), support=None)
    with pytest.raises(UsageError, match="scores supports"):
        find("kdd19-table1").check("mine", task)


def test_few_rounds_have_few_checkpoints():
    task = attrs.evolve(held_game(), given_order=True)
    short = attrs.evolve(task, samples=task.samples[:7], truth=task.truth[:7])
    one = outcome(short, graphol.make("learner", "adam"), 0, lambda done: None)
    assert one.checkpoints == (1, 2, 3, 4, 5, 6, 7)
    assert one.misses[-1] == one.scores["misses"] and np.all(np.diff(one.misses) >= 0)


def test_off_a_grid_blocks_are_pieces():
    learner = fitted(graphol.make("learner", "da-gl:blocks=3x3"), held_game())
    assert learner.blocks == "3x3"  # a path is a grid of one row
    ring = graphol.Graph.from_edges(range(12), [*range(1, 12), 0])
    task = attrs.evolve(held_game(), graph=ring)
    assert fitted(graphol.make("learner", "da-gl:blocks=3x3"), task).blocks == "9"
    assert fitted(graphol.make("learner", "adam"), task).name == "adam"


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
