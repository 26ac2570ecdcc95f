"""Bits and questions in one compiled loop with the experts, against the plain loop."""

from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol import Prediction, Steps
from graphol.api import NotCompiled, Stretch
from graphol.bases.along import chain
from graphol.bases.guarded import FAILED, NO_NUMBERS, PLAYS, told
from graphol.bases.usual import UsualLearner
from graphol.compiled.along import BITS, BOTH, LABELS, hear
from graphol.engine import play
from graphol.learners.experts.pool import Pool
from graphol.learners.nodes.ridge_bandit import RidgeBandit
from graphol.states import parts
from graphol.testing.flips import FlippedBits
from graphol.testing.games import blocks, node_game, random_rows

EXPERTS = "(walk:tol=0.02)+(ridge)"
ALL = "(walk:tol=0.02)+(fastonl:eps=0.003)+(ridge)+(neighbour-logistic)"
"""A set takes longer to compile the more experts are in it."""
BANDIT, SELECTIVE = graphol.make("feedback", "bandit"), graphol.make("feedback", "selective")


def assert_both_loops_agree(pool, feedback, graph, **options):
    """In every column of the trace, and in all that is known at the end; the compiled run."""
    runs = []
    for compiled in (True, False):
        task = node_game(random_rows(graph.n, 5), graph)
        rng = np.random.default_rng(1)
        runs.append(play(task, pool, feedback, rng, compiled=compiled, **options))
    fast, slow = runs
    assert fast.trace.meta["compiled"] and not slow.trace.meta["compiled"]
    for column in ("predicted", "queried", "answered", "updates", "known", "revealed"):
        one, two = getattr(fast.trace, column), getattr(slow.trace, column)
        np.testing.assert_array_equal(one, two, err_msg=column)
    for name, one in parts(fast.state).items():
        np.testing.assert_allclose(one, parts(slow.state)[name], rtol=1e-7, atol=1e-9, err_msg=name)
    return fast


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    ("feedback", "options"),
    [(BANDIT, {}), (FlippedBits(), {}), (SELECTIVE, {"rate": 0.5}),
     (SELECTIVE, {"rate": 0.3, "voi": 1.0}), (BANDIT, {"rate": 0.5, "starter": False})],
)  # fmt: skip
def test_both_loops_say_the_same(feedback, options, classes):
    graph = blocks(150, K=classes, seed=6)
    run = assert_both_loops_agree(Pool(EXPERTS, **options), feedback, graph)
    assert run.state.fitted[0] > 0 or not options.get("starter", True)
    assert run.trace.queried.all() == ("rate" not in options)


@pytest.mark.once
@pytest.mark.long
@pytest.mark.parametrize("feedback", [BANDIT, SELECTIVE])
def test_both_loops_say_the_same_of_more_experts(feedback):
    rate = 0.5 if feedback is SELECTIVE else 1.0
    assert_both_loops_agree(Pool(ALL, rate=rate), feedback, blocks(150, K=4, seed=6))


class Nothing(NamedTuple):
    heard: Any


class Own(NamedTuple):
    heard: Any
    truth: Any
    rubbish: int
    after: int


def foresee(own, stretch, t, scores):
    scores[:] = 0.01
    y = own.truth[stretch.node[t]]
    scores[y] = np.nan if own.rubbish == 1 and stretch.first + t >= own.after else 1.0
    return y, True, True


def heard(own, stretch, t, said, told, bits):
    if own.rubbish == 2 and stretch.first + t >= own.after:
        return -1
    own.heard[0] += 1.0
    return 1


