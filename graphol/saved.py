"""What a saved predictor must be before any of it is used: its graph, its record, its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, npz
from graphol.api import Appendable, ChecksState, Features, Learner, Matrix, State
from graphol.arena import embedding_notes
from graphol.contexts import MOST_CONTEXTS, Contexts, Named, Numbered, restored_form
from graphol.declared import LARGEST, Member, check, csr, csr_form
from graphol.embeddings.rows import RowFeatures
from graphol.errors import InputError, UsageError
from graphol.formats.graph_npz import feature_members, stored_features, stored_names
from graphol.graph import MOST_CLASSES, Graph
from graphol.states import parts, rebuilt
from graphol.tickets import Tickets
from graphol.vocabulary import KINDS, miscounted

SCHEMA = 4
"""Of a saved predictor. In 3 nobody kept what was told, and no graph grew; in 2 all were of
classes, and nobody asked with a context; in 1 tickets were no columns, each had members of its
own."""
SCHEMAS = (1, 2, 3, SCHEMA)
NEVER_GREW = {"fitted": None, "refits": None, "refit_after": None, "told": None}
"""What a file says of growth in which nothing was kept."""
LATENT = "latent_"
"""Begins the members of a latent graph, which are otherwise those of the observed one."""

GRAPH = {
    "ids": Member("iuU", ("n",), optional=True),
    "ids_literal": Member("U", ("n",), optional=True),
    **csr_form(),
    "rows": Member("f", ("n", "d"), optional=True),
    "x_shape": Member("iu", (2,), least=0, optional=True),
    "x_names": Member("U", (None,), optional=True),
}
RECORD: dict[str, type | tuple[type, ...]] = {
    "learner": dict, "embedding": (dict, type(None)), "seed": int, "name": str, "classes": list,
    "scalars": dict, "target": str, "latent": (dict, type(None)), "growth": dict,
}  # fmt: skip
MOST_UNSEEN = 1000
"""Classes and dimensions that may exceed every length in the state, which allocates them."""


def brought_up_to_date(arrays: npz.Members, meta: Mapping[str, Any]) -> dict[str, Any]:
    """What an older file does not say, since there was nothing else then; the record with it."""
    if meta["schema"] == SCHEMA:
        return dict(meta)
    if meta["schema"] == 3:
        return {**meta, "growth": NEVER_GREW}
    if "ticket_number" in arrays:
        arrays["ticket_context"] = np.full(arrays["ticket_number"].shape, -1)
    return {**meta, "target": "classes", "latent": None, "growth": NEVER_GREW}


def graph_kept(
    graph: Graph, features: Features | None, *, model_only: bool
) -> tuple[npz.Members, dict[str, Any]]:
    """Members and record of a graph and its vectors; of a model alone, what tells them.

    A learner without vectors may have learnt from the nodes' own features, so these are told, too.
    """
    rows = None if features is None else features.rows
    record = {"name": graph.name} | ({"featured": graph.unlabelled.hash} if rows is None else {})
    if model_only:
        members = {} if rows is None else {"sketch": sketch(rows)}
        return members, record | {"graph": graph.bare.hash}
    S = graph.adjacency
    members = {"indptr": S.indptr, "indices": S.indices, "data": S.data} | feature_members(graph)
    members |= node_ids.members(graph.ids, graph.name) | ({} if rows is None else {"rows": rows})
    return members, record | {"notes": [*embedding_notes(features)]}


def latent_kept(
    contexts: Contexts, *, model_only: bool
) -> tuple[npz.Members, dict[str, Any] | None]:
    """The same of a latent graph; one in closed form is a record and no more."""
    if isinstance(contexts, Numbered):
        return {}, contexts.record()
    members, record = graph_kept(contexts.graph, contexts.features, model_only=model_only)
    return {LATENT + name: array for name, array in members.items()}, {"kind": "graph"} | record


def graph_of(
    path: Path,
    arrays: npz.Members,
    record: Mapping[str, Any],
    given: Graph | None = None,
    what: str = "",
) -> Graph:
    """The graph that is given, if it is the one that was saved with; or else the file's own."""
    if given is None:
        return _own_graph(path, arrays, record, what)
    own = "graph" not in record
    theirs = _own_graph(path, arrays, record, what).bare.hash if own else record["graph"]
    if given.bare.hash != theirs:
        raise UsageError(
            f"{path} was saved with another {what}graph, {record['name']} with the hash {theirs}; "
            f"{given.name} has {given.bare.hash}"
        )
    if record.get("featured", given.unlabelled.hash) != given.unlabelled.hash:
        raise UsageError(
            f"{path} was saved with other node features than {given.name} has; give the graph with "
            "those that the model was learnt on"
        )
    return given


