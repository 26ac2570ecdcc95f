"""WordNet from data files of its own form."""

from __future__ import annotations

import numpy as np

from graphol.downloads import convert_wordnet
from graphol.downloads.fetch import fetch
from graphol.formats import read_npz


def wordnet_archive(web):
    licence = "  1 This software and database is being provided to you ...\n"
    noun = (
        "00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is | perceived\n"
        "00001930 03 n 0a " + "w 0 " * 10 + "002 @ 00001740 n 0000 + 00002000 v 0101 | physical\n"
        "00009999 05 n 01 island 0 000 | alone\n"
    )
    verb = "00002000 29 v 01 be 0 001 + 00001930 n 0101 01 + 02 00 | exist\n"
    adj = (
        "00003000 00 a 01 able 0 002 & 00003001 a 0000 ! 00001740 n 0101 | can\n"
        "00003001 00 s 01 apt(p) 0 001 & 00003000 s 0000 | ready\n"
    )
    adv = "00004000 02 r 01 ably 0 001 \\ 00003000 a 0101 | well\n"
    words = {"noun": noun, "verb": verb, "adj": adj, "adv": adv}
    return web.tar(**{f"WordNet-3.0/dict/data.{k}": licence + text for k, text in words.items()})


def test_wordnet(web, monkeypatch):
    web.offer(monkeypatch, "wordnet30", wordnet_archive(web), nodes=6, edges=5, classes=45)
    fetch("wordnet30")
    graph = read_npz(web.cache / "wordnet30.npz")
    assert graph.ids == (
        "n00001740", "n00001930", "v00002000", "a00003000", "a00003001", "r00004000",
    )  # fmt: skip
    edges = {
        frozenset((graph.ids[i], graph.ids[j])) for i, j in np.argwhere(graph.adjacency.toarray())
    }
    assert edges == {
        frozenset(pair)
        for pair in [
            ("n00001740", "n00001930"),
            ("n00001930", "v00002000"),
            ("a00003000", "a00003001"),
            ("a00003000", "n00001740"),
            ("r00004000", "a00003000"),
        ]
    }
    assert [graph.label_names[k] for k in graph.labels] == [
        "noun.Tops", "noun.Tops", "verb.body", "adj.all", "adj.all", "adv.all",
    ]  # fmt: skip
    assert graph.notes[-1] == "1 node(s) left out: 6 kept"
    assert len(convert_wordnet.LEXICOGRAPHER_FILES) == 45
