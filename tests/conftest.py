"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def data_dir() -> Path:
    """The folder of the real graphs; tests that need it are marked ``data``."""
    given = os.environ.get("GRAPHOL_DATA")
    if not given:
        pytest.skip("GRAPHOL_DATA is not set; set it to the folder of the real graphs")
    return Path(given)
