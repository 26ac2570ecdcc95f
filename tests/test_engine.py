"""One loop plays node streams, signal streams, (node, latent vertex) pairs and seeds games."""

from typing import ClassVar, NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol import NOTHING, Prediction, Reveal, Script, UsageError, component, param
from graphol.matching import PLAYS
from graphol.testing.flips import FlippedBits
from graphol.testing.games import (
    OrderedTask,
    blocks,
    node_game,
    signal_game,
    spectral_rows,
    switch_game,
)


def make(kind, spec):
    return graphol.make(kind, spec)


def play(task, learner, feedback="full", seed=0, **options):
    return graphol.play(
        task, learner, make("feedback", feedback), np.random.default_rng(seed), **options
    )


class Weights(NamedTuple):
    w: np.ndarray


@attrs.frozen
class Gradient:
    """Least mean squares, or the perceptron for signs, with any projection after each step."""

    name: ClassVar = "gradient"
    feedback: ClassVar = "full"
    learns_from: ClassVar = ("label",)
    targets: ClassVar = ("signs", "real")
    needs: ClassVar = "nothing"
    rate: float = param(0.1, above=0)
    projection: object = component("projection", "none")

    def start(self, problem):
        return Weights(np.zeros(problem.dim))

    def predict(self, state, instance):
        score = float(state.w @ instance.x)
        return Prediction(score)

    def update(self, state, instance, prediction, reveal):
        w = state.w + self.rate * (reveal.label - prediction.label) * instance.x
        state.w[:] = self.projection.bind(None, len(w))(w)[0]
        return 1


class Signs(Gradient):
    """The same, saying only the sign."""

    name = "signs"

    def predict(self, state, instance):
        return Prediction(1 if state.w @ instance.x >= 0 else -1)


class Memory(NamedTuple):
    erred: graphol.Appendable  # node, context and sign of every mistake, (m, 3)
    gram: np.ndarray  # the nodes' kernel matrix


@attrs.frozen
class KernelPerceptron:
    """A perceptron on K(node, node') * exp(-|context - context'| / width)."""

    name: ClassVar = "kernel-perceptron"
    feedback: ClassVar = "full"
    learns_from: ClassVar = ("label",)
    targets: ClassVar = ("signs",)
    needs: ClassVar = "gram"
    width: float = param(1e9, above=0)

    def start(self, problem):
        n = problem.graph.n
        gram = np.stack([problem.features.gram(i, np.arange(n)) for i in range(n)])
        return Memory(graphol.Appendable(np.zeros((0, 3), dtype=int)), gram)

    def predict(self, state, instance):
        nodes, contexts, signs = state.erred.values.T
        near = np.exp(-abs(contexts - instance.context) / self.width)
        score = signs @ (state.gram[instance.node, nodes] * near)
        return Prediction(1 if score >= 0 else -1)

    def update(self, state, instance, prediction, reveal):
        if prediction.label == reveal.label:
            return 0
        state.erred.append((instance.node, instance.context, reveal.label))
        return 1


class Seen(NamedTuple):
    clamp: np.ndarray  # (n, K)
    L: np.ndarray


@attrs.frozen
class Harmonic:
    """Label propagation: (L + I_S + eps I) F = Y, solved when asked."""

    name: ClassVar = "harmonic"
    feedback: ClassVar = "seeds"
    learns_from: ClassVar = ("label",)
    targets: ClassVar = ("classes",)
    needs: ClassVar = "graph"

    def start(self, problem):
        L = problem.graph.laplacian().toarray()
        return Seen(np.zeros((problem.graph.n, problem.n_classes)), L)

    def predict(self, state, instance):
        A = state.L + np.diag(state.clamp.sum(axis=1)) + 1e-4 * np.eye(len(state.L))
        scores = np.linalg.solve(A, state.clamp)[instance.node]
        return Prediction(int(np.argmax(scores)), scores)

    def update(self, state, instance, prediction, reveal):
        state.clamp[instance.node, int(reveal.label)] = 1
        return 1


def test_signal_stream_of_signs():
    """A perceptron's mistakes stay below (R ||u|| / margin)², Novikoff's bound."""
    task = signal_game("signs", rounds=400)
    u = np.zeros(12)
    u[:3] = 1.0
    keep = np.abs(task.samples @ u) > 0.3
    task = attrs.evolve(task, samples=task.samples[keep], truth=task.truth[keep])
    run = play(task, Signs(rate=0.5))
    margin = np.abs(task.samples @ u).min()
    bound = (np.linalg.norm(task.samples, axis=1).max() * np.linalg.norm(u) / margin) ** 2
    assert 0 < run.trace.n_mistakes <= bound
    assert (run.trace.node == -1).all()