def _own_graph(path: Path, arrays: npz.Members, record: Mapping[str, Any], what: str) -> Graph:
    """Its members are checked before scipy sees them."""
    where = f"{path}: {what}graph" if what else str(path)
    ids = tuple(record.get("ids", ())) or node_ids.read(arrays, where)  # as once written
    check(arrays, GRAPH, where, n=len(ids))
    size, n = path.stat().st_size, len(ids)
    return Graph(
        csr(arrays, where, size, (n, n)),
        ids=ids,
        features=stored_features(arrays, where, size, n),
        feature_names=stored_names(arrays),
        name=record["name"],
    )


def contexts_of(
    path: Path,
    arrays: npz.Members,
    record: Mapping[str, Any] | None,
    given: Graph | None,
    embed: Callable[[Graph], Features | None],
) -> Contexts:
    """The contexts as recorded: with a latent graph, the file's own or given; or numbered."""
    if record is None or record["kind"] != "graph":
        if given is not None:
            raise UsageError(f"{path} was saved without a latent graph; leave latent out")
        return Numbered(None if record is None else restored_form(record))
    if type(record["name"]) is not str:
        raise ValueError("the name of the latent graph is no text")
    if given is None and "graph" in record:
        raise UsageError(
            f"{path} was saved without its latent graph; give it, "
            "Predictor.load(path, graph=..., latent=...)"
        )
    members = {k.removeprefix(LATENT): v for k, v in arrays.items() if k.startswith(LATENT)}
    graph = graph_of(path, members, record, given, "latent ")
    return Named(graph, features_of(path, members, record, graph, embed))


def features_of(
    path: Path,
    members: npz.Members,
    record: Mapping[str, Any],
    graph: Graph,
    embed: Callable[[Graph], Features | None],
) -> Features | None:
    """The vectors that were saved; or else ``embed(graph)``, if they are what was learnt on."""
    if "rows" in members:
        if len(members["rows"]) != graph.n:
            raise ValueError(f"{len(members['rows'])} rows for {graph.n} nodes")
        return RowFeatures(members["rows"], {"notes": notes(record)})
    features = embed(graph)
    if "sketch" in members:
        check_sketch(path, None if features is None else features.rows, members["sketch"])
    return features


def sketch(rows: Matrix) -> Matrix:
    """What tells vectors from others: a random sum of each dimension, and its length."""
    weights = np.random.default_rng(0).normal(size=len(rows))
    return np.stack([weights @ rows, np.linalg.norm(rows, axis=0)])


def check_sketch(path: Path, rows: Matrix | None, theirs: NDArray[Any]) -> None:
    """Does the embedding give the vectors that the model was learnt on, up to rounding?"""
    if rows is None or theirs.shape != (2, rows.shape[1]):
        raise InputError(f"{path}: the embedding gives vectors of another length; save it whole")
    ours = sketch(rows)
    if not (np.abs(ours - theirs) <= 1e-6 * ours[1] + 1e-12).all():
        raise InputError(
            f"{path}: the embedding gives other vectors than those that the model was learnt on; "
            "save it whole, without model_only"
        )


