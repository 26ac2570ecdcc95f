"""Tasks that workers can import: those of a plugin file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from graphol.registry import registry

POISON = Path(__file__).parent / "poison.py"


@pytest.fixture(scope="module")
def poison() -> Iterator[ModuleType]:
    """The plugin file poison.py; it is loaded."""
    registry.cache_clear()
    registry().load_file(POISON)
    ours = (m for n, m in sys.modules.items() if n.startswith("graphol_file_poison_"))
    yield next(m for m in ours if m.__file__ == str(POISON))  # other tests have one of that name
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


@pytest.fixture
def started() -> Callable[[Path], int]:
    """The number of a process that a task leaves there."""

    def wait(path: Path) -> int:
        for _ in range(6000):
            if path.exists():
                return int(path.read_text())
            time.sleep(0.01)
        raise AssertionError("it did not start")

    return wait


SCRIPT = """
import sys
from pathlib import Path
import graphol
from graphol.registry import registry

def main(executor, how, file, task, *paths):
    registry().load_file(Path(file))
    poison = next(m for n, m in sys.modules.items() if n.startswith("graphol_file_poison_"))
    executor = graphol.make("executor", executor).start(2)
    for path in paths:
        executor.submit(getattr(poison, task), path)
    if how == "waits":
        with executor:
            executor.submit(divmod, 7, 2).result()
    while not all(Path(path).exists() for path in paths):
        pass

if __name__ == "__main__":
    main(*sys.argv[1:])
"""


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., list[object]]:
    """The command of a script that has tasks played, and waits for them or falls off its end."""

    def command(executor: str, how: str, task: str, *paths: Path) -> list[object]:
        path = tmp_path / "script.py"
        path.write_text(SCRIPT)
        return [sys.executable, path, executor, how, POISON, task, *paths]

    return command
