"""Viswanathan, Sachdeva, Tomkins, Ravi. Semi-supervised learning with multiple graphs. AISTATS 2019.

Table 3 plays the fixed split of three citation networks, Tables 4 and 5 play ten splits that are
drawn: 20 seeds per class, 500 nodes to choose by, 1000 to be asked.
"""

from __future__ import annotations

from graphol.reproduce.published import cells
from graphol.reproduce.splits import DrawnSplits, FixedSplit, entry

REFERENCE = (
    "Viswanathan, Sachdeva, Tomkins, Ravi. Improved semi-supervised learning with multiple graphs. "
    "AISTATS 2019"
)
DATASETS = ("cora", "citeseer", "pubmed")

CITATIONS = entry("label-propagation:noise=1", "citation graph, cmn")

NODES = (
    "accuracy in per cent over all 1000 test nodes; known: those on which anything given bears, "
    "the others are guesses"
)
CHOICE = (
    "parameters are the learners' own or chosen by them on the validation part; no test label "
    "chooses anything"
)

TABLE3 = FixedSplit(
    name="aistats19-table3",
    title="AISTATS 2019, Table 3: accuracy in per cent on the fixed splits",
    reference=REFERENCE,
    datasets=DATASETS,
    entries=(CITATIONS,),
    notes=(NODES, CHOICE),
    published=cells("aistats19", "table3"),
)

TABLE4 = DrawnSplits(
    name="aistats19-table4",
    title="AISTATS 2019, Table 4: accuracy in per cent on ten random splits",
    reference=REFERENCE,
    datasets=DATASETS,
    entries=(CITATIONS,),
    notes=(NODES, CHOICE),
    published=cells("aistats19", "table4"),
)

TABLES = (TABLE3, TABLE4)
