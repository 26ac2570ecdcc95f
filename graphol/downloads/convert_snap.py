"""Two social networks of SNAP: GitHub developers and LastFM users in Asia.

Written from the published description of the files and tried on small files of that form. Nodes
are numbered 0..n-1 in the source, and keep these numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

from graphol.downloads.archive import texts
from graphol.graph import Graph


def github_developers(archive: Path) -> Graph:
    """Developers who follow each other; do they do machine learning or the web?"""
    return _social(archive, "git_web_ml/musae_git", ["web", "machine learning"].__getitem__)


def lastfm_asia(archive: Path) -> Graph:
    """Users who follow each other; which of 18 (unnamed) countries are they from?"""
    return _social(archive, "lasftm_asia/lastfm_asia", "country_{}".format)  # [sic]


def _social(archive: Path, prefix: str, class_name: Callable[[int], str]) -> Graph:
    """``PREFIX_edges.csv`` has two nodes a line, ``PREFIX_target.csv`` node first, class last."""
    edges, targets = texts(archive, f"{prefix}_edges.csv", f"{prefix}_target.csv")
    ends = np.array([line.split(",")[:2] for line in edges[1:]], dtype=np.int64)
    rows = list(csv.reader(targets[1:]))
    labels = np.full(len(rows), -1)
    labels[[int(row[0]) for row in rows]] = [int(row[-1]) for row in rows]
    return Graph.from_edges(
        ends[:, 0].tolist(),
        ends[:, 1].tolist(),
        ids=range(len(rows)),
        labels=labels,
        label_names=tuple(class_name(k) for k in range(labels.max() + 1)),
        name=archive.stem,
    )
