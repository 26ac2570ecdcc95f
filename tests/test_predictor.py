"""Ask and tell, in any order, with any delay, across a save and a load."""

import copy
import json
import os
import pickle
import sys
import threading
from pathlib import Path
from typing import ClassVar, NamedTuple

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph, Predictor, UsageError
from graphol.embeddings.rows import RowFeatures
from graphol.npz import read as read_npz
from graphol.npz import write as write_npz
from graphol.registry import registry
from graphol.tasks import schedules
from graphol.testing.games import blocks
from graphol.testing.states import same

GRAPH = blocks(40)
NAMES = ("red", "green", "blue")


def talk(predictor, order, rng, rounds, open_tickets=()):
    """Ask about nodes and tell about earlier tickets in random order; the answers given."""
    said = []
    waiting = list(open_tickets)
    for t in rounds:
        node = GRAPH.ids[order[t]]
        ticket = predictor.ask(node)
        said.append((ticket.label, None if ticket.scores is None else ticket.scores.tobytes()))
        waiting.append(ticket)
        while len(waiting) > 4:
            told = waiting.pop(int(rng.integers(len(waiting))))
            predictor.tell(told.number, label=NAMES[GRAPH.labels[GRAPH.index(told.node)]])
    return said, waiting


@pytest.mark.parametrize("learner", ["gpa", "molg-f", "molg-b"])
@pytest.mark.parametrize("embedding", ["spectral:dim=6", "spectral:dim=6,trivial=drop"])
def test_resuming_is_bit_identical(tmp_path, learner, embedding):
    order = np.random.default_rng(0).permutation(40)
    whole = Predictor(learner, GRAPH, classes=NAMES, embedding=embedding)
    rng = np.random.default_rng(1)
    _, waiting = talk(whole, order, rng, range(20))
    whole.save(tmp_path / "half.npz")
    resumed = Predictor.load(tmp_path / "half.npz")
    rng_copy = np.random.default_rng()
    rng_copy.bit_generator.state = rng.bit_generator.state
    on, _ = talk(whole, order, rng, range(20, 40), waiting)
    again, _ = talk(resumed, order, rng_copy, range(20, 40), waiting)
    assert on == again
    for a, b in zip(whole.state, resumed.state, strict=True):
        np.testing.assert_array_equal(a, b)


def test_equals_the_engine_when_told_at_once():
    """The same order, immediately answered, is the simulation's game."""
    task = graphol.NodeTask((GRAPH,), name="blocks")
    predictor = Predictor("molg-b", GRAPH, classes=NAMES, embedding="spectral:dim=6")
    task = task.embedded(lambda graph: predictor.features)
    feedback = graphol.make("feedback", "bandit")
    run = graphol.play(task, predictor.learner, feedback, np.random.default_rng(3))
    said = []
    for node, label in zip(run.trace.node, run.trace.label, strict=True):
        ticket = predictor.ask(GRAPH.ids[node])
        said.append(NAMES.index(ticket.label))
        predictor.tell(ticket, correct=ticket.label == NAMES[label])
    assert said == run.trace.predicted.tolist()


@attrs.frozen
class Dice:
    """Vectors that are nothing but drawn."""

    name: ClassVar[str] = "dice"

    def embed(self, graph, rng):
        return RowFeatures(rng.normal(size=(graph.n, 6)))


@pytest.mark.parametrize("learner", ["molg-b:b=50", "banditron", "soba:gamma=0.3"])
@pytest.mark.parametrize("embedding", [Dice(), "spectral:dim=6"])
def test_a_seed_means_what_it_means_to_simulate(learner, embedding):
    """The vectors, and every prediction, of repeat 0."""
    played = graphol.simulate(learner, GRAPH, embedding=embedding, repeats=1, seed=9)
    predictor = Predictor(learner, GRAPH, classes=NAMES, embedding=embedding, seed=9)
    assert predictor.features.rows.tobytes() == played.task.features.rows.tobytes()
    said, trace = [], played.traces[0]
    for node, label in zip(trace.node, trace.label, strict=True):
        ticket = predictor.ask(GRAPH.ids[node])
        said.append(NAMES.index(ticket.label))
        predictor.tell(ticket, correct=ticket.label == NAMES[label])
    assert said == trace.predicted.tolist()


COUNTS = """
from typing import ClassVar, NamedTuple
import attrs, graphol
import numpy as np

class State(NamedTuple):
    counts: np.ndarray

@attrs.frozen
class Counts:
    "Says what it was told most often."
    name: ClassVar = "counts"
    feedback: ClassVar = "full"
    learns_from: ClassVar = ("label",)
    targets: ClassVar = ("classes",)
    needs: ClassVar = "nothing"

    def start(self, problem):
        return State(np.zeros(problem.n_classes))

    def predict(self, state, instance):
        return graphol.Prediction(int(np.argmax(state.counts)))

    def update(self, state, instance, prediction, reveal):
        state.counts[reveal.label] += 1
        return 1

@graphol.hookimpl
def graphol_learners():
    return [Counts]
"""


def test_a_predictor_saved_before_embeds_as_it_did(tmp_path, monkeypatch):
    """A kernel is not saved but made again, by the seeding of its time."""
    (tmp_path / "counts.py").write_text(COUNTS)
    registry().load_file(tmp_path / "counts.py")
    draws = []
    kernel = type(graphol.make("embedding", "kernel"))
    monkeypatch.setattr(kernel, "embed", lambda self, graph, rng: draws.append(rng.random()))
    Predictor("counts", GRAPH, classes=NAMES, embedding="kernel", seed=4).save(tmp_path / "new.npz")
    arrays, meta = read_npz(tmp_path / "new.npz", "predictor", (4,))
    del meta["seeding"]
    write_npz(tmp_path / "old.npz", arrays, meta, force=False)
    Predictor.load(tmp_path / "new.npz")
    Predictor.load(tmp_path / "old.npz")
    now, before = np.random.default_rng([4, 0]).spawn(2)[1], np.random.default_rng([4, 0])
    first = now.random()
    assert draws == [first, first, before.random()]