def test_signal_stream_of_numbers_with_a_projection_by_name():
    """The loss is squared error; top-3 finds the three nodes that matter."""
    task = signal_game("real", rounds=600)
    run = play(task, Gradient(rate=0.05, projection="top-s:s=3"))
    trace = run.trace
    np.testing.assert_allclose(trace.loss, (trace.label - trace.predicted) ** 2)
    np.testing.assert_allclose(run.state.w, [1, 1, 1] + [0] * 9, atol=1e-3)
    assert trace.error_rate == pytest.approx(trace.loss.mean())


def test_pairs_of_node_and_latent_vertex():
    """Equals a perceptron in the dual on the kernel matrix of all rounds, written out."""
    task = switch_game(rounds=300)
    trace = play(task, KernelPerceptron(width=8.0)).trace
    stream = task.stream(np.random.default_rng(0).spawn(4)[0])
    rows, time = task.features.rows[stream.node], np.arange(300)
    apart = abs(time[:, None] - time[None, :])
    kernel = (rows @ rows.T) * np.exp(-apart / 8.0)
    truth = np.array([task.labelings[stream.active[t], stream.node[t]] for t in range(300)])
    alpha = np.zeros(300)
    for t in range(300):
        said = 1 if kernel[t] @ alpha >= 0 else -1
        assert trace.predicted[t] == said
        alpha[t] = truth[t] if said != truth[t] else 0
    assert trace.label.tolist() == truth.tolist()
    assert trace.n_mistakes == np.count_nonzero(alpha)


def test_seeds_game_is_batch_semi_supervised_learning():
    """Seeds are revealed, the rest is scored; the answer equals one dense solve."""
    graph = blocks(40)
    task = graphol.NodeTask((graph,), name="blocks")
    run = play(task, Harmonic(), "seeds:count=12", seed=3)
    trace = run.trace
    assert trace.n_queries == 12
    assert not trace.scored[:12].any() and trace.scored[12:].all()
    Y = np.zeros((40, 3))
    Y[trace.node[:12], trace.label[:12]] = 1
    S = graph.adjacency.toarray()
    L = np.diag(S.sum(axis=1)) - S
    F = np.linalg.solve(L + np.diag(Y.sum(axis=1)) + 1e-4 * np.eye(40), Y)
    assert trace.predicted[12:].tolist() == F.argmax(axis=1)[trace.node[12:]].tolist()
    assert trace.error_rate == pytest.approx(np.mean(trace.predicted[12:] != trace.label[12:]))


def test_seeds_that_leave_nothing_to_score_are_refused():
    with pytest.raises(UsageError, match="none of the 40 rounds counts"):
        play(graphol.NodeTask((blocks(40),), name="b"), Harmonic(), "seeds:count=40")


def test_unlabelled_nodes_are_never_asked():
    graph = blocks(40)
    labels = graph.labels.copy()
    labels[10:] = -1
    task = node_game(spectral_rows(graph), attrs.evolve(graph, labels=labels))
    assert sorted(play(task, make("learner", "molg-f")).trace.node.tolist()) == list(range(10))


@pytest.mark.parametrize("learner", ["gpa", "molg-f", "molg-b"])
@pytest.mark.parametrize("feedback", ["full", "bandit", "random-query:p=0.4", "seeds:count=15"])
def test_compiled_and_plain_agree_under_every_protocol(learner, feedback):
    learner = make("learner", learner)
    if make("feedback", feedback).reveals not in learner.learns_from:
        with pytest.raises(UsageError, match="learns from a label"):
            play(node_game(), learner, feedback)
        return
    for noise in (0.0, 0.25):
        fast = play(node_game(), learner, feedback, noise=noise, seed=8).trace
        slow = play(node_game(), learner, feedback, noise=noise, seed=8, compiled=False).trace
        assert fast.meta["compiled"] and not slow.meta["compiled"]
        for column in graphol.Trace.columns():
            np.testing.assert_array_equal(getattr(fast, column), getattr(slow, column), column)


