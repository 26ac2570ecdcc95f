"""The command line, called in this process, with nobody's plugins and nobody's data."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from graphol.cli import main
from graphol.registry import registry

LEARNER = '''
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

import graphol


class State(NamedTuple):
    counts: np.ndarray


@attrs.frozen
class Majority:
    r"""Says the class that it has seen most often.

    It maximises :math:`\\sum_s [y_s = k]`.

    .. math:: \\hat y = \\arg\\max_k n_k

    Parameters
    ----------
    prior
        Count that every class begins with.

    References
    ----------
    Nobody. On counting.
    """

    name: ClassVar[str] = "NAME"
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[str, ...]] = ("label",)
    targets: ClassVar[tuple[str, ...]] = ("classes",)
    needs: ClassVar[str] = "nothing"
    prior: float = graphol.param(0.0, least=0)

    def start(self, problem):
        return State(np.full(problem.n_classes, self.prior))

    def predict(self, state, instance):
        return graphol.Prediction(int(np.argmax(state.counts)))

    def update(self, state, instance, prediction, reveal):
        state.counts[int(reveal.label)] += 1
        return 1


@graphol.hookimpl
def graphol_learners():
    return [Majority]
'''


class Result(NamedTuple):
    """What a call left behind."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No plugin but ours, no data, and a registry that is thrown away."""
    monkeypatch.setenv("GRAPHOL_PLUGINS", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GRAPHOL_DATA", raising=False)
    registry.cache_clear()
    yield
    registry.cache_clear()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Call ``graphol`` with these arguments."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def refused(run: Callable[..., Result]) -> Callable[..., str]:
    """Call ``graphol``, expect one line on stderr and this exit code, and return the line."""

    def call(*arguments: object, code: int = 2) -> str:
        result = run(*arguments)
        assert (result.code, result.out) == (code, "")
        assert result.err.startswith("graphol: ") and result.err.count("\n") == 1
        return result.err.removeprefix("graphol: ").rstrip("\n")

    return call


@pytest.fixture
def plugin_file(tmp_path: Path) -> Callable[..., Path]:
    """A plugin file with a learner of this name."""

    def write(name: str = "majority", change: tuple[str, str] = ("", "")) -> Path:
        path = tmp_path / f"{name.replace('-', '_')}_file.py"
        path.write_text(LEARNER.replace("NAME", name).replace(*change))
        return path

    return write


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A fake distribution with one entry point, found like any installed one."""
    site = tmp_path / "site"
    site.mkdir()
    installed: list[str] = []

    def make(name: str, source: str = "", learner: str = "") -> Path:
        code = LEARNER.replace("NAME", learner) if learner else textwrap.dedent(source)
        (site / f"fake_{name}.py").write_text(code)
        info = site / f"fake_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fake-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[graphol]\n{name} = fake_{name}\n")
        installed.append(name)
        monkeypatch.setenv("GRAPHOL_PLUGINS", ",".join(installed))
        monkeypatch.syspath_prepend(str(site))
        registry.cache_clear()
        return site

    return make
