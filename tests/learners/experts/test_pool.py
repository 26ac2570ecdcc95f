"""The pool: who it follows, who it leaves out, bits, questions, few labels, both loops."""

import copy
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol import Instance, Prediction, Reveal
from graphol.api import Given
from graphol.bases.guarded import ASIDE, FAILED, NEVER, NO_NUMBERS, PLAYS, TOO_FEW, ask, told
from graphol.bases.usual import UsualLearner
from graphol.engine import play
from graphol.errors import GrapholError, UsageError
from graphol.learners.experts.pool import Pool
from graphol.learners.nodes.poisson_ridge import PoissonRidge
from graphol.states import parts, rebuilt
from graphol.testing.games import blocks, node_game

SMALL = "(walk:tol=0.02)+(fastonl:eps=0.003)+(ridge)+(neighbour-logistic)"


class Nothing(NamedTuple):
    """How many answers it heard, and the last prediction that it learnt from."""

    heard: Any
    about: Any


@attrs.frozen
class Knows(UsualLearner):
    """Says the truth, or rubbish of some kind.

    Parameters
    ----------
    truth
        The label of every node.
    rubbish
        ``no``, ``wrong``, ``nan``, ``few``, ``none``, ``words``, ``nothing``, ``predict``,
        ``update``, or ``uncounted``.
    after
        From this round on.
    words
        What it learns from.
    """

    name: ClassVar[str] = "knows"
    needs: ClassVar[str] = "graph"
    truth: Any = attrs.field(default=(), eq=False)
    rubbish: str = "no"
    after: int = 0
    words: tuple[str, ...] = ("label", "bit")

    @property
    def learns_from(self):
        return self.words

    def start(self, problem):
        return Nothing(np.zeros(1), np.zeros(2))

    def predict(self, state, instance):
        scores = np.full(3, 0.01)
        y = int(self.truth[instance.node])
        odd = self.rubbish if instance.t >= self.after else "no"
        if odd == "predict":
            raise ValueError("no idea")
        if odd == "wrong":
            y = (y + 1) % 3
        scores[y] = np.nan if odd == "nan" else 1.0
        if odd == "nothing":
            return None
        if odd == "words":
            return Prediction(y, ["no", "no", "yes"])
        if odd == "none":
            return Prediction(y)
        return Prediction(y, scores[:2] if odd == "few" else scores)

    def update(self, state, instance, prediction, reveal):
        if self.rubbish == "update" and instance.t >= self.after:
            raise ZeroDivisionError
        if self.rubbish == "uncounted" and instance.t >= self.after:
            return None
        state.heard[0] += 1
        state.about[:] = prediction.label, bool(reveal.right(prediction))
        return 1


def knows(**how):
    graph = blocks()
    return Knows(graph.labels, **how)


def played(pool, feedback="full", **options):
    return play(
        node_game(), pool, graphol.make("feedback", feedback), np.random.default_rng(1), **options
    )


@pytest.mark.parametrize("compiled", [True, False])
def test_steps_aside_for_the_expert_that_knows(compiled):
    """Even where it is no leader and the others are always wrong."""
    pool = Pool([knows(rubbish="wrong"), knows()], leaders=1, starter=False)
    run = played(pool, compiled=compiled)
    assert run.trace.predicted[-20:].tolist() == run.trace.label[-20:].tolist()
    assert run.state.weights[1] < 1e-6
    regret, bound = pool.regret(run.state)
    assert regret <= bound + 1e-12 and bound == np.log(3)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    ("rubbish", "standing"),
    [("nan", NO_NUMBERS), ("few", TOO_FEW), ("none", TOO_FEW), ("predict", FAILED),
     ("update", FAILED), ("words", NO_NUMBERS), ("nothing", FAILED), ("uncounted", FAILED)],
)  # fmt: skip
def test_an_expert_that_fails_is_left_out_and_named(rubbish, standing, compiled):
    pool = Pool([knows(rubbish=rubbish, after=9), "neighbour-histogram"], starter=False)
    run = played(pool, compiled=compiled)
    assert run.state.standing.tolist() == [standing, PLAYS]
    assert run.state.weights[1] == 0 and len(run.notes) == 1
    assert run.notes[0].startswith("knows was left out: ")
    assert np.isfinite(run.state.theta).all()
    without = played(Pool("neighbour-histogram", starter=False)).trace
    assert run.trace.error_rate <= without.error_rate


