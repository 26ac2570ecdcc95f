"""Disks that are full and disks that may only be read: one line, and everything is as it was."""

from __future__ import annotations

import shutil
import subprocess

import pytest

SBM = ("--dataset", "sbm:nodes=900,classes=3", "--quiet")


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own, where this machine lets us have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    size = ["-t", "tmpfs", "-o", "size=160k", "tmpfs", folder]
    if mount is None or subprocess.run([mount, *size], capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def contents(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


SMALL, LARGE = ("--repeats", 2), ("--repeats", 40)
FEW, MANY = ("--embedding", "spectral:dim=5"), ("--embedding", "spectral:dim=100")


def calls(disk):
    """Commands, with what makes their results fit the disk, and too large for it."""
    yield ("simulate", "--learner", "gpa", *SBM, "--out", disk / "out", "--force"), SMALL, LARGE
    yield (
        ("compare", "--learners", "gpa,oslg", *SBM, "--out", disk / "out", "--force"),
        SMALL,
        LARGE,
    )
    yield ("embed", *SBM, "--out", disk / "rows.npz", "--force"), FEW, MANY


def test_a_full_disk(run, refused, disk):
    for call, small, large in calls(disk):
        assert run(*call, *small).code == 0
        before = contents(disk)
        line = refused(*call, *large, code=3)
        assert line.startswith("cannot write ") and str(disk) in line and ".graphol" not in line
        assert line.endswith("No space left on device")
        assert contents(disk) == before and before
        assert run(*call, *small).code == 0  # and so goes on


def test_a_disk_that_may_only_be_read(run, refused, disk):
    for call, small, _ in calls(disk):
        assert run(*call, *small).code == 0
        before = contents(disk)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        assert refused(*call, *small, code=3).startswith("cannot write into ")
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        assert contents(disk) == before and before
