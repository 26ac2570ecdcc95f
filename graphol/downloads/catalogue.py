"""The graphs with names: what is known of each without having it, and where it is published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import attrs

from graphol.downloads import convert_linqs, convert_snap, convert_wordnet
from graphol.errors import InputError, UsageError, near
from graphol.graph import Graph


class Counts(NamedTuple):
    """The size of a graph."""

    nodes: int
    edges: int
    classes: int


@attrs.frozen
class Published:
    """Where an archive is, how it becomes a graph, and what that graph must be like."""

    url: str
    convert: Callable[[Path], Graph]
    known_hash: str
    counts: Counts | None = None
    """Where the published graph is not the one on record, its own."""
    tolerance: float = 0.0
    """Largest relative difference allowed in the number of nodes and edges."""


@attrs.frozen
class NamedGraph:
    """A row of the catalogue."""

    name: str
    counts: Counts
    """Of the graph on record, which papers use; the published one may differ."""
    hash: str
    """Content hash (:attr:`graphol.Graph.hash`) of the whole graph on record."""
    about: str
    """One line; ``{0.nodes}`` and ``{0.classes}`` stand for the counts."""
    title: str
    citation: str
    terms: str
    origin: str
    published: Published | None = None

    @property
    def filename(self) -> str:
        """The npz file, in $GRAPHOL_DATA or in the cache."""
        return self.name.replace("-", "_") + ".npz"

    @property
    def way(self) -> str:
        """How to come by it."""
        if self.published is None:
            return f"it comes from {self.origin}: fetch it with `--url` from a mirror"
        return f"run `graphol datasets fetch {self.name}`"

    def check(self, graph: Graph, published: Published) -> None:
        """Refuse a converted graph whose counts are not the known ones."""
        wanted = published.counts or self.counts
        found = Counts(graph.n, graph.n_edges, graph.n_classes)
        for what, count, known in zip(Counts._fields, found, wanted, strict=True):
            slack = 0.0 if what == "classes" else published.tolerance * known
            if abs(count - known) > slack:
                raise InputError(
                    f"{published.url} gave {count} {what} where {known} were expected; "
                    "nothing was kept"
                )


def named_graph(name: str) -> NamedGraph:
    """The row of that name."""
    if name not in CATALOGUE:
        raise UsageError(f"unknown data set {name!r}: {near(name, CATALOGUE)}")
    return CATALOGUE[name]


LINQS = "https://linqs-data.soe.ucsc.edu/public"
SNAP = "https://snap.stanford.edu/data"
SEN = "Sen et al. Collective classification in network data. AI Magazine, 2008"
YANG = "split: Yang, Cohen, Salakhutdinov. ICML, 2016"
MUSAE = (
    "Rozemberczki, Allen, Sarkar. Multi-scale attributed node embedding. J. Complex Networks, 2021"
)
MUSAE_FILES = "the repository benedekrozemberczki/MUSAE on GitHub, input/"
PLANETOID = "the repository kimiyoung/planetoid on GitHub, data/"
WIKIDATA = "the package bokeh_sampledata, movies.db"

ROWS = (
    NamedGraph(
        "cora", Counts(2708, 5278, 7), "3bc5a9a0373ef3d6",
        about="Cora: {0.nodes} machine learning papers that cite each other, {0.classes} topics.",
        title="machine learning papers, citations, 1433 words",
        citation=f"{SEN}; {YANG}", terms="not stated", origin=PLANETOID,
        published=Published(
            f"{LINQS}/lbc/cora.tgz", convert_linqs.cora,
            "sha256:0d4ed463d1627bb7f3e8420effe8f5545fd492ae8f88dab44ce86cee7b26d7e8",
        ),
    ),
    NamedGraph(
        "citeseer", Counts(3327, 4552, 6), "98ba7f86bbe74caf",
        about="CiteSeer: {0.nodes} computer science papers that cite each other, {0.classes} "
        "topics.",
        title="computer science papers, citations, 3703 words",
        citation=f"{SEN}; {YANG}", terms="not stated", origin=PLANETOID,
        published=Published(
            f"{LINQS}/lbc/citeseer.tgz", convert_linqs.citeseer,
            "sha256:b02ee7b5d83130f8fd45b59017a76fdae3e998629a1904c2c5e07343a9664685",
            counts=Counts(3312, 4536, 6),  # without 15 papers that have no record, hence no label
        ),
    ),
    NamedGraph(
        "pubmed", Counts(19717, 44324, 3), "82e3da48d38aa7c1",
        about="PubMed: {0.nodes} papers on diabetes that cite each other, {0.classes} kinds of "
        "diabetes.",
        title="papers on diabetes, citations, 500 tf-idf words",
        citation=f"Namata et al. Query-driven active surveying. MLG, 2012; {YANG}",
        terms="not stated", origin=PLANETOID,
        published=Published(
            f"{LINQS}/Pubmed-Diabetes.tgz", convert_linqs.pubmed,
            "md5:9fa24b917990c47e264a94079b9599fe",
        ),
    ),
    NamedGraph(
        "lastfm-asia", Counts(7624, 27806, 18), "c0466c9e3bff753d",
        about="LastFM Asia: {0.nodes} users who follow each other, {0.classes} countries.",
        title="music listeners who follow each other, country",
        citation="Rozemberczki, Sarkar. Characteristic functions on graphs. CIKM, 2020",
        terms="GPL-3.0 (repository)",
        origin="the repository benedekrozemberczki/karateclub on GitHub, dataset/node_level/",
        published=Published(
            f"{SNAP}/lastfm_asia.zip", convert_snap.lastfm_asia,
            "sha256:51acb78a923bb223ed6e61be88f91122fb29adca3f07beff7289cafd98601d47",
        ),
    ),
    NamedGraph(
        "facebook-pages", Counts(22470, 170823, 4), "27ad1a0cc834a8bf",
        about="Facebook pages: {0.nodes} official pages that like each other, {0.classes} kinds of "
        "page.",
        title="official pages that like each other, 4714 words",
        citation=MUSAE, terms="GPL-3.0 (repository)", origin=MUSAE_FILES,
    ),
    NamedGraph(
        "github-developers", Counts(37700, 289003, 2), "cef6f236cafdf1d8",
        about="GitHub developers: {0.nodes} who follow each other, web or machine learning.",
        title="developers who follow each other, field",
        citation=MUSAE, terms="GPL-3.0 (repository)", origin=MUSAE_FILES,
        published=Published(
            f"{SNAP}/git_web_ml.zip", convert_snap.github_developers,
            "sha256:56c0c1c2c460dc4c7bf89357b1fec020f45e2ecebab81d131d073b10e28ec031",
        ),
    ),
    NamedGraph(
        "wordnet30", Counts(115426, 182922, 45), "9ee173e8821f9222",
        about="WordNet 3.0: {0.nodes} word meanings and the relations between them, {0.classes} "
        "fields.",
        title="synsets joined by any pointer, lexicographer file",
        citation="Princeton University, WordNet 3.0; Miller. WordNet. CACM, 1995",
        terms="WordNet 3.0 licence: any purpose, keeping the notice",
        origin="WordNet 3.0, data.{noun,verb,adj,adv}",
        published=Published(
            "https://wordnetcode.princeton.edu/3.0/WordNet-3.0.tar.gz", convert_wordnet.wordnet,
            "sha256:640db279c949a88f61f851dd54ebbb22d003f8b90b85267042ef85a3781d3a52",
            tolerance=0.005,  # the counts are those of another build of the same release
        ),
    ),
    NamedGraph(
        "movies4-wikidata", Counts(4705, 148310, 4), "22c8a3cd7525381e",
        about="Movies by genre: {0.nodes} films that share actors, {0.classes} genres (one of them "
        "with 7 films).",
        title="films of one genre, weight = shared actors",
        citation="Wikidata contributors", terms="CC0-1.0", origin=WIKIDATA,
    ),
    NamedGraph(
        "movies-wikidata-decade", Counts(15151, 1130989, 8), "82be435ea32b43fc",
        about="Movies by decade: {0.nodes} films that share actors, {0.classes} decades.",
        title="films, weight = shared actors, 21 genre flags",
        citation="Wikidata contributors", terms="CC0-1.0", origin=WIKIDATA,
    ),
)  # fmt: skip
CATALOGUE = {row.name: row for row in ROWS}
