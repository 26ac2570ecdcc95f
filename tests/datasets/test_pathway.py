"""Gene expressions of the user's own: which genes are kept, and which of them are the pathway."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import graphol
from graphol.errors import InputError, UsageError

GMT = (
    "hsa04110\tCell cycle\tCDK1\tCCNB1\tCDK1\tTP53\r\n"
    "\r\n"
    "hsa03440\t\tBRCA1\tRAD51\t\r\n"
    "lonely\thttp://example.org\tXYZ\r\n"
)
EDGES = "source,target,weight\nCDK1,CCNB1,0.9\nCCNB1,TP53,0.5\nTP53,BRCA1,0.7\nBRCA1,RAD51,0.2\n"
ROWS = np.random.default_rng(0).normal(size=(20, 5)) * [1, 10, 100, 0, 1] + [0, 5, -3, 7, 1]
HEADER = ("TP53", "CDK1", "BRCA1", "CCNB1", "EGFR")


def table(header=HEADER, rows=ROWS):
    lines = ["sample\t" + "\t".join(header) + "\tcancer"]
    lines += [
        f"P{k}\t" + "\t".join(map(repr, row.tolist())) + f"\t{int(k >= 10)}"
        for k, row in enumerate(rows)
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def data(tmp_path):
    """The data set, with the files as given."""

    def made(expression=None, edges=EDGES, gmt=GMT, **more):
        for name, text in (("e.tsv", expression or table()), ("i.csv", edges), ("p.gmt", gmt)):
            (tmp_path / name).write_bytes(text.encode())
        given = {"pathways": str(tmp_path / "p.gmt"), "pathway": "hsa04110", "target": "cancer"}
        return attrs.evolve(
            graphol.make("dataset", "pathway"),
            expression=str(tmp_path / "e.tsv"),
            interactions=str(tmp_path / "i.csv"),
            **given | more,
        )

    return made


def load(made, seed=0):
    return made.load(np.random.default_rng(seed))


def test_genes_of_both_files_are_kept(data):
    """RAD51 has no column, EGFR and the samples' names are no genes of the graph."""
    task = load(data())
    assert task.graph.ids == ("CDK1", "CCNB1", "TP53", "BRCA1")
    assert task.graph.n_edges == 3
    assert [task.graph.ids[k] for k in task.support] == ["CDK1", "CCNB1", "TP53"]
    columns, genes = task.graph.notes[:2]
    assert columns.startswith("2 column(s) of ") and columns.endswith("i.csv")
    assert genes.startswith("1 gene(s) dropped: no column in ")
    assert task.name == "e.tsv: hsa04110"


def test_samples_are_standardised_and_split_by_the_rng(data):
    """Together the three parts are the table's rows, each once; a constant gene is 0."""
    task = load(data(validation=0.25, test=0.3))
    parts = [(task.samples, task.truth), task.validation, task.test]
    assert [len(y) for _, y in parts] == [9, 5, 6]
    X = np.vstack([X for X, _ in parts])
    y = np.concatenate([y for _, y in parts])
    raw = ROWS[:, [1, 3, 0, 2]]
    wanted = (raw - raw.mean(axis=0)) / np.where(raw.std(axis=0) > 1e-9, raw.std(axis=0), 1)
    order = [int(np.argmin(np.abs(wanted - x).sum(axis=1))) for x in X]
    assert sorted(order) == list(range(20))
    assert np.allclose(X, wanted[order], atol=1e-12) and not X[:, 1].any()
    assert np.array_equal(y, np.where(np.array(order) >= 10, 1, -1))
    other = load(data(validation=0.25, test=0.3), seed=1)
    assert not np.array_equal(other.samples, task.samples)
    assert other.graph.hash == task.graph.hash


def test_without_a_pathway_the_support_is_not_scored(data):
    for more in ({"pathway": None}, {"pathway": None, "pathways": None}):
        task = load(data(**more))
        assert task.support is None and task.name == "e.tsv"
        named = any("no pathway=ID of" in note for note in task.graph.notes)
        assert named == ("pathways" not in more)
        scores = graphol.simulate("da-iht:s=2", task, repeats=1).scores[0]
        assert "f1" not in scores and "accuracy" in scores


def test_a_known_pathway_is_scored_and_can_be_tuned_on(data):
    from graphol.plan import Plan
    from graphol.reproduce.desk import Desk
    from graphol.reproduce.signals import trial

    made = data()
    scores = graphol.simulate("graphda:s=3", load(made), repeats=1).scores[0]
    assert 0 <= scores["f1"] <= 1
    spec = "pathway:" + ",".join(
        f"{key}={value}" for key, value in attrs.asdict(made).items() if value is not None
    )
    players = {"da-iht": [graphol.make("learner", f"da-iht:s={s}") for s in (1, 2)]}
    chosen = trial(Desk(Plan(fresh_data=True)), spec, 0, players)["da-iht"][""]
    assert chosen.recipe["learner"]["s"] in (1, 2)


def test_missing_genes_of_the_pathway_are_counted(data):
    notes = load(data(pathway="hsa03440")).graph.notes
    assert any("1 of 2 gene(s) of 'hsa03440' are not in the graph" in note for note in notes)


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"pathway": "hsa0411"}, UsageError, "no pathway 'hsa0411'; did you mean 'hsa04110'?"),
        ({"pathway": "lonely"}, InputError, "none of the 1 gene(s) of 'lonely' has both"),
        ({"pathways": None}, UsageError, "with pathways=FILE"),
        ({"pathways": "nowhere.gmt"}, InputError, "there is no such file"),
        ({"validation": 0.5, "test": 0.5}, UsageError, "validation + test must be < 1, got 1"),
        ({"target": "canser"}, InputError, "no column 'canser'; did you mean 'cancer'?"),
        ({"target": "TP53"}, InputError, "the target 'TP53' is also a node of"),
        ({"edges": "source,target\n7157,983\n"}, InputError, "none of its columns is a gene of"),
        ({"edges": "source,target\nTP53,X\n"}, InputError, "1 gene(s), between which"),
        ({"edges": ""}, InputError, "is empty"),
        ({"gmt": ""}, InputError, "is empty; it needs a gene set per line"),
        ({"expression": table((*HEADER[:4], "TP53"))}, InputError, "column 'TP53' is there twice"),
        ({"expression": table(rows=ROWS * np.nan)}, InputError, "line 2: 'nan' in column 'CDK1'"),
        ({"expression": table(rows=ROWS[:10])}, InputError, "10 row(s), all with the target 0"),
        ({"expression": "\n"}, InputError, "is empty"),
    ],
)
def test_what_is_wrong_is_one_line(data, change, kind, says):
    with pytest.raises(kind) as caught:
        load(data(**change))
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_both_files_are_needed():
    with pytest.raises(UsageError, match="pathway:expression=FILE,interactions=FILE"):
        load(graphol.make("dataset", "pathway:expression=x.csv"))
