"""A predictor whose graph grew is the one that knew the whole graph and was told the same."""

import copy
import threading
from typing import ClassVar, NamedTuple

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphol
from graphol import Graph, Predictor, Reveal, UsageError
from graphol.api import NO_VECTOR, Instance
from graphol.states import parts, plain
from graphol.testing.games import blocks
from graphol.testing.states import same

FIRST, N = 30, 40
NAMES = ("red", "green", "blue")
LABELS = blocks(N).labels
VECTORS = np.random.default_rng(5).normal(size=(N, 4)) + np.eye(4)[LABELS] * 2
WHOLE = blocks(N).featured(VECTORS)  # its labels are the truth, which learners do not see
IDS = WHOLE.ids
AT = {node: row for row, node in enumerate(IDS)}


def ends(graph, rows):
    """Sources, targets and weights of the edges that reach these rows from rows before them."""
    S = graph.adjacency.tocoo()
    i, j = S.coords
    use = (j < i) & np.isin(i, rows)
    found = [[graph.ids[k] for k in side[use]] for side in (i, j)]
    return *found, S.data[use]


def part(upto=FIRST, **fields):
    """The graph of the first nodes."""
    source, target, weight = ends(WHOLE, range(upto))
    return Graph.from_edges(source, target, weight, ids=IDS[:upto], **fields)


def begun(learner, **options):
    graph = part(features=VECTORS[:FIRST])
    return Predictor(learner, graph, classes=NAMES, **options)


def join(predictor, lo, hi, **options):
    source, target, weight = ends(WHOLE, range(lo, hi))
    more = VECTORS[lo:hi]
    return predictor.add_nodes(source, target, weight, ids=IDS[lo:hi], features=more, **options)


def answer(predictor, ticket, bits):
    truth = NAMES[LABELS[AT[ticket.node]]]
    said = {"correct": ticket.label == truth} if bits else {"label": truth}
    predictor.tell(ticket, **said)


def play(predictor, rows, bits=False):
    for row in rows:
        answer(predictor, predictor.ask(IDS[row]), bits)


def close(one, two, rtol=1e-9):
    """Two states up to rounding."""
    ours, theirs = ({k: plain(v) for k, v in parts(s).items()} for s in (one, two))
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        np.testing.assert_allclose(value, theirs[name], rtol=rtol, atol=1e-9, err_msg=name)


LEARNERS = [
    "molg-f", "gpa", "ollgc", "walk", "kernel-perceptron",
    "smoothed-ridge", "pool:experts=(walk)+(molg-f),starter=false", "poisson",
    "knn-logistic", "weighted-majority:learners=(gpa)+(molg-f)",
]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS)
def test_after_a_refit_it_is_the_one_that_knew_the_whole_graph(learner):
    """Told the same labels in the same order; the numbers of tickets are the same, too."""
    rng = np.random.default_rng(0)
    predictor, whole = begun(learner), Predictor(learner, WHOLE.unlabelled, classes=NAMES)
    early, late = rng.permutation(FIRST)[:20], rng.permutation(N)[:15]
    play(predictor, early)
    join(predictor, FIRST, 31)
    join(predictor, 31, N)
    play(predictor, late)
    grown = predictor.refit()
    assert grown.refitted and grown.replayed == 35
    assert predictor.graph.hash == whole.graph.hash
    play(whole, [*early, *late])
    close(predictor.state, whole.state)
    for node in IDS:
        ours, theirs = predictor.ask(node), whole.ask(node)
        assert ours.label == theirs.label and ours.known == theirs.known


@pytest.mark.parametrize("learner", ["molg-b", "walk", "pool-b:experts=(walk)+(molg-b)", "soba"])
def test_bits_are_about_what_was_said_then(learner):
    """The slow path: predict anew, say what was said, and learn."""
    rng = np.random.default_rng(1)
    predictor, told = begun(learner), []

    def ask_and_tell(rows):
        for row in rows:
            ticket = predictor.ask(IDS[row])
            right = ticket.label == NAMES[LABELS[row]]
            right ^= bool(rng.random() < 0.2)  # some bits are turned round
            predictor.tell(ticket, correct=right)
            told.append((ticket.number, row, NAMES.index(ticket.label), right))

    ask_and_tell(rng.permutation(FIRST))
    join(predictor, FIRST, N)
    ask_and_tell(rng.permutation(N))
    predictor.refit()
    slow = Predictor(learner, WHOLE.unlabelled, classes=NAMES)
    rows = None if slow.features is None else slow.features.rows
    for number, row, said, right in told:
        instance = Instance(number, int(row), NO_VECTOR if rows is None else rows[row])
        prediction = slow.learner.predict(slow.state, instance)._replace(label=said)
        slow.learner.update(slow.state, instance, prediction, Reveal(correct=right))
    close(predictor.state, slow.state)


