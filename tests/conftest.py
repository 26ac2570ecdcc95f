"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", patient, derandomize=True, database=None)
settings.register_profile("explore", patient, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""Every run tries the same examples, however busy the machine is; HYPOTHESIS_PROFILE=explore looks
for new ones."""


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
