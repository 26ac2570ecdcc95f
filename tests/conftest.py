"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from graphol.registry import registry

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", patient, derandomize=True, database=None)
settings.register_profile("explore", patient, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""Every run tries the same examples, however busy the machine is; HYPOTHESIS_PROFILE=explore looks
for new ones."""


@pytest.fixture(autouse=True, scope="session")
def can_be_interrupted() -> Iterator[None]:
    """A shell starts what runs in the background with Ctrl-C ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Embeddings are kept in a folder of this run, never in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHOL_CACHE", str(tmp_path_factory.mktemp("embeddings")))
        yield


@pytest.fixture
def data_dir() -> Path:
    """The folder of the real graphs; tests that need it are marked ``data``."""
    given = os.environ.get("GRAPHOL_DATA")
    if not given:
        pytest.skip("GRAPHOL_DATA is not set; set it to the folder of the real graphs")
    return Path(given)


@pytest.fixture(scope="module")
def combinator() -> Iterator[Path]:
    """A plugin file with the learner ``first-of``, which has a list of learners; it is loaded."""
    path = Path(__file__).parent / "combinator.py"
    registry.cache_clear()
    registry().load_file(path)
    yield path
    registry.cache_clear()


STEPS = {
    "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate",
    "os.listdir", "os.scandir", "fcntl.flock",
}  # fmt: skip
"""What the interpreter reports that a writer does with files; ``os.fsync`` is added."""


@pytest.fixture
def killed_at() -> Callable[[int, Callable[[], object]], bool]:
    """Do something in a forked process that is killed (-9) before its k-th step; was it?"""

    def run(k: int, work: Callable[[], object]) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # threads of this process that the child does not need
            child = os.fork()
        if not child:
            done = 0

            def step(event: str, _: object = None) -> None:
                nonlocal done
                if event in STEPS:
                    done += 1
                    if done == k:
                        os.kill(os.getpid(), signal.SIGKILL)

            try:
                os.fsync = lambda handle: step("open")
                sys.addaudithook(step)
                work()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
        return os.WIFSIGNALED(status)

    return run
