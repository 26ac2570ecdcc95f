"""The door stays light."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_datasets_imports_nothing_heavy():
    program = (
        "import sys, graphol.datasets, graphol.datasets.fetch, graphol.datasets.digits, "
        "graphol.datasets.sbm, graphol.datasets.grid;"
        "heavy = {'scipy', 'sklearn', 'networkx', 'pandas', 'pooch', 'requests', 'numba'};"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
