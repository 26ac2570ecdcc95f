"""The door: regular files only, and no more memory than the file is worth."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tracemalloc

import pytest

from graphol import door
from graphol.errors import InputError, UsageError


def peak(call):
    """The most memory that a call took, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".mtx.gz"])
def test_pipes_and_devices_are_not_read(tmp_path, pipe, suffix):
    """Nobody writes into the pipe, so that opening it would wait for ever."""
    for number, target in enumerate((pipe, "/dev/zero", "/dev/null")):
        link = tmp_path / f"{number}{suffix}"
        link.symlink_to(target)
        with pytest.raises(InputError, match="is a pipe or a device"):
            door.content(link)


def test_what_is_exchanged_after_the_look_is_noticed(tmp_path, pipe, monkeypatch):
    monkeypatch.setattr(door, "check_file", lambda path: path)
    with pytest.raises(InputError, match="is no longer a file"), door.opened(pipe):
        pass


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_come_back(tmp_path, pack):
    text = 60 * b"".join(b"%d,%d\n" % (i, i * i) for i in range(1500))  # more than a chunk
    (tmp_path / "a.gz").write_bytes(pack(text))
    assert door.content(tmp_path / "a.gz") == text
    (tmp_path / "b.gz").write_bytes(pack(text[:100]) + pack(text[100:]) + bytes(9))  # two members
    assert door.content(tmp_path / "b.gz") == text
    (tmp_path / "c.gz").write_bytes(pack(text)[:-20])
    with pytest.raises(InputError, match="truncated, or not a gzip file"):
        door.content(tmp_path / "c.gz")


def test_what_unpacks_to_too_much_is_refused_while_it_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(door, "FLOOR", 10_000_000)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(bytes(200_000_000), 1))

    def read():
        with pytest.raises(InputError, match=r"would take more than .* GRAPHOL_MAX_BYTES"):
            door.content(tmp_path / "bomb.csv.gz")

    size = (tmp_path / "bomb.csv.gz").stat().st_size
    assert peak(read) < 1.5 * door.limit(size) < 200_000_000


def test_the_limit_can_be_raised_and_not_lowered(tmp_path, monkeypatch):
    monkeypatch.setattr(door, "FLOOR", 1000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(bytes(50_000)))
    with pytest.raises(InputError, match="GRAPHOL_MAX_BYTES"):
        door.content(tmp_path / "a.gz")
    monkeypatch.setenv("GRAPHOL_MAX_BYTES", "50000")
    assert len(door.content(tmp_path / "a.gz")) == 50_000
    monkeypatch.setenv("GRAPHOL_MAX_BYTES", "1")
    assert door.limit(100) == 10_000
    monkeypatch.setenv("GRAPHOL_MAX_BYTES", "1_0")
    with pytest.raises(UsageError, match="must be a whole number of bytes"):
        door.limit(100)


@pytest.mark.parametrize(
    "failure",
    [RecursionError("deep"), MemoryError(), ValueError("a\nb"), OSError(5, "Input/output error"),
     EOFError(), KeyError("k"), UnicodeError("u")],
    ids=lambda failure: type(failure).__name__,
)  # fmt: skip
def test_any_failure_is_one_line_that_names_the_file(failure):
    with pytest.raises(InputError, match=r"^f\.csv") as refusal, door.reading("f.csv"):
        raise failure
    assert "\n" not in str(refusal.value)


def test_a_matrix_of_few_entries_has_few_rows():
    door.check_rows(10_000, 0, "f")
    door.check_rows(1_000_000, 100_000, "f")
    with pytest.raises(InputError, match="1000000 rows for 1 entries cannot be right"):
        door.check_rows(1_000_000, 1, "f")
