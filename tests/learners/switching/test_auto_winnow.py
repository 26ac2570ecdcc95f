"""The vote with nothing to choose against the same vote given by name; saved, resumed, late."""

import numpy as np
import pytest

import graphol
from graphol.latent import Clique, SupportTree
from graphol.testing.games import blocks, random_switch_game
from graphol.testing.states import same

WINNOWS = [f"matrix-winnow:eta={eta},tau={tau}" for eta in (1, 4, 8) for tau in (5, 30, 100)]
OVER_TIME = [
    *WINNOWS, "kernel-perceptron", "perceptron-bank:K=3,beta=0.5", "perceptron-bank:K=5,beta=1",
    "gaussian-bank",
]  # fmt: skip
OVER_TASKS = [
    *WINNOWS, "kernel-perceptron", "context-perceptron", "multitask-perceptron", "gaussian-tasks"
]  # fmt: skip


def vote(members, more=""):
    listed = "+".join(f"({each})" for each in members)
    return f"weighted-majority:learners={listed}{more}"


@pytest.mark.parametrize("rules", [{}, {"delay": 4}, {"noise": 0.1}, {"delay": 3, "noise": 0.2}])
@pytest.mark.parametrize(("tasks", "members"), [(0, OVER_TIME), (5, OVER_TASKS)])
def test_is_the_vote_of_its_members_given_by_name(play, tasks, members, rules):
    task = random_switch_game(25, 3, rounds=120, tasks=tasks)
    rules = {**rules, "keep": ("scores",)}
    auto = play(task, "auto-winnow:beta=0.7,share=0.02", **rules)
    named = play(task, vote(members, ",beta=0.7,share=0.02"), **rules)
    assert auto.trace.predicted.tolist() == named.trace.predicted.tolist()
    assert auto.trace.kept["scores"].tolist() == named.trace.kept["scores"].tolist()
    assert auto.trace.updates.tolist() == named.trace.updates.tolist()
    assert same(auto.state.vote, named.state)


@pytest.mark.parametrize(
    ("latent", "contexts", "members"),
    [
        (None, None, OVER_TIME),
        (None, 5, OVER_TASKS),
        (Clique(5), 5, OVER_TASKS),
        (SupportTree(64), 64, OVER_TIME),
    ],
)
def test_who_votes(latent, contexts, members):
    task = random_switch_game(20)
    problem = graphol.Problem(
        "signs", None, 0, np.random.default_rng(0), graph=task.graph, features=task.features,
        latent=latent, n_contexts=contexts,
    )  # fmt: skip
    learner = graphol.make("learner", "auto-winnow")
    state = learner.start(problem)
    expected = tuple(graphol.make("learner", each) for each in members)
    assert state.voters.majority.learners == expected
    assert state.vote.weights.tolist() == [1 / 13] * 13


@pytest.mark.parametrize("model_only", [False, True])
@pytest.mark.parametrize(
    ("latent", "contexts", "names"),
    [
        (None, [None], None),
        (None, [None], ["no", "yes"]),
        (Clique(4), [0, 1, 3], ["no", "yes"]),
        (SupportTree(64), [0, 1, 2, 40, 63], None),
    ],
    ids=["signs", "names", "tasks", "times"],
)
def test_a_saved_predictor_goes_on_bit_for_bit(tmp_path, latent, contexts, names, model_only):
    """With questions open, told in another order."""
    path, rng = tmp_path / "saved.npz", np.random.default_rng(4)
    graph = blocks(30, K=2, seed=1, isolated=False)
    one = two = graphol.Predictor("auto-winnow", graph, classes=names, latent=latent)
    words, waiting = one.classes, []
    for t in range(60):
        if t % 20 == 0:
            two.save(path, model_only=model_only, force=True)
            two = graphol.Predictor.load(path, **({"graph": graph} if model_only else {}))
        node, context = int(rng.integers(graph.n)), contexts[int(rng.integers(len(contexts)))]
        ours, theirs = (each.ask(graph.ids[node], context) for each in (one, two))
        assert ours.label == theirs.label and ours.scores.tobytes() == theirs.scores.tobytes()
        waiting.append((ours.number, words[int(graph.labels[node]) ^ ((context or 0) % 2)]))
        if len(waiting) > 3:
            number, truth = waiting.pop(int(rng.integers(4)))
            assert one.tell(number, label=truth) == two.tell(number, label=truth)
    assert same(one.state, two.state)
    assert one.state.vote.members[0].mistakes[0] > 3  # there was something to save


def test_a_state_that_cannot_be(play):
    task, learner = random_switch_game(20, rounds=40), graphol.make("learner", "auto-winnow")
    state = play(task, learner).state
    learner.check_state(state, task.graph.n)
    state.vote.members[4].top[0] = -1.0
    with pytest.raises(ValueError, match="below 0"):
        learner.check_state(state, task.graph.n)
    state.vote.weights[:] = 0.5
    with pytest.raises(ValueError, match="not shares of 1"):
        learner.check_state(state, task.graph.n)
