"""What every dataset promises."""

from __future__ import annotations

import numpy as np

from graphol.api import Dataset


def same_seed_same_task(dataset: Dataset) -> None:
    """Results can be repeated: all that is random comes from the rng it is given."""
    one, two = (dataset.load(np.random.default_rng(0)) for _ in range(2))
    assert one.graph.hash == two.graph.hash
    first, second = (task.stream(np.random.default_rng(1)) for task in (one, two))
    assert np.array_equal(first.truth, second.truth)
    assert np.array_equal(first.node, second.node)


def truth_is_of_the_declared_target(dataset: Dataset) -> None:
    """Classes are 0..K-1, signs are -1 or +1, numbers are finite."""
    task = dataset.load(np.random.default_rng(0))
    problem = task.problem(np.random.default_rng(0))
    truth = task.stream(np.random.default_rng(0)).truth
    assert len(truth) > 0 and np.isfinite(truth).all()
    if task.target == "classes":
        assert problem.n_classes is not None and truth.min() >= 0
        assert truth.max() < problem.n_classes
        assert len(np.unique(truth)) >= 2, "one class only: nothing to learn"
    elif task.target == "signs":
        assert np.isin(truth, (-1, 1)).all()


def hides_the_truth(dataset: Dataset) -> None:
    """What a learner is told before round 1 holds no label."""
    problem = dataset.load(np.random.default_rng(0)).problem(np.random.default_rng(0))
    assert problem.graph is None or problem.graph.labels is None


def columns_fit_together(dataset: Dataset) -> None:
    """Every round of a stream is complete and names a node, and a context, that exists."""
    task = dataset.load(np.random.default_rng(0))
    stream = task.stream(np.random.default_rng(0))
    assert len(stream.node) == len(stream.row) == len(stream)
    assert stream.node.min() >= -1 and stream.node.max() < task.graph.n
    contexts = task.problem(np.random.default_rng(0)).n_contexts
    if stream.context is not None and contexts is not None:
        assert len(stream.context) == len(stream)
        assert stream.context.min() >= 0 and stream.context.max() < contexts


CHECKS = [
    same_seed_same_task,
    truth_is_of_the_declared_target,
    hides_the_truth,
    columns_fit_together,
]
