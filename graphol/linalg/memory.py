"""How much memory there is, asked before a large array is made."""

from __future__ import annotations

import os
from pathlib import Path

from graphol.errors import InputError


def available_memory() -> float:
    """Bytes that can be had without swapping; infinite where the system does not tell."""
    found = [_meminfo(), _group()]
    return min((bytes_ for bytes_ in found if bytes_ is not None), default=float("inf"))


def require_memory(needed: float, what: str, advice: str) -> None:
    """Refuse, with a number, what cannot fit."""
    there = available_memory()
    if needed > there:
        raise InputError(
            f"{what} needs about {needed / 1e9:.3g} GB of memory and {there / 1e9:.3g} GB is "
            f"available; {advice}"
        )


def _meminfo() -> float | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _group() -> float | None:
    """What is left under the limit of a container."""
    folder = Path("/sys/fs/cgroup")
    try:
        most = float((folder / "memory.max").read_text())
        used = float((folder / "memory.current").read_text())
        freed = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return most - used + float(freed.get("inactive_file", 0))
    except (OSError, ValueError):  # no limit, or no such group
        return None
