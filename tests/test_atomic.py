"""A file is the old one or the new one, whenever whoever writes it stops."""

from __future__ import annotations

import itertools
import os
import re
import resource
import signal
import threading
from pathlib import Path

import pytest

import graphol
from graphol.atomic import replacing, scratch, sweep
from graphol.errors import InputError, UsageError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="flock, fork")


def write(path, text, *, force=True):
    with replacing(path, force=force) as temporary:
        temporary.write_text(text)


@pytest.mark.parametrize("old", [None, "old"])
def test_old_or_new_whatever_step_the_writer_was_killed_at(tmp_path, killed_at, old):
    path, mine = tmp_path / "rows.npz", tmp_path / ".mine.part"
    mine.write_text("mine")
    seen = []
    for k in itertools.count(1):
        path.unlink(missing_ok=True)
        if old:
            path.write_text(old)
        killed = killed_at(k, lambda: write(path, "new", force=bool(old)))
        seen.append(path.read_text() if path.exists() else None)
        write(path, "next")
        assert sorted(os.listdir(tmp_path)) == [".mine.part", "rows.npz"]  # no litter
        if not killed:
            break
    assert k > 8 and seen == sorted(seen, key=lambda text: text == "new")
    assert set(seen) == {old, "new"}


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "rows.npz"
    write(path, "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(InputError, match=r"cannot write .*rows.npz: File too large"):
            write(path, "x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["rows.npz"]


def test_a_disk_that_fails_when_it_is_flushed(tmp_path, monkeypatch):
    path = tmp_path / "rows.npz"
    write(path, "old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        write(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["rows.npz"]


def test_one_writer_at_a_time(tmp_path):
    path = tmp_path / "rows.npz"
    with replacing(path) as temporary:
        temporary.write_text("first")
        sweep(tmp_path)
        with pytest.raises(UsageError, match=r"rows.npz is being written by another process"):
            write(path, "second")
        write(tmp_path / "other.npz", "another file")
    assert path.read_text() == "first"


def test_what_comes_meanwhile_is_not_replaced_unless_told(tmp_path):
    path = tmp_path / "rows.npz"

    def late():
        with replacing(path, force=False) as temporary:
            temporary.write_text("new")
            path.write_text("somebody else's")

    with pytest.raises(UsageError, match="exists; add "):
        late()
    assert path.read_text() == "somebody else's" and os.listdir(tmp_path) == ["rows.npz"]


def test_a_file_has_the_rights_that_the_user_gives_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "a", "x", force=False)
        write(tmp_path / "a", "y")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_long_names(tmp_path):
    path = tmp_path / ("n" * 251 + ".npz")  # as long as a name may be
    write(path, "new")
    assert path.read_text() == "new"


def test_writers_of_many_files_do_not_disturb_each_other(tmp_path):
    """Eight threads in one folder, each sweeping as it writes."""
    failures = []

    def work(i):
        try:
            for k in range(20):
                write(tmp_path / f"{i}.npz", f"{i}-{k}")
        except BaseException as reason:
            failures.append(reason)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(os.listdir(tmp_path)) == [f"{i}.npz" for i in range(8)]
    assert all((tmp_path / f"{i}.npz").read_text() == f"{i}-19" for i in range(8))


def test_killed_in_the_middle_of_a_write(tmp_path, killed_at):
    path = tmp_path / "rows.npz"
    write(path, "old")

    def too_much():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        write(path, "x" * 10_000)

    assert killed_at(0, too_much)
    assert path.read_text() == "old"
    assert [p.stat().st_size for p in tmp_path.glob("*.part")] == [4096]
    write(path, "new")
    assert os.listdir(tmp_path) == ["rows.npz"]


WRITERS = {
    "atomic.py": "this one", "claims.py": "marks", "npz.py": "into a path that does not count yet",
    "simulation.py": "as npz.py", "report/comparison.py": "as npz.py",
    "reproduce/arena_cells.py": "as npz.py", "report/export.py": "as npz.py",
    "label/rows.py": "as npz.py", "label/transfer.py": "as npz.py",
    "cli/page.py": "as npz.py", "cli/reproduce.py": "as npz.py",
    "sweep/store.py": "under one claim for the folder, renamed when whole",
    "transaction.py": "orders of a set that does not count yet",
    "cli/streams.py": "stdout and stderr",
    "downloads/fetch.py": "a download, into a temporary folder",
}  # fmt: skip
"""Modules that write files by themselves, and why they may."""


def test_a_folder_to_work_in_is_gone_afterwards_or_after_the_next(tmp_path, killed_at):
    def work():
        with scratch(tmp_path) as folder:
            (folder / "in").mkdir()
            (folder / "in" / "a").write_text("half")

    for k in itertools.count(1):
        killed = killed_at(k, work)
        with scratch(tmp_path) as folder, scratch(tmp_path) as other:  # who lives is left alone
            assert os.listdir(folder) == os.listdir(other) == []
            assert len(os.listdir(tmp_path)) == 4  # two folders, two claims
        assert os.listdir(tmp_path) == [], k
        if not killed:
            break
    assert k > 5


def test_a_folder_to_work_in_cannot_be_made(tmp_path):
    with pytest.raises(InputError, match=f"^cannot write into {tmp_path / 'no'}: No such file"):
        scratch(tmp_path / "no").__enter__()


def test_nobody_else_writes_files():
    package = Path(graphol.__file__).parent
    call = re.compile(
        r"""\.write_(text|bytes)\(|\bopen\([^)]*["'][wax]b?["']|O_CREAT|os\.replace"""
    )
    harmless = re.compile(r">>>|^ *\.\.\. |devnull|os\.dup|fileno")
    found = set()
    for path in package.rglob("*.py"):
        lines = path.read_text().splitlines()
        lines = [line for line in lines if not harmless.search(line)]
        name = path.relative_to(package).as_posix()
        if call.search("\n".join(lines)) and not name.startswith("testing/"):
            found.add(name)
    assert found <= WRITERS.keys()