@pytest.mark.parametrize("learner", ["gpa", "molg-f", "molg-b"])
def test_a_new_class_may_appear(learner):
    """Growing in mid-stream equals having known the class from the start, for full information."""
    grown = Predictor(learner, GRAPH, classes=NAMES[:2], embedding="spectral:dim=6")
    known = Predictor(learner, GRAPH, classes=NAMES, embedding="spectral:dim=6")
    grown.tell(grown.ask("node 2"), label="blue")
    known.tell(known.ask("node 2"), label="blue")
    assert grown.classes == list(NAMES)
    for a, b in zip(grown.state, known.state, strict=True):
        assert np.shape(a) == np.shape(b)
    if learner != "molg-b":
        assert grown.ask("node 2").label == known.ask("node 2").label == "blue"


def test_own_ids_of_any_hashable_kind(tmp_path):
    graph = Graph.from_edges([("a", 1), ("b", 2)], [("b", 2), ("c", 3)])
    predictor = Predictor("gpa", graph, classes=["x", "y"])
    predictor.tell(predictor.ask(("a", 1)), label="y")
    assert predictor.ask(("a", 1)).label == "y"
    predictor.save(tmp_path / "tuples.npz")
    assert Predictor.load(tmp_path / "tuples.npz").ask(("a", 1)).label == "y"
    odd = Predictor("gpa", Graph.from_edges([1.5, "b"], ["b", "c"]), classes=["x", "y"])
    with pytest.raises(
        UsageError, match=r"node id 1\.5 cannot be stored; use texts, whole numbers"
    ):
        odd.save(tmp_path / "odd.npz")
    assert not (tmp_path / "odd.npz").exists()


def test_refusals_are_one_line(tmp_path):
    predictor = Predictor("gpa", GRAPH, classes=NAMES)
    ticket = predictor.ask("node 1")
    with pytest.raises(UsageError, match="has no node 'node x'; did you mean"):
        predictor.ask("node x")
    for told, got in (
        ({}, "nothing"),
        ({"label": "red", "correct": True}, "label, correct"),
        ({"correct": True}, "correct"),
        ({"candidates": ["red"]}, "candidates"),
    ):
        with pytest.raises(UsageError, match=f"gpa is told label=... and nothing else, got {got}"):
            predictor.tell(ticket, **told)
    predictor.tell(ticket, label="red")
    with pytest.raises(UsageError, match="ticket 0 is unknown here, or was told already"):
        predictor.tell(ticket, label="red")
    with pytest.raises(UsageError, match="at least 2 distinct classes"):
        Predictor("gpa", GRAPH, classes=["one"])
    with pytest.raises(UsageError, match="needs a vector per node"):
        Predictor("gpa", GRAPH, classes=NAMES, embedding="kernel")
    predictor.save(tmp_path / "p.npz")
    with pytest.raises(UsageError, match="exists; add force=True to replace it"):
        predictor.save(tmp_path / "p.npz")
    predictor.save(tmp_path / "p.npz", force=True)


def test_forgotten_tickets_are_not_waited_for():
    predictor = Predictor("gpa", GRAPH, classes=NAMES)
    ticket = predictor.ask("node 1")
    predictor.forget(ticket)
    assert not predictor.waiting


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "missing", "other npz"])
def test_a_damaged_file_is_one_line(tmp_path, damage):
    path = tmp_path / "p.npz"
    Predictor("gpa", GRAPH, classes=NAMES).save(path)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:200])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_text("hello")
    elif damage == "missing":
        path.unlink()
    else:
        np.savez(path, a=np.zeros(3))
    with pytest.raises(graphol.InputError) as error:
        Predictor.load(path)
    assert "\n" not in str(error.value) and "p.npz" in str(error.value)


def test_classes_stay_what_the_user_gave():
    """Whole numbers come back as whole numbers, so comparing with one's own labels works."""
    predictor = Predictor("molg-b", GRAPH, classes=[10, 20, 30], embedding="spectral:dim=6")
    ticket = predictor.ask("node 1")
    assert ticket.label == 10
    predictor.tell(ticket, correct=ticket.label == 20)


@pytest.mark.parametrize(
    ("classes", "message"),
    [("ab", "a list of texts"), ([0, "b"], "a list of texts"), ([0.5, 1.5], "a list of texts")],
)
def test_odd_classes_are_refused(classes, message):
    with pytest.raises(UsageError, match=message):
        Predictor("gpa", GRAPH, classes=classes)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"correct": "no"}, "correct must be True or False, got 'no'"),
        ({"label": float("nan")}, "the classes are of type str, such as '.*', got nan"),
        ({"label": 0}, "the classes are of type str, such as '.*', got 0"),
        ({"label": ["red"]}, "the classes are of type str"),
    ],
)
def test_odd_answers_are_refused(told, message):
    predictor = Predictor("molg-b", GRAPH, classes=NAMES)
    ticket = predictor.ask("node 1")
    with pytest.raises(UsageError, match=message):
        predictor.tell(ticket, **told)
    predictor.tell(ticket, correct=True)  # the ticket is still good
    with pytest.raises(UsageError, match="ticket 0 is unknown"):
        predictor.forget(ticket)


GOLDEN = Path(__file__).parent / "golden"
OLD = GOLDEN / "predictor-1"
SAID = json.loads((OLD / "said.json").read_text())
SAID_3 = json.loads((GOLDEN / "predictor-3" / "said.json").read_text())
SAID_2 = json.loads((GOLDEN / "predictor-2" / "said.json").read_text())


@pytest.mark.parametrize("name", SAID_2["said"])
def test_a_predictor_of_schema_2_goes_on(name, tmp_path):
    """Two tickets were open; nobody asked with a context, and all were of classes."""
    predictor = Predictor.load(GOLDEN / "predictor-2" / f"{name}.npz")
    assert {number: predictor.waiting[number].context for number in predictor.waiting} == {
        24: -1, 25: -1,
    }  # fmt: skip
    bits = predictor.learner.learns_from == ("bit",)
    for number, node in ((24, 3), (25, 5)):
        predictor.tell(number, **({"correct": False} if bits else {"label": SAID_2["truth"][node]}))
    said = []
    for i in SAID_2["order"]:
        ticket = predictor.ask(f"node {i}")
        said.append(ticket.label)
        right = ticket.label == SAID_2["truth"][i]
        predictor.tell(ticket, **({"correct": right} if bits else {"label": SAID_2["truth"][i]}))
    assert said == SAID_2["said"][name]


