"""Ask and tell, in any order, with any delay, across a save and a load."""

import json
from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np
import pytest

import graphol
from graphol import Graph, Predictor, UsageError
from graphol.embeddings.rows import RowFeatures
from graphol.npz import read as read_npz
from graphol.npz import write as write_npz
from graphol.registry import registry
from graphol.testing.games import blocks

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
    arrays, meta = read_npz(tmp_path / "new.npz", "predictor")
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
    with pytest.raises(UsageError, match=r"exists; add --force \(in Python force=True\)"):
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
        ({"label": float("nan")}, "the classes are of type str, got nan"),
        ({"label": 0}, "the classes are of type str, got 0"),
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


OLD = Path(__file__).parent / "golden" / "predictor-1"
SAID = json.loads((OLD / "said.json").read_text())


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
        ("state_W", None),  # it would go on as if it had learnt nothing
        ("rows", lambda a: a[:-1]),
    ],
)
def test_members_that_do_not_fit_are_one_line(tmp_path, member, change):
    path = tmp_path / "p.npz"
    Predictor("gpa", GRAPH, classes=NAMES).save(path)
    arrays, meta = read_npz(path, "saved predictor")
    whole = arrays.pop(member)
    write_npz(path, arrays | ({member: change(whole)} if change else {}), meta, force=True)
    with pytest.raises(graphol.InputError, match=r"p\.npz is damaged") as error:
        Predictor.load(path)
    assert "\n" not in str(error.value)


def test_a_ticket_about_no_node_is_one_line(tmp_path):
    path = tmp_path / "p.npz"
    Predictor("gpa", GRAPH, classes=NAMES).save(path)
    arrays, meta = read_npz(path, "saved predictor")
    write_npz(path, arrays, meta | {"waiting": [[0, 10**6, 0, True]]}, force=True)
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


def test_what_is_odd_about_the_graph_is_noted():
    """Labels are told later, so nothing is said of them."""
    graph = Graph.from_edges(["a", "b", "x"], ["b", "c", "y"], ids="abcxyz")
    assert Predictor("molg-f", graph, classes=["1", "2"]).notes == (
        "3 components; graph.largest_component() keeps one",
        "1 isolated node(s)",
    )
    few = Predictor("molg-f", graph, classes=["1", "2"], embedding="spectral:dim=1").notes
    assert few[-1].startswith("doubtful: 3 node(s) of small components are left out")
