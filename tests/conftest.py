"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


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
