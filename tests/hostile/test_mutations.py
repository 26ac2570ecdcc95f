"""Mutated predictors and kept embeddings: never a signal, never somebody else's exception."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

import pytest

from graphol.embeddings import store

HERE = Path(__file__).parent
MADE = runpy.run_path(str(HERE / "mutations.py"))
CHILDREN = runpy.run_path(str(HERE / "children.py"))
SECONDS, MEGABYTES = 20, 1000


@pytest.fixture(scope="module")
def predictors(tmp_path_factory):
    return [file.read_bytes() for file in MADE["save_predictors"](tmp_path_factory.mktemp("saved"))]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Where an embedding is kept, and what."""
    monkeypatch.setenv("GRAPHOL_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(store, "LONG", 0.0)
    path = MADE["keep_embedding"](tmp_path / "kept")
    return path, path.read_bytes()


def child(use, path, contents):
    """All of these, one after the other, in one child; how it ended and what each came to."""

    def call():
        for content in contents:
            path.write_bytes(content)
            print(use(path), flush=True)
        return 0

    return CHILDREN["run"](call, path.parent, SECONDS, MEGABYTES)


def test_what_is_not_mutated_works(predictors, kept, tmp_path):
    path, content = kept
    assert child(MADE["use_embedding"], path, [content]).out == "0\n"
    ended = child(MADE["use_predictor"], tmp_path / "p.npz", predictors)
    assert ended.code == 0 and ended.out.split() == ["0"] * len(predictors), ended.err


@pytest.mark.parametrize("first", [0, 16])
def test_some_predictors(predictors, tmp_path, first):
    chosen = [
        MADE["mutate"](predictors[k % len(predictors)], [k, 0]) for k in range(first, first + 16)
    ]
    ended = child(MADE["use_predictor"], tmp_path / "p.npz", chosen)
    assert ended.code == 0 and set(ended.out.split()) <= {"0", "3"}, ended.err


def test_some_embeddings(kept):
    path, content = kept
    ended = child(MADE["use_embedding"], path, [MADE["mutate"](content, [k, 1]) for k in range(16)])
    assert ended.code == 0 and set(ended.out.split()) <= {"0", "3"}, ended.err


@pytest.mark.once
@pytest.mark.parametrize("what", ["predictor", "embedding"])
def test_1000_in_children(predictors, kept, tmp_path, capsys, what):
    """Each in a child of its own; prints how they ended, the slowest and the largest."""
    path, content = (tmp_path / "p.npz", b"") if what == "predictor" else kept
    count, slowest, largest, wrong = Counter(), 0.0, 0.0, []
    for k in range(800 if what == "predictor" else 200):
        base = predictors[k % len(predictors)] if what == "predictor" else content
        mutated = MADE["mutate"](base, [k, 2])
        ended = child(MADE[f"use_{what}"], path, [mutated])
        slowest, largest = max(slowest, ended.seconds), max(largest, ended.megabytes)
        count[{"0": "used", "3": "refused"}.get(ended.out.strip(), "wrong")] += 1
        if ended.code or ended.out.strip() not in ("0", "3"):
            wrong.append(f"{k}: {ended.code} {ended.err[-700:]}")
    with capsys.disabled():
        print(f"\n{what}: {dict(count)}; slowest {slowest:.1f} s, largest {largest:.0f} MB")
    assert not wrong, "\n".join(wrong)