def check_record(arrays: npz.Members, meta: Mapping[str, Any]) -> None:
    """Are the entries of ``meta.json`` what they are called, and of a size that the state has?"""
    for key, kind in RECORD.items():
        if not isinstance(meta[key], kind) or isinstance(meta[key], bool):
            raise ValueError(f"{key} is {type(meta[key]).__name__}")
    classes = meta["classes"]
    if {type(name) for name in classes} not in ({str}, {int}):
        raise ValueError("the classes are neither texts nor whole numbers")
    if meta["target"] not in KINDS:
        raise ValueError(f"the target is {meta['target']!r:.30}")
    if wrong := miscounted(meta["target"], classes):
        raise ValueError(f"a predictor {wrong}")
    if not 0 <= meta["seed"] < 2**128:
        raise ValueError("the seed is negative or too large")
    lengths = {n for k, a in arrays.items() if k.startswith("state_") for n in a.shape}
    dim = arrays["rows"].shape[-1] if "rows" in arrays else 0
    for count, what in ((len(classes), "classes"), (dim, "dimensions")):
        if count > MOST_UNSEEN and count not in lengths:
            raise ValueError(f"{count} {what}, but nothing in the state has so many")
    if len(classes) > max(MOST_CLASSES, *lengths, 0):
        raise ValueError(f"{len(classes)} classes")


def check_tickets(
    waiting: Tickets, nodes: int, contexts: int | None, labels: Sequence[int]
) -> None:
    """Is every open ticket about a node, a context and a label that there are?"""
    for number in waiting:
        row, (label, *_), _, context = waiting[number]
        if not (0 <= row < nodes and label in labels):
            raise ValueError(f"ticket {number} is about node {row} and class {label}")
        if not -1 <= context < (MOST_CONTEXTS if contexts is None else contexts):
            raise ValueError(f"ticket {number} is about context {context}")


def notes(meta: Mapping[str, Any]) -> list[str]:
    """What the embedding said about itself; nothing in files of before."""
    found = meta.get("notes", [])
    if not (isinstance(found, list) and all(type(note) is str for note in found)):
        raise ValueError("the notes are not texts")
    return found


def restored(
    learner: Learner, fresh: State, arrays: npz.Members, scalars: Mapping[str, Any], nodes: int
) -> State:
    """The state with what was stored, each entry of the form that the learner starts with.

    Scalars that are not there stay as they are: a seed is not in all files of version 1.
    """
    stored = {k.removeprefix("state_"): v for k, v in arrays.items() if k.startswith("state_")}
    found: dict[str, Any] = {}
    for name, ours in parts(fresh).items():
        if isinstance(ours, np.ndarray | Appendable):
            found[name] = _entry(name, ours, stored[name])
        elif name in scalars:
            found[name] = _scalar(name, ours, scalars[name])
    state = rebuilt(fresh, found)
    if isinstance(learner, ChecksState):
        learner.check_state(state, nodes)
    return state


def _entry(name: str, fresh: Any, theirs: NDArray[Any]) -> Any:
    growing = isinstance(fresh, Appendable)
    ours = fresh.values if growing else fresh
    fits = theirs.dtype == ours.dtype and theirs.ndim == ours.ndim
    if not fits or theirs.shape[growing:] != ours.shape[growing:]:
        raise ValueError(f"{name} is {theirs.dtype} of shape {theirs.shape}")
    if theirs.dtype.kind in "fc" and theirs.size and not float(np.abs(theirs).max()) <= LARGEST:
        raise ValueError(f"{name} has entries that are no numbers, or above {LARGEST:g}")
    return Appendable(theirs) if growing else np.ascontiguousarray(theirs)


def _scalar(name: str, fresh: Any, theirs: Any) -> Any:
    if isinstance(fresh, np.generic):
        theirs = type(fresh)(theirs)
    if type(theirs) is not type(fresh):
        raise ValueError(f"{name} is {type(theirs).__name__}, not {type(fresh).__name__}")
    if isinstance(theirs, int | float) and not abs(theirs) < 2**64:
        raise ValueError(f"{name} is {theirs!r:.30}")
    return theirs
