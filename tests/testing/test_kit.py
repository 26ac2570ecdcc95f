"""The kit passes on every built-in and catches components that break a promise."""

import inspect
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol import MistakeBound, Prediction, Reveal, testing
from graphol.api import KINDS
from graphol.bases.usual import UsualLearner
from graphol.executors.serial import SerialExecutor
from graphol.registry import registry
from graphol.strategies.uncertainty import MEASURES
from graphol.testing.executors import _sleep
from graphol.testing.flips import FlippedBits
from graphol.tickets import Tickets

NEEDS_A_FILE = (
    "files", "signals", "stream", "pathway", "graphda-grid", "mnist-pixels", "synthetic-pathway",
)  # fmt: skip


GPA = registry().find("learner", "gpa")


def builtins(kind):
    offers = registry().offers(kind)
    return [o[0].cls for name, o in offers.items() if o[0].plugin.name == "builtin"]


def small(kind):
    """Every built-in of a kind that needs nothing from outside."""
    from graphol.datasets.named import NAMED

    outside = {cls.name for cls in NAMED} | set(NEEDS_A_FILE)
    return [cls() for cls in builtins(kind) if cls.name not in outside]


VARIANTS = (
    "gpa:when=always", "sslgc:mu=0.1,kappa=0.9", "msg:delta=1e9", "molg-b:exploration=0,phi=0",
    "oslg-bandit:alpha=0", "confidit:eta=0", "banditron:gamma=0.5", "soba:gamma=0.5",
    "smoothed-logistic:tau=5,C=10,weighting=none", "robust-lp:nu=1,features=2",
    "knn-logistic:similar=0.1,tau=5,C=10,weighting=none",
    "dongle:laplacian=combinatorial,spread=3,eta=0.1,prior=uniform,weighting=none",
    "label-propagation:noise=0,prior=none", "label-propagation:eps=0.1,prior=seen",
    "walk:rate=0.5,voi=0", "fastonl:kernel=normalized",
    "tracking-perceptron:phi=3", "multitask-perceptron:b=10", "perceptron-bank:K=2,beta=0,share=0",
    "weighted-majority:learners=sslgc+msg", "weighted-majority:learners=gpa+kernel-perceptron",
    "weighted-majority:learners=graphda+adagrad+gpa,share=0",
    "weighted-majority:learners=(weighted-majority:learners=perceptron-bank+tracking-perceptron)",
)  # fmt: skip


LONG = ("pool-b", "robust-lp")
"""Who takes long, to compile or to fit, and is the same on every Python."""


@testing.learner_checks(
    *(each for each in small("learner") if each.name not in LONG),
    *(graphol.make("learner", v) for v in VARIANTS),
)
def test_learners(component, check):
    check(component)


@pytest.mark.long
@testing.learner_checks(*(graphol.make("learner", name) for name in LONG))
def test_learners_that_take_long(component, check):
    check(component)


class Votes(NamedTuple):
    told: Any  # (n,): the last sign, 0 if none
    edges: Any


class Edges(graphol.Derived):
    def __init__(self, graph):
        self.S = graph.adjacency


@attrs.frozen
class Neighbours(UsualLearner):
    """Says what most of a node's neighbours had."""

    name: ClassVar[str] = "neighbours"
    targets: ClassVar = ("signs",)
    needs: ClassVar[str] = "graph"

    def start(self, problem):
        return Votes(np.zeros(problem.graph.n), Edges(problem.graph))

    def predict(self, state, instance):
        score = (state.edges.S[[instance.node]] @ state.told).item()
        return Prediction(1 if score >= 0 else -1)

    def update(self, state, instance, prediction, reveal):
        changed = int(state.told[instance.node] != reveal.label)
        state.told[instance.node] = reveal.label
        return changed


class Last(NamedTuple):
    asked: Any  # (m, 2): node and context
    sign: Any  # (m,)


