"""The citation graphs of LINQS: Cora, CiteSeer, PubMed Diabetes.

Written from the published description of the files and tried on small files of that form; the
counts in :mod:`graphol.downloads.catalogue` tell at the first real download whether it is right.

These are the original files. The copies of the planetoid project, which many papers use, have the
same edges for Cora and PubMed in another node order; its CiteSeer has 15 nodes more, without any
record (3327 instead of 3312), and 4552 edges instead of 4536.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphol.downloads.archive import texts
from graphol.formats.labels import class_numbers
from graphol.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DIABETES = {
    "1": "Diabetes Mellitus Experimental",
    "2": "Diabetes Mellitus Type 1",
    "3": "Diabetes Mellitus Type 2",
}


def cora(archive: Path) -> Graph:
    """Machine learning papers: ``id, 1433 words as 0 or 1, class`` and ``cited, citing``."""
    return _words_and_cites(archive, "cora")


def citeseer(archive: Path) -> Graph:
    """Computer science papers: as Cora, with 3703 words; some cited papers have no record."""
    return _words_and_cites(archive, "citeseer")


def _words_and_cites(archive: Path, name: str) -> Graph:
    content, cites = texts(archive, f"{name}/{name}.content", f"{name}/{name}.cites")
    papers = [line.split("\t") for line in content]
    words = [{j: 1.0 for j, word in enumerate(p[1:-1]) if word != "0"} for p in papers]
    return _citations(
        ids=[paper[0] for paper in papers],
        classes=[paper[-1] for paper in papers],
        features=_sparse(words, len(papers[0]) - 2),
        cites=[line.split("\t") for line in cites],
        name=name,
    )


def pubmed(archive: Path) -> Graph:
    """Papers on diabetes: ``id, label=k, word=tf-idf ..., summary=...`` and ``id, A, |, B``."""
    folder = "Pubmed-Diabetes/data/Pubmed-Diabetes"
    nodes, cites = texts(archive, f"{folder}.NODE.paper.tab", f"{folder}.DIRECTED.cites.tab")
    columns = [entry.split(":")[1] for entry in nodes[1].split("\t") if entry[:8] == "numeric:"]
    column = {word: j for j, word in enumerate(columns)}
    papers = [line.split("\t") for line in nodes[2:]]
    words = [
        {column[word]: float(value) for word, _, value in map(_pair, paper[2:]) if word in column}
        for paper in papers
    ]
    return _citations(
        ids=[paper[0] for paper in papers],
        classes=[DIABETES[paper[1].removeprefix("label=")] for paper in papers],
        features=_sparse(words, len(columns)),
        cites=[
            [end.removeprefix("paper:") for end in line.split("\t")[1::2]] for line in cites[2:]
        ],
        name="pubmed",
    )


def _pair(text: str) -> tuple[str, str, str]:
    return text.rpartition("=")


def _sparse(rows: list[dict[int, float]], width: int) -> csr_array:
    from scipy.sparse import coo_array

    entries = [(i, j, value) for i, row in enumerate(rows) for j, value in row.items()]
    i, j, values = zip(*entries, strict=True)
    return coo_array((values, (i, j)), shape=(len(rows), width)).tocsr()


def _citations(
    ids: Sequence[str],
    classes: Sequence[str],
    features: csr_array,
    cites: Sequence[Sequence[str]],
    name: str,
) -> Graph:
    known = set(ids)
    kept = [(a, b) for a, b in cites if a in known and b in known]
    lost = len(cites) - len(kept)
    labels, names = class_numbers(classes)
    return Graph.from_edges(
        [a for a, _ in kept],
        [b for _, b in kept],
        ids=ids,
        labels=labels,
        label_names=names,
        features=features,
        name=name,
        notes=(f"{lost} citation(s) of papers without a record dropped",) if lost else (),
    )
