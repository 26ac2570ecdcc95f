"""What follows from the log, against a slow twin: a list of what was said, gone through anew."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphol import Graph, Project, UsageError
from graphol.label.events import Event
from graphol.label.project import Row
from graphol.label.replay import Replay

GRAPH = Graph.from_edges(["a"], ["b"])
WHO, NODES, CLASSES = ("ann", "bob"), range(2), range(3)

ANSWERS = st.tuples(
    st.sampled_from(["label", "yes", "no", "no", "unsure", "skip"]),
    st.sampled_from(WHO), st.sampled_from(NODES), st.sampled_from(CLASSES),
)  # fmt: skip
BACK = st.tuples(st.sampled_from(["undo", "undo", "redo"]), st.sampled_from(WHO))
CHANGES = st.one_of(
    st.tuples(st.just("merge"), st.sampled_from(CLASSES), st.sampled_from(CLASSES)),
    st.tuples(st.just("rename"), st.sampled_from(CLASSES), st.sampled_from("uvwxyz")),
    st.tuples(
        st.just("import"), st.sampled_from(WHO),
        st.dictionaries(st.sampled_from("ab"), st.sampled_from(CLASSES), min_size=1),
    ),
)  # fmt: skip
SAID = st.lists(st.one_of(ANSWERS, ANSWERS, BACK, CHANGES), min_size=10, max_size=30)


class Twin:
    """A list of (who, node, what, class), each with whether it stands; the rest is gone through."""

    def __init__(self):
        self.names, self.root = ["x", "y", "z"], [0, 1, 2]
        self.said, self.units, self.gone = [], {w: [] for w in WHO}, {w: [] for w in WHO}

    def say(self, who, answers):
        self.units[who].append([len(self.said) + i for i in range(len(answers))])
        self.said += [[who, node, what, asked, True] for node, what, asked in answers]
        self.gone[who] = []

    def group(self, k):
        return {j for j in CLASSES if self.root[j] == self.root[k]}

    def back(self, who, stands):
        take, put = (self.gone, self.units) if stands else (self.units, self.gone)
        if not take[who]:
            return False
        put[who].append(take[who].pop())
        for i in put[who][-1]:
            self.said[i][-1] = stands
        return True

    def standing(self, who, node):
        """The class (or None) and the classes that it is not."""
        label, noes = None, set()
        for by, at, what, asked, stands in self.said:
            if (by, at) == (who, node) and stands and what != "skip":
                if what in ("label", "yes"):
                    label, noes = min(asked), set()
                elif what == "no":
                    label, noes = (None if label in asked else label), noes | asked
                else:
                    label = None
        return label, noes

    def result(self):
        """The name of the class of every node, or None; and who denies what."""
        found, denied = [], set()
        for node in NODES:
            score, against = Counter(), Counter()
            for who in WHO:
                label, noes = self.standing(who, node)
                score.update([] if label is None else [self.root[label]])
                out = {self.root[k] for k in noes if self.group(k) <= noes}
                against.update(out)
                denied |= {(node, who, self.names[k]) for k in out}
            net = {k: score[k] - against[k] for k in score}
            best = [k for k in net if net[k] == max(net.values())]
            sure = len(best) == 1 and net[best[0]] > 0
            found.append(self.names[best[0]] if sure else None)
        return found, denied


def do(project, twin, op):
    what, *rest = op
    if what in ("undo", "redo"):
        if twin.back(rest[0], what == "redo"):
            getattr(project, what)(rest[0])
        else:
            with pytest.raises(UsageError):
                getattr(project, what)(rest[0])
    elif what == "merge":
        a, b = (twin.root[k] for k in rest)
        if a == b:
            with pytest.raises(UsageError):
                project.merge_class(*rest)
        else:
            project.merge_class(*rest)
            twin.root = [b if k == a else k for k in twin.root]
    elif what == "rename":
        k, name = twin.root[rest[0]], rest[1]
        if name in {twin.names[j] for j in twin.root}:
            with pytest.raises(UsageError):
                project.rename_class(rest[0], name)
        else:
            project.rename_class(rest[0], name)
            twin.names[k] = name
    elif what == "import":
        who, labels = rest
        said = {node: twin.root[k] for node, k in labels.items()}
        found = project.import_labels({n: twin.names[k] for n, k in said.items()}, annotator=who)
        mine = {n: twin.standing(who, "abc".index(n))[0] for n in said}
        new = {n: k for n, k in said.items() if mine[n] is None or twin.root[mine[n]] != k}
        assert found.new + found.changed == len(new)
        if new:
            twin.say(who, [("abc".index(n), "label", {k}) for n, k in new.items()])
    else:
        who, node, k = rest
        value = {"label": k, "yes": (k, True), "no": (k, False)}.get(what)
        kind = "bit" if what in ("yes", "no") else what
        project.answer(Row(node), kind, value, annotator=who)
        asked = twin.group(k) if what == "no" else {twin.root[k]}
        twin.say(who, [(node, what, asked)])


def seen(project):
    found = project.labels()
    names = [None if k < 0 else found.names[k] for k in found.label.tolist()]
    of = {each.number: each.name for each in found.classes}
    return names, {(b.row, b.annotator, of[b.label]) for b in project.bits() if not b.yes}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    path = tmp_path_factory.mktemp("fresh") / "p.graphol"
    Project.create(path, GRAPH, classes=Twin().names).close()
    return path


@given(SAID)
@example([("no", "ann", 0, 0), ("no", "ann", 0, 1), ("merge", 0, 1), ("yes", "bob", 0, 1)])
@example([("import", "ann", {"a": 0}), ("label", "ann", 0, 1), ("undo", "ann"), ("undo", "ann"),
          ("redo", "ann"), ("redo", "ann"), ("no", "ann", 0, 2)])  # fmt: skip
@settings(max_examples=60)
def test_a_slow_twin_agrees(fresh, said):
    path = fresh.with_name("copy.graphol")
    path.unlink(missing_ok=True)
    path.write_bytes(fresh.read_bytes())
    twin = Twin()
    with Project.open(path) as project:
        for pragma in ("synchronous = OFF", "journal_mode = MEMORY"):  # nobody pulls the plug here
            project._connection.execute(f"PRAGMA {pragma}")
        for op in said:
            do(project, twin, op)
            assert seen(project) == twin.result()
        with Project.open(path, readonly=True) as other:
            assert seen(other) == twin.result()
            assert other.labels().votes == project.labels().votes
            assert other.progress() == project.progress()


MOMENT = Event(1, None, "ann", "skip")


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": 3}, {"row": 9}, {"row": None}, {"label": 0}, {"kind": "label", "label": 5},
        {"kind": "bit", "label": 0}, {"kind": "undo", "target": 1}, {"kind": "redo", "target": 1},
        {"batch": 1}, {"kind": "add-class", "label": 1, "text": "x"}, {"predicted": 4},
        {"kind": "merge-class", "label": 0, "target": 0}, {"kind": "rename-class", "text": "z"},
        {"kind": "merge-class", "label": 0, "target": 7}, {"kind": "add-nodes", "text": "[]"},
    ],
)  # fmt: skip
def test_what_cannot_be_changes_nothing(wrong):
    replay = Replay(3)
    replay.apply(Event(1, None, "graphol", "add-class", label=0, text="x"))
    before = {k: repr(v) for k, v in vars(replay).items()}
    with pytest.raises((ValueError, TypeError)):
        replay.apply(Event(**({"number": 2, "time": None, "annotator": "ann", "kind": "skip",
                               "row": 0} | wrong)))  # fmt: skip
    assert {k: repr(v) for k, v in vars(replay).items()} == before