@attrs.frozen
class Remembers(UsualLearner):
    """Says what this node had in this context."""

    name: ClassVar[str] = "remembers"
    targets: ClassVar = ("signs",)
    needs: ClassVar[str] = "nothing"

    def start(self, problem):
        nobody = np.zeros((0, 2), dtype=np.int64)
        return Last(graphol.Appendable(nobody), graphol.Appendable(np.zeros(0)))

    def predict(self, state, instance):
        same = (state.asked.values == (instance.node, instance.context)).all(axis=1)
        return Prediction(int(state.sign.values[same][-1]) if same.any() else 1)

    def update(self, state, instance, prediction, reveal):
        if prediction.label == reveal.label:
            return 0
        state.asked.append((instance.node, instance.context))
        state.sign.append(reveal.label)
        return 1


@attrs.frozen
class WantsContexts(Remembers):
    """The same, where it is known how many contexts there are."""

    name: ClassVar[str] = "wants-contexts"

    def start(self, problem):
        if problem.n_contexts is None and problem.features is None and problem.dim == 0:
            raise graphol.UsageError("wants-contexts needs to know how many contexts there are")
        return super().start(problem)


class OnlySigns(registry().find("learner", "kernel-perceptron")):
    """The kernel perceptron, of signs alone."""

    targets = ("signs",)


@testing.learner_checks(Neighbours(), Remembers(), WantsContexts(), OnlySigns())
def test_learners_of_signs(component, check):
    check(component)


def test_a_learner_of_signs_is_asked_with_contexts_and_without(monkeypatch):
    """In a predictor; a context that a save loses, or a state that it does, is noticed."""
    asked = []
    ask = graphol.Predictor.ask

    def watched(self, node, context=None):
        asked.append((self.vocabulary.target, context is None))
        return ask(self, node, context)

    check = testing.checks("learner")["saves with open tickets"]
    monkeypatch.setattr(graphol.Predictor, "ask", watched)
    for learner, seen in (
        (Remembers(), {("signs", True), ("signs", False)}),
        (WantsContexts(), {("signs", False)}),
        (GPA(), {("classes", True), ("signs", True), ("signs", False)}),
    ):
        asked.clear()
        check(learner)
        assert set(asked) == seen
    columns = Tickets.columns
    monkeypatch.setattr(
        Tickets,
        "columns",
        lambda self: columns(self) | {"ticket_context": np.full(len(self), -1)},
    )
    with pytest.raises(AssertionError, match=r"another state than was saved|updates"):
        check(Remembers())


@testing.learner_checks(
    graphol.make("learner", "weighted-majority:learners=molg-b+oslg-bandit+banditron"),
    known_failures={
        "grows without forgetting": "its members may try the new class, which takes votes away"
    },
)
def test_a_vote_of_bandits(component, check):
    check(component)


@testing.feedback_checks(*small("feedback"), FlippedBits(), FlippedBits(p=0.0), FlippedBits(p=1.0))
def test_feedbacks(component, check):
    check(component)


@testing.embedding_checks(
    *small("embedding"),
    *(graphol.make("embedding", f"spectral:dim=4,{more}") for more in (
        "trivial=drop", "trivial=bias,laplacian=combinatorial,rows=raw",
    )),
    graphol.make("embedding", "spectral:dim=auto"),
    graphol.make("embedding", "kernel:eps=0.1"),
    graphol.make("embedding", "kernel:keep=3"),
    known_failures={},
)  # fmt: skip
def test_embeddings(component, check):
    check(component)


@testing.projection_checks(*small("projection"))
def test_projections(component, check):
    check(component)


@testing.solver_checks(*small("solver"))
def test_solvers(component, check):
    check(component)


@testing.strategy_checks(
    *small("strategy"), *(graphol.make("strategy", f"uncertainty:by={by}") for by in MEASURES)
)
def test_strategies(component, check):
    check(component)


@testing.dataset_checks(*small("dataset"))
def test_datasets(component, check):
    check(component)