@attrs.frozen
class Breaks(UsualLearner):
    """Knows the truth until it breaks: its scores are no numbers (1), or it cannot learn (2).

    Parameters
    ----------
    truth
        The label of every node.
    rubbish
        How it breaks.
    after
        From this round on.
    """

    name: ClassVar[str] = "breaks"
    needs: ClassVar[str] = "graph"
    learns_from: ClassVar[tuple[str, ...]] = ("label", "bit")
    truth: Any = attrs.field(default=(), eq=False)
    rubbish: int = 0
    after: int = 0

    def start(self, problem):
        return Nothing(np.zeros(1))

    def predict(self, state, instance):
        stretch = Stretch(*[np.array([instance.node])] * 6, first=instance.t)
        scores = np.zeros(3)
        return Prediction(foresee(self._own(state), stretch, 0, scores)[0], scores)

    def update(self, state, instance, prediction, reveal):
        stretch = Stretch(*[np.array([instance.node])] * 6, first=instance.t)
        if heard(self._own(state), stretch, 0, 0, 0, True) < 0:
            raise ValueError("no way on")
        return 1

    def along(self, state, stretch):
        return Steps(foresee, heard, self._own(state))

    def _own(self, state):
        return Own(state.heard, self.truth, self.rubbish, self.after)


@pytest.mark.parametrize("after", [0, 7, 30])
@pytest.mark.parametrize(("rubbish", "standing"), [(0, PLAYS), (1, NO_NUMBERS), (2, FAILED)])
def test_who_breaks_is_left_out_in_the_same_round(rubbish, standing, after):
    graph = blocks(60)
    pool = Pool([Breaks(graph.labels, rubbish, after), "neighbour-histogram"])
    run = assert_both_loops_agree(pool, BANDIT, graph)
    assert run.state.standing[:2].tolist() == [standing, PLAYS]
    assert run.notes == (() if rubbish == 0 else run.notes[:1])


@attrs.frozen
class OnlyBits(RidgeBandit):
    """Does not say that it understands labels.

    Parameters
    ----------
    b, alpha
        As ridge-bandit.
    """

    learns_from: ClassVar[tuple[str, ...]] = ("bit",)


def test_what_experts_are_told():
    """As :func:`graphol.bases.guarded.told` has it, for every kind of ears and of answer."""
    from graphol.compiled import bind

    calls: list[Any] = []
    first = lambda own, stretch, t, said, told, bits: calls.append((said, told, bits)) or 1  # noqa: E731
    one = bind(hear, first=first, rest=lambda *arguments: None)
    makes = {BOTH: "ridge-bandit", LABELS: "ridge", BITS: OnlyBits()}
    for ears, name in makes.items():
        member = graphol.make("learner", name) if isinstance(name, str) else name
        for K in (2, 3):
            for query in (True, False):
                for label, correct in [(1, None), (None, True), (None, False)]:
                    reveal = graphol.Reveal(label=label, correct=correct)
                    mine, said, bits = Prediction(1, query=query), 0, label is None
                    wanted = told(member, mine, said, reveal, K)
                    came = label if not bits else said if correct else -1
                    y = 1 - said if came < 0 and K == 2 else came
                    calls.clear()
                    models, asks = np.zeros(1, int), np.array([query])
                    one(
                        ((), ()), None, 0, 0, np.array([ears]), np.array([1]), asks,
                        said, came, y, bits, models,
                    )  # fmt: skip
                    if wanted is None:
                        assert not calls
                        continue
                    about, answer = wanted
                    right = answer.right(about)
                    assert calls == [
                        (about.label, answer.label if answer.label is not None
                         else about.label if right else -1, answer.label is None)
                    ]  # fmt: skip


def test_who_brings_nothing_along_leaves_it_to_the_plain_loop():
    graph = blocks(60)
    members = [graphol.make("learner", x) for x in ("ridge", "label-propagation")]
    stretch = Stretch(*[np.zeros(0, int)] * 6, first=0)
    with pytest.raises(NotCompiled):
        chain(members, [None, None], stretch)
    pool = Pool("(neighbour-histogram)+(label-propagation)")
    run = play(node_game(graph=graph), pool, BANDIT, np.random.default_rng(1))
    assert not run.trace.meta["compiled"] and not pool.hears_flips