@pytest.mark.parametrize("name", SAID_3["said"])
def test_a_predictor_of_schema_3_goes_on(name, tmp_path):
    """It kept nothing of what it was told; it learns on, and cannot be refitted."""
    predictor, truth = Predictor.load(GOLDEN / "predictor-3" / f"{name}.npz"), SAID_3["truth"]
    bits = name.endswith("-b")
    for number, node in ((24, 3), (25, 5)):
        predictor.tell(number, **({"correct": False} if bits else {"label": truth[node]}))
    said = []
    for i in SAID_3["order"]:
        ticket = predictor.ask(f"node {i}")
        said.append(ticket.label)
        right = ticket.label == truth[i]
        predictor.tell(ticket, **({"correct": right} if bits else {"label": truth[i]}))
    assert said == SAID_3["said"][name]
    with pytest.raises(UsageError, match=r"made .* by an earlier version"):
        predictor.refit()
    predictor.save(tmp_path / "again.npz")
    assert same(Predictor.load(tmp_path / "again.npz").state, predictor.state)


@pytest.mark.parametrize("name", SAID["said"])
def test_a_predictor_of_version_1_goes_on(name, tmp_path):
    """What version 1 saved after a pass over the nodes says in the next what version 1 said."""
    predictor = Predictor.load(OLD / f"{name}.npz")
    assert list(predictor.waiting) == ([24] if name in ("gpa", "molg-f") else [])
    said = []
    for i in SAID["order"]:
        ticket = predictor.ask(f"node {i}")
        said.append(ticket.label)
        predictor.tell(ticket, label=SAID["truth"][i])
    assert said == SAID["said"][name]
    predictor.save(tmp_path / "new.npz")
    again = Predictor.load(tmp_path / "new.npz")
    assert [again.ask(f"node {i}").label for i in range(24)] == [
        predictor.ask(f"node {i}").label for i in range(24)
    ]


def test_a_state_of_another_version_is_one_line(tmp_path):
    arrays, meta = read_npz(OLD / "gpa.npz", "saved predictor")
    arrays["state_theta"] = np.zeros(3)
    write_npz(tmp_path / "p.npz", arrays, meta, force=False)
    with pytest.raises(graphol.InputError, match="gpa of this version has no 'theta' in its state"):
        Predictor.load(tmp_path / "p.npz")


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("indices", lambda a: a - 1000),  # scipy does not look, and the process would end
        ("indptr", lambda a: a[:-1]),
        ("state_W", lambda a: a[:-1]),
        ("state_W", lambda a: a * np.nan),
        ("state_W", lambda a: a.astype(bool)),
        ("state_W", lambda a: a + np.inf),
        ("state_W", lambda a: a + 1e200),
        ("state_W", lambda a: a.astype(np.float32)),
        ("indices", lambda a: a.astype(np.int64) + 2**40),
        ("indptr", lambda a: a[::-1]),
        ("data", lambda a: a.astype(str)),
        ("ids", lambda a: a[:-1]),
        ("rows", lambda a: a * np.nan),
        ("state_W", None),  # it would go on as if it had learnt nothing
        ("rows", lambda a: a[:-1]),
    ],
)
def test_members_that_do_not_fit_are_one_line(tmp_path, member, change):
    path = tmp_path / "p.npz"
    Predictor("gpa", GRAPH, classes=NAMES).save(path)
    arrays, meta = read_npz(path, "saved predictor", (4,))
    whole = arrays.pop(member)
    write_npz(path, arrays | ({member: change(whole)} if change else {}), meta, force=True)
    with pytest.raises(
        graphol.InputError, match=r"p\.npz( is damaged|: \w+ must |: \w+ holds)"
    ) as error:
        Predictor.load(path)
    assert "\n" not in str(error.value)


def test_a_ticket_about_no_node_is_one_line(tmp_path):
    path = tmp_path / "p.npz"
    predictor = Predictor("gpa", GRAPH, classes=NAMES)
    predictor.ask("node 1")
    predictor.save(path)
    arrays, meta = read_npz(path, "saved predictor", (4,))
    write_npz(path, arrays | {"ticket_row": np.array([10**6])}, meta, force=True)
    with pytest.raises(graphol.InputError, match="ticket 0 is about node 1000000 and class 0"):
        Predictor.load(path)


def test_a_trace_is_not_a_predictor(tmp_path):
    graphol.simulate("gpa", "sbm", repeats=1).traces[0].save(tmp_path / "t.npz")
    with pytest.raises(graphol.InputError, match="is not a saved predictor"):
        Predictor.load(tmp_path / "t.npz")