@pytest.mark.parametrize("learner", ["molg-f", "gpa", "ridge", "confidit"])
def test_who_knows_rows_alone_goes_on_as_it_was(learner):
    predictor = begun(learner)
    play(predictor, range(20))
    before, rows = copy.deepcopy(predictor.state), predictor.features.rows.copy()
    grown = join(predictor, FIRST, 32, refit=False)
    assert (grown.nodes, grown.waiting, grown.refitted, grown.replayed) == (2, 2, False, None)
    assert same(before, predictor.state)
    assert np.array_equal(predictor.features.rows[:FIRST], rows)
    neighbours = WHOLE.adjacency.toarray()[30, :30] @ rows
    found = predictor.features.rows[30]
    np.testing.assert_allclose(found, neighbours / np.linalg.norm(neighbours))
    assert predictor.notes[-1].startswith("2 node(s) joined since the graph was embedded")
    assert predictor.refit().refitted and "joined since" not in " ".join(predictor.notes)
    assert predictor.notes[-1] == "refitted 1 time(s), last on 32 nodes after 20 answer(s)"


@pytest.mark.parametrize("learner", ["walk", "poisson", "kernel-perceptron"])
def test_who_needs_the_graph_begins_anew_at_once(learner):
    predictor, whole = begun(learner), Predictor(learner, WHOLE.unlabelled, classes=NAMES)
    play(predictor, range(20))
    grown = join(predictor, FIRST, N)
    assert (grown.replayed, grown.waiting, grown.refitted) == (20, 0, False)
    play(whole, range(20))
    close(predictor.state, whole.state)


def test_own_features_need_no_refit():
    predictor = begun("molg-f", embedding="features")
    play(predictor, range(20))
    grown = join(predictor, FIRST, N)
    assert grown.waiting == 0 and grown.replayed is None and len(predictor.features.rows) == N
    unit = VECTORS[35] / np.linalg.norm(VECTORS[35])
    np.testing.assert_allclose(predictor.features.rows[35], unit)


@pytest.mark.parametrize(
    ("refit_after", "refitted"),
    [(0.1, [False, False, False, True]), (0.0, [True] * 4), (None, [False] * 4)],
)
def test_it_refits_by_itself_after_some_growth_and_says_so(refit_after, refitted):
    predictor = begun("molg-f", refit_after=refit_after)
    play(predictor, range(10))
    found = [predictor.add_nodes(ids=[f"new {k}"]) for k in range(4)]
    assert [grown.refitted for grown in found] == refitted
    assert [grown.replayed for grown in found] == [10 if each else None for each in refitted]
    assert any("refitted" in note for note in predictor.notes) == any(refitted)


def test_many_edges_are_growth_too():
    predictor = begun("molg-f")
    pairs = [(a, b) for a in range(15) for b in range(a) if not WHOLE.adjacency[a, b]]
    source, target = zip(*((IDS[a], IDS[b]) for a, b in pairs), strict=True)
    grown = predictor.add_nodes(source, target)
    assert grown.nodes == 0 and grown.edges == len(pairs) and grown.refitted
    assert predictor.add_nodes([], []) == graphol.growing.Growth()


def test_refit_can_be_asked_for_or_put_off():
    predictor = begun("molg-f")
    assert not join(predictor, FIRST, N, refit=False).refitted
    assert predictor.add_nodes(ids=["x"], refit=True).refitted


