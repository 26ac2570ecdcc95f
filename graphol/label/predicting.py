"""Labels for all nodes of a graph, by a few that are given, with honest confidence."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Embedding, Given, Integers, Learner, Matrix, Vector
from graphol.arena import Silent, Watcher
from graphol.errors import GrapholError, InputError, UsageError, shown
from graphol.formats.labels import labelled_by
from graphol.graph import Graph
from graphol.label.calibration import (
    FEATURES,
    Calibration,
    humbled,
    reliability,
    shifted,
    weigh,
)
from graphol.label.choosing import Trial, folds, trials, usual
from graphol.label.expecting import Accuracy, expected
from graphol.registry import registry
from graphol.tasks import NodeTask
from graphol.tempering import loss

MOST_CLASSES = 1000
"""More are a column of numbers, or of names, taken for labels."""
SURE = 0.9
"""With such a probability of another class a given label is doubted."""


@attrs.frozen(eq=False)
class Predicted:
    """A label for every node, how sure it is, and what that is worth."""

    graph: Graph
    """Its ids are the user's own; of several layers, their sum."""
    name: str
    classes: tuple[str, ...]
    predicted: Integers
    """(n,), the likeliest class of every node; where a label is given, that."""
    probabilities: Matrix
    """(n, K), rows sum to 1; where a label is given it has probability 1."""
    given: Integers
    """(n,), the class that is given, or -1."""
    known: NDArray[np.bool_]
    """(n,), does any label bear on the node? If not, its row is the classes' shares."""
    accuracy: Accuracy
    """How many are right where no label is given and one bears on the node."""
    calibration: Calibration
    """How often answers were right that were this sure, on labels held out."""
    candidates: tuple[dict[str, Any], ...]
    """Who was tried, the likeliest first: ``learner``, ``loss`` and ``error`` on the labels held
    out, ``weight`` of the evidence, ``seconds``."""
    shares: Vector
    """(K,), of the classes among all nodes, as estimated."""
    doubted: Integers
    """Nodes whose label is given, and yet another class is almost sure when it is held out."""
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def learner(self) -> str:
        """Who said it."""
        return " + ".join(each["learner"] for each in self.candidates if each["weight"] > 0)

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

    def told(self) -> tuple[str, ...]:
        """What there is to say about all rows together, a line each."""
        labels, n = int((self.given >= 0).sum()), self.graph.n
        unknown = int((~self.known).sum())
        beyond = f", {unknown} out of reach of any label" if unknown else ""
        said = f"{n - labels - unknown} predicted by {self.learner}{beyond}"
        lines = [f"{n} nodes: {labels} label(s) given, {said}", f"{self.accuracy}"]
        if self.calibration.answers:
            lines.append(f"{self.calibration}")
        return tuple(lines)

    def summary(self) -> dict[str, Any]:
        """All but the rows, as plain data."""
        counts = np.bincount(self.predicted, minlength=len(self.classes))
        return {
            "graph": self.name,
            "learner": self.learner,
            "classes": [
                {"class": name, "given": int((self.given == k).sum()), "predicted": int(counts[k]),
                 "share": float(self.shares[k])}
                for k, name in enumerate(self.classes)
            ],
            "labels": int((self.given >= 0).sum()),
            "known": int(self.known.sum()),
            "accuracy": attrs.asdict(self.accuracy),
            "calibration": {
                "error": self.calibration.error,
                "chance": self.calibration.chance,
                "answers": self.calibration.answers,
                "bins": [each._asdict() for each in self.calibration.bins],
            },
            "candidates": [*self.candidates],
            "doubted": [self.graph.ids[i] for i in self.doubted],
            "seed": self.seed,
        }  # fmt: skip


