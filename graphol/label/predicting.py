"""Labels for all nodes of a graph, by a few that are given, with honest confidence."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Embedding, Given, Integers, Learner, Matrix
from graphol.arena import Arena, Silent, Watcher
from graphol.errors import InputError, UsageError, shown
from graphol.formats.labels import labelled_by
from graphol.graph import Graph
from graphol.label.calibration import Calibration, evidence, fit_weights, reliability
from graphol.label.choosing import FEATURES, GRAPH, Trial, folds
from graphol.registry import registry
from graphol.tasks import NodeTask

MOST_CLASSES = 1000
"""More are a column of numbers, or of names, taken for labels."""


@attrs.frozen(eq=False)
class Predicted:
    """A label for every node, how sure it is, and what that is worth."""

    graph: Graph
    """Its ids are the user's own; of several layers, their sum."""
    classes: tuple[str, ...]
    predicted: Integers
    """(n,), the likeliest class of every node; where a label is given, that."""
    probabilities: Matrix
    """(n, K), rows sum to 1; where a label is given it has probability 1."""
    given: Integers
    """(n,), the class that is given, or -1."""
    known: NDArray[np.bool_]
    """(n,), does any label bear on the node? If not, its row is the classes' shares."""
    accuracy: Any
    """What is to be expected where no label is given."""
    calibration: Calibration
    """On labels that were held out."""
    candidates: tuple[dict[str, Any], ...]
    """Who was tried, a row each."""
    learner: str
    """Who said it."""
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row per node: ``node``, ``predicted``, ``given``, ``known``, ``p_CLASS`` each."""
        for i, node in enumerate(self.graph.ids):
            p = self.probabilities[i].tolist()
            yield {
                "node": node,
                "predicted": self.classes[self.predicted[i]],
                "given": bool(self.given[i] >= 0),
                "known": bool(self.known[i]),
                **{f"p_{name}": p[k] for k, name in enumerate(self.classes)},
            }


def predict(
    graph: Graph | Sequence[Graph] | NodeTask,
    given: Mapping[Hashable, str] | Integers | None = None,
    *,
    classes: Sequence[str] | None = None,
    learner: str | Learner | None = None,
    embedding: str | Embedding | None = None,
    seed: int = 0,
    watcher: Watcher | None = None,
) -> Predicted:
    """Predict the labels of all nodes from those of some.

    Parameters
    ----------
    graph
        The graph, or several over the same nodes, or a task.
    given
        The labels that are known: the name of a class by node id, or an array (n,) of classes with
        -1 where none is known; by default those of the graph.
    classes
        Names of the classes of an array; by default the graph's, or their numbers.
    learner
        Who predicts; by default several are tried on labels held out.
    embedding
        How nodes become vectors; by default as in a simulation.
    seed
        Of folds, embedding and learners.
    watcher
        Is told how far it is.
    """
    watcher = watcher or Silent()
    task = _task(graph, given, classes)
    whole, labels = task.graph, task.graph.labels
    assert labels is not None
    names, n = whole.label_names, whole.n
    nodes = np.flatnonzero(labels >= 0)
    seen, y = np.unique(labels[nodes], return_inverse=True)
    if len(seen) < len(names):  # who has no label cannot be learnt
        small = np.full(n, -1)
        small[nodes] = y
        first = task.graphs[0].labelled(small, [names[k] for k in seen])
        task = NodeTask((first, *task.graphs[1:]), task.name)
    K = len(seen)
    arena = Arena(task, seed, watcher)
    known = np.isin(whole.components, whole.components[nodes])
    made = _learners(learner, task)
    trials = []
    for each in made:
        watcher.stage(f"{each.name}: prepare")
        trials.append(Trial.of(each, arena, embedding, seed))
    fold = folds(y, seed)
    held = np.flatnonzero(fold >= 0)
    Z = np.zeros((len(trials), len(y), K))
    for e, trial in enumerate(trials):
        for f in range(fold.max(initial=-1) + 1):
            watcher.stage(f"{trial.learner.name}: fold {f + 1}")
            state = trial.fitted(Given(nodes[fold != f], y[fold != f]))
            out = trial.says(state, nodes[fold == f])
            Z[e, fold == f] = evidence(out.scores, out.label, out.known, K)
    weights = fit_weights(Z[:, held], y[held])
    checked = np.zeros((len(held), K))
    for f in range(fold.max(initial=-1) + 1):
        inside = fold[held] == f
        there = held[inside]
        checked[inside] = fit_weights(Z[:, held[~inside]], y[held[~inside]]).probabilities(
            Z[:, there]
        )
    rest = np.flatnonzero(labels < 0)
    all_given = Given(nodes, y)
    total = np.zeros((len(trials), len(rest), K))
    for e, trial in enumerate(trials):
        if weights.w[e] <= 0:
            continue
        watcher.stage(f"{trial.learner.name}: all nodes")
        out = trial.says(trial.fitted(all_given), rest)
        total[e] = evidence(out.scores, out.label, out.known, K)
    p = np.zeros((n, len(names)))
    p[np.ix_(rest, seen)] = weights.probabilities(total)
    shares = np.bincount(labels[nodes], minlength=len(names)) / len(nodes)
    p[~known] = shares
    p[nodes] = 0.0
    p[nodes, labels[nodes]] = 1.0
    rows = tuple(
        {
            "learner": trial.learner.name,
            "weight": float(weights.w[e]),
            "error": float((Z[e, held].argmax(axis=1) != y[held]).mean()) if len(held) else None,
        }
        for e, trial in enumerate(trials)
    )
    return Predicted(
        graph=whole,
        classes=names,
        predicted=p.argmax(axis=1),
        probabilities=p,
        given=labels,
        known=known,
        accuracy=None,
        calibration=reliability(checked, y[held]),
        candidates=rows,
        learner=" + ".join(t.learner.name for e, t in enumerate(trials) if weights.w[e] > 0),
        notes=whole.notes,
    )


def _learners(learner: str | Learner | None, task: NodeTask) -> list[Learner]:
    if learner is not None:
        return [registry().make("learner", learner)]
    names = GRAPH + (FEATURES if task.graph.features is not None else ())
    return [registry().make("learner", name) for name in names]


def _task(
    graph: Any, given: Mapping[Hashable, str] | Integers | None, classes: Sequence[str] | None
) -> NodeTask:
    """The graphs with the labels that are given, checked."""
    if isinstance(graph, NodeTask):
        graphs: tuple[Any, ...] = graph.graphs
    else:
        graphs = (graph,) if isinstance(graph, Graph) else tuple(graph)
    if not graphs or not all(isinstance(each, Graph) for each in graphs):
        kinds = ", ".join(type(each).__name__ for each in graphs) or "none"
        raise UsageError(f"predict needs a graphol.Graph, or several, got {kinds}")
    first = graphs[0]
    if isinstance(given, Mapping):
        before = first.unlabelled
        first = labelled_by(before, given, "given")._with(notes=before.notes)
    elif given is not None:
        first = first.labelled(given, classes or ())
    labels = first.labels
    if labels is None or not (labels >= 0).any():
        raise UsageError(f"{first.name}: no label is given; give some of at least 2 classes")
    seen = np.unique(labels[labels >= 0])
    if len(seen) < 2:
        name = first.label_names[seen[0]]
        raise UsageError(
            f"{first.name}: all {np.count_nonzero(labels >= 0)} labels given are "
            f"{shown(name)}; give some of another class too"
        )
    if len(first.label_names) > MOST_CLASSES:
        raise InputError(
            f"{first.name}: {len(first.label_names)} classes, at most {MOST_CLASSES} are predicted "
            "at a time; is the label column what you mean?"
        )
    return NodeTask((first, *graphs[1:]), graph.name if isinstance(graph, NodeTask) else first.name)
