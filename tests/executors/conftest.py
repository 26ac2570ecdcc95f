"""Tasks that workers can import: those of a plugin file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from graphol.registry import registry


@pytest.fixture(scope="module")
def poison() -> Iterator[ModuleType]:
    """The plugin file poison.py; it is loaded."""
    path = Path(__file__).parent / "poison.py"
    registry.cache_clear()
    registry().load_file(path)
    yield next(m for n, m in sys.modules.items() if n.startswith("graphol_file_poison_"))
    registry.cache_clear()


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Does the process with this number end, soon?"""

    def wait(pid: int) -> bool:
        for _ in range(1000):
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError):
                return True
            if state == "Z":  # whoever should reap it may be gone too
                return True
            time.sleep(0.01)
        return False

    return wait