PROPAGATION = registry().find("learner", "label-propagation")
SMOOTHED = registry().find("learner", "smoothed-logistic")


def learns_what_may_only_choose(self, state, given):
    both = (given.nodes, given.validation_nodes), (given.labels, given.validation_labels)
    return super(type(self), self).fit(state, graphol.Given(*map(np.concatenate, both)))


BANDITRON = registry().find("learner", "banditron")
FULL = registry().find("feedback", "full")
SEEDS = registry().find("feedback", "seeds")
TOP = registry().find("projection", "top-s")
SPLU = registry().find("solver", "splu")
SERIAL = registry().find("executor", "serial")


def broken(base, **members):
    """A subclass with something wrong."""
    return type(base.__name__, (base,), {"__doc__": base.__doc__, **members})()


def on_threads(self, workers, *, timeout=None, memory=None):
    if timeout is not None:
        raise graphol.UsageError("threads cannot be stopped")
    return ThreadPoolExecutor(workers)


class Odd(SerialExecutor):
    """An executor with something wrong."""

    def __init__(self, change=lambda future: future):
        super().__init__()
        self.change = change

    def submit(self, fn, /, *args, **kwargs):
        if fn is _sleep:
            args = (0.0,)
        return self.change(super().submit(fn, *args, **kwargs))


def deaf_to_limits(self, workers, *, timeout=None, memory=None):
    return Odd()


def drawing_first(self, workers, *, timeout=None, memory=None):
    def other(future):
        changed = Future()
        found = future.result()
        changed.set_result(found + 1e-9 if isinstance(found, float) else found)
        return changed

    return Odd(other)


def saying_so(self, workers, *, timeout=None, memory=None):
    def other(future):
        if future.exception() is None:
            return future
        changed = Future()
        changed.set_exception(RuntimeError(str(future.exception())))
        return changed

    return Odd(other)


def never_over(self, workers, *, timeout=None, memory=None):
    started = Odd()
    started.shutdown = lambda *args, **kwargs: started._limits.close()
    return started


def peeks(self, state, instance):
    state.W[0] += 1
    return Prediction(0, state.W[:, 0])


def forgets_to_count(self, state, instance, prediction, reveal):
    GPA.update(self, state, instance, prediction, reveal)
    return 0


def lies(self, state, stretch, out):
    GPA.stream(self, state, stretch, out)
    out.predicted[-1:] += 1


def keeps_no_scores(self, state, stretch, out):
    GPA.stream(self, state, stretch, out._replace(scores=out.scores[:0]))


def deaf_to_flips(self, state, stretch, out):
    BANDITRON.stream(self, state, stretch._replace(flipped=stretch.flipped[:0]), out)


def never_learns(self, state, instance, prediction, reveal):
    return 0


class Hoard(NamedTuple):
    W: Any
    seen: Any
    seed: int = 7


class Secret(graphol.Derived):
    def __init__(self):
        self.value = []


def hoards(self, state, instance, prediction, reveal):
    state.seen.resize(len(state.seen) + 1, refcheck=False)
    GPA.update(self, state, instance, prediction, reveal)
    return 1


def hides(self, state, instance, prediction, reveal):
    state.seen.value.append(reveal.label)
    return GPA.update(self, state, instance, prediction, reveal)


def says_the_hidden(self, state, instance):
    return Prediction(1 if state.seen.value else 0, state.W @ instance.x)


def deaf_to_bits(self, state, instance, prediction, reveal):
    if reveal.label is None:
        return 0
    return GPA.update(self, state, instance, prediction, reveal)


def halves(self, graph, dim):
    return lambda v: (v / 2, np.arange(dim))


def flips_the_sign(self, graph, dim):
    return lambda v: (-v, np.arange(dim))


RNG = np.random.default_rng()


