"""Edge lists and labels files against dense matrices made by hand."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphol.formats import read_edges, read_graph

TRIANGLE = np.array([[0.0, 2, 1], [2, 0, 0.5], [1, 0.5, 0]])
PLAIN = "source,target,weight\nann,bob,2\nbob,eve,0.5\neve,ann,1\n"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace("\n", "\n\n") + "\n  \n",
        "\n" + PLAIN.rstrip("\n"),
        PLAIN.replace(",", " , "),
        'Source,TARGET,Weight\n"ann","bob",2\nbob,"eve",5e-1\neve,ann,1.0\n',
        "weight,target,source\n2,bob,ann\n.5,eve,bob\n1,ann,eve\n",
    ],
    ids=[
        "plain",
        "bom",
        "crlf",
        "tab",
        "blank lines",
        "no last newline",
        "spaces",
        "quotes",
        "order",
    ],
)
def test_every_spelling_gives_the_same_graph(tmp_path, text):
    file = tmp_path / "edges.csv"
    file.write_bytes(text.encode())
    graph = read_edges(file)
    order = [graph.index(node) for node in ("ann", "bob", "eve")]
    np.testing.assert_array_equal(graph.adjacency.toarray()[np.ix_(order, order)], TRIANGLE)
    assert graph.notes == ()
    assert graph.name == str(file)


@pytest.mark.parametrize("name", ["edges.csv.gz", "edges.tsv.gz", "edges.txt.gz"])
def test_gzip_is_unpacked(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(gzip.compress(PLAIN.encode()))
    assert read_graph(file).n_edges == 3


def test_ids_are_text_and_weights_default_to_1(tmp_path):
    file = tmp_path / "edges.tsv"
    file.write_text("source\ttarget\n007\t7\n7\t08\n")
    graph = read_edges(file)
    assert graph.ids == ("007", "7", "08")
    assert graph.adjacency.data.tolist() == [1.0] * 4


def test_quoted_ids_may_hold_commas_quotes_and_newlines(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text('source,target\n"Doe, Jane","say ""hi"""\n"two\nlines",é\n', encoding="utf-8")
    assert read_edges(file).ids == ("Doe, Jane", 'say "hi"', "two\nlines", "é")


def test_what_is_repaired_is_counted(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target,weight,when\na,b,1,x\nb,a,1,x\nb,c,1,x\nc,c,4,x\nc,d,0,x\n")
    graph = read_edges(file)
    assert graph.notes == (
        f"column 'when' of {file} ignored",
        "1 repeated edge(s) merged",
        "1 self loop(s) dropped",
        "1 zero weight(s) dropped",
    )
    assert (graph.n, graph.n_edges, graph.n_isolated) == (4, 2, 1)


ids = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6).filter(
    lambda text: text == text.strip() and "\x00" not in text
)


@given(
    edges=st.dictionaries(
        st.frozensets(ids, min_size=2, max_size=2),
        st.floats(1e-99, 1e99),
        min_size=1,
        max_size=6,
    ),
    tab=st.booleans(),
    classes=st.lists(ids, min_size=12, max_size=12),
)
def test_what_is_written_is_read(tmp_path_factory, edges, tab, classes):
    folder = tmp_path_factory.mktemp("edges")
    rows = [(*sorted(pair), weight) for pair, weight in edges.items()]
    nodes = list(dict.fromkeys(node for a, b, _ in rows for node in (a, b)))
    given_labels = dict(zip(nodes, classes, strict=False))
    for name, header, body in (
        ("edges.csv", ("source", "target", "weight"), rows),
        ("labels.csv", ("node", "label"), given_labels.items()),
    ):
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t" if tab else ",", quoting=csv.QUOTE_ALL)
            writer.writerow(header)
            writer.writerows(body)
    graph = read_edges(folder / "edges.csv", folder / "labels.csv")
    assert graph.ids == tuple(nodes)
    dense = np.zeros((len(nodes), len(nodes)))
    for a, b, weight in rows:
        i, j = nodes.index(a), nodes.index(b)
        dense[i, j] = dense[j, i] = weight
    np.testing.assert_array_equal(graph.adjacency.toarray(), dense)
    assert [graph.label_names[k] for k in graph.labels] == [given_labels[node] for node in nodes]
