"""What holds for all data sets: light to import, a component each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from graphol.builtin import graphol_datasets
from graphol.fitting import misfit
from graphol.params import describe


def test_importing_the_datasets_imports_nothing_heavy():
    program = (
        "import sys, graphol.formats, graphol.downloads.fetch, graphol.datasets.digits, "
        "graphol.datasets.sbm, graphol.datasets.grid;"
        "heavy = {'scipy', 'sklearn', 'networkx', 'pandas', 'pooch', 'requests', 'numba'};"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("cls", graphol_datasets(), ids=lambda cls: cls.name)
def test_every_data_set_is_a_component(cls):
    assert misfit("dataset", cls) == ""
    assert describe(cls())["name"] == cls.name
    assert cls() == cls()
    assert (cls.__doc__ or "").strip()