@attrs.frozen
class Slips:
    """Labels, or bits about labels, of which some are the next class, and some are not said."""

    name: ClassVar = "slips"
    reveals: str = "label"
    on_request: bool = False

    def reveal(self, instance, truth, prediction, rng):
        said, slip = rng.random(2)
        if said < 0.2 or (self.on_request and not prediction.query):
            return NOTHING
        label = (truth + (slip < 0.4)) % 3
        if self.reveals == "label":
            return Reveal(label=label)
        return Reveal(correct=(prediction.label == label) != (slip > 0.8))

    def answered(self, rounds, rng):
        return None

    def script(self, problem, truth, rng):
        said, slip = rng.random((len(truth), 2)).T
        assert problem.rng is rng and problem.n_classes == 3
        flipped = slip > 0.8 if self.reveals == "bit" else None
        return Script(said >= 0.2, (truth + (slip < 0.4)) % 3, flipped)

    def scored(self, rounds):
        return np.ones(rounds, dtype=bool)


LEARNERS = ["gpa", "molg-f", "molg-b", "msg", "ollgc", "soba", "banditron", "confidit"]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("protocol", [FlippedBits(), Slips(), Slips("bit"), Slips("label", True)])
def test_altered_answers_are_played_compiled(name, protocol):
    """The same trace as the plain loop's in every column, noise on top."""
    learner = make("learner", name)
    if protocol.reveals not in learner.learns_from:
        return
    task = node_game(spectral_rows(blocks(60)), blocks(60))
    for noise in (0.0, 0.2):
        options = {"rng": np.random.default_rng(2), "noise": noise}
        fast = graphol.play(task, learner, protocol, **options).trace
        options["rng"] = np.random.default_rng(2)
        slow = graphol.play(task, learner, protocol, **options, compiled=False).trace
        assert fast.meta["compiled"] and not slow.meta["compiled"]
        for column in graphol.Trace.columns():
            np.testing.assert_array_equal(getattr(fast, column), getattr(slow, column), column)


def test_a_stream_that_hears_no_flips_is_not_asked():
    """A stranger's compiled bandit, written before there were any, is played by the plain loop."""
    deaf = type("Deaf", (type(make("learner", "molg-b")),), {"hears_flips": False})()
    runs = [
        graphol.play(node_game(), learner, FlippedBits(), np.random.default_rng(1)).trace
        for learner in (deaf, make("learner", "molg-b"))
    ]
    assert [run.meta["compiled"] for run in runs] == [False, True]
    np.testing.assert_array_equal(runs[0].revealed, runs[1].revealed)
    np.testing.assert_array_equal(runs[0].predicted, runs[1].predicted)


def test_who_cannot_play_compiled_leaves_the_coins_as_they_were():
    """A mask that was drawn and not used would give the plain loop other coins."""

    class Bare(type(make("learner", "gpa"))):
        """Needs no vectors, and has a stream."""

        needs = "nothing"

        def predict(self, state, instance):
            return Prediction(0)

        def update(self, state, instance, prediction, reveal):
            return 1

    task = graphol.NodeTask((blocks(),), name="bare")
    one, two = (
        play(task, Bare(), "random-query:p=0.5", compiled=compiled).trace
        for compiled in (True, False)
    )
    assert one.answered.tolist() == two.answered.tolist()


def test_selective_reveals_when_asked():
    class Shy(type(make("learner", "gpa"))):
        """Asks in even rounds only."""

        def predict(self, state, instance):
            return super().predict(state, instance)._replace(query=instance.t % 2 == 0)

    trace = play(node_game(), Shy(), "selective", compiled=False).trace
    assert trace.queried.tolist() == [t % 2 == 0 for t in range(40)]
    assert np.isnan(trace.revealed[1::2]).all() and not np.isnan(trace.revealed[::2]).any()
    assert not trace.updates[1::2].any()


def test_order_of_play_is_the_same_for_every_learner():
    orders = [play(node_game(), make("learner", x), seed=4).trace.node for x in ("gpa", "molg-f")]
    assert orders[0].tolist() == orders[1].tolist()
    assert (
        orders[0].tolist() != play(node_game(), make("learner", "gpa"), seed=5).trace.node.tolist()
    )


def test_noise_is_shown_but_not_scored():
    trace = play(node_game(), make("learner", "gpa"), noise=0.3, seed=1).trace
    lies = trace.revealed != trace.label
    assert 4 <= lies.sum() <= 20
    assert (trace.revealed[lies] < 3).all()
    np.testing.assert_array_equal(trace.loss, trace.predicted != trace.label)