@pytest.mark.parametrize("learner", ["molg-f", "walk"])
def test_tickets_stay_open_and_answers_come_late(learner):
    """In any order, over growth and refit, some never."""
    rng = np.random.default_rng(2)
    predictor = begun(learner)
    tickets = [predictor.ask(IDS[row]) for row in range(25)]
    for k in rng.permutation(10):
        answer(predictor, tickets[k], False)
    join(predictor, FIRST, N)
    predictor.refit()
    tickets += [predictor.ask(IDS[row]) for row in range(30, 40)]
    order = [*rng.permutation(range(12, 35))]
    for k in order:
        answer(predictor, tickets[k], False)
    assert len(predictor.waiting) == 2
    predictor.refit()
    slow = Predictor(learner, WHOLE.unlabelled, classes=NAMES)
    numbers = predictor.told.entries["number"].tolist()
    assert numbers[10:] == [int(k) for k in order]
    for number in numbers:
        row = AT[tickets[number].node]
        instance = slow._instance(number, row, -1)
        prediction = slow.learner.predict(slow.state, instance)
        slow.learner.update(slow.state, instance, prediction, Reveal(label=int(LABELS[row])))
    close(predictor.state, slow.state)


@pytest.mark.parametrize("learner", ["molg-f", "walk", "pool:experts=(walk)+(molg-f)"])
def test_a_class_that_joined_later_joins_again(learner):
    predictor, whole = begun(learner), Predictor(learner, WHOLE.unlabelled, classes=NAMES)
    seen = (*NAMES, "pink", "cyan")

    def labels(of, rows):
        for row in rows:
            of.tell(of.ask(IDS[row]), label=seen[(LABELS[row] + row // 8) % 5])

    labels(predictor, range(20))
    join(predictor, FIRST, N)
    labels(predictor, range(20, 40))
    predictor.refit()
    labels(whole, range(40))
    assert predictor.classes == whole.classes == list(seen)
    close(predictor.state, whole.state)


@pytest.mark.parametrize(
    ("learner", "model_only"),
    [
        ("molg-f", True),
        ("molg-b", False),
        ("walk", True),
        ("pool-b:experts=(walk)+(molg-b)", False),
    ],
)
def test_saved_at_any_point_it_goes_on(learner, model_only, tmp_path):
    one = begun(learner)
    bits = one.learner.feedback == "bandit"

    def again(predictor):
        if model_only and predictor._waiting(predictor.graph):
            with pytest.raises(UsageError, match="joined since the graph was embedded"):
                predictor.save(tmp_path / "p.npz", force=True, model_only=True)
            predictor.save(tmp_path / "p.npz", force=True)
        else:
            predictor.save(tmp_path / "p.npz", force=True, model_only=model_only)
        return Predictor.load(tmp_path / "p.npz", graph=predictor.graph)

    two = again(begun(learner))
    for step in (
        lambda p: play(p, range(15), bits),
        lambda p: join(p, FIRST, 32),
        lambda p: play(p, range(10, 32), bits),
        lambda p: p.refit(),
        lambda p: join(p, 32, N),
        lambda p: play(p, range(N), bits),
        lambda p: p.refit(),
    ):
        step(one)
        step(two)
        two = again(two)
        assert same(one.state, two.state) and one.notes == two.notes
        assert np.array_equal(one.told.entries, two.told.entries)


def test_signs_contexts_and_latent_graphs_grow_along():
    days = Graph.from_edges(["mon", "tue"], ["tue", "wed"])
    options = {"target": "signs", "classes": ["no", "yes"], "latent": days}
    one = Predictor("context-perceptron", part(), **options)
    two = Predictor("context-perceptron", WHOLE.bare, **options)

    def ask_and_tell(predictor, rows):
        for row in rows:
            ticket = predictor.ask(IDS[row], context=["mon", "tue", "wed"][row % 3])
            predictor.tell(ticket, label=["no", "yes"][(LABELS[row] + row) % 2])

    ask_and_tell(one, range(20))
    source, target, weight = ends(WHOLE, range(FIRST, N))
    assert one.add_nodes(source, target, weight, ids=IDS[FIRST:]).replayed == 20
    ask_and_tell(one, range(15, N))
    one.refit()
    ask_and_tell(two, [*range(20), *range(15, N)])
    close(one.state, two.state)
    assert one.ask(IDS[35], context="wed").label == two.ask(IDS[35], context="wed").label


class Votes(NamedTuple):
    counts: np.ndarray


@attrs.frozen
class Candidates:
    """Counts bits of candidates by node, as a plugin might."""

    name: ClassVar[str] = "candidates-by-node"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar = ("candidates", "label")
    targets: ClassVar = ("classes",)
    needs: ClassVar = "graph"

    def start(self, problem):
        return Votes(np.zeros((problem.graph.n, problem.n_classes)))

    def grow(self, state, n_classes):
        return Votes(np.pad(state.counts, ((0, 0), (0, n_classes - state.counts.shape[1]))))

    def predict(self, state, instance):
        return graphol.Prediction(int(np.argmax(state.counts[instance.node])))

    def update(self, state, instance, prediction, reveal):
        state.counts[instance.node] += reveal.answer * (1 + prediction.label)
        return 1


def test_answers_of_another_kind_are_told_again(tmp_path):
    predictor = Predictor(Candidates(), part(), classes=NAMES)
    for row, told in ((3, {"red"}), (4, {"green", "blue"}), (4, {"blue", "pink"}), (4, {"red"})):
        predictor.tell(predictor.ask(IDS[row]), candidates=told)
    before = predictor.state.counts.copy()
    predictor.add_nodes(ids=["x"])
    assert np.array_equal(predictor.state.counts, np.vstack([before, np.zeros(4)]))
    predictor.save(tmp_path / "p.npz")
    again = Predictor.load(tmp_path / "p.npz", learner=Candidates())
    again.refit()
    assert same(again.state, predictor.state)


def test_without_its_answers_it_refuses_in_one_line(tmp_path):
    for learner in ("molg-f", "walk"):
        predictor = begun(learner, remember=False)
        play(predictor, range(10))
        if learner == "molg-f":
            assert join(predictor, FIRST, N).waiting == 10
        before = predictor.graph, copy.deepcopy(predictor.state)
        with pytest.raises(UsageError, match=r"does not keep them: .*remember=False"):
            predictor.refit()
        with pytest.raises(UsageError, match="begin anew"):
            predictor.add_nodes(ids=["x"], refit=True)
        if learner == "walk":
            with pytest.raises(UsageError, match="begin anew"):
                join(predictor, FIRST, N)
        assert predictor.graph is before[0] and same(predictor.state, before[1])
        predictor.save(tmp_path / f"{learner}.npz")
        assert Predictor.load(tmp_path / f"{learner}.npz").told is None


@pytest.mark.parametrize(
    "given", [{"refit_after": -1}, {"refit_after": "a"}, {"refit_after": True}, {"remember": 1}]
)
def test_bad_arguments_are_one_line(given):
    with pytest.raises(UsageError, match="must be"):
        begun("molg-f", **given)


def test_what_is_refused_changes_nothing():
    predictor = begun("molg-f")
    play(predictor, range(10))
    before = predictor.graph, copy.deepcopy(predictor.state), predictor.features
    with pytest.raises(UsageError, match="'nobody', which is no node"):
        predictor.add_nodes(["x"], ["nobody"], ids=["x"])
    assert (predictor.graph, predictor.features) == (before[0], before[2])
    assert same(predictor.state, before[1])


@pytest.mark.parametrize("learner", ["molg-f", "walk"])
def test_threads_ask_while_another_adds_nodes(learner):
    """No answer is lost between the old state and the new one."""
    predictor, errors = begun(learner), []

    def ask(seed):
        rng = np.random.default_rng(seed)
        try:
            for _ in range(60):
                node = predictor.graph.ids[rng.integers(predictor.graph.n)]
                answer(predictor, predictor.ask(node), False)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for lo in range(FIRST, N, 5):
        join(predictor, lo, lo + 5)
        predictor.refit()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(predictor.told) == predictor.asked
    state = copy.deepcopy(predictor.state)
    predictor.refit()
    close(state, predictor.state, rtol=1e-6)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.integers(0, 9), st.integers(0, 2)),
        st.tuples(st.just("node"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("edge"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("refit"), st.just(0), st.just(0)),
    ),
    max_size=12,
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, learner=st.sampled_from(["molg-f", "walk", "label-propagation", "gpa"]))
def test_any_history_on_a_small_graph(steps, learner):
    """Against a predictor on the last graph that is told all of it."""
    edges = [("0", "1"), ("1", "2")]
    predictor = Predictor(learner, Graph.from_edges(*zip(*edges, strict=True)), classes=[*"abc"])
    told = []
    for what, i, j in steps:
        n = predictor.graph.n
        if what == "tell":
            predictor.tell(predictor.ask(str(i % n)), label="abc"[j])
            told.append((str(i % n), "abc"[j]))
        elif what == "refit":
            predictor.refit()
        elif what == "node":
            more = [(str(n), str(i % n))] if j else []
            edges += more
            predictor.add_nodes([a for a, _ in more], [b for _, b in more], ids=[str(n)])
        elif i % n != j % n:
            edges.append((str(i % n), str(j % n)))
            predictor.add_nodes([edges[-1][0]], [edges[-1][1]])
    predictor.refit()
    ids = [str(k) for k in range(predictor.graph.n)]
    whole = Graph.from_edges(*zip(*{tuple(sorted(e)) for e in edges}, strict=True), ids=ids)
    fresh = Predictor(learner, whole, classes=[*"abc"])
    for node, label in told:
        fresh.tell(fresh.ask(node), label=label)
    assert predictor.graph.hash == fresh.graph.hash
    close(predictor.state, fresh.state, rtol=1e-6)


def games(cora, learner, joins, how, seed):
    """Half of the nodes are asked, ``joins`` join, all others are asked: the errors of these."""
    rng = np.random.default_rng([seed, 77])
    names = [*cora.label_names]
    late = rng.permutation(cora.n)[:joins]
    early = np.setdiff1d(np.arange(cora.n), late)
    order = rng.permutation(early)
    half, rest = np.split(order, [len(early) // 2])
    bits = learner == "molg-b"
    dim = {"embedding": "spectral:dim=100"} if how == "stale" else {}
    predictor = Predictor(
        learner, (cora if how == "whole" else cora.subgraph(early)).unlabelled, classes=names,
        seed=seed, refit_after=0.1 if how == "added" else None, **dim,
    )  # fmt: skip

    def ask_and_tell(rows):
        wrong = 0
        for row in rows:
            ticket, truth = predictor.ask(cora.ids[row]), names[cora.labels[row]]
            wrong += ticket.label != truth
            answered = {"correct": ticket.label == truth} if bits else {"label": truth}
            predictor.tell(ticket, **answered)
        return wrong / len(rows)

    ask_and_tell(half)
    if how != "whole":
        S, there = cora.adjacency, np.isin(np.arange(cora.n), early)
        for new in np.array_split(late, 5):
            there[new] = True
            pairs = [
                (cora.ids[i], cora.ids[j])
                for i in new
                for j in S.indices[S.indptr[i] : S.indptr[i + 1]]
                if there[j] and not (j in new and j < i)
            ]
            source, target = zip(*pairs, strict=True)
            predictor.add_nodes(source, target, ids=[cora.ids[i] for i in new])
    if how == "stale":
        predictor.features = predictor._embedded(predictor.graph)
        predictor._rows = predictor.features.rows
    return ask_and_tell(rng.permutation(np.concatenate([rest, late])))


@pytest.mark.once
@pytest.mark.data
@pytest.mark.parametrize("joins", [25, 250])
@pytest.mark.parametrize("learner", ["molg-f", "molg-b", "walk", "pool"])
def test_nodes_that_join_cora(learner, joins, capsys):
    """The table of docs/howto/service.md."""
    cora = graphol.make("dataset", "cora").load(np.random.default_rng(0)).graph
    cora = cora.largest_component()
    seeds = range(100, 110) if learner != "pool" else range(100, 102)
    ways = ["whole", "added"] + (["kept", "stale"] if learner.startswith("molg") else [])
    error = {
        how: 100 * np.mean([games(cora, learner, joins, how, seed) for seed in seeds])
        for how in ways
    }
    with capsys.disabled():
        print(f"\n{joins} {learner}", *(f"{how} {value:.2f}" for how, value in error.items()))
    assert error["added"] < error["whole"] + 1.5
    assert "stale" not in error or error["added"] < error["stale"] - 4
    if learner == "walk":
        assert error["added"] == pytest.approx(error["whole"], abs=0.05)
