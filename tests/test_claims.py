"""Who lives keeps a claim, whoever died has none."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import threading
import time

import pytest

from graphol import claims
from graphol.claims import claimed, gone_if_dead
from graphol.errors import UsageError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="flock")

HOLD = """
import sys, time
from pathlib import Path
from graphol.claims import claimed
with claimed(Path(sys.argv[1]), Path("results")):
    print("held", flush=True)
    time.sleep(600)
"""


def test_one_at_a_time_and_nothing_stays(tmp_path):
    mark = tmp_path / "mark"
    with claimed(mark, tmp_path):
        text = f"{tmp_path} is being written by process {os.getpid()} on "
        with pytest.raises(UsageError) as error, claimed(mark, tmp_path):
            pass
        assert str(error.value).startswith(text) and "\n" not in str(error.value)
        assert not gone_if_dead(mark) and mark.exists()
    assert os.listdir(tmp_path) == []
    with claimed(mark, tmp_path):
        pass


def test_the_claim_of_a_killed_process_is_taken_over(tmp_path):
    mark = tmp_path / "mark"
    with subprocess.Popen([sys.executable, "-c", HOLD, mark], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UsageError, match=f"process {other.pid} on"), claimed(mark, tmp_path):
            pass
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert mark.exists()
    with claimed(mark, tmp_path):
        assert mark.read_text().startswith(f"process {os.getpid()} on")
    assert os.listdir(tmp_path) == []


def test_a_claim_may_be_renamed_by_its_owner(tmp_path):
    mark = tmp_path / "mark"
    with claimed(mark, tmp_path):
        os.rename(mark, tmp_path / "file")
        with claimed(mark, tmp_path):  # the name is free again
            pass
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("odd", ["folder", "link"])
def test_what_is_no_claim_is_left_alone(tmp_path, odd):
    mark, other = tmp_path / "mark", tmp_path / "mine.txt"
    other.write_text("mine")
    mark.mkdir() if odd == "folder" else mark.symlink_to(other)
    message = r"cannot be claimed: mark, which marks .* is no file of graphol's; move it away$"
    with pytest.raises(UsageError, match=message), claimed(mark, tmp_path):
        pass
    assert other.read_text() == "mine" and os.path.lexists(mark)


def no_locks(*arguments):
    raise OSError(38, "Function not implemented")


def test_without_locks_the_file_is_the_claim(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", no_locks)
    mark = tmp_path / "mark"
    message, first, second = "its mark is mark", claimed(mark, tmp_path), claimed(mark, tmp_path)
    with first, pytest.raises(UsageError, match=message), second:
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("why", ["no locks", "another machine"])
def test_a_leftover_that_no_lock_tells_of_counts_for_a_minute(tmp_path, monkeypatch, why):
    mark = tmp_path / "mark"
    here = f"process 1 on {platform.node()}"
    mark.write_text(here if why == "no locks" else "process 1 on node-17.cluster")
    if why == "no locks":
        monkeypatch.setattr("fcntl.flock", no_locks)
    now = os.stat(mark).st_mtime
    os.utime(mark, (now, now - claims.LEASE + 20))
    message = r"by process 1 on .*; that of a process that has ended counts for 60 s at most\)$"
    with pytest.raises(UsageError, match=message), claimed(mark, tmp_path):
        pass
    os.utime(mark, (now, now - claims.LEASE - 1))
    with claimed(mark, tmp_path):
        assert mark.read_text().startswith(f"process {os.getpid()} on")
    assert os.listdir(tmp_path) == []


def test_an_owner_touches_its_mark_for_as_long_as_it_works(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "PULSE", 0.05)
    mark = tmp_path / "mark"
    with claimed(mark, tmp_path) as ours:
        for _ in range(2):
            os.utime(mark, (0, 0))
            until = time.monotonic() + 20
            while os.stat(mark).st_mtime == 0 and time.monotonic() < until:
                time.sleep(0.01)
            assert os.stat(mark).st_mtime > 0
        assert ours()
        os.rename(mark, tmp_path / "taken")
        mark.write_text("process 1 on node-17.cluster")
        assert not ours()
    assert mark.read_text() == "process 1 on node-17.cluster"
    assert [one for one in threading.enumerate() if isinstance(one, threading.Timer)] == []