def predict(
    graph: Graph | Sequence[Graph] | NodeTask,
    given: Mapping[Hashable, Hashable] | Integers | Given | None = None,
    *,
    classes: Sequence[str] | None = None,
    learner: str | Learner | Sequence[str | Learner] | None = None,
    embedding: str | Embedding | None = None,
    seed: int = 0,
    name: str | None = None,
    watcher: Watcher | None = None,
) -> Predicted:
    """Predict the labels of all nodes from those of some.

    Learners are tried on labels held out, five parts of those given in turn. What they say is
    weighed by how likely they found those labels, tempered so that probabilities hold, and moved to
    the shares that the classes seem to have among all nodes. No other label is looked at.

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
        Who predicts, or several who are weighed; by default those that fit what the nodes have.
    embedding
        How nodes become vectors; by default as in a simulation.
    seed
        Of folds, embedding and learners.
    name
        What messages call the graph.
    watcher
        Is told how far it is.

    Examples
    --------
    >>> graph = Graph.from_edges(["ann", "bob", "dan", "eve"], ["bob", "cyd", "eve", "fay"])
    >>> found = predict(graph, {"ann": "tea", "cyd": "tea", "dan": "coffee", "fay": "coffee"})
    >>> [found.classes[k] for k in found.predicted]
    ['tea', 'tea', 'tea', 'coffee', 'coffee', 'coffee']
    """
    watcher = watcher or Silent()
    task = labelled_task(graph, given, classes, name)
    labels = task.graph.labels
    assert labels is not None
    made, named = _learners(learner, task, int((labels >= 0).sum()))
    tried, notes = prepared(task, made, embedding, seed, watcher, named=named)
    return predicted_by(tried, task, seed, watcher, notes)


def prepared(
    task: NodeTask,
    learners: Sequence[Learner],
    embedding: str | Embedding | None,
    seed: int,
    watcher: Watcher,
    *,
    named: bool = False,
) -> tuple[list[Trial], list[str]]:
    """Learners ready to be tried, as often as labels change, for as many classes as have one."""
    labels = task.graph.labels
    assert labels is not None
    seen, y = np.unique(labels[labels >= 0], return_inverse=True)
    few = np.full(len(labels), -1)
    few[labels >= 0] = y
    names = [task.graph.label_names[k] for k in seen]
    first = task.graphs[0].labelled(few, names)
    small = NodeTask((first, *task.graphs[1:]), task.name)
    return trials(learners, small, embedding, seed, watcher, named=named)


class HeldOut(NamedTuple):
    """What was said of labels that were held out."""

    Z: Matrix  # (E, m, K), the evidence of every learner
    y: Integers  # (m,), classes 0..K-1
    fold: Integers  # (m,)
    label: Integers  # (m,), which of the given labels it is


def predicted_by(
    tried: Sequence[Trial],
    task: NodeTask,
    seed: int,
    watcher: Watcher,
    notes: Sequence[str] = (),
) -> Predicted:
    """What these learners say together of all nodes, by the labels of the task."""
    graph, labels = task.graph, task.graph.labels
    assert labels is not None
    nodes, n, names = np.flatnonzero(labels >= 0), task.graph.n, task.graph.label_names
    seen, y = np.unique(labels[nodes], return_inverse=True)
    tried, held, failed = _held_out(tried, nodes, y, seed, watcher)
    who = [trial.learner.name for trial in tried]
    say = weigh(who, held.Z, held.y)
    given = np.bincount(y, minlength=len(seen)) / len(y)
    rest = np.flatnonzero(labels < 0)
    Z, known = _everywhere(tried, say.weights, Given(nodes, y), rest, task, watcher)
    p, shares = np.zeros((n, len(names))), np.zeros(len(names))
    reached, shares[seen] = shifted(say.probabilities(Z)[known[rest]], given, len(y))
    p[np.ix_(rest[known[rest]], seen)] = humbled(reached, shares[seen], len(held.y))
    p[~known] = shares
    p[nodes] = 0.0
    p[nodes, labels[nodes]] = 1.0
    checked = _moved(_crossed(who, held), given, shares[seen])
    checked = humbled(checked, shares[seen], len(held.y))
    again = shares[seen][held.y] / given[held.y]  # as often as the class occurs
    said = checked.argmax(axis=1)
    others = known & (labels < 0)
    sure = float(p[others].max(axis=1).mean()) if others.any() else None
    doubted = (said != held.y) & (checked.max(axis=1, initial=0.0) >= SURE)
    return Predicted(
        graph=graph,
        name=task.name,
        classes=names,
        predicted=p.argmax(axis=1),
        probabilities=p,
        given=labels,
        known=known,
        accuracy=expected(said == held.y, held.y, shares[seen], seed, sure),
        calibration=reliability(checked, held.y, again),
        candidates=_table(tried, held, say.weights),
        shares=shares,
        doubted=np.sort(nodes[held.label[doubted]]),
        seed=seed,
        notes=(*graph.notes, *notes, *failed, *_odd(task, known, nodes, seen, doubted)),
    )


