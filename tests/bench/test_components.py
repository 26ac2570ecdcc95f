"""The default embedding on graphs of 1 to 2000 components, against the other ways."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.once
@pytest.mark.data
def test_the_default_is_near_the_best_everywhere(data_dir):
    """Its exit code is 1 if it is more than one point behind."""
    table = Path(__file__).parent / "components_table.py"
    done = subprocess.run([sys.executable, table], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
