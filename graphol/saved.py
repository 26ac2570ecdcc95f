"""What a saved predictor must be before any of it is used: its graph, its record, its state."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphol import node_ids, npz
from graphol.api import Appendable, ChecksState, Learner, Matrix, State
from graphol.declared import LARGEST, Member, check, csr, csr_form
from graphol.errors import InputError, UsageError
from graphol.graph import MOST_CLASSES, Graph
from graphol.states import parts, rebuilt

GRAPH = {
    "ids": Member("iuU", ("n",), optional=True),
    "ids_literal": Member("U", ("n",), optional=True),
    **csr_form(),
    "rows": Member("f", ("n", "d"), optional=True),
}
RECORD: dict[str, type | tuple[type, ...]] = {
    "learner": dict, "embedding": (dict, type(None)), "seed": int, "name": str, "classes": list,
    "scalars": dict,
}  # fmt: skip
MOST_UNSEEN = 1000
"""Classes and dimensions that may exceed every length in the state, which allocates them."""


def graph_of(
    path: Path, arrays: npz.Members, meta: Mapping[str, Any], given: Graph | None = None
) -> Graph:
    """The graph that is given, if it is the one that was saved with; or else the file's own."""
    if given is None:
        return _own_graph(path, arrays, meta)
    theirs = meta["graph"] if "graph" in meta else _own_graph(path, arrays, meta).bare.hash
    if given.bare.hash != theirs:
        raise UsageError(
            f"{path} was saved with another graph, {meta['name']} with the hash {theirs}; "
            f"{given.name} has {given.bare.hash}"
        )
    return given


def _own_graph(path: Path, arrays: npz.Members, meta: Mapping[str, Any]) -> Graph:
    """Its members are checked before scipy sees them."""
    ids = tuple(meta.get("ids", ())) or node_ids.read(arrays, str(path))  # as once written
    check(arrays, GRAPH, str(path), n=len(ids))
    adjacency = csr(arrays, str(path), path.stat().st_size, (len(ids), len(ids)))
    return Graph(adjacency, ids=ids, name=meta["name"])


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
    if len(classes) < 2 or len(set(classes)) < len(classes):
        raise ValueError("the classes are not 2 or more different ones")
    if not 0 <= meta["seed"] < 2**128:
        raise ValueError("the seed is negative or too large")
    lengths = {n for k, a in arrays.items() if k.startswith("state_") for n in a.shape}
    dim = arrays["rows"].shape[-1] if "rows" in arrays else 0
    for count, what in ((len(classes), "classes"), (dim, "dimensions")):
        if count > MOST_UNSEEN and count not in lengths:
            raise ValueError(f"{count} {what}, but nothing in the state has so many")
    if len(classes) > max(MOST_CLASSES, *lengths, 0):
        raise ValueError(f"{len(classes)} classes")


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