def _held_out(
    tried: Sequence[Trial], nodes: Integers, y: Integers, seed: int, watcher: Watcher
) -> tuple[list[Trial], HeldOut, list[str]]:
    """Every learner, on labels that it was not shown; and why some could not learn the others."""
    fold = folds(y, seed)
    parts = range(fold.max(initial=-1) + 1)
    stood: list[Trial] = []
    Z: list[Matrix] = []
    failed: list[str] = []
    for trial in tried:
        said = []
        try:
            for f in parts:
                watcher.stage(f"{trial.learner.name}: labels held out, {f + 1} of {len(parts)}")
                shown_ones = Given(nodes[fold != f], y[fold != f])
                said.append(trial.says(shown_ones, nodes[fold == f]))
        except GrapholError as reason:
            if len(failed) + 1 == len(tried):
                raise
            failed.append(f"{trial.learner.name} is left out: {reason}")
            continue
        evidence = np.zeros((len(y), len(np.unique(y))))
        for f in parts:
            evidence[fold == f] = trial.evidence(said[f])
        stood.append(trial)
        Z.append(evidence)
    held = np.flatnonzero(fold >= 0)
    return stood, HeldOut(np.array(Z)[:, held], y[held], fold[held], held), failed


def _everywhere(
    tried: Sequence[Trial],
    weights: Vector,
    given: Given,
    rest: Integers,
    task: NodeTask,
    watcher: Watcher,
) -> tuple[Matrix, NDArray[np.bool_]]:
    """The evidence of those who count at all other nodes, and on which of all anything bears."""
    components = task.graph.components
    linked = np.isin(components, components[given.nodes])
    known = linked.copy()
    Z = np.zeros((len(tried), len(rest), tried[0].problem.n_classes or 0))
    for e, trial in enumerate(tried):
        if weights[e] > 0:
            watcher.stage(f"{trial.learner.name}: all nodes")
            found = trial.says(given, rest)
            bears = found.known & (linked[rest] | _sees_more(trial, task)[rest])
            Z[e] = trial.evidence(found._replace(known=bears))
            known[rest] |= bears & (np.ptp(Z[e], axis=1) > 0)
    return Z, known


def _sees_more(trial: Trial, task: NodeTask) -> NDArray[np.bool_]:
    """On which nodes may a label bear to which no edges lead from it, (n,)?"""
    features = task.graph.features
    rows = trial.learner.needs in ("rows", "gram")
    looks = trial.learner.name in FEATURES or not (rows or trial.learner.name in _EDGES)
    if features is None or not looks:
        return np.zeros(task.graph.n, dtype=bool)
    return np.asarray(np.diff(features.indptr) > 0)


_EDGES = ("label-propagation", "poisson", "walk", "robust-lp", "fastonl")


def _crossed(who: Sequence[str], held: HeldOut) -> Matrix:
    """Probabilities of held-out labels, weighed by those of other parts."""
    found = np.zeros(held.Z.shape[1:])
    for f in np.unique(held.fold):
        own = held.fold == f
        found[own] = weigh(who, held.Z[:, ~own], held.y[~own]).probabilities(held.Z[:, own])
    return found


def _moved(p: Matrix, given: Vector, shares: Vector) -> Matrix:
    """From the shares among the given labels to those among all nodes."""
    found: Matrix = p * (shares / given)
    found /= found.sum(axis=1, keepdims=True)
    return found


def _table(tried: Sequence[Trial], held: HeldOut, weights: Vector) -> tuple[dict[str, Any], ...]:
    """Who was tried, the likeliest first."""
    m, rows = len(held.y), []
    for e, trial in enumerate(tried):
        alone = held.Z[e : e + 1]
        p = weigh([trial.learner.name], alone, held.y).probabilities(alone)
        rows.append(
            {
                "learner": trial.name,
                "loss": loss(p, held.y) / m if m else None,
                "error": float((p.argmax(axis=1) != held.y).mean()) if m else None,
                "weight": float(weights[e]),
                "seconds": trial.seconds,
            }
        )
    return tuple(sorted(rows, key=lambda row: row["loss"] or 0.0))


