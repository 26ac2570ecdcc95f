"""Saved predictors and kept embeddings with something changed, all from seeds.

A mutation changes bytes of the file, or members and record of an archive that is otherwise in
order, its checksums included; what must come of it is one line, or a predictor that works.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import graphol
from graphol import npz
from graphol.contexts import Named
from graphol.embeddings import store
from graphol.embeddings.spectral import Spectral
from graphol.linalg.eigen import ResidualWarning

LEARNERS = (
    "gpa", "molg-b", "oslg", "kernel-perceptron", "label-propagation", "banditron",
    "soba:gamma=0.3", "molg-f",
)  # fmt: skip


OVER_CONTEXTS = (
    ("gpa", graphol.Clique(4), [0, 3]),
    ("kernel-perceptron", graphol.Graph.from_edges("abc", "bcd"), ["a", "d"]),
)
"""Learners of signs, with latent graphs and contexts to ask about."""


def graph() -> graphol.Graph:
    """Two rings of 12 nodes, two components."""
    i = np.arange(24)
    return graphol.Graph.from_edges(
        [f"n{x}" for x in i], [f"n{(x + 1) % 12 + 12 * (x // 12)}" for x in i]
    )


def save_predictors(folder: Path) -> list[Path]:
    """One file per learner, in the middle of a conversation."""
    files = []
    for learner in LEARNERS:
        rng = np.random.default_rng(0)
        embedding = (
            None if learner in ("kernel-perceptron", "label-propagation") else "spectral:dim=4"
        )
        predictor = graphol.Predictor(
            learner, graph(), classes=["x", "y", "z"], embedding=embedding
        )
        for t in range(15):
            talk(predictor, int(rng.integers(24)), "xyz"[t % 3])
        for node in ("n1", "n13"):
            predictor.ask(node)
        files.append(folder / f"{learner.partition(':')[0]}.npz")
        predictor.save(files[-1])
    for learner, latent, contexts in OVER_CONTEXTS:
        predictor = graphol.Predictor(
            learner, graph(), classes=["x", "y"], target="signs", latent=latent,
            embedding="spectral:dim=4" if learner == "gpa" else None,
        )  # fmt: skip
        for t in range(15):
            predictor.tell(predictor.ask(f"n{t}", contexts[t % 2]), label="xy"[t % 2])
        predictor.ask("n1", contexts[1])
        files.append(folder / f"{learner}-signs.npz")
        predictor.save(files[-1])
    return files


def talk(predictor: graphol.Predictor, row: int, label: str) -> None:
    ticket = predictor.ask(predictor.graph.ids[row])
    if ticket.scores is not None:
        assert np.isfinite(ticket.scores).all(), "scores are not finite"
    if "label" in predictor.learner.learns_from:
        predictor.tell(ticket, label=label)
    else:
        predictor.tell(ticket, correct=ticket.label == label)


def use_predictor(path: Path) -> int:
    """0: it works; 3: refused in one line, on loading or in use; anything else is an exception."""
    warnings.simplefilter("ignore", RuntimeWarning)  # what comes of it is said, or not finite
    try:
        predictor = graphol.Predictor.load(path)
        n = predictor.graph.n
        for row in (0, n // 2, n - 1):
            talk(predictor, row, predictor.classes[0])
        contexts = predictor.contexts
        named = isinstance(contexts, Named)
        predictor.ask(predictor.graph.ids[0], contexts.graph.ids[-1] if named else 0)
        for number in list(predictor.waiting):
            if "label" in predictor.learner.learns_from:
                predictor.tell(number, label=predictor.classes[-1])
            else:
                predictor.tell(number, correct=True)
    except graphol.GrapholError as reason:
        return 3 if "\n" not in str(reason) else 1
    return 0


def keep_embedding(folder: Path) -> Path:
    """A kept embedding; the folder must be GRAPHOL_CACHE, and everything worth keeping."""
    Spectral(dim=5).embed(graph(), np.random.default_rng(0))
    (path,) = store.stored_files()
    return path


def use_embedding(path: Path) -> int:
    """0: rows, whether from the file or computed again; 3: refused."""
    warnings.simplefilter("ignore", ResidualWarning)
    try:
        rows = Spectral(dim=5).embed(graph(), np.random.default_rng(0)).rows
    except graphol.GrapholError as reason:
        return 3 if "\n" not in str(reason) else 1
    assert rows.shape[0] == 24 and np.isfinite(rows).all()
    return 0


def mutate(content: bytes, seed: list[int]) -> bytes:
    """One mutation of a file: of its bytes, of a member, or of its record."""
    rng = np.random.default_rng(seed)
    how = int(rng.integers(10))
    if how == 0:
        return content[: int(rng.integers(len(content)))]
    if how == 1:
        changed = bytearray(content)
        for _ in range(int(rng.integers(1, 4))):
            changed[int(rng.integers(len(changed)))] ^= int(rng.integers(1, 256))
        return bytes(changed)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    names = sorted(name for name in members if name not in ("meta.json", "key.npy", "digest.npy"))
    name = str(rng.choice(names))
    if how in (2, 3) and "meta.json" in members:
        record = json.loads(members["meta.json"])
        members["meta.json"] = json.dumps(_in_tree(record, rng)).encode()
    elif how == 4:
        other = str(rng.choice(names))
        members[name], members[other] = members[other], members[name]
    elif how == 5:
        del members[name]
    elif how == 6:
        raw = bytearray(members[name])
        raw[int(rng.integers(len(raw)))] ^= int(rng.integers(1, 256))
        members[name] = bytes(raw)
    else:
        members[name] = _npy(_in_array(np.load(io.BytesIO(members[name])), rng))
    if "digest.npy" in members and rng.integers(2):
        members["digest.npy"] = _digest(members)
    return _zip(members)


def _digest(members: dict[str, bytes]) -> bytes:
    """That of the members as they are now, where they can be read at all."""
    try:
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(raw))
            for name, raw in members.items()
            if name not in ("key.npy", "digest.npy")
        }
        return _npy(np.array(npz.digest(arrays)))
    except Exception:
        return members["digest.npy"]


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            archive.writestr(name, raw)
    return file.getvalue()


def _in_array(array: Any, rng: np.random.Generator) -> Any:
    """Another value, type or shape."""
    how = int(rng.integers(8))
    if how <= 3 and array.size and array.dtype.kind in "iufb":
        flat = array.copy().reshape(-1)
        numbers = [0, -1, 1, 7, 24, 1000, 2**31 - 1, -(2**31), 10**9, 2**40, -(2**62)]
        values = numbers if flat.dtype.kind in "iub" else [*numbers, np.nan, np.inf, -1e308, 1e200]
        wanted = values[int(rng.integers(len(values)))]
        with np.errstate(all="ignore"):
            flat[int(rng.integers(flat.size))] = np.array(wanted).astype(flat.dtype)
        return flat.reshape(array.shape)
    if how == 4:
        kind = ["f8", "f4", "i8", "i4", "u1", "?", "c16", "U3", ">f8", ">i8"][int(rng.integers(10))]
        with np.errstate(all="ignore"):
            return array.astype(kind) if array.dtype.kind != "U" else array.astype("S")
    if how == 5:
        return array[:-1] if array.ndim else array.reshape(1)
    if how == 6:
        return array[None] if rng.integers(2) else array.T.copy(order="F")
    return np.concatenate([np.atleast_1d(array)] * 2)


def _in_tree(tree: Any, rng: np.random.Generator) -> Any:
    """Something else at a random place of plain data."""
    if isinstance(tree, dict) and tree and rng.random() < 0.85:
        key = list(tree)[int(rng.integers(len(tree)))]
        how = int(rng.integers(6))
        if how == 0:
            return {k: v for k, v in tree.items() if k != key}
        if how == 1:
            return tree | {"new": 1}
        return tree | {key: _in_tree(tree[key], rng)}
    if isinstance(tree, list) and tree and rng.random() < 0.8:
        at = int(rng.integers(len(tree)))
        how = int(rng.integers(5))
        if how == 0:
            return tree[:at] + tree[at + 1 :]
        if how == 1:
            return [*tree, tree[at]]
        return [*tree[:at], _in_tree(tree[at], rng), *tree[at + 1 :]]
    others = [
        None, True, False, -1, 0, 1, 2.5, 10**6, 10**30, -(10**30), "", "x", "\x1b[2J", "\ud800",
        [], {}, [1], {"name": "gpa"}, {"name": "nobody"}, float("nan"), float("inf"), "a" * 10_000,
    ]  # fmt: skip
    return others[int(rng.integers(len(others)))]
