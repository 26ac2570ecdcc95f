"""Public addresses of the data sets that can be fetched, with their checksums."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from graphol.datasets import convert_linqs, convert_snap, convert_wordnet
from graphol.errors import InputError
from graphol.graph import Graph


@attrs.frozen
class Source:
    """Where an archive is, how it becomes a graph, and what that graph must be like."""

    url: str
    known_hash: str
    convert: Callable[[Path], Graph]
    nodes: int
    edges: int
    classes: int
    tolerance: float = 0.0
    """Largest relative difference allowed in the number of nodes and edges."""

    def check(self, graph: Graph) -> None:
        """Refuse a graph whose counts are not the known ones."""
        found = {"nodes": graph.n, "edges": graph.n_edges, "classes": graph.n_classes}
        for what, count in found.items():
            known = getattr(self, what)
            slack = 0.0 if what == "classes" else self.tolerance * known
            if abs(count - known) > slack:
                raise InputError(
                    f"{self.url} gave {count} {what} where {known} were expected; nothing was kept"
                )


LINQS = "https://linqs-data.soe.ucsc.edu/public"
SNAP = "https://snap.stanford.edu/data"

SOURCES = {
    "cora": Source(
        url=f"{LINQS}/lbc/cora.tgz",
        known_hash="sha256:0d4ed463d1627bb7f3e8420effe8f5545fd492ae8f88dab44ce86cee7b26d7e8",
        convert=convert_linqs.cora,
        nodes=2708,
        edges=5278,
        classes=7,
    ),
    "citeseer": Source(
        url=f"{LINQS}/lbc/citeseer.tgz",
        known_hash="sha256:b02ee7b5d83130f8fd45b59017a76fdae3e998629a1904c2c5e07343a9664685",
        convert=convert_linqs.citeseer,
        nodes=3312,
        edges=4536,
        classes=6,
    ),
    "pubmed": Source(
        url=f"{LINQS}/Pubmed-Diabetes.tgz",
        known_hash="md5:9fa24b917990c47e264a94079b9599fe",
        convert=convert_linqs.pubmed,
        nodes=19717,
        edges=44324,
        classes=3,
    ),
    "github-developers": Source(
        url=f"{SNAP}/git_web_ml.zip",
        known_hash="sha256:56c0c1c2c460dc4c7bf89357b1fec020f45e2ecebab81d131d073b10e28ec031",
        convert=convert_snap.github_developers,
        nodes=37700,
        edges=289003,
        classes=2,
    ),
    "lastfm-asia": Source(
        url=f"{SNAP}/lastfm_asia.zip",
        known_hash="sha256:51acb78a923bb223ed6e61be88f91122fb29adca3f07beff7289cafd98601d47",
        convert=convert_snap.lastfm_asia,
        nodes=7624,
        edges=27806,
        classes=18,
    ),
    "wordnet30": Source(
        url="https://wordnetcode.princeton.edu/3.0/WordNet-3.0.tar.gz",
        known_hash="sha256:640db279c949a88f61f851dd54ebbb22d003f8b90b85267042ef85a3781d3a52",
        convert=convert_wordnet.wordnet,
        nodes=115426,
        edges=182922,
        classes=45,
        tolerance=0.005,
    ),
}