@pytest.mark.parametrize("where", range(20))
def test_flipped_bytes_are_one_line_or_harmless(tmp_path, where):
    path = tmp_path / "p.npz"
    Predictor("gpa", GRAPH, classes=NAMES, embedding="spectral:dim=3").save(path)
    data = bytearray(path.read_bytes())
    data[where * len(data) // 20] ^= 0xFF
    path.write_bytes(data)
    reason = ""
    try:
        Predictor.load(path)
    except graphol.GrapholError as error:
        reason = str(error)
    assert "\n" not in reason


@pytest.mark.parametrize("learner", ["gpa", "msg"])
def test_eight_threads_get_no_ticket_twice(learner):
    """And all they learn together, one alone learns from the same order of asking and telling."""
    usual = graphol.make("learner", learner)
    happened, found, failures = [], [], []

    class Watched(type(usual)):
        def predict(self, state, instance):
            happened.append((instance.t, instance.node, None))
            return super().predict(state, instance)

        def update(self, state, instance, prediction, reveal):
            happened.append((instance.t, instance.node, int(reveal.label)))
            return super().update(state, instance, prediction, reveal)

    setting = {"classes": NAMES, "embedding": "spectral:dim=6"}
    predictor, gate = Predictor(Watched(), GRAPH, **setting), threading.Barrier(8)

    def serve(k):
        rng = np.random.default_rng(k)
        gate.wait()
        try:
            for _ in range(250):
                i = int(rng.integers(40))
                ticket = predictor.ask(GRAPH.ids[i])
                found.append(ticket.number)
                predictor.tell(ticket, label=NAMES[GRAPH.labels[i]])
        except BaseException as reason:
            failures.append(reason)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns as often as they can
    try:
        threads = [threading.Thread(target=serve, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not failures
    assert sorted(found) == list(range(2000)) and predictor.asked == 2000
    assert not predictor.waiting
    alone = Predictor(usual, GRAPH, **setting)
    for t, i, label in happened:
        if label is None:
            assert alone.ask(GRAPH.ids[i]).number == t
        else:
            alone.tell(t, label=NAMES[label])
    for a, b in zip(predictor.state, alone.state, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_file_that_is_saved_while_threads_ask_and_tell_is_whole(tmp_path):
    """Asked, told and open agree in every one of them."""
    setting = {"classes": NAMES, "embedding": "spectral:dim=6", "max_open": 5000}
    predictor = Predictor("molg-f", GRAPH, **setting)
    stop = threading.Event()

    def serve():
        while not stop.is_set():
            predictor.tell(predictor.ask("node 2"), label="blue")
            predictor.ask("node 3")

    threads = [threading.Thread(target=serve) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            predictor.save(tmp_path / "p.npz", force=True, model_only=True)
            again = Predictor.load(tmp_path / "p.npz", graph=GRAPH)
            assert len(again.waiting) <= again.asked and set(again.waiting) <= set(
                range(again.asked)
            )
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_an_answer_that_is_refused_leaves_the_ticket_open():
    class Picky(type(graphol.make("learner", "gpa"))):
        """Refuses what it cannot use."""

        def update(self, state, instance, prediction, reveal):
            if reveal.label == 2:
                raise graphol.UsageError("not blue")
            return super().update(state, instance, prediction, reveal)

    predictor = Predictor(Picky(), GRAPH, classes=NAMES)
    ticket = predictor.ask("node 1")
    with pytest.raises(UsageError, match="not blue"):
        predictor.tell(ticket, label="blue")
    assert predictor.tell(ticket, label="green") == 2
    assert not predictor.waiting


def test_a_ticket_of_another_predictor_is_refused(tmp_path):
    one, two = (Predictor("gpa", GRAPH, classes=NAMES) for _ in range(2))
    mine, other = one.ask("node 1"), two.ask("node 2")
    for refused in (one.tell, one.forget):
        with pytest.raises(UsageError, match=r"ticket 0 \(node 'node 2'\) is of another predictor"):
            refused(other, **({"label": "red"} if refused == one.tell else {}))
    one.save(tmp_path / "p.npz")
    lost = one.ask("node 3")  # after the save
    again = Predictor.load(tmp_path / "p.npz")
    new = again.ask("node 4")
    assert new.number == lost.number
    with pytest.raises(UsageError, match="was asked after the save that this one goes on from"):
        again.tell(lost, label="red")
    again.tell(mine, label="red")
    again.tell(new, label="red")
    again.save(tmp_path / "q.npz")
    Predictor.load(tmp_path / "q.npz").ask("node 1")


def test_a_predictor_that_is_copied_goes_on_alone():
    predictor = Predictor("gpa", GRAPH, classes=NAMES)
    ticket = predictor.ask("node 2")
    other = copy.deepcopy(predictor)
    other.tell(ticket, label="blue")
    assert predictor.ask("node 2").label == "red" and other.ask("node 2").label == "blue"
    predictor.tell(ticket, label="blue")


@pytest.mark.parametrize("learner", ["gpa", "msg", "kernel-perceptron", "label-propagation"])
def test_a_model_without_its_graph(tmp_path, learner):
    predictor = Predictor(learner, GRAPH, classes=NAMES)
    rng = np.random.default_rng(1)
    _, waiting = talk(predictor, np.arange(40), rng, range(20))
    predictor.save(tmp_path / "model.npz", model_only=True)
    arrays, _ = read_npz(tmp_path / "model.npz", "saved predictor", (4,))
    assert not arrays.keys() & {"indptr", "indices", "data", "ids", "rows"}
    with pytest.raises(UsageError, match=r"saved without its graph; give it, .* graph=\.\.\."):
        Predictor.load(tmp_path / "model.npz")
    for other in (blocks(40, seed=5), blocks(41), graphol.Graph(GRAPH.adjacency)):
        with pytest.raises(UsageError, match="saved with another graph, blocks with the hash") as e:
            Predictor.load(tmp_path / "model.npz", graph=other)
        assert "\n" not in str(e.value)
    again = Predictor.load(tmp_path / "model.npz", graph=GRAPH.unlabelled)
    copied = np.random.default_rng()
    copied.bit_generator.state = rng.bit_generator.state
    on, _ = talk(predictor, np.arange(40), rng, range(20, 40), waiting)
    assert on == talk(again, np.arange(40), copied, range(20, 40), waiting)[0]


ON_FEATURES = ("multi-mrf:features=all,weights=1", "robust-lp", "smoothed-logistic", "dongle",
               "knn-logistic")  # fmt: skip


@pytest.mark.parametrize("learner", ON_FEATURES)
def test_node_features_survive_a_save(tmp_path, learner):
    rng = np.random.default_rng(0)
    X = (rng.random((40, 5)) < 0.4) * rng.random((40, 5))
    graph = GRAPH.featured(X, [f"word {j}" for j in range(5)])
    whole = Predictor(learner, graph, classes=NAMES)
    _, waiting = talk(whole, np.arange(40), np.random.default_rng(1), range(20))
    whole.save(tmp_path / "whole.npz")
    whole.save(tmp_path / "model.npz", model_only=True)
    resumed = [
        Predictor.load(tmp_path / "whole.npz"),
        Predictor.load(tmp_path / "whole.npz", graph=graph),
        Predictor.load(tmp_path / "model.npz", graph=graph.unlabelled),
    ]
    assert resumed[0].graph.hash == graph.unlabelled.hash
    assert resumed[0].graph.feature_names == graph.feature_names
    on, _ = talk(whole, np.arange(40), np.random.default_rng(2), range(20, 40), waiting)
    for each in resumed:
        assert on == talk(each, np.arange(40), np.random.default_rng(2), range(20, 40), waiting)[0]
    for other in (graph.featured(2 * X), GRAPH):
        for file in ("whole.npz", "model.npz"):
            with pytest.raises(UsageError, match="other node features than blocks has; give"):
                Predictor.load(tmp_path / file, graph=other)


def test_a_model_on_other_vectors_is_refused(tmp_path, monkeypatch):
    """Eigenvectors have no sign: those of another machine may be turned round, and all is wrong."""
    Predictor("gpa", GRAPH, classes=NAMES, embedding="spectral:dim=6").save(
        tmp_path / "model.npz", model_only=True
    )
    spectral = type(graphol.make("embedding", "spectral"))
    rows = graphol.make("embedding", "spectral:dim=6").embed(GRAPH, np.random.default_rng(0)).rows
    for flip, message in ((np.array([1, 1, 1, 1, 1, -1]), "other vectors"), (np.ones(6), "")):
        monkeypatch.setattr(spectral, "embed", lambda *_, by=flip: RowFeatures(rows * by + 1e-12))
        if message:
            with pytest.raises(graphol.InputError, match=f"{message} .* save it whole"):
                Predictor.load(tmp_path / "model.npz", graph=GRAPH)
        else:
            Predictor.load(tmp_path / "model.npz", graph=GRAPH)


def test_a_whole_file_takes_its_graph_from_the_caller_too(tmp_path):
    Predictor("gpa", GRAPH, classes=NAMES).save(tmp_path / "whole.npz")
    assert Predictor.load(tmp_path / "whole.npz", graph=GRAPH).graph is GRAPH
    with pytest.raises(UsageError, match="saved with another graph"):
        Predictor.load(tmp_path / "whole.npz", graph=blocks(41))


def test_a_learner_that_nobody_offers_is_given_to_load(tmp_path):
    class Mine(type(graphol.make("learner", "gpa"))):
        name = "mine"

    Predictor(Mine(), GRAPH, classes=NAMES).save(tmp_path / "p.npz")
    with pytest.raises(UsageError, match="unknown learner 'mine'"):
        Predictor.load(tmp_path / "p.npz")
    assert Predictor.load(tmp_path / "p.npz", learner=Mine()).learner == Mine()
    with pytest.raises(UsageError, match=r"is of the learner .*mine.*, not .*always"):
        Predictor.load(tmp_path / "p.npz", learner=Mine(when="always"))


def test_a_learner_that_says_no_class_is_named():
    class Odd(type(graphol.make("learner", "gpa"))):
        def predict(self, state, instance):
            return graphol.Prediction(-1 if instance.t else float("nan"))

    predictor = Predictor(Odd(), GRAPH, classes=NAMES)
    for said in ("nan", "-1"):
        if said == "-1":
            predictor.waiting.asked = 1
        with pytest.raises(graphol.GrapholError, match=f"gpa predicted {said}, which is not one"):
            predictor.ask("node 1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"graph": "edges.csv"}, "a predictor needs a graphol.Graph, got str"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"seed": 0.5}, "seed must be a whole number >= 0, got 0.5"),
        ({"seed": "a"}, "seed must be a whole number >= 0, got 'a'"),
        ({"classes": 5}, "classes must be a list of texts or a list of whole numbers, got 5"),
        ({"classes": None}, "blocks has no labels; name the classes"),
        ({"classes": [True, False]}, "classes must be a list"),
        ({"max_age": 0}, "max_age must be a number of seconds > 0, or None, got 0"),
        ({"max_age": float("nan")}, "max_age must be"),
        ({"max_age": "1 h"}, "max_age must be"),
        ({"max_open": 0}, "max_open must be a whole number >= 1, or None, got 0"),
        ({"max_open": 2.5}, "max_open must be"),
        ({"learner": 5}, "int is not a learner"),
        ({"embedding": 5}, "int is not a embedding"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message):
    usual = {"learner": "gpa", "graph": GRAPH.unlabelled, "classes": NAMES}
    with pytest.raises(graphol.GrapholError, match=message) as error:
        Predictor(**usual | arguments)
    assert "\n" not in str(error.value)


def test_bad_arguments_of_methods_are_one_line(tmp_path):
    predictor = Predictor("gpa", GRAPH, classes=[1, 2, 3])
    ticket = predictor.ask("node 1")
    for call in (
        lambda: predictor.ask(["node 1"]),
        lambda: predictor.tell([1], label=1),
        lambda: predictor.tell(None, label=1),
        lambda: predictor.tell(False, label=1),
        lambda: predictor.tell(ticket, label="1"),
        lambda: predictor.forget("0"),
        lambda: predictor.save(5),
        lambda: predictor.save(tmp_path / "nowhere" / "p.npz"),
        lambda: Predictor.load(5),
        lambda: Predictor.load(tmp_path),
    ):
        with pytest.raises(graphol.GrapholError) as error:
            call()
        assert "\n" not in str(error.value)
    predictor.tell(np.int64(0), label=np.int64(3))  # numbers of numpy's are numbers


def test_new_candidates_are_numbered_the_same_everywhere():
    """A set has no order; and of a list with something odd in it, nothing is learnt."""

    class Candidates(type(graphol.make("learner", "gpa"))):
        learns_from = ("candidates",)

        def update(self, state, instance, prediction, reveal):
            return int(reveal.answer.sum())

    predictor = Predictor(Candidates(), GRAPH, classes=NAMES)
    ticket = predictor.ask("node 1")
    with pytest.raises(UsageError, match=r"the classes are of type str, such as '.*', got 5"):
        predictor.tell(ticket, candidates=["pink", 5])
    assert predictor.classes == list(NAMES)
    assert predictor.tell(ticket, candidates={"pink", "cyan", "ochre", "red"}) == 4
    assert predictor.classes == [*NAMES, "cyan", "ochre", "pink"]


@pytest.mark.once
def test_ten_million_rounds_in_flat_memory(capsys):
    """Every third answer never comes; a thousand tickets are kept open."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("no /proc to read the memory from")

    def megabytes():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    predictor = Predictor(
        "gpa", GRAPH, classes=NAMES, embedding="spectral:dim=4", max_open=1000, remember=False
    )
    order = np.random.default_rng(0).integers(0, 40, size=100_003).tolist()
    truth = [NAMES[k] for k in GRAPH.labels]
    at = {}
    for t in range(10_000_000):
        i = order[t % len(order)]
        ticket = predictor.ask(GRAPH.ids[i])
        if t % 3:
            predictor.tell(ticket, label=truth[i])
        if t + 1 in (100_000, 1_000_000, 10_000_000):
            at[t + 1] = megabytes()
            with capsys.disabled():
                print(f"\n{t + 1:>10} rounds: {at[t + 1]:.1f} MB resident", end="")
    assert len(predictor.waiting) == 1000 and predictor.asked == 10_000_000
    assert at[10_000_000] < at[1_000_000] + 2


def test_what_is_odd_about_the_graph_is_noted(tmp_path):
    """Labels are told later, so nothing is said of them; who loads it is told the same."""
    graph = Graph.from_edges(["a", "b", "x"], ["b", "c", "y"], ids="abcxyz")
    assert Predictor("molg-f", graph, classes=["1", "2"]).notes == (
        "3 components; graph.largest_component() keeps one",
        "1 isolated node(s)",
    )
    few = Predictor("molg-f", graph, classes=["1", "2"], embedding="spectral:dim=1")
    assert few.notes[2].startswith("doubtful: 3 node(s) of small components are left out")
    assert few.notes[3].startswith("doubtful: the embedding tells components apart and nothing")
    for model_only in (False, True):
        few.save(tmp_path / "few.npz", force=True, model_only=model_only)
        again = Predictor.load(tmp_path / "few.npz", graph=graph)
        assert again.notes == few.notes


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_is_another_predictor(again):
    """Both number their next tickets alike; the one's truth must not be learnt by the other."""
    one = Predictor("molg-f", GRAPH, classes=NAMES)
    both = one.ask(GRAPH.ids[0])
    two = again(one)
    first, second = one.ask(GRAPH.ids[1]), two.ask(GRAPH.ids[2])
    assert first.number == second.number
    for predictor, ticket in ((one, second), (two, first)):
        with pytest.raises(UsageError, match=r"ticket 1 .* is of another predictor"):
            predictor.tell(ticket, label="red")
    assert one.tell(both, label="red") == two.tell(both, label="red") == 2
    one.tell(first, label="green")
    assert two.tell(second, label="blue") and len(two.waiting) == 0


def test_a_learner_is_named_where_a_predictor_is_loaded(tmp_path):
    Predictor("molg-f:b=20", GRAPH, classes=NAMES).save(tmp_path / "p.npz")
    loaded = Predictor.load(tmp_path / "p.npz", learner="molg-f:b=20")
    assert graphol.describe(loaded.learner)["b"] == 20
    with pytest.raises(UsageError, match=r"is of the learner .*'b': 20.* not .*'b': 10"):
        Predictor.load(tmp_path / "p.npz", learner="molg-f")


def test_no_path_has_a_zero_byte(tmp_path):
    predictor = Predictor("molg-f", GRAPH, classes=NAMES)
    for call in (predictor.save, Predictor.load):
        with pytest.raises(UsageError, match="cannot have a zero byte"):
            call(str(tmp_path / "p\0.npz"))
    assert os.listdir(tmp_path) == []


SIGNS = np.where(GRAPH.labels == 0, 1, -1)
DAYS = Graph.from_edges(["mon", "tue", "wed"], ["tue", "wed", "thu"], name="days")


class Past(graphol.Derived):
    """The kernels of this game."""

    def __init__(self, problem):
        self.nodes, self.contexts = problem.features, problem.latent
        self.n_contexts = problem.n_contexts


class PairsState(NamedTuple):
    support: graphol.Appendable  # (m, 2): node and context
    signs: graphol.Appendable  # (m,)
    past: Past


@attrs.frozen
class Pairs:
    """Perceptron whose kernel is that of the nodes times that of the contexts."""

    name: ClassVar[str] = "pairs"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar = ("label", "bit")
    targets: ClassVar = ("signs",)
    needs: ClassVar[str] = "gram"

    def start(self, problem):
        nobody = np.zeros((0, 2), dtype=np.int64)
        return PairsState(
            graphol.Appendable(nobody), graphol.Appendable(np.zeros(0)), Past(problem)
        )

    def predict(self, state, instance):
        support, past = state.support.values, state.past
        k = past.nodes.gram(instance.node, support[:, 0])
        if past.contexts is None:
            k = k * (support[:, 1] == instance.context)
        elif instance.context >= 0:
            k = k * past.contexts.gram(instance.context, support[:, 1])
        score = float(k @ state.signs.values)
        return graphol.Prediction(1 if score >= 0 else -1, np.array([score]))

    def update(self, state, instance, prediction, reveal):
        if reveal.right(prediction):
            return 0
        state.support.append((instance.node, instance.context))
        state.signs.append(-prediction.label)
        return 1


@pytest.mark.parametrize("bits", [False, True])
@pytest.mark.parametrize("names", [None, ["no", "yes"]])
def test_signs_equal_the_engine_when_told_at_once(names, bits):
    """Contexts are tasks of a clique; the names are the user's own."""
    connected = blocks(40, K=2, isolated=False)
    predictor = Predictor(
        Pairs(), connected, classes=names, latent=graphol.Clique(4), embedding="kernel:eps=0.1"
    )
    first = np.where(connected.labels == 0, 1, -1)
    task = graphol.SwitchTask(
        connected, np.stack([first, -first]), schedules.Tasks(200, 4), "tasks",
        features=predictor.features,
    )  # fmt: skip
    run = graphol.play(
        task, Pairs(), graphol.make("feedback", "bandit" if bits else "full"),
        np.random.default_rng(3),
    )  # fmt: skip
    said, words = [], predictor.classes
    assert words == (names or [-1, 1]) and predictor.vocabulary.target == "signs"
    trace = run.trace
    for node, context, sign in zip(trace.node, trace.context, trace.label, strict=True):
        ticket = predictor.ask(connected.ids[node], int(context))
        assert (ticket.context, ticket.node) == (context, connected.ids[node])
        said.append([-1, 1][words.index(ticket.label)])
        truth = words[int(sign > 0)]
        predictor.tell(ticket, **({"correct": ticket.label == truth} if bits else {"label": truth}))
    assert said == trace.predicted.tolist()
    assert 0.1 < trace.error_rate < 0.5


LATENTS = {
    "none": (None, [0, 7, 10**9]), "clique": (graphol.Clique(4), [0, 1, 3]),
    "tree": (graphol.SupportTree(1000), [0, 500, 999]), "line": (graphol.Line(50), [0, 49]),
    "graph": (DAYS, ["mon", "tue", "wed", "thu"]),
}  # fmt: skip


@pytest.mark.parametrize("model_only", [False, True])
@pytest.mark.parametrize("embedding", ["kernel", "spectral:dim=6"])
@pytest.mark.parametrize("kind", LATENTS)
def test_contexts_survive_a_save(tmp_path, kind, embedding, model_only):
    """With tickets open, told in another order; some are asked without a context."""
    latent, contexts = LATENTS[kind]
    path, rng = tmp_path / "p.npz", np.random.default_rng(1)
    setting = {"classes": ["no", "yes"], "latent": latent, "embedding": embedding}
    one = two = Predictor(Pairs(), GRAPH, **setting)
    waiting = []
    for t in range(80):
        if t % 10 == 0:
            two.save(path, model_only=model_only, force=True)
            graphs = {"graph": GRAPH, "latent": latent if kind == "graph" else None}
            two = Predictor.load(path, learner=Pairs(), **(graphs if model_only else {}))
        node, context = int(rng.integers(40)), contexts[int(rng.integers(len(contexts)))]
        asked = () if t % 7 == 0 else (context,)
        ours, theirs = one.ask(f"node {node}", *asked), two.ask(f"node {node}", *asked)
        assert ours.label == theirs.label and ours.scores.tobytes() == theirs.scores.tobytes()
        flipped = contexts.index(context) % 2
        waiting.append((ours.number, ["no", "yes"][int(SIGNS[node] > 0) ^ flipped]))
        if len(waiting) > 5:
            number, truth = waiting.pop(int(rng.integers(6)))
            assert one.tell(number, label=truth) == two.tell(number, label=truth)
    assert same(one.state, two.state) and len(one.state.signs.values) > 10
    assert (two.state.past.contexts is None) == (kind == "none")
    counts = {"none": None, "clique": 4, "tree": 1000, "line": 50, "graph": 4}
    assert one.state.past.n_contexts == two.state.past.n_contexts == counts[kind]


def test_a_latent_graph_is_embedded_as_the_observed_one():
    """Entries of L^+ + R over the days, by dense algebra."""
    predictor = Predictor(Pairs(), GRAPH, latent=DAYS, embedding="kernel")
    L = DAYS.laplacian("combinatorial").toarray()
    K = np.linalg.pinv(L, hermitian=True)
    K += K.diagonal().max()
    found = [predictor.state.past.contexts.gram(i, np.arange(4)) for i in range(4)]
    np.testing.assert_allclose(found, K, atol=1e-9)


def test_a_learner_of_the_graph_alone_is_told_how_many_contexts_there_are():
    class Alone(Pairs):
        needs = "nothing"

    past = Predictor(Alone(), GRAPH, latent=DAYS).state.past
    assert (past.nodes, past.contexts, past.n_contexts) == (None, None, 4)


def test_other_latent_graphs_are_refused(tmp_path):
    path, other = tmp_path / "p.npz", Graph.from_edges("ab", "bc", name="other")
    predictor = Predictor(Pairs(), GRAPH, latent=DAYS)
    for model_only in (False, True):
        predictor.save(path, model_only=model_only, force=True)
        with pytest.raises(UsageError, match="saved with another latent graph, days with the hash"):
            Predictor.load(path, graph=GRAPH, latent=other, learner=Pairs())
    with pytest.raises(UsageError, match=r"without its latent graph; give it, .*latent=\.\.\."):
        Predictor.load(path, graph=GRAPH, learner=Pairs())
    with pytest.raises(UsageError, match=r"latent must be a graphol\.Graph, got Clique"):
        Predictor.load(path, graph=GRAPH, latent=graphol.Clique(4), learner=Pairs())
    Predictor(Pairs(), GRAPH, latent=graphol.Clique(4)).save(path, force=True)
    with pytest.raises(UsageError, match="saved without a latent graph; leave latent out"):
        Predictor.load(path, latent=DAYS, learner=Pairs())


def test_the_target_is_what_the_learner_plays():
    assert Predictor("gpa", GRAPH, classes=NAMES).vocabulary.target == "classes"
    assert Predictor("gpa", GRAPH, target="signs").classes == [-1, 1]
    assert Predictor(Pairs(), GRAPH).vocabulary.target == "signs"
    with pytest.raises(UsageError, match="molg-b predicts classes, but a predictor asks for signs"):
        Predictor("molg-b", GRAPH, target="signs")
    with pytest.raises(UsageError, match="pairs predicts signs, but a predictor asks for classes"):
        Predictor(Pairs(), GRAPH, target="classes")


def test_signs_have_two_names_and_no_more():
    predictor = Predictor("gpa", GRAPH, target="signs", classes=["no", "yes"])
    ticket = predictor.ask("node 1")
    with pytest.raises(UsageError, match="a sign is 'no' or 'yes', got 'maybe'"):
        predictor.tell(ticket, label="maybe")
    with pytest.raises(UsageError, match=r"the signs are of type str, such as '.*', got 1"):
        predictor.tell(ticket, label=1)
    assert predictor.tell(ticket, label="no") == 1 and predictor.ask("node 1").label == "no"
    assert predictor.classes == ["no", "yes"]


def test_a_learner_that_says_no_sign_is_named():
    class Odd(Pairs):
        def predict(self, state, instance):
            return graphol.Prediction(0)

    with pytest.raises(
        graphol.GrapholError, match=r"predicted 0, which is not one of the signs, -1 and \+1"
    ):
        Predictor(Odd(), GRAPH).ask("node 1")


def test_contexts_out_of_range_are_one_line():
    predictor = Predictor(Pairs(), GRAPH, latent=graphol.Clique(4))
    with pytest.raises(UsageError, match="a context is a whole number from 0 to 3, got 4"):
        predictor.ask("node 1", context=4)
    named = Predictor(Pairs(), GRAPH, latent=DAYS)
    with pytest.raises(UsageError, match="latent graph: days has no node 'tu'; did you mean 'tue'"):
        named.ask("node 1", context="tu")
    with pytest.raises(UsageError, match=r"latent must be graphol\.Clique"):
        Predictor(Pairs(), GRAPH, latent=4)
    assert predictor.asked == named.asked == 0


class BothState(NamedTuple):
    members: tuple
    share: np.ndarray  # (2,)
    rounds: int


@attrs.frozen
class Both:
    """Two learners; the one that erred less often is believed."""

    name: ClassVar[str] = "both"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar = ("label",)
    targets: ClassVar = ("classes", "signs")
    needs: ClassVar[str] = "rows"
    members: ClassVar = tuple(graphol.make("learner", x) for x in ("kernel-perceptron", "gpa"))

    def start(self, problem):
        return BothState(tuple(m.start(problem) for m in self.members), np.zeros(2), 7)

    def said(self, state, instance):
        inside = zip(self.members, state.members, strict=True)
        return [member.predict(its, instance) for member, its in inside]

    def predict(self, state, instance):
        return self.said(state, instance)[int(np.argmin(state.share))]

    def update(self, state, instance, prediction, reveal):
        changed = 0
        said = self.said(state, instance)
        for k, member in enumerate(self.members):
            state.share[k] += said[k].label != reveal.label
            changed += member.update(state.members[k], instance, said[k], reveal)
        return changed

    def grow(self, state, n_classes):
        inside = zip(self.members, state.members, strict=True)
        return state._replace(members=tuple(m.grow(its, n_classes) for m, its in inside))


@pytest.mark.parametrize("target", ["classes", "signs"])
def test_states_inside_a_state_are_saved_by_their_path(tmp_path, target):
    """Arrays that grow, open tickets and a new class on the way."""
    names = list(NAMES[:2])
    one = two = Predictor(Both(), GRAPH, classes=names, target=target, embedding="spectral:dim=6")
    rng, waiting, lengths = np.random.default_rng(2), [], set()
    for t in range(60):
        if t % 6 == 0:
            two.save(tmp_path / "p.npz", force=True)
            arrays, meta = read_npz(tmp_path / "p.npz", "saved predictor", (4,))
            lengths.add(len(arrays["state_members.0.support"]))
            assert {"state_share", "state_members.0.coefficients", "state_members.1.W"} < {*arrays}
            assert meta["scalars"].keys() == {"rounds", "members.1.seed"}
            two = Predictor.load(tmp_path / "p.npz", learner=Both())
        i = int(rng.integers(40))
        ours, theirs = one.ask(f"node {i}"), two.ask(f"node {i}")
        assert ours.label == theirs.label and ours.scores.tobytes() == theirs.scores.tobytes()
        k = GRAPH.labels[i]
        waiting.append((t, NAMES[k] if target == "classes" and t > 20 else NAMES[k % 2]))
        if len(waiting) > 4:
            number, truth = waiting.pop(int(rng.integers(5)))
            assert one.tell(number, label=truth) == two.tell(number, label=truth)
    assert same(one.state, two.state) and len(lengths) > 4
    assert one.classes == two.classes == list(NAMES if target == "classes" else NAMES[:2])


def test_a_state_inside_a_state_is_checked(tmp_path):
    predictor = Predictor(Both(), GRAPH, classes=NAMES)
    predictor.tell(predictor.ask("node 1"), label="blue")
    predictor.save(tmp_path / "p.npz")
    arrays, meta = read_npz(tmp_path / "p.npz", "saved predictor", (4,))
    support = "state_members.0.support"
    for change, said in (
        ({support: arrays[support] * 0.5}, "members.0.support is float64"),
        ({"state_members.2.W": np.zeros(3)}, "both of this version has no 'members.2.W'"),
        ({"state_members.1.W": arrays["state_members.1.W"] * np.nan}, "members.1.W has entries"),
    ):
        write_npz(tmp_path / "q.npz", arrays | change, meta, force=True)
        with pytest.raises(graphol.InputError, match=said):
            Predictor.load(tmp_path / "q.npz", learner=Both())
    del arrays[support]
    write_npz(tmp_path / "q.npz", arrays, meta, force=True)
    with pytest.raises(graphol.InputError, match="is damaged"):
        Predictor.load(tmp_path / "q.npz", learner=Both())


LATE = ["walk", "pool:experts=(walk)+(molg-f)", "pool-b:experts=(walk)+(molg-b)"]


@pytest.mark.parametrize("learner", LATE)
@pytest.mark.parametrize("bits", [False, True])
def test_late_and_wrong_answers_are_the_engine_s(learner, bits):
    """Every answer comes six rounds late and a fifth of them is turned round."""
    task = graphol.NodeTask((GRAPH,), name="blocks")
    predictor = Predictor(learner, GRAPH, classes=NAMES, embedding="spectral:dim=6", seed=4)
    task = task.embedded(lambda graph: predictor.features)
    feedback = graphol.make("feedback", "bandit" if bits else "full")
    trace = graphol.play(
        task, predictor.learner, feedback, np.random.default_rng([4, 1]), delay=6, noise=0.2
    ).trace
    said, waiting = [], []
    told = [(*each,) for each in zip(trace.node, trace.revealed, strict=True)]

    def deliver():
        ticket, shown = waiting.pop(0)
        answer = {"correct": bool(shown)} if bits else {"label": NAMES[int(shown)]}
        predictor.tell(ticket, **answer)

    for t, (node, shown) in enumerate(told):
        while waiting and waiting[0][0].number < t - 6:
            deliver()
        waiting.append((predictor.ask(GRAPH.ids[node]), shown))
        said.append(NAMES.index(waiting[-1][0].label))
    assert said == trace.predicted.tolist()


@pytest.mark.parametrize("learner", LATE)
def test_late_answers_in_any_order_and_a_save_in_between(learner, tmp_path):
    """Against the learner itself, asked and told in the same order; some answers never come."""
    bits = learner.startswith("pool-b")
    one, rng = Predictor(learner, GRAPH, classes=NAMES, seed=4), np.random.default_rng(7)
    problem = one._problem(GRAPH, one.features, 3)
    state, open_, K = one.learner.start(problem), {}, 3
    names = [*NAMES]
    for t in range(60):
        row = int(rng.integers(40))
        instance = one._instance(t, row, -1)
        prediction = one.learner.predict(state, instance)
        ticket = one.ask(GRAPH.ids[row])
        assert ticket.label == names[prediction.label]
        open_[ticket.number] = instance, prediction
        if t % 7 == 3:  # whoever goes on from the file is the same
            one.save(tmp_path / "p.npz", force=True, model_only=t % 2 == 0)
            one = Predictor.load(tmp_path / "p.npz", graph=GRAPH)
        if len(open_) > 5:
            number = int(rng.choice([*open_]))
            instance, prediction = open_.pop(number)
            truth = int(GRAPH.labels[instance.node]) if t != 30 else 3
            if bits:
                right = bool((prediction.label == truth) ^ (rng.random() < 0.2))
                one.tell(number, correct=right)
                one.learner.update(state, instance, prediction, graphol.Reveal(correct=right))
                continue
            if truth == K:  # a class that nobody named before
                names.append("pink")
                K, state = K + 1, one.learner.grow(state, K + 1)
            one.tell(number, label=names[truth])
            one.learner.update(state, instance, prediction, graphol.Reveal(label=truth))
    assert same(state, one.state) and one.classes == names
    assert len(names) == (3 if bits else 4)
