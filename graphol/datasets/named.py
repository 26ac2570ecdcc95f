"""Real graphs with names, found in $GRAPHOL_DATA or in the user's cache."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from graphol.datasets.cache import find
from graphol.datasets.sources import SOURCES
from graphol.datasets.stored import Facts, Stored
from graphol.errors import UsageError, near

SEN = "Sen et al. Collective classification in network data. AI Magazine, 2008"
YANG = "split: Yang, Cohen, Salakhutdinov. ICML, 2016"
MUSAE = (
    "Rozemberczki, Allen, Sarkar. Multi-scale attributed node embedding. J. Complex Networks, 2021"
)
PLANETOID = "the repository kimiyoung/planetoid on GitHub, data/"
WIKIDATA = "the package bokeh_sampledata, movies.db"


@attrs.frozen
class Cora(Stored):
    """Cora: 2708 machine learning papers that cite each other, 7 topics."""

    name: ClassVar[str] = "cora"
    facts: ClassVar[Facts] = Facts(
        title="machine learning papers, citations, 1433 words",
        citation=f"{SEN}; {YANG}",
        terms="not stated",
        origin=PLANETOID,
        nodes=2708,
        edges=5278,
        classes=7,
        hash="3bc5a9a0373ef3d6",
    )


@attrs.frozen
class Citeseer(Stored):
    """CiteSeer: 3327 computer science papers that cite each other, 6 topics.

    Fifteen papers of the planetoid copy have no record; they have no label here. The original that
    ``graphol datasets fetch`` converts leaves them out: 3312 nodes, 4536 edges.
    """

    name: ClassVar[str] = "citeseer"
    facts: ClassVar[Facts] = Facts(
        title="computer science papers, citations, 3703 words",
        citation=f"{SEN}; {YANG}",
        terms="not stated",
        origin=PLANETOID,
        nodes=3327,
        edges=4552,
        classes=6,
        hash="98ba7f86bbe74caf",
    )


@attrs.frozen
class Pubmed(Stored):
    """PubMed: 19717 papers on diabetes that cite each other, 3 kinds of diabetes."""

    name: ClassVar[str] = "pubmed"
    facts: ClassVar[Facts] = Facts(
        title="papers on diabetes, citations, 500 tf-idf words",
        citation=f"Namata et al. Query-driven active surveying. MLG, 2012; {YANG}",
        terms="not stated",
        origin=PLANETOID,
        nodes=19717,
        edges=44324,
        classes=3,
        hash="82e3da48d38aa7c1",
    )


@attrs.frozen
class LastfmAsia(Stored):
    """LastFM Asia: 7624 users who follow each other, 18 countries."""

    name: ClassVar[str] = "lastfm-asia"
    facts: ClassVar[Facts] = Facts(
        title="music listeners who follow each other, country",
        citation="Rozemberczki, Sarkar. Characteristic functions on graphs. CIKM, 2020",
        terms="GPL-3.0 (repository)",
        origin="the repository benedekrozemberczki/karateclub on GitHub, dataset/node_level/",
        nodes=7624,
        edges=27806,
        classes=18,
        hash="c0466c9e3bff753d",
    )


@attrs.frozen
class FacebookPages(Stored):
    """Facebook pages: 22470 official pages that like each other, 4 kinds of page."""

    name: ClassVar[str] = "facebook-pages"
    facts: ClassVar[Facts] = Facts(
        title="official pages that like each other, 4714 words",
        citation=MUSAE,
        terms="GPL-3.0 (repository)",
        origin="the repository benedekrozemberczki/MUSAE on GitHub, input/",
        nodes=22470,
        edges=170823,
        classes=4,
        hash="27ad1a0cc834a8bf",
    )


@attrs.frozen
class GithubDevelopers(Stored):
    """GitHub developers: 37700 who follow each other, web or machine learning."""

    name: ClassVar[str] = "github-developers"
    facts: ClassVar[Facts] = Facts(
        title="developers who follow each other, field",
        citation=MUSAE,
        terms="GPL-3.0 (repository)",
        origin="the repository benedekrozemberczki/MUSAE on GitHub, input/",
        nodes=37700,
        edges=289003,
        classes=2,
        hash="cef6f236cafdf1d8",
    )


@attrs.frozen
class Wordnet30(Stored):
    """WordNet 3.0: 115426 word meanings and the relations between them, 45 fields."""

    name: ClassVar[str] = "wordnet30"
    facts: ClassVar[Facts] = Facts(
        title="synsets joined by any pointer, lexicographer file",
        citation="Princeton University, WordNet 3.0; Miller. WordNet. CACM, 1995",
        terms="WordNet 3.0 licence: any purpose, keeping the notice",
        origin="WordNet 3.0, data.{noun,verb,adj,adv}",
        nodes=115426,
        edges=182922,
        classes=45,
        hash="9ee173e8821f9222",
    )


@attrs.frozen
class Movies4Wikidata(Stored):
    """Movies by genre: 4705 films that share actors, 4 genres (one of them with 7 films)."""

    name: ClassVar[str] = "movies4-wikidata"
    facts: ClassVar[Facts] = Facts(
        title="films of one genre, weight = shared actors",
        citation="Wikidata contributors",
        terms="CC0-1.0",
        origin=WIKIDATA,
        nodes=4705,
        edges=148310,
        classes=4,
        hash="22c8a3cd7525381e",
    )


@attrs.frozen
class MoviesWikidataDecade(Stored):
    """Movies by decade: 15151 films that share actors, 8 decades."""

    name: ClassVar[str] = "movies-wikidata-decade"
    facts: ClassVar[Facts] = Facts(
        title="films, weight = shared actors, 21 genre flags",
        citation="Wikidata contributors",
        terms="CC0-1.0",
        origin=WIKIDATA,
        nodes=15151,
        edges=1130989,
        classes=8,
        hash="82be435ea32b43fc",
    )


NAMED: tuple[type[Stored], ...] = (
    Cora,
    Citeseer,
    Pubmed,
    LastfmAsia,
    FacebookPages,
    GithubDevelopers,
    Wordnet30,
    Movies4Wikidata,
    MoviesWikidataDecade,
)


def named(name: str) -> type[Stored]:
    """The named data set."""
    known = {cls.name: cls for cls in NAMED}
    if name not in known:
        raise UsageError(f"unknown data set {name!r}: {near(name, known)}")
    return known[name]


def info(name: str) -> dict[str, Any]:
    """What there is to say about a named data set.

    The counts are those of the file on this machine, or the published ones if there is none.
    """
    cls = named(name)
    path = find(cls.filename())
    row: dict[str, Any] = {"name": name} | attrs.asdict(cls.facts)
    row |= {"address": SOURCES[name].url if name in SOURCES else None}
    row |= {"file": None if path is None else str(path)}
    if path is not None:
        graph = cls.read()
        row |= {"nodes": graph.n, "edges": graph.n_edges, "classes": graph.n_classes}
        row |= {"hash": graph.hash, "components": graph.n_components, "notes": list(graph.notes)}
    return row
