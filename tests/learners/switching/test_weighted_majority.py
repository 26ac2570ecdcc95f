"""The vote against what its members say alone, its bound, bits, queries, and who cannot vote."""

import copy
import math
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol import NOTHING, Instance, Prediction, Problem, Reveal
from graphol.bases.memo import Memo
from graphol.learners.switching.weighted_majority import WeightedMajority
from graphol.testing import switching_reference as twins
from graphol.testing.games import blocks, node_game, random_switch_game, signal_game, spectral_rows
from graphol.testing.states import same

MIXED = "(molg-f)+(oslg)+(kernel-perceptron)+(label-propagation)"
SIGNS = "(perceptron-bank)+(kernel-perceptron)+(tracking-perceptron:phi=2)+(gpa)"


def vote(learners, more=""):
    return graphol.make("learner", f"weighted-majority:learners={learners}{more}")


class Calls(NamedTuple):
    """How often it was told."""

    told: Any


@attrs.frozen
class Says:
    """Says what is on its list, round by round.

    Parameters
    ----------
    script
        Labels.
    asks
        Does it want to be told?
    """

    name: ClassVar[str] = "says"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label", "bit")
    targets: ClassVar[tuple[str, ...]] = ("signs", "classes")
    needs: ClassVar[str] = "nothing"
    script: Any = graphol.param((), type=tuple)
    asks: bool = graphol.param(True)
    heard: Any = attrs.field(factory=list, eq=False)

    def start(self, problem):
        return Calls(np.zeros(1))

    def predict(self, state, instance):
        return Prediction(self.script[instance.t], query=self.asks)

    def update(self, state, instance, prediction, reveal):
        assert prediction.label == self.script[instance.t]
        state.told[0] += 1
        self.heard.append(reveal)
        return 1


def started(learner, n_classes=None):
    target = "signs" if n_classes is None else "classes"
    return learner.start(Problem(target, n_classes, dim=0, rng=np.random.default_rng(0)))


def alone(learner, rng, task, feedback):
    """A member played by itself, with the random numbers it has in a vote."""
    protocol = graphol.make("feedback", feedback)
    state = learner.start(attrs.evolve(task.problem(rng), rng=rng))
    stream, said = task.stream(np.random.default_rng(0).spawn(4)[0]), []
    for t in range(len(stream)):
        instance = stream.instance(t)
        prediction = learner.predict(state, instance)
        reveal = protocol.reveal(instance, stream.truth[t].item(), prediction, rng)
        if reveal is not NOTHING:
            learner.update(state, instance, prediction, reveal)
        said.append(prediction)
    return state, said


