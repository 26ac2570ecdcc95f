"""Several processes at one file, some of them killed (-9) at any moment."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter

import pytest

from graphol import Graph, InputError, Project, UsageError
from graphol.label import project_file
from graphol.label.project import Row

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fork")
GRAPH = Graph.from_edges(["a", "b", "c", "d"], ["b", "c", "d", "a"])


@pytest.fixture
def path(tmp_path):
    Project.create(tmp_path / "p.graphol", GRAPH, classes=["tea", "coffee"]).close()
    return tmp_path / "p.graphol"


def forked(work):
    """Do it in another process; its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # threads of this process that the child does not need
        child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def write(path, who, begin, pipe=None, many=10**6):
    """Answers with tokens ``who begin``, ``who begin+1`` and so on, each acknowledged."""
    with Project.open(path) as project:
        for k in range(begin, begin + many):
            token = f"{who} {k}"
            project.answer(Row(k % 4), "label", k % 2, annotator=who, token=token)
            if pipe is not None:
                os.write(pipe, f"{token}\n".encode())


def test_two_processes_lose_nothing(path):
    children = [forked(lambda who=who: write(path, who, 0, many=12)) for who in ("ann", "bob")]
    with Project.open(path, readonly=True) as project:
        seen, until = [], time.monotonic() + 60
        while len(seen) < 26 and time.monotonic() < until:
            seen += project.events(after=len(seen))
        assert [ended(child) for child in children] == [0, 0]
        assert seen == project.events() and [e.number for e in seen] == list(range(1, 27))
    for who in ("ann", "bob"):
        assert [e.token for e in seen if e.annotator == who] == [f"{who} {k}" for k in range(12)]


def kill(path, rng, begin):
    """Two writers, one of which is killed; how many of its answers were acknowledged."""
    read, pipe = os.pipe()
    victim = forked(lambda: write(path, "ann", begin, pipe))
    os.close(pipe)
    other = forked(lambda: write(path, "bob", begin, many=2)) if rng.random() < 0.5 else None
    told = os.read(read, 10)
    time.sleep(rng.uniform(0, 0.08))
    os.kill(victim, signal.SIGKILL)
    assert ended(victim) == -signal.SIGKILL
    while piece := os.read(read, 1 << 16):
        told += piece
    os.close(read)
    if other is not None:
        assert ended(other) == 0
    return told.decode().splitlines()


def kills(path, times, seed):
    """After every kill: all that was acknowledged is there, nothing twice; the sender goes on."""
    rng = random.Random(seed)
    told, begin, left = [], 0, 0
    for _ in range(times):
        told += kill(path, rng, begin)
        left += os.path.exists(f"{path}-journal")
        with Project.open(path, readonly=rng.random() < 0.5) as project:
            events = project.events()
            project.labels()
        tokens = Counter(each.token for each in events if each.token is not None)
        assert set(told) <= tokens.keys() and set(tokens.values()) == {1}
        ours = [each.token for each in events if each.annotator == "ann"]
        assert ours == [f"ann {k}" for k in range(len(ours))]
        assert len(told) <= len(ours) <= len(told) + times
        begin = len(told) and int(told[-1].split()[1]) + 1  # what was not heard of is sent again
        told = [f"ann {k}" for k in range(begin)]
    return len(told), left


def test_three_kills(path):
    acknowledged, _ = kills(path, 3, 0)
    assert acknowledged >= 3


@pytest.mark.once
def test_100_kills(path, capsys):
    acknowledged, left = kills(path, 100, 1)
    assert acknowledged >= 100
    with capsys.disabled():
        print(f"\n100 kills: {acknowledged} answers acknowledged, {left} in the middle of a change")


def test_an_import_is_whole_or_not_there(path, killed_at):
    """Killed before each step that the interpreter sees, and in between."""
    labels = dict.fromkeys(GRAPH.ids, "tea")

    def work():
        with Project.open(path) as project:
            project.import_labels(labels, annotator="ann")

    for k in (1, 2):
        killed_at(k, work)
        with Project.open(path) as project:
            assert project.progress()["labelled"] in (0, 4)


def test_a_file_that_is_kept_busy(path, monkeypatch):
    monkeypatch.setattr(project_file, "WAIT", 0.05)
    with Project.open(path) as one, Project.open(path) as other:
        one._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="is busy: another process"):
            other.answer("a", "skip", annotator="ann")
        one._connection.execute("ROLLBACK")
        assert other.answer("a", "skip", annotator="ann").number == 3


def test_a_change_that_fails_leaves_nothing(path):
    with Project.open(path) as project:
        with pytest.raises(ZeroDivisionError):
            project.write(lambda: [1 / 0])
        project.answer("a", "skip", annotator="ann")
        with Project.open(path) as other:
            assert other.last == project.last == 3


def test_a_fork_opens_its_own(path):
    with Project.open(path) as project:

        def work():
            with contextlib.suppress(UsageError):
                project.answer("a", "skip", annotator="ann")
                sys.exit(1)

        assert ended(forked(work)) == 0 and project.last == 2


def test_a_journal_that_was_left_is_not_played_into_a_new_file(tmp_path, path):
    (tmp_path / "q.graphol-journal").write_bytes(os.urandom(4096))
    with Project.create(tmp_path / "q.graphol", GRAPH) as project:
        assert project.graph.n == 4