@attrs.frozen
class Hint:
    """A row of bits with the true class in it."""

    name: ClassVar[str] = "hint"
    reveals: ClassVar[str] = "hint"
    on_request: ClassVar[bool] = False

    def blank(self, problem):
        return np.zeros(problem.n_classes, dtype=bool)

    def answer(self, problem, instance, truth, prediction, rng):
        return (rng.random(problem.n_classes) < 0.5) | (np.arange(problem.n_classes) == truth)

    def scored(self, rounds):
        return np.ones(rounds, dtype=bool)


@testing.feedback_checks(Hint())
def test_answers_of_their_own(component, check):
    check(component)


LP = registry().find("learner", "label-propagation")
WEIGHS = "weighs layers by their names"

MUTANTS = [
    ("learner", GPA, {"predict": peeks}, "predict leaves the state alone"),
    ("learner", GPA, {"update": forgets_to_count}, "counts its updates"),
    ("learner", GPA, {"stream": lies}, "fast path equals plain loop"),
    ("learner", GPA, {"stream": keeps_no_scores}, "compiled scores equal plain ones"),
    ("learner", GPA, {"update": never_learns, "stream": None}, "learns"),
    ("learner", GPA, {"needs": "luck"}, "declares what it needs"),
    ("learner", GPA, {"feedback": "bandit"}, "declares what it needs"),
    ("learner", GPA, {"predict": lambda s, st, i: Prediction(int(RNG.integers(3)))},
     "predict answers the same twice"),
    ("learner", GPA, {"grow": lambda s, st, n: st._replace(W=np.ones((n, st.W.shape[1])))},
     "grows without forgetting"),
    ("learner", GPA, {"start": lambda s, p: (np.zeros((3, p.dim)),)},
     "state is arrays and scalars"),
    ("learner", GPA, {"__doc__": None}, "documents every parameter"),
    ("learner", GPA, {"start": lambda s, p: Hoard(np.zeros((3, p.dim)), np.zeros(0)),
                      "update": hoards, "stream": None}, "state does not grow"),
    ("learner", GPA, {"start": lambda s, p: Hoard(np.zeros((3, p.dim)), Secret()),
                      "predict": says_the_hidden, "update": hides, "stream": None},
     "resumes from what is saved"),
    ("learner", GPA, {"start": lambda s, p: Hoard(np.zeros((3, p.dim)), Secret()),
                      "predict": says_the_hidden, "update": hides, "stream": None},
     "saves with open tickets"),
    ("learner", PROPAGATION, {"fit": lambda s, st, given: 0}, "is not asked for what is given"),
    ("learner", PROPAGATION, {"fit": learns_what_may_only_choose},
     "validation labels only choose"),
    ("learner", SMOOTHED, {"fit": learns_what_may_only_choose}, "validation labels only choose"),
    ("learner", GPA, {"mistake_bound": lambda s, game: MistakeBound("none", 0.0)},
     "stays within its bound"),
    ("learner", GPA, {"mistake_bound": lambda s, game: MistakeBound("none", 0.0, mean_only=True)},
     "stays within its bound"),
    ("feedback", FULL, {"reveal": lambda s, i, y, p, r: Reveal(label=y, correct=True)},
     "reveals what it declares"),
    ("feedback", FULL, {"answered": lambda s, T, r: np.zeros(T, dtype=bool)},
     "mask equals the answers"),
    ("feedback", FlippedBits, {"script": lambda s, p, y, r: graphol.Script(r.random(len(y)) < 2)},
     "script equals the answers"),
    ("feedback", FlippedBits, {"script": lambda s, p, y, r: graphol.Script(
        np.ones(len(y), bool), flipped=np.random.default_rng(5).random(len(y)) < s.p)},
     "both loops play it alike"),
    ("feedback", FlippedBits, {"script": lambda s, p, y, r: graphol.Script(r.random(len(y)))},
     "script equals the answers"),
    ("learner", BANDITRON, {"stream": deaf_to_flips}, "fast path equals plain loop"),
    ("feedback", FULL, {"scored": lambda s, T: np.zeros(T, dtype=bool)}, "scores some round"),
    ("feedback", SEEDS, {"given": lambda s, T: np.arange(T) <= s.count},
     "gives away what it answers"),
    ("feedback", SEEDS, {"scored": lambda s, T: np.ones(T, dtype=bool)},
     "gives away what it answers"),
    ("feedback", FULL, {"reveal": lambda s, i, y, p, r: Reveal(label=int(RNG.integers(2)))},
     "same seed same answers"),
    ("feedback", Hint, {"answer": lambda s, pr, i, y, p, r: np.zeros(2, dtype=bool)},
     "answers are of the declared type"),
    ("feedback", Hint, {"answer": lambda s, pr, i, y, p, r: RNG.random(pr.n_classes) < 0.5},
     "same seed same answers"),
    ("feedback", Hint, {"reveals": "predicted"}, "reveals what it declares"),
    ("feedback", FULL, {"reveals": "hint"}, "reveals what it declares"),
    ("learner", GPA, {"learns_from": ("label", "bit"), "update": deaf_to_bits, "stream": None},
     "plays every kind of answer it names"),
    ("projection", TOP, {"bind": lambda s, g, p: lambda v: (v / 2, np.arange(p))}, "is idempotent"),
    ("projection", TOP, {"bind": lambda s, g, p: lambda v: (v * 0, np.arange(0))}, "refuses nan"),
    ("learner", LP, {"layer_weights": lambda s, state: np.ones(2)}, WEIGHS),
    ("learner", LP, {"layer_weights": lambda s, state: {"blocks": -1.0}}, WEIGHS),
    ("learner", LP, {"layer_weights": lambda s, state: {"blocks": 1.0, "mine": 1.0}}, WEIGHS),
    ("learner", LP, {"layer_weights": lambda s, state: {}}, WEIGHS),
    ("projection", TOP, {"bind": flips_the_sign}, "nothing listed is nearer"),
    ("projection", TOP, {"bind": flips_the_sign, "factor": 1.5}, "nothing listed is nearer"),
    ("projection", TOP, {"bind": flips_the_sign, "factor": None}, "nothing listed is nearer"),
    ("solver", SPLU, {"prepare": lambda s, A: SPLU().prepare(A * 1.01)}, "meets its tolerance"),
    ("executor", SERIAL, {"start": on_threads}, "a task that exits fails alone"),
    ("executor", SERIAL, {"start": deaf_to_limits}, "limits are kept or refused"),
    ("executor", SERIAL, {"start": drawing_first}, "gives what the task gives"),
    ("executor", SERIAL, {"start": saying_so}, "a task that raises fails alone"),
    ("executor", SERIAL, {"start": never_over}, "takes nothing once it is over"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "base", "members", "name"), MUTANTS, ids=[m[3] for m in MUTANTS])
def test_the_kit_catches(kind, base, members, name):
    component = broken(base, **members)
    failures = {o.name: o.failure for o in testing.run(kind, component) if o.failure}
    assert name in failures
    assert "\n" not in failures[name]


@pytest.mark.parametrize(("bind", "factor"), [("flips", 100.0), ("halves", None)])
def test_an_approximate_projection_is_held_to_what_it_declares(bind, factor):
    rough = broken(TOP, bind={"flips": flips_the_sign, "halves": halves}[bind], factor=factor)
    testing.checks("projection")["nothing listed is nearer"](rough)


@pytest.mark.parametrize("kind", KINDS)
def test_every_check_says_what_it_protects(kind):
    for name, check in testing.checks(kind).items():
        assert inspect.getdoc(getattr(check, "func", check)), name


def test_known_failures_must_exist():
    with pytest.raises(graphol.UsageError, match="no learner check 'lerns'; did you mean 'learns'"):
        testing.learner_checks(GPA(), known_failures={"lerns": "?"})