@pytest.mark.parametrize(
    ("learners", "more", "task", "feedback"),
    [
        (MIXED, "", node_game(), "full"),
        (MIXED, ",beta=0.9,share=0", node_game(), "full"),
        ("(molg-b)+(banditron:gamma=0.4)+(confidit)+(soba)", "", node_game(), "full"),
        ("(sslgc)+(msg)", "", node_game(), "selective"),
        ("(sslgc)+(msg)+(gpa)", "", node_game(), "full"),
        ("(weighted-majority)+(gpa)", ",share=0.1", node_game(), "full"),
        (SIGNS, "", random_switch_game(60, 1, rounds=300, d=4), "full"),
        ("(graphda)+(adagrad)+(gpa)", "", signal_game(), "full"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_members_play_as_they_do_alone(play, learners, more, task, feedback):
    """Prediction by prediction, query by query; and the vote on them is that of the twin."""
    learner = vote(learners, more)
    run = play(task, learner, feedback)
    own = np.random.default_rng(0).spawn(4)[1].spawn(len(learner.learners))
    found = [alone(m, rng, task, feedback) for m, rng in zip(learner.learners, own, strict=True)]
    for (state, _), inside in zip(found, run.state.members, strict=True):
        assert same(state, inside)
    asked = np.array([[p.query for p in said] for _, said in found]).any(axis=0)
    assert run.trace.queried.tolist() == asked.tolist()
    if asked.all():
        said = np.array([[p.label for p in said] for _, said in found], dtype=int).T
        K = task.graph.n_classes if task.target == "classes" else 1
        voted, w = twins.weighted_majority(said, run.trace.label, K, learner.beta, learner.share)
        assert run.trace.predicted.tolist() == voted
        np.testing.assert_allclose(run.state.weights, w, rtol=1e-9)


@settings(max_examples=60)
@given(
    N=st.integers(1, 6), rounds=st.integers(1, 60), errors=st.integers(0, 5),
    beta=st.floats(0.05, 0.95), seed=st.integers(0, 10**6),
)  # fmt: skip
def test_mistakes_are_within_the_bound(N, rounds, errors, beta, seed):
    """M <= (m ln 1/beta + ln N) / ln 2/(1 + beta), with m the errors of the best member."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], size=rounds)
    said = rng.choice([-1, 1], size=(N, rounds))
    said[rng.integers(N)] = y * np.where(rng.permutation(rounds) < errors, -1, 1)
    learner = WeightedMajority([Says(tuple(row.tolist())) for row in said], beta=beta, share=0.0)
    state, mistakes = started(learner), 0
    for t in range(rounds):
        prediction = learner.predict(state, Instance(t))
        mistakes += prediction.label != y[t]
        learner.update(state, Instance(t), prediction, Reveal(label=int(y[t])))
    m = (said != y).sum(axis=1).min()
    bound = (m * math.log(1 / beta) + math.log(N)) / math.log(2 / (1 + beta))
    assert mistakes <= bound + 1e-9


def test_scores_are_the_weights_behind_every_class():
    learner = WeightedMajority([Says((k,)) for k in (2, 0, 2)])
    state = started(learner, n_classes=4)
    state.weights[:] = 0.5, 0.3, 0.2
    prediction = learner.predict(state, Instance(0))
    assert prediction.label == 2
    np.testing.assert_allclose(prediction.scores, [0.3, 0, 0.7, 0])
    signs = WeightedMajority([Says((1,)), Says((-1,))])
    tied = signs.predict(started(signs), Instance(0))
    assert tied.label == 1 and tied.scores.tolist() == [0.0]


@pytest.mark.parametrize("correct", [True, False])
def test_what_follows_from_a_bit_is_passed_on(correct):
    """Those who said what was played get it; if it was right, the others were wrong."""
    members = [Says((1,)), Says((1,)), Says((0,)), Says((2,))]
    learner = WeightedMajority(members, share=0.0)
    state = started(learner, n_classes=3)
    prediction = learner.predict(state, Instance(0))
    assert prediction.label == 1
    changed = learner.update(state, Instance(0), prediction, Reveal(correct=correct))
    heard = [[reveal.correct for reveal in member.heard] for member in members]
    if correct:
        assert heard == [[True], [True], [False], [False]] and changed == 5
        np.testing.assert_allclose(state.weights, np.array([2, 2, 1, 1]) / 6)
    else:
        assert heard == [[False], [False], [], []] and changed == 3
        np.testing.assert_allclose(state.weights, np.array([1, 1, 2, 2]) / 6)


def test_who_did_not_ask_is_not_told_but_charged():
    members = [Says((1,), asks=False), Says((-1,), asks=True), Says((-1,), asks=False)]
    learner = WeightedMajority(members, share=0.0)
    state = started(learner)
    prediction = learner.predict(state, Instance(0))
    assert prediction.query
    learner.update(state, Instance(0), prediction, Reveal(label=1))
    assert [len(member.heard) for member in members] == [0, 1, 0]
    np.testing.assert_allclose(state.weights, [0.5, 0.25, 0.25])
    silent = WeightedMajority([members[0], members[2]])
    assert not silent.predict(started(silent), Instance(0)).query


@pytest.mark.parametrize("delay", [0, 6])
@pytest.mark.parametrize(
    ("learners", "feedback"),
    [(MIXED, "full"), ("(molg-b)+(oslg-bandit)+(banditron)", "bandit"), ("(sslgc)+(msg)", None)],
)
def test_what_is_kept_between_predict_and_update_changes_nothing(
    play, monkeypatch, learners, feedback, delay
):
    learner = vote(learners)
    kept = play(node_game(), learner, feedback or learner.feedback, delay=delay)
    monkeypatch.setattr(Memo, "recall", lambda *_: None)
    afresh = play(node_game(), learner, feedback or learner.feedback, delay=delay)
    assert kept.trace.predicted.tolist() == afresh.trace.predicted.tolist()
    assert same(kept.state, afresh.state)


def test_a_copy_of_a_state_goes_its_own_way():
    """What was kept for one is not found for the other, though they share where it is kept."""
    learner, task = vote("(gpa)+(kernel-perceptron)"), node_game()
    one = learner.start(task.problem(np.random.default_rng(0)))
    stream = task.stream(np.random.default_rng(1))
    for t in range(20):
        asked = stream.instance(t)
        answer = Reveal(label=int(stream.truth[t]))
        learner.update(one, asked, learner.predict(one, asked), answer)
    two, untouched = copy.deepcopy(one), copy.deepcopy(one)
    asked = stream.instance(20)
    said = learner.predict(one, asked)
    wrong = Reveal(label=(int(said.label) + 1) % 3)
    learner.update(one, asked, said, wrong)
    assert same(two, untouched) and not same(one, two)
    assert learner.predict(two, asked).scores.tolist() == said.scores.tolist()
    learner.update(two, asked, said, wrong)
    assert same(one, two)


@pytest.mark.parametrize(
    ("learners", "says"),
    [
        ("(graphda)+(kernel-perceptron)", "graphda, kernel-perceptron play no game together"),
        ("(molg-f)+(perceptron-bank)", "do not all predict classes, or all signs"),
        ("(stoiht)+(molg-f)", "stoiht, molg-f do not all predict"),
        ("(gpa)+(gpa)+(nobody)", "unknown learner 'nobody'"),
    ],
)
def test_members_that_do_not_fit_are_refused(learners, says):
    with pytest.raises(graphol.UsageError, match=says) as found:
        vote(learners)
    assert "\n" not in str(found.value)


def test_members_that_share_no_answer_are_refused():
    @attrs.frozen
    class OnlyBits(Says):
        name: ClassVar[str] = "only-bits"
        learns_from: ClassVar[tuple[str, ...]] = ("bit",)

    with pytest.raises(graphol.UsageError, match="do not all learn from labels, or all from bits"):
        WeightedMajority([graphol.make("learner", "gpa"), OnlyBits()])
    assert WeightedMajority([OnlyBits()]).feedback == "full"  # its own, whatever that is


@pytest.mark.parametrize(
    ("learners", "needs", "targets", "learns_from", "feedback"),
    [
        ("molg-f+oslg", "rows", ("classes",), ("label",), "full"),
        ("molg-b+oslg-bandit", "rows", ("classes",), ("bit", "label"), "bandit"),
        ("molg-b+molg-f", "rows", ("classes",), ("label",), "full"),
        ("molg-f+kernel-perceptron", "rows", ("classes",), ("label",), "full"),
        ("kernel-perceptron+label-propagation", "gram", ("classes",), ("label",), "full"),
        ("sslgc+msg", "rows", ("classes",), ("label",), "selective"),
        ("graphda+gpa", "signals", ("signs",), ("label",), "full"),
        ("(weighted-majority:learners=gpa+ollgc)+gpa", "rows", ("classes", "signs"), ("label",),
         "full"),
    ],
)  # fmt: skip
def test_what_members_share(learners, needs, targets, learns_from, feedback):
    learner = vote(learners)
    assert learner.needs == needs
    assert learner.targets == targets
    assert learner.learns_from == learns_from
    assert learner.feedback == feedback


@pytest.mark.parametrize(
    ("learners", "task", "says"),
    [
        ("gpa+kernel-perceptron", signal_game(), "kernel-perceptron needs the nodes of a graph"),
        ("gpa+kernel-perceptron", random_switch_game(), "needs a vector per node"),
        ("multitask-perceptron", graphol.OneVsRest(node_game(), 0), "how many tasks there are"),
    ],
)
def test_a_game_that_gives_a_member_too_little_is_refused(play, learners, task, says):
    with pytest.raises(graphol.UsageError, match=says):
        play(task, vote(learners))


def test_a_member_that_says_nonsense_is_named():
    learner = WeightedMajority([Says((1,)), Says((7,))])
    for state in (started(learner), started(learner, n_classes=3)):
        with pytest.raises(graphol.GrapholError, match="says predicted 7 in round 0"):
            learner.predict(state, Instance(0))


def test_new_classes_are_learnt_if_all_members_can():
    graph = blocks(30, K=2)
    predictor = graphol.Predictor(
        vote("gpa+kernel-perceptron"), graph, classes=["a", "b"], embedding="spectral:dim=4"
    )
    predictor.tell(predictor.ask("node 1"), label="b")
    predictor.tell(predictor.ask("node 2"), label="c")
    assert predictor.ask("node 2").label == "c"
    assert len(predictor.ask("node 2").scores) == 3


def test_new_classes_are_refused_if_one_cannot():
    @attrs.frozen
    class Fixed(Says):
        name: ClassVar[str] = "fixed"

    learner = WeightedMajority([Fixed((0, 0)), graphol.make("learner", "gpa")])
    predictor = graphol.Predictor(learner, blocks(30, K=2), classes=["a", "b"])
    with pytest.raises(graphol.UsageError, match="cannot learn a new class: fixed cannot"):
        predictor.tell(predictor.ask("node 1"), label="c")
    assert predictor.classes == ["a", "b"]


def test_a_nested_vote_is_saved_and_goes_on(tmp_path):
    """With questions open, bit for bit, the members' states under names of their own."""
    spec = (
        "weighted-majority:learners=(weighted-majority:learners=(gpa)+(kernel-perceptron))+(soba)"
    )
    graph = blocks(60, K=3, seed=2)
    one = graphol.Predictor(spec, graph, embedding="spectral:dim=5")
    rng, two, tickets = np.random.default_rng(0), None, []
    for step, row in enumerate(rng.integers(0, graph.n, size=120)):
        if step == 50:
            one.save(tmp_path / "saved.npz")
            two = graphol.Predictor.load(tmp_path / "saved.npz")
            assert two.learner == one.learner
        asked = [each.ask(graph.ids[row]) for each in (one, two) if each]
        assert len({tuple(ticket.scores.tolist()) for ticket in asked}) == 1
        tickets.append(asked[0].number)
        if len(tickets) > 4:
            number = tickets.pop(int(rng.integers(5)))
            label = graph.label_names[rng.integers(3)]
            changed = {each.tell(number, label=label) for each in (one, two) if each}
            assert len(changed) == 1
    assert two is not None and same(one.state, two.state)
    assert one.state.members[0].members[1].support.values.size > 10


def test_a_damaged_member_is_refused(tmp_path):
    learner = vote("gpa+kernel-perceptron")
    graph = blocks(30, K=2)
    state = learner.start(Problem(
        "classes", 2, dim=8, rng=np.random.default_rng(0), graph=graph,
        features=spectral_rows(graph),
    ))  # fmt: skip
    learner.check_state(state, graph.n)
    state.members[1].support.append(99)
    with pytest.raises(ValueError, match="not distinct nodes"):
        learner.check_state(state, graph.n)
    state.weights[:] = -1, 2
    with pytest.raises(ValueError, match="not shares of 1"):
        learner.check_state(state, graph.n)
