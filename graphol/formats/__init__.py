"""Readers and writers: graphs from files and from other libraries, labels, tables, gene sets.

>>> from graphol.formats import read_graph
>>> graph = read_graph("edges.csv", labels="labels.csv")       # doctest: +SKIP

One reader per file; :func:`read_graph` picks by the file's ending. Every reader returns a checked
:class:`graphol.Graph` or raises a one-line :class:`graphol.InputError` that names the file.
Importing this package imports no scipy, no scikit-learn and no other graph library.
"""

from graphol.formats.edgelist import read_edges
from graphol.formats.graph_npz import read_npz, write_npz
from graphol.formats.graphml import read_graphml
from graphol.formats.libraries import from_networkx, from_pandas, from_scipy
from graphol.formats.matrix_market import read_matrix_market
from graphol.formats.read import read_graph

__all__ = [
    "from_networkx",
    "from_pandas",
    "from_scipy",
    "read_edges",
    "read_graph",
    "read_graphml",
    "read_matrix_market",
    "read_npz",
    "write_npz",
]