@pytest.mark.parametrize("compiled", [True, False])
def test_without_an_expert_it_ends_in_one_line(compiled):
    pool = Pool([knows(rubbish="nan", after=5)], starter=False)
    with pytest.raises(
        GrapholError, match=r"^pool: no expert is left in round 5, of knows: it gave"
    ):
        played(pool, compiled=compiled)


def test_failures_in_both_loops_are_the_same():
    pool = Pool([knows(rubbish="nan", after=9), "walk:tol=0.02", "ridge"])
    fast, slow = played(pool), played(pool, compiled=False)
    assert fast.trace.predicted.tolist() == slow.trace.predicted.tolist()
    for name, one in parts(fast.state).items():
        np.testing.assert_allclose(one, parts(slow.state)[name], rtol=1e-7, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("after", range(0, 40, 3))
def test_a_failure_in_the_last_round_of_a_stretch_counts(after):
    """Stretches end where the starter learns anew, and with the game."""
    pool = Pool([knows(rubbish="update", after=after), "ridge"])
    fast, slow = played(pool), played(pool, compiled=False)
    assert fast.state.standing[0] == slow.state.standing[0] == FAILED
    np.testing.assert_allclose(fast.state.theta, slow.state.theta, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(fast.state.losses, slow.state.losses, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("after", [(3, 7), (3, 3), (38, 5), (5, 39)])
@pytest.mark.parametrize("rubbish", ["update", "nan"])
def test_the_last_expert_leaves_in_the_same_round_of_both_loops(after, rubbish):
    pool = Pool([knows(rubbish=rubbish, after=t) for t in after])
    ends = []
    for compiled in (True, False):
        try:
            ends.append(played(pool, compiled=compiled).notes)
        except GrapholError as reason:
            ends.append((str(reason),))
    assert ends[0] == ends[1]
    last = max(after) + (rubbish == "update")
    assert f"no expert is left in round {last}" in ends[0][0] or last == 40


@pytest.mark.parametrize("compiled", [True, False])
def test_a_starter_that_fails_is_left_out_and_named(compiled, monkeypatch):
    def fit(self, state, given):
        if len(given.nodes) > 5:
            raise np.linalg.LinAlgError("Singular matrix")
        return 1

    monkeypatch.setattr(PoissonRidge, "fit", fit)
    run = played(Pool("(walk)+(ridge)"), compiled=compiled)
    assert run.state.standing.tolist() == [PLAYS, PLAYS, FAILED] and run.state.weights[-1] == 0
    assert run.notes == ("poisson-ridge was left out: LinAlgError: Singular matrix",)


@pytest.mark.parametrize("compiled", [True, False])
def test_an_expert_whose_graph_is_too_large_never_plays(compiled, tmp_path):
    """The game is that without it, the next expert leads, and a note says so."""
    large = "(neighbour-bayes)+(label-propagation:most=39)+(ridge)+(neighbour-histogram)"
    pool = Pool(large, leaders=2)
    run = played(pool, compiled=compiled)
    alone = played(Pool("(neighbour-bayes)+(ridge)+(neighbour-histogram)", leaders=2))
    assert run.trace.predicted.tolist() == alone.trace.predicted.tolist()
    assert run.state.standing.tolist() == [PLAYS, NEVER, PLAYS, PLAYS, PLAYS]
    assert run.state.members[1] == () and run.state.weights[2] == 0
    assert run.notes == (
        "label-propagation was left out: label-propagation: the graph has 40 nodes, more than "
        "most=39; give more or 0",
    )
    assert len(pool.grow(run.state, 5).counts) == 5
    pool.check_state(run.state, 40)
    run.state.standing[1] = PLAYS
    with pytest.raises(ValueError, match="plays on a graph that it refuses"):
        pool.check_state(run.state, 40)
    with pytest.raises(UsageError, match="more than most=39"):
        played(Pool("label-propagation:most=39"))


def test_needs_what_its_experts_need():
    assert Pool().needs == "rows" and Pool("walk+neighbour-bayes").needs == "graph"
    assert Pool("walk+kernel-perceptron").needs == "gram"
    assert Pool().feedback == "full" and Pool(rate=0.5).feedback == "selective"
    with pytest.raises(UsageError, match="graphda predicts no classes"):
        Pool("walk+graphda")
    with pytest.raises(UsageError, match="knows learns neither from labels nor bits"):
        Pool([knows(words=("candidates",))])


def test_who_is_told_what():
    """Bits to who learns from them, else labels; who has bits alone, as if it said the label."""
    mine, label, bit = (
        Prediction(2, np.ones(3)),
        Reveal(label=1),
        [Reveal(correct=x) for x in (0, 1)],
    )
    both, labels, bits = (knows(words=x) for x in (("label", "bit"), ("label",), ("bit",)))
    assert told(both, mine, 0, label, 3) == (mine, label) == told(labels, mine, 0, label, 3)
    for who in (both, bits):
        for reveal in bit:
            said, heard = told(who, mine, 0, reveal, 3)
            assert said.label == 0 and heard == reveal
    assert told(bits, mine, 0, label, 3)[0].label == 1 and told(bits, mine, 0, label, 3)[1].correct
    assert told(labels, mine, 0, bit[0], 3) is None
    assert told(labels, mine, 0, bit[1], 3) == (mine, Reveal(label=0))
    assert told(labels, mine, 0, bit[0], 2) == (mine, Reveal(label=1))


def test_features_lead_where_they_are_used():
    pool = Pool(SMALL, features=True)
    state = pool.start(node_game().problem(np.random.default_rng(0)))
    assert state.theta[:5].tolist() == [0, 0, 0, 0, 1]
    assert np.diag(state.B)[:5].tolist() == pytest.approx([0.005] * 4 + [0.05])
    assert Pool("walk", features=True).needs == "rows"


def test_an_expert_hears_about_what_the_pool_said():
    expert = knows(rubbish="wrong")
    pool = Pool([expert, knows()], starter=False)
    state = pool.start(node_game().problem(np.random.default_rng(0)))
    for t in range(6):
        instance = Instance(t, t)
        said = pool.predict(state, instance)
        correct = bool(said.label == expert.truth[t])
        pool.update(state, instance, said, Reveal(correct=correct))
        assert state.members[0].about.tolist() == [said.label, correct]
    assert state.plays.sum() == 6


@pytest.mark.parametrize("feedback", ["bandit", "selective"])
def test_learns_from_bits_and_by_asking(feedback):
    pool = Pool(SMALL, rate=0.5 if feedback == "selective" else 1.0)
    run = graphol.simulate(pool, "sbm:nodes=300", feedback=feedback, repeats=2)
    assert run.error_rate_mean < 0.45  # a constant: 0.75
    if feedback == "selective":
        assert all(90 <= trace.queried.sum() <= 160 for trace in run.traces)  # it is soon sure


def test_two_classes_make_a_bit_a_label():
    """Whatever is said, the game is that with labels."""
    graph = blocks(60, K=2, isolated=False)
    pool = Pool("(neighbour-bayes)+(ridge)", bonus=0.0, starter=False)
    states = []
    for bits in (False, True):
        state = pool.start(node_game(graph=graph).problem(np.random.default_rng(0)))
        rows = state.place.rows
        for t in range(60):
            instance, y = Instance(t, t, rows[t]), int(graph.labels[t])
            said = pool.predict(state, instance)
            right = Reveal(correct=said.label == y)
            pool.update(state, instance, said, right if bits else Reveal(label=y))
        states.append(state)
    assert states[0].label.tolist() == states[1].label.tolist() == graph.labels.tolist()
    np.testing.assert_allclose(states[0].members[1].W, states[1].members[1].W)


def test_with_few_labels_it_is_the_starter():
    """Ten labels in one go: all weight is still with poisson-ridge, which knows all of them."""
    task, pool = node_game(), Pool(SMALL)
    problem = task.problem(np.random.default_rng(0))
    nodes = np.random.default_rng(4).permutation(39)[:10]
    given = Given(nodes, task.graph.labels[nodes])
    state, first = pool.start(problem), graphol.make("learner", "poisson-ridge")
    assert pool.fit(state, given) > 0 and state.fitted[0] == 10
    alone = first.start(problem)
    first.fit(alone, given)
    rows = problem.features.rows
    for i in range(40):
        p = pool.predict(state, Instance(0, i, rows[i])).scores
        wanted = first.predict(alone, Instance(0, i, rows[i])).scores
        assert np.abs(p - (wanted + 0.2 / 3) / 1.2).max() < 0.15
    assert Pool("walk")._members[-1].name == "poisson"


@pytest.mark.parametrize("compiled", [True, False])
def test_the_starter_stands_aside(compiled):
    """Once it has no weight, beside who knows all; nothing is said about it."""
    graph = blocks(150, K=3, seed=2, isolated=False)
    noise = np.random.default_rng(0).integers(3, size=150)  # labels that no graph explains
    task = node_game(graph=graph.unlabelled.labelled(noise))
    pool = Pool([Knows(noise), "neighbour-histogram"])
    run = play(
        task, pool, graphol.make("feedback", "full"), np.random.default_rng(1), compiled=compiled
    )
    assert run.state.standing.tolist() == [PLAYS, PLAYS, ASIDE] and not run.notes
    assert run.state.weights[-1] == 0 and run.trace.loss[-50:].max() == 0


def test_goes_on_from_what_is_saved(tmp_path):
    """A new class comes after that, too."""
    graph = blocks()
    one = graphol.Predictor(Pool(SMALL), graph, classes=[0, 1], embedding="spectral:dim=6")
    for i in range(30):
        one.tell(one.ask(f"node {i}"), label=i % 2)
    one.save(tmp_path / "pool.npz")
    two = graphol.Predictor.load(tmp_path / "pool.npz", graph=graph)
    for i in range(30, 40):
        tickets = [each.ask(f"node {i}") for each in (one, two)]
        np.testing.assert_array_equal(tickets[0].scores, tickets[1].scores)
        for each, ticket in zip((one, two), tickets, strict=True):
            each.tell(ticket, label=i % 3)
    assert len(one.classes) == 3


@attrs.frozen
class Stateless(Knows):
    """Has nothing to remember."""

    def start(self, problem):
        return ()

    def update(self, state, instance, prediction, reveal):
        return 0


def test_an_expert_without_a_state_is_one():
    pool = Pool([Stateless(blocks().labels), "walk"])
    run = played(pool)
    assert run.state.standing.tolist() == [PLAYS] * 3 and run.trace.error_rate < 0.2
    pool.check_state(run.state, 40)


def test_a_file_may_hold_anything():
    pool = Pool(SMALL)
    problem = node_game().problem(np.random.default_rng(0))
    fresh = pool.start(problem)
    pool.check_state(fresh, 40)
    odd = {"weights": 2.0, "B": 7.0, "label": 9, "counts": -1, "standing": 9, "fitted": 9}
    for name, value in odd.items():
        state = rebuilt(fresh, copy.deepcopy(parts(fresh)))
        getattr(state, name)[...] = value
        with pytest.raises(ValueError, match=r"\w+"):
            pool.check_state(state, 40)


def test_asking_is_safe():
    """Whatever a member does when asked is written down, not raised."""
    problem = node_game().problem(np.random.default_rng(0))
    for rubbish, standing in (("no", PLAYS), ("nan", NO_NUMBERS), ("predict", FAILED)):
        who = knows(rubbish=rubbish)
        assert ask(who, who.start(problem), Instance(0, 1), 3).standing == standing
