"""The site, built once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build(config: Path, to: Path) -> subprocess.CompletedProcess[str]:
    """What mkdocs says when it writes the site of this configuration to this folder."""
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", config, "--site-dir", to]
    return subprocess.run(
        command, capture_output=True, text=True, check=False,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip


@pytest.fixture(scope="session")
def mkdocs() -> Callable[[Path, Path], subprocess.CompletedProcess[str]]:
    """``mkdocs(configuration, folder)`` builds a site."""
    pytest.importorskip("mkdocs", reason="mkdocs is not here; `tox -e docs` has it")
    return build


@pytest.fixture(scope="session")
def site(mkdocs, tmp_path_factory) -> Path:
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site") / "site"
    done = mkdocs(ROOT / "docs" / "site" / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder
