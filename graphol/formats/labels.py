"""Classes for the nodes of a graph, from a file or from another library's values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphol.door import FilePath
from graphol.errors import InputError, hint, shown
from graphol.formats.delimited import read_columns
from graphol.formats.numerals import MOST_CHARACTERS
from graphol.graph import Graph


def class_numbers(values: Iterable[Hashable]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class 0..K-1 of every value, and the K names; -1 where the value is None or NaN.

    Names are in alphabetical order, or in numerical order if all are whole numbers.

    >>> class_numbers(["b", None, "a", "b"])
    (array([ 1, -1,  0,  1]), ('a', 'b'))
    >>> class_numbers(["10", "9"])[1]
    ('9', '10')
    """
    texts = [_text(value) for value in values]
    names = sorted({text for text in texts if text is not None})
    if all(name.removeprefix("-").isdecimal() and len(name) < MOST_CHARACTERS for name in names):
        names.sort(key=int)
    number: dict[str | None, int] = {name: k for k, name in enumerate(names)}
    return np.array([number.get(text, -1) for text in texts], dtype=np.int64), tuple(names)


def _text(value: Hashable) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # pandas turns 1, 2, None into 1.0, 2.0, NaN
    try:
        return str(value)
    except ValueError:
        raise InputError("a label is a number of too many digits; use texts") from None


def labelled(graph: Graph, values: Sequence[Hashable], notes: Iterable[str] = ()) -> Graph:
    """The graph with one class name per node, None where it is not known."""
    numbers, names = class_numbers(values)
    said = [*notes]
    unknown = int(np.count_nonzero(numbers < 0))
    if unknown:
        said.append(f"{unknown} node(s) without a label")
    if graph.labels is not None:
        said.append(f"labels of {graph.name} replaced")
    return graph.labelled(numbers, names).noted(*said)


def labelled_by(graph: Graph, given: Mapping[Hashable, Hashable], where: str) -> Graph:
    """The graph with the classes that ``given`` maps its node ids to."""
    known = set(graph.ids)
    strangers = [node for node in given if node not in known]
    if strangers:
        raise InputError(f"{where}: {stranger(strangers[0], graph, len(strangers))}")
    return labelled(graph, [given.get(node) for node in graph.ids])


def read_labels(graph: Graph, path: FilePath | None) -> Graph:
    """The graph with the classes of a labels file: a header ``node,label``, one line per node.

    The node column holds the graph's own ids, as text. A node that is not in the graph, a node
    with two lines and an empty label are refused; a node without a line has no label (-1), which
    is counted in ``notes``. A label ``-1`` is the name of a class like any other.
    """
    if path is None:
        return graph
    table = read_columns(path, ("node", "label"))
    row = {str(node): i for i, node in enumerate(graph.ids)}
    values: list[Hashable] = [None] * graph.n
    seen: dict[str, int] = {}
    nodes, names = table.columns["node"], table.columns["label"]
    strangers = sum(node not in row for node in nodes)
    for node, name, line in zip(nodes, names, table.lines, strict=True):
        where = f"{path} line {line}"
        if node not in row:
            raise InputError(f"{where}: {stranger(node, graph, strangers)}")
        if not name:
            raise InputError(
                f"{where}: node {shown(node)} has an empty label; "
                "leave its line out if it is not known"
            )
        if node in seen:
            raise InputError(
                f"{where}: node {shown(node)} already has a label on line {seen[node]}"
            )
        seen[node] = line
        values[row[node]] = name
    return labelled(graph, values, table.notes)


def stranger(node: Hashable, graph: Graph, count: int) -> str:
    """The message about ``count`` nodes, the first being ``node``, that the graph does not have."""
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"node {shown(node)}{more} is not in {graph.name}" + hint(str(node), map(str, graph.ids))
