"""scikit-learn's own checks, its tools on a block model, and graphol's own answers."""

import subprocess
import sys

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphol
from graphol import Graph
from graphol.sklearn import NodeClassifier
from graphol.testing.games import blocks

GRAPH = blocks(60)
A, Y = GRAPH.adjacency, np.asarray(GRAPH.labels)
HIDDEN = np.where(np.arange(60) % 4 == 0, Y, -1)

EXPECTED = {
    "check_classifiers_classes": "of the classes -1 and 1 the first one means: not known",
    "check_methods_sample_order_invariance": "rows that are not the fitted graph are new nodes",
    "check_methods_subset_invariance": "rows that are not the fitted graph are new nodes",
    "check_fit2d_1feature": "one feature is a graph of ten nodes; it says that there is one class",
}
"""Of scikit-learn's checks those that a graph does not pass, and why."""


@parametrize_with_checks([NodeClassifier("walk")], expected_failed_checks=lambda _: EXPECTED)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.once
@parametrize_with_checks(
    [NodeClassifier("label-propagation"), NodeClassifier("ridge"), NodeClassifier()],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_estimator_checks_of_others(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", ["walk", "molg-f", None])
def test_it_says_what_graphol_says(learner):
    """The same labels, the same probabilities, in either of the two ways."""
    said = graphol.predict(GRAPH.unlabelled, HIDDEN, learner=learner, seed=3)
    whole = NodeClassifier(learner, random_state=3).fit(GRAPH, HIDDEN)
    nodes = np.flatnonzero(HIDDEN >= 0)
    ids = [GRAPH.ids[i] for i in nodes]
    by_nodes = NodeClassifier(learner, graph=GRAPH, random_state=3).fit(ids, Y[nodes])
    for model in (whole, by_nodes):
        assert np.array_equal(model.predict(), said.predicted)
        assert np.array_equal(model.predict_proba(), said.probabilities)
        assert np.array_equal(model.transduction_, said.predicted)
        assert model.classes_.tolist() == [0, 1, 2]
    some = [GRAPH.ids[i] for i in (5, 17, 3)]
    assert np.array_equal(by_nodes.predict_proba(some), said.probabilities[[5, 17, 3]])
    assert whole.n_features_in_ == 60 and by_nodes.n_features_in_ == 1


@pytest.mark.parametrize(
    "X",
    [A, csr_matrix(A), A.toarray(), A.tocoo(), networkx.from_scipy_sparse_array(A), GRAPH],
    ids=["csr", "old csr", "dense", "coo", "networkx", "graph"],
)
@pytest.mark.parametrize(
    "y",
    [
        HIDDEN,
        np.where(HIDDEN < 0, np.nan, HIDDEN),
        [None if k < 0 else f"class {k}" for k in HIDDEN],
        [-1 if k < 0 else f"class {k}" for k in HIDDEN],
        [float("nan") if k < 0 else int(k) for k in HIDDEN],
    ],
    ids=["-1", "NaN", "None", "texts and -1", "numbers and NaN"],
)
def test_graphs_and_labels_of_any_kind(X, y):
    model = NodeClassifier("walk").fit(X, np.array(y, dtype=object) if None in list(y) else y)
    said = graphol.predict(GRAPH.unlabelled, HIDDEN, learner="walk")
    assert [str(each)[-1] for each in model.predict(X)] == [str(k) for k in said.predicted]
    assert model.score(X, Y if model.classes_.dtype.kind in "if" else model.predict()) > 0.9


def test_cross_validation_hides_the_labels_of_the_fold():
    """Against the folds played by hand; Pipeline and GridSearchCV on top."""
    ids = np.array(GRAPH.ids).reshape(-1, 1)
    model, cv = NodeClassifier("walk", graph=GRAPH), StratifiedKFold(3)
    scores = []
    for train, test in cv.split(ids, Y):
        shown = np.full(60, -1)
        shown[train] = Y[train]
        said = graphol.predict(GRAPH.unlabelled, shown, learner="walk")
        scores.append((said.predicted[test] == Y[test]).mean())
    assert cross_val_score(model, ids, Y, cv=cv).tolist() == pytest.approx(scores)
    chain = make_pipeline(FunctionTransformer(np.ravel), model)
    assert cross_val_score(chain, ids, Y, cv=cv).tolist() == pytest.approx(scores)
    grid = {"learner": ["walk:lam=100", "walk", "molg-f"], "random_state": [0]}
    search = GridSearchCV(model, grid, cv=cv).fit(ids, Y)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(scores))
    assert search.best_estimator_.graph is GRAPH
    assert search.predict(ids).tolist() == Y.tolist()  # all labels are given now


def test_a_matrix_is_split_into_the_graph_that_is_left_and_new_nodes():
    cv = StratifiedKFold(3)
    found = cross_val_score(NodeClassifier("walk"), A.toarray(), Y, cv=cv)
    scores = []
    for train, test in cv.split(Y, Y):
        order = np.concatenate([train, test])
        S = A.toarray()[np.ix_(order, order)]
        S[len(train) :, len(train) :] = 0  # new nodes know the old ones alone
        shown = np.append(Y[train], np.full(len(test), -1))
        said = graphol.predict(Graph(S), shown, learner="walk")
        scores.append((said.predicted[len(train) :] == Y[test]).mean())
    assert found.tolist() == pytest.approx(scores) and min(scores) > 0.8


def test_more_labels_later_are_all_labels_at_once():
    nodes = np.random.default_rng(0).permutation(60)[:30]
    ids = [GRAPH.ids[i] for i in nodes]
    names = np.array(["red", "green", "blue"])[Y[nodes]]
    once = NodeClassifier("walk", graph=GRAPH).fit(ids, names)
    bit = NodeClassifier("walk", graph=GRAPH)
    bit.partial_fit(ids[:10], names[:10], classes=["blue", "green", "red"])
    bit.partial_fit(ids[10:20], names[10:20]).partial_fit(ids[20:], names[20:])
    assert np.array_equal(once.predict_proba(), bit.predict_proba())
    bit.partial_fit(ids[:1], ["violet"])
    assert bit.classes_.tolist() == ["blue", "green", "red", "violet"]
    assert bit.predict(ids[:1]).tolist() == ["violet"]
    two = NodeClassifier("walk", graph=GRAPH).partial_fit(ids, names, classes=[*"abc", *names[:9]])
    assert two.predict_proba().shape == (60, 6)
    assert not two.predict_proba()[:, np.isin(two.classes_, [*"abc"])].any()


def test_parameters_are_scikit_learns():
    model = NodeClassifier("walk", graph=GRAPH, random_state=5)
    again = clone(model).set_params(learner="molg-f", embedding="spectral:dim=4")
    assert again.graph is not None and again.get_params()["random_state"] == 5
    again.fit(GRAPH.ids, Y)
    assert again.predicted_.learner == "molg-f"


@pytest.mark.parametrize(
    ("model", "X", "y", "message"),
    [
        (NodeClassifier("wolk"), A, HIDDEN, "did you mean 'walk'"),
        (NodeClassifier(), A[:, :5], HIDDEN, "where X are nodes, the graph is a parameter"),
        (NodeClassifier(), A, HIDDEN[:-1], "y has 59 labels for 60 nodes"),
        (NodeClassifier(), A, np.full(60, -1), "y has no label that is known"),
        (NodeClassifier(), A, np.minimum(HIDDEN, 0), "y has 1 class, 0; give labels of at least 2"),
        (NodeClassifier(), np.triu(np.ones((60, 60)), 1), HIDDEN, "not symmetric"),
        (NodeClassifier(), -A, HIDDEN, "Negative values"),
        (NodeClassifier(graph=GRAPH), ["node 1", "node 99"], [0, 1], "has no node 'node 99'"),
        (NodeClassifier(graph=GRAPH), np.ones((2, 2)), [0, 1], r"ids of nodes, \(m,\) or \(m, 1\)"),
        (NodeClassifier(), A, None, "requires y to be passed"),
        (NodeClassifier(), A, np.linspace(0, 1, 60), "continuous"),
    ],
)
def test_what_cannot_be_learnt_is_a_value_error_of_one_line(model, X, y, message):
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(X, y)
    assert "\n" not in str(caught.value)


def test_another_graph_is_refused():
    model = NodeClassifier("walk").fit(A, HIDDEN)
    other = Graph.from_edges([0, 1], [1, 2])
    for odd in (lambda: model.partial_fit(other, [0, 1, 1]), lambda: model.predict(other)):
        with pytest.raises(ValueError, match="another"):
            odd()
    with pytest.raises(ValueError, match=r"classes \[7\], which are not among"):
        model.partial_fit(A, np.where(HIDDEN == 0, 7, -1), classes=[0, 1, 2])


def test_importing_graphol_does_not_import_scikit_learn():
    code = (
        "import sys, graphol; graphol.Predictor, graphol.predict; print('sklearn' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
