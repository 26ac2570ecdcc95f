"""GraphML files, read with the standard library alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphol.door import FilePath, check_objects, content, reader
from graphol.errors import InputError, hint, shown
from graphol.formats.labels import labelled, read_labels
from graphol.formats.numerals import weight
from graphol.graph import Graph

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

CLASS_KEYS = ("class", "label")
ELEMENT = 150
"""Bytes of an element, as a Python object; half of what begins with < are ends."""


@reader
def read_graphml(path: FilePath, labels: FilePath | None = None) -> Graph:
    """A graph from a GraphML file.

    Node ids are the ``id`` attributes, as text; isolated nodes are kept. Edge weights are the edge
    key whose ``attr.name`` is ``weight``, 1 if there is no such key. Classes are the node key
    called ``class``, or else ``label``; a ``labels`` file replaces them. Other keys are ignored.

    Directed edges are refused, as an asymmetric matrix is: graphol's graphs have no direction, and
    only the user knows whether dropping it is right. Refused too: several graphs in one file,
    nested graphs, hyperedges.

    Parameters
    ----------
    path
        A ``.graphml`` file, also ``.gz``.
    labels
        A labels file with the header ``node,label``.

    References
    ----------
    Brandes, Eiglsperger, Herman, Himsolt, Marshall. GraphML progress report. Graph Drawing, 2001.
    """
    root = _parsed(path)
    graphs = [element for element in root.iter() if _tag(element) == "graph"]
    if len(graphs) != 1:
        raise InputError(f"{path} holds {len(graphs)} graphs (nested ones counted); needs 1")
    if any(_tag(element) == "hyperedge" for element in graphs[0]):
        raise InputError(f"{path} has hyperedges; an edge must join two nodes")
    ids = _node_ids(graphs[0], path)
    source, target = _ends(graphs[0], set(ids), path)
    weights = _weights(root, graphs[0], path)
    graph = Graph.from_edges(source, target, weights, ids=ids, name=str(path))
    classes = _classes(root, graphs[0])
    if classes is not None:
        graph = labelled(graph, classes)
    return read_labels(graph, labels)


def _parsed(path: FilePath) -> Element:
    from xml.etree import ElementTree

    found = content(path)
    if not found.strip():
        raise InputError(f"{path} is empty")
    check_objects(path, ELEMENT * found.count(b"<"))
    try:
        _check_prolog(found, path)
        return ElementTree.fromstring(found)
    except (ElementTree.ParseError, LookupError, ValueError) as reason:
        raise InputError(f"{path}: not well-formed XML ({reason})") from None


def _check_prolog(found: bytes, path: FilePath) -> None:
    """Refuse declarations inside the file: entities and defaults can unpack to any size."""
    from xml.parsers import expat

    class Begun(Exception):
        """The first element is there, and nothing can be declared any more."""

    def doctype(name: str, system: str | None, public: str | None, declares: int) -> None:
        if declares:
            raise InputError(f"{path} declares entities or defaults of its own; they are not read")

    def element(name: str, attributes: object) -> None:
        raise Begun

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.StartElementHandler = doctype, element
    with contextlib.suppress(Begun, expat.ExpatError):  # the other parser says what is wrong
        parser.Parse(found, True)


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]  # without the namespace


def _all(parent: Element, tag: str) -> Iterator[Element]:
    return (element for element in parent if _tag(element) == tag)


def _node_ids(graph: Element, path: FilePath) -> tuple[str, ...]:
    ids = [node.get("id", "") for node in _all(graph, "node")]
    if not ids:
        raise InputError(f"{path} has no nodes")
    if "" in ids:
        raise InputError(f"{path}: node number {ids.index('') + 1} has no id")
    seen: set[str] = set()
    for node in ids if len(set(ids)) < len(ids) else ():
        if node in seen:
            raise InputError(f"{path}: node {shown(node)} is there twice")
        seen.add(node)
    return tuple(ids)


def _ends(graph: Element, known: set[str], path: FilePath) -> tuple[list[str], list[str]]:
    default = graph.get("edgedefault", "undirected")
    ends: tuple[list[str], list[str]] = ([], [])
    for count, edge in enumerate(_all(graph, "edge"), start=1):
        pair = edge.get("source", ""), edge.get("target", "")
        said = edge.get("directed", "true" if default == "directed" else "false")
        if said == "true":
            raise InputError(
                f"{path}: edge {shown(pair[0])} - {shown(pair[1])} is directed, graphol's "
                "edges are not; if its direction does not matter, store it with "
                'edgedefault="undirected"'
            )
        for node, column in zip(pair, ends, strict=True):
            if node not in known:
                raise InputError(
                    f"{path}: edge number {count} names no known node: {shown(node)}"
                    + hint(node, known)
                )
            column.append(node)
    return ends


def _key(root: Element, kind: str, name: str) -> tuple[str, str | None] | None:
    """Id and default of the key for nodes or edges that is called ``name``, if there is one."""
    for key in _all(root, "key"):
        if key.get("attr.name", "").lower() == name and key.get("for", "all") in (kind, "all"):
            default = next((element.text for element in _all(key, "default")), None)
            return key.get("id", ""), default
    return None


def _value(element: Element, key: tuple[str, str | None]) -> str | None:
    texts = (data.text for data in _all(element, "data") if data.get("key") == key[0])
    text = next(texts, None) or key[1]
    return text.strip() if text and text.strip() else None


def _weights(root: Element, graph: Element, path: FilePath) -> list[float] | None:
    key = _key(root, "edge", "weight")
    if key is None:
        return None
    weights = []
    for edge in _all(graph, "edge"):
        where = f"{path}: edge {shown(edge.get('source'))} - {shown(edge.get('target'))}"
        text = _value(edge, key)
        if text is None:
            raise InputError(f"{where} has no weight, and the file gives no default")
        weights.append(weight(text, where))
    return weights


def _classes(root: Element, graph: Element) -> list[str | None] | None:
    key = next((key for name in CLASS_KEYS if (key := _key(root, "node", name))), None)
    return None if key is None else [_value(node, key) for node in _all(graph, "node")]
