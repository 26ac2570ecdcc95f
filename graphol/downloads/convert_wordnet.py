"""WordNet 3.0 as a graph of word meanings.

Written from the format's manual page, wndb(5WN), and tried on small files of that form. The counts
it is checked against come from another build of the same release, hence with a tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphol.downloads.archive import texts
from graphol.graph import Graph

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

NOUNS = (
    "Tops", "act", "animal", "artifact", "attribute", "body", "cognition", "communication",
    "event", "feeling", "food", "group", "location", "motive", "object", "person", "phenomenon",
    "plant", "possession", "process", "quantity", "relation", "shape", "state", "substance", "time",
)  # fmt: skip
VERBS = (
    "body", "change", "cognition", "communication", "competition", "consumption", "contact",
    "creation", "emotion", "motion", "perception", "possession", "social", "stative", "weather",
)  # fmt: skip
LEXICOGRAPHER_FILES = (
    *("adj.all", "adj.pert", "adv.all"),
    *(f"noun.{field}" for field in NOUNS),
    *(f"verb.{field}" for field in VERBS),
    "adj.ppl",
)
"""What the numbers of the lexicographer files stand for: lexnames(5WN)."""


def wordnet(archive: Path) -> Graph:
    """Nodes are synsets, edges any pointer between two, classes the lexicographer files.

    Node ids are a letter (n, v, a, r) and the synset's eight-digit offset, as in ``n00001740``.
    Only the largest component is kept.
    """
    names = [f"WordNet-3.0/dict/data.{word}" for word in FILES.values()]
    labels: dict[str, int] = {}
    source, target = [], []
    for letter, lines in zip(FILES, texts(archive, *names), strict=True):
        for line in lines:
            if line.startswith("  "):
                continue  # the licence
            fields = line.partition(" | ")[0].split()
            synset = letter + fields[0]
            labels[synset] = int(fields[1])
            for other in _pointers(fields):
                source.append(synset)
                target.append(other)
    graph = Graph.from_edges(
        source,
        target,
        ids=tuple(labels),
        labels=list(labels.values()),
        label_names=LEXICOGRAPHER_FILES,
        name="wordnet30",
    )
    return graph.largest_component()


def _pointers(fields: list[str]) -> Iterator[str]:
    """``offset file type words word id ... pointers (symbol offset pos source/target) ...``"""
    start = 4 + 2 * int(fields[3], 16)
    for k in range(int(fields[start])):
        _, offset, letter, _ = fields[start + 1 + 4 * k : start + 5 + 4 * k]
        yield letter.replace("s", "a") + offset  # a satellite is an adjective
