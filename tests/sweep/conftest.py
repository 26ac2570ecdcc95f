"""Sweeps with nobody's plugins and nobody's data, and cells that do harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphol.registry import registry

POISON = '''
import os
import sys
import time
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

import graphol


class State(NamedTuple):
    counts: np.ndarray


@attrs.frozen
class Poison:
    """Says the class that it has seen most often, and does harm.

    Parameters
    ----------
    how
        Which harm.
    at
        Its number, so that there can be many.
    """

    name: ClassVar[str] = "poison"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "nothing"
    how: str = graphol.param("none")
    at: int = graphol.param(0)

    def start(self, problem):
        if self.how == "kill":
            os.kill(os.getpid(), 9)
        if self.how == "leave":
            os._exit(0)
        if self.how == "exit":
            sys.exit(3)
        if self.how == "hang":
            time.sleep(1000)
        if self.how == "slow":
            time.sleep(0.03)
        if self.how == "allocate":
            kept = [np.empty(2**27) for _ in range(1000)]
        if self.how == "raise":
            raise ValueError("no\\nsuch thing")
        if self.how == "print":
            print("hello from the cell")
        return State(np.zeros(problem.n_classes))

    def predict(self, state, instance):
        return graphol.Prediction(int(np.argmax(state.counts)))

    def update(self, state, instance, prediction, reveal):
        state.counts[int(reveal.label)] += 1
        return 1


@graphol.hookimpl
def graphol_learners():
    return [Poison]
'''


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("GRAPHOL_PLUGINS", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHOL_DATA", raising=False)
    registry.cache_clear()
    yield
    registry.cache_clear()


@pytest.fixture
def poison(tmp_path: Path) -> Path:
    """A plugin file with a learner that does harm on demand."""
    path = tmp_path / "poison.py"
    path.write_text(POISON)
    return path
