"""A model that follows the log, against one that is told everything from the start."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol.api import Instance, Prediction, Reveal
from graphol.bases.usual import UsualLearner
from graphol.label.session.model import Lesson, Model


def anew(learner, graph, lessons, classes):
    """The plain loop, without any of what a model does to be quick."""
    model = Model(graphol.make("learner", learner), graph)
    model.begin(classes)
    who = model.learner
    for t, lesson in enumerate(lessons):
        x = model.rows[lesson.row] if model.rows is not None else np.zeros(0)
        instance = Instance(t, lesson.row, x)
        said = who.predict(model.state, instance)
        if lesson.bit and "bit" in who.learns_from:
            said = said._replace(label=lesson.label, query=True)
            who.update(model.state, instance, said, Reveal(correct=lesson.yes))
        elif lesson.yes:
            who.update(
                model.state, instance, Prediction(said.label, said.scores), Reveal(lesson.label)
            )
    return model.says()


def lessons_of(rng, graph, classes, count):
    rows = rng.choice(graph.n, count, replace=False).tolist()
    return [Lesson(i + 1, row, int(rng.integers(classes))) for i, row in enumerate(rows)]


@pytest.mark.parametrize("learner", ["walk", "gpa"])
def test_lessons_that_change_lead_where_the_new_ones_lead(graph, learner, monkeypatch):
    monkeypatch.setattr("graphol.label.session.model.KEEP", 4)
    rng = np.random.default_rng(1)
    model = Model(graphol.make("learner", learner), graph)
    lessons: list[Lesson] = []
    for turn in range(12):
        kept = lessons[: int(rng.integers(0, len(lessons) + 1))] if turn % 3 == 2 else lessons
        lessons = [*kept, *lessons_of(rng, graph, 2, 2)]
        model.follow(lessons, 2)
        wanted, found = anew(learner, graph, lessons, 2), model.says()
        np.testing.assert_array_equal(found.label, wanted.label)
        np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=1e-6)


def test_bits_are_about_the_class_that_was_asked(graph):
    """A late no to class 1 is no to class 1, whatever the model would say by now."""
    lessons = [
        Lesson(1, 0, 1, False, True),
        Lesson(2, 3, 0, True, True),
        Lesson(3, 20, 1, True, True),
    ]
    model = Model(graphol.make("learner", "walk"), graph)
    model.follow(lessons, 3)
    np.testing.assert_allclose(
        model.says().probabilities, anew("walk", graph, lessons, 3).probabilities, atol=1e-6
    )


@pytest.mark.parametrize("learner", ["walk", "molg-b", "fastonl"])
def test_the_guess_is_the_likeliest_class(graph, learner):
    """A learner that is told bits says a class nobody named, to find out; no guess is that."""
    lessons = [
        Lesson(1, 0, 0),
        Lesson(2, 20, 1),
        Lesson(3, 3, 0, True, True),
        Lesson(4, 25, 0, False, True),
    ]
    model = Model(graphol.make("learner", learner), graph)
    model.follow(lessons, 3)
    said = model.says()
    likeliest = said.probabilities.max(axis=1)
    rows = np.flatnonzero(said.known)
    np.testing.assert_array_equal(said.probabilities[rows, said.label[rows]], likeliest[rows])
    if learner == "walk":
        explored = {model.predict(row).label for row in rows.tolist()}
        assert explored == {1} and {*said.label[rows].tolist()} == {0, 1}


def test_a_learner_of_labels_hears_a_no_where_there_are_two_classes(graph):
    model = Model(graphol.make("learner", "gpa"), graph)
    model.follow([Lesson(i, i, 1, False, True) for i in range(5)], 2)
    told = Model(graphol.make("learner", "gpa"), graph)
    told.follow([Lesson(i, i, 0) for i in range(5)], 2)
    np.testing.assert_array_equal(model.says().label, told.says().label)


def test_a_learner_of_bits_hears_labels(graph):
    model = Model(graphol.make("learner", "molg-b"), graph)
    rng = np.random.default_rng(0)
    rows = rng.choice(graph.n, 16, replace=False)
    model.follow([Lesson(i, int(r), int(graph.labels[r])) for i, r in enumerate(rows)], 2)
    said = [model.predict(row).label for row in range(graph.n)]
    assert np.mean(said == graph.labels) > 0.8


@attrs.frozen
class Fixed(UsualLearner):
    """`gpa` that cannot meet new classes."""

    name = "fixed"
    own = graphol.make("learner", "gpa")

    def start(self, problem):
        return self.own.start(problem)

    def predict(self, state, instance):
        return self.own.predict(state, instance)

    def update(self, state, instance, prediction, reveal):
        return self.own.update(state, instance, prediction, reveal)


@pytest.mark.parametrize("learner", ["walk", Fixed()], ids=["walk", "fixed"])
def test_a_class_more_half_way(graph, learner):
    rng = np.random.default_rng(2)
    model = Model(graphol.make("learner", learner), graph)
    first = lessons_of(rng, graph, 2, 6)
    model.follow(first, 2)
    more = [*first, Lesson(9, int(rng.integers(graph.n)), 2)]
    model.follow(more, 3)
    found, wanted = model.says(), anew(learner, graph, more, 3)
    assert found.probabilities.shape == (graph.n, 3)
    np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=1e-5)


def test_probabilities_sum_to_one_and_the_unreached_have_none():
    graph = graphol.Graph.from_edges("abx", "bcy")
    model = Model(graphol.make("learner", "walk"), graph)
    model.follow([Lesson(1, graph.index("a"), 1)], 2)
    found = model.says()
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert found.known.tolist() == [node in "abc" for node in graph.ids]
    assert found.probabilities[graph.index("x")].tolist() == [0.5, 0.5]
