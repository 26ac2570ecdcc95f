"""Kills (-9) at any moment: old or new results whole, and no litter after the next run.

Each case runs in a forked process. It writes what carries the number 1 where nothing is, or where
something that carries 0 is; whoever looks must find 0 or 1, whole.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import signal
import time
import warnings
from collections import Counter
from unittest import mock

import numpy as np
import pytest

from graphol import InputError, Predictor, Simulation
from graphol.cli import main
from graphol.comparing import compare
from graphol.embeddings import store
from graphol.report.comparison import opened
from graphol.testing.games import blocks

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fork")

SBM = ("--dataset", "sbm:nodes=300,classes=3", "--quiet")


def forced(force):
    return ["--force"] * force


class Simulate:
    """Ten traces in a folder."""

    files, begun = 11, "out/.graphol-writ*"

    def write(self, folder, number, force):
        call = ["simulate", "--learner", "gpa", *SBM, "--seed", str(number)]
        with contextlib.redirect_stdout(io.StringIO()):
            assert main([*call, "--out", str(folder / "out"), *forced(force)]) == 0

    def read(self, folder):
        kept = loaded(folder / "out")
        assert not kept or len(kept[0].traces) == 10
        return kept[0].recipe["seed"] if kept else None


class Compare:
    """Folders in a folder, with a file that holds them together; 1 has one learner less."""

    files, begun = 5, "out/.graphol-writ*"

    @staticmethod
    @functools.cache
    def result(number):
        learners = ["gpa", "oslg"] if number else ["gpa", "ollgc", "molg-f"]
        return compare(learners, SBM[1], repeats=1, seed=number)

    def write(self, folder, number, force):
        self.result(number).save(folder / "out", force=force)

    def read(self, folder):
        kept = loaded(folder / "out")
        if not kept:
            return None
        (seed,) = {each.recipe["seed"] for each in kept}
        assert len(kept) == 3 - seed
        return seed


class Embed:
    """Rows in a file."""

    files, begun = 1, ".graphol-*"

    def write(self, folder, number, force):
        call = ["embed", *SBM, "--seed", str(number), "--out", str(folder / "rows.npz")]
        with contextlib.redirect_stdout(io.StringIO()):
            assert main([*call, *forced(force)]) == 0

    def read(self, folder):
        if not own(folder):
            return None
        with np.load(folder / "rows.npz", allow_pickle=False) as file:
            assert all(len(file[name]) for name in ("rows", "ids", "eigenvalues"))
            return int(b'"seed": 1' in bytes(file["meta.json"]))


class Save:
    """A predictor in a file."""

    files, begun = 1, ".graphol-*"

    @staticmethod
    @functools.cache
    def predictor(number):
        embedding = "spectral:dim=50"
        return Predictor("molg-f", blocks(900), embedding=embedding, seed=number)

    def write(self, folder, number, force):
        self.predictor(number).save(folder / "p.npz", force=bool(force))

    def read(self, folder):
        return Predictor.load(folder / "p.npz").seed if own(folder) else None


class Cache:
    """What is kept of an embedding: nothing or all of it; it is replaced where it is damaged."""

    files, begun = 1, ".graphol-*"

    def write(self, folder, number, force):
        for path in folder.glob("*.npz") if force else ():
            path.write_bytes(b"PK damaged" + path.read_bytes())
        with (
            mock.patch.dict(os.environ, GRAPHOL_CACHE=str(folder)),
            mock.patch.object(store, "LONG", 0.0),
        ):
            store.kept("test", {"a": 1}, lambda: {"rows": np.arange(300_000.0)})

    def read(self, folder):
        def compute():
            raise InterruptedError

        try:
            with mock.patch.dict(os.environ, GRAPHOL_CACHE=str(folder)):
                found = store.kept("test", {"a": 1}, compute)
        except InterruptedError:
            return 0 if own(folder) else None
        assert np.array_equal(found["rows"], np.arange(300_000.0))
        return 1


def loaded(folder):
    """The simulations in a folder, or nothing where there are none."""
    try:
        return [Simulation.load(path) for path in opened(folder)[0]]
    except InputError as reason:
        if "holds no results" in str(reason) or "there is no folder" in str(reason):
            return []
        raise


def own(folder):
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def started(work):
    """The number of a forked process that does it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of this process that the child does not need
        child = os.fork()
    if child:
        return child
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1), os.dup2(nowhere, 2)
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


def finished(child):
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return not os.WIFSIGNALED(status)


def kill(case, folder, force, rng, seconds):
    """One kill, in half of the cases soon after the writing has begun; what was found then."""
    folder.mkdir()
    if force:
        case.write(folder, 0, force=0)
    child = started(lambda: case.write(folder, 1, force))
    late = rng.random() < 0.5
    until = time.monotonic() + (5 * seconds + 1 if late else seconds * rng.random())
    while time.monotonic() < until and not (late and any(folder.glob(case.begun))):
        time.sleep(1e-4)
    if late:
        time.sleep(float(rng.random()) * seconds)
    os.kill(child, signal.SIGKILL)
    done = finished(child)
    found = case.read(folder)
    assert found in ((0, 1) if force else (None, 1)) and (found == 1 or not done)
    again = 1 if found is not None else 0
    assert finished(started(lambda: case.write(folder, 1, again)))
    assert case.read(folder) == 1
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert len(kept) == case.files, f"litter: {kept}"
    return "as it was" if found != 1 else "ended" if done else "new"


@pytest.fixture(params=[Simulate, Compare, Embed, Save, Cache], ids=lambda case: case.__name__)
def case(request, tmp_path):
    """The case, and how long it takes; compiled once in this process, so that no child has to."""
    case = request.param()
    for number in (0, 1):
        folder = tmp_path / f"warm {number}"
        folder.mkdir()
        case.write(folder, number, 0)
    (folder := tmp_path / "warm").mkdir()
    start = time.monotonic()
    assert finished(started(lambda: case.write(folder, 1, 0)))
    return case, time.monotonic() - start


def campaign(case, tmp_path, kills, seed):
    what, seconds = case
    rng = np.random.default_rng(seed)
    found = Counter()
    for force in (0, 1):
        done, k = 0, 0
        while done < kills:
            state = kill(what, tmp_path / f"{force} {k}", force, rng, seconds)
            done, k = done + (state != "ended"), k + 1
            found[state] += 1
    return found


def test_a_few_kills(case, tmp_path):
    """One with --force and one without; what every kill must leave is asserted in `kill`."""
    found = campaign(case, tmp_path, kills=1, seed=0)
    assert found["as it was"] + found["new"] == 2


@pytest.mark.once
def test_200_kills(case, tmp_path):
    """Twenty with --force and twenty without, of each of five writers."""
    found = campaign(case, tmp_path, kills=20, seed=1)
    print(type(case[0]).__name__, dict(found))
    assert found["as it was"] + found["new"] == 40