def test_noise_has_the_stated_rate_and_is_even():
    """Of 20000 answers 30 % are wrong, half of them each of the two other classes."""
    graph = blocks(40)
    order = np.tile(np.arange(40), 500)
    task = OrderedTask((graph,), name="long", features=spectral_rows(graph), order=order)
    trace = play(task, make("learner", "gpa"), noise=0.3).trace
    shift = (trace.revealed - trace.label) % 3
    np.testing.assert_allclose(np.bincount(shift.astype(int)) / 20000, [0.7, 0.15, 0.15], atol=0.01)


def test_delay_delivers_late_and_in_order():
    told = []

    class Listening(type(make("learner", "gpa"))):
        """Writes down when it learnt what."""

        def predict(self, state, instance):
            told.append(("ask", instance.t))
            return super().predict(state, instance)

        def update(self, state, instance, prediction, reveal):
            told.append(("tell", instance.t))
            return super().update(state, instance, prediction, reveal)

    play(node_game(), Listening(), delay=2, rounds=5, compiled=False)
    asks = [("ask", t) for t in range(5)]
    assert told == [
        *asks[:3], ("tell", 0), asks[3], ("tell", 1), asks[4],
        ("tell", 2), ("tell", 3), ("tell", 4),
    ]  # fmt: skip


def test_delay_beyond_the_horizon_never_learns_in_time():
    trace = play(node_game(), make("learner", "gpa"), delay=100).trace
    assert (trace.predicted == 0).all()


def test_rounds_cuts_the_stream():
    whole = play(node_game(), make("learner", "molg-b"), "bandit", seed=2).trace
    part = play(node_game(), make("learner", "molg-b"), "bandit", seed=2, rounds=17).trace
    assert part.predicted.tolist() == whole.predicted[:17].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": 1.0}, "noise must be >= 0 and < 1, got 1.0"),
        ({"noise": float("nan")}, "noise must be"),
        ({"delay": -1}, "delay must be >= 0 rounds, got -1"),
        ({"rounds": 0}, "rounds must be >= 1, got 0"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        play(node_game(), make("learner", "gpa"), **options)


def test_noise_on_a_real_target_is_refused():
    with pytest.raises(UsageError, match="no meaning for a real target"):
        play(signal_game("real"), Gradient(), noise=0.1)


@pytest.mark.parametrize("target", PLAYS)
def test_the_learner_named_in_a_refusal_plays_the_target(target):
    assert target in make("learner", PLAYS[target]).targets


def test_mismatched_parts_are_refused_before_round_one():
    with pytest.raises(
        UsageError, match="but signals asks for signs; try another, for example gpa"
    ):
        play(signal_game(), make("learner", "molg-f"))
    with pytest.raises(UsageError, match='bandit feedback reveals a bit; try feedback="full"'):
        play(node_game(), make("learner", "molg-f"), "bandit")
    bare = graphol.NodeTask((blocks(),), name="blocks")
    with pytest.raises(UsageError, match="needs a vector per node"):
        play(bare, make("learner", "gpa"))
    with pytest.raises(UsageError, match='needs kernel entries; try embedding="kernel"'):
        play(attrs.evolve(switch_game(), features=None), KernelPerceptron())


@pytest.mark.parametrize("nonsense", [float("nan"), 7, -1, 0.5])
def test_a_learner_that_says_nonsense_is_named(nonsense):
    class Odd(type(make("learner", "gpa"))):
        """Loses its mind in round 3."""

        def predict(self, state, instance):
            return Prediction(nonsense if instance.t == 3 else 0)

    with pytest.raises(graphol.GrapholError, match=r"gpa predicted .* in round 3"):
        play(node_game(), Odd(), compiled=False)


@pytest.mark.parametrize("what", ["answered", "scored", "given"])
@pytest.mark.parametrize("word", [[True], np.ones(40)])
def test_a_protocol_whose_mask_is_none_is_named(what, word):
    class Odd(type(make("feedback", "seeds"))):
        """Answers about rounds with something else than a bit for each."""

    setattr(Odd, what, lambda self, *_: word)
    learner = make("learner", "label-propagation" if what == "given" else "gpa")
    said = rf"seeds: {what}\(40\) must give 40 truth values, got"
    with pytest.raises(graphol.GrapholError, match=said):
        graphol.play(node_game(), learner, Odd(count=5), np.random.default_rng(0))