def _odd(
    task: NodeTask,
    known: NDArray[np.bool_],
    nodes: Integers,
    seen: Integers,
    doubted: NDArray[np.bool_],
) -> Iterator[str]:
    """What whoever reads the rows should know."""
    names, labels = task.graph.label_names, task.graph.labels
    assert labels is not None
    missing = [name for k, name in enumerate(names) if k not in seen]
    if missing:
        few = ", ".join(map(shown, missing[:3])) + (", ..." if len(missing) > 3 else "")
        yield f"no label is of class {few}: no node is said to be"
    alone = [names[k] for k in seen if np.count_nonzero(labels[nodes] == k) == 1]
    if alone:
        few = ", ".join(map(shown, alone[:3])) + (", ..." if len(alone) > 3 else "")
        yield f"one label only of class {few}: nothing tells how well it is predicted"
    if not known.all():
        yield (
            f"{np.count_nonzero(~known)} node(s) that no label reaches: their probabilities are "
            "the classes' shares"
        )
    if doubted.any():
        yield f"{np.count_nonzero(doubted)} given label(s) look odd; --explain names them"


def _learners(learner: Any, task: NodeTask, labels: int) -> tuple[list[Learner], bool]:
    """Who is tried, and whether somebody named them."""
    if learner is None:
        return usual(task, labels), False
    some = learner if isinstance(learner, list | tuple) else [learner]
    if not some:
        raise UsageError("no learner is named; leave `learner` out for the usual ones")
    return [registry().make("learner", each) for each in some], True


def labelled_task(
    graph: Graph | Sequence[Graph] | NodeTask,
    given: Mapping[Hashable, Hashable] | Integers | Given | None,
    classes: Sequence[str] | None = None,
    name: str | None = None,
) -> NodeTask:
    """The graphs with the labels that are given, and no others; checked."""
    graphs: Any
    if isinstance(graph, NodeTask):
        graphs, name = graph.graphs, name or graph.name
    else:
        graphs = (graph,) if isinstance(graph, Graph) else tuple(graph)
    if not graphs or not all(isinstance(each, Graph) for each in graphs):
        kinds = ", ".join(type(each).__name__ for each in graphs) or "none"
        raise UsageError(f"predict needs a graphol.Graph, or several, got {kinds}")
    name = name or graphs[0].name
    first = _labelled(graphs[0], given, classes)
    labels, names = first.labels, first.label_names
    if labels is None or not (labels >= 0).any():
        raise UsageError(f"{name}: no label is given; give some of at least 2 classes")
    count, seen = int((labels >= 0).sum()), np.unique(labels[labels >= 0])
    if len(seen) < 2:
        said = "the only label is" if count == 1 else f"all {count} labels are"
        raise UsageError(f"{name}: {said} {shown(names[seen[0]])}; give some of another class too")
    if len(names) > MOST_CLASSES:
        raise InputError(
            f"{name}: {len(names)} classes among {count} labels, at most {MOST_CLASSES} are "
            "predicted; are these labels, and not names or measurements?"
        )
    return NodeTask((first, *graphs[1:]), name)


def _labelled(graph: Graph, given: Any, classes: Sequence[str] | None) -> Graph:
    if given is None:
        return graph
    if isinstance(given, Given):
        labels = np.full(graph.n, -1)
        labels[given.nodes] = given.labels
        return graph.labelled(labels, classes or graph.label_names)
    if isinstance(given, Mapping):
        if classes is not None:
            raise UsageError("classes name those of an array; a mapping has their names")
        if not given:
            return graph.unlabelled
        found = labelled_by(graph.unlabelled, given, "given")
        return graph.labelled(found.labels, found.label_names)
    try:
        return graph.labelled(given, classes or graph.label_names)
    except GrapholError as reason:
        raise UsageError(f"given: {reason}") from None
