"""``graphol doctor``: works when nothing else does."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

BROKEN = ["raise RuntimeError('no luck')", "import sys; sys.exit(1)", "import no_such_thing"]


def findings(text):
    return {row["what"]: row for row in json.loads(text)}


def test_all_is_well(run):
    result = run("doctor", "--json")
    found = findings(result.out)
    assert result.code == 0
    assert list(found["python"]) == ["what", "state", "detail", "mend", "needed", "schema"]
    for what in ("python", "platform", "numpy", "numba", "compiler", "plugin builtin"):
        assert found[what]["state"] == "ok"
    assert {"networkx", "pandas", "cache folder", "GRAPHOL_DATA"} <= found.keys()
    assert run("doctor").out.splitlines()[-1] == "everything that is needed works"


def test_every_plugin_broken(run, install):
    for number, source in enumerate(BROKEN):
        install(f"bad{number}", source)
    result = run("doctor", "--json")
    found = findings(result.out)
    assert result.code == 0  # nothing that graphol itself needs
    assert [found[f"plugin bad{n}"]["state"] for n in range(3)] == ["FAILED"] * 3
    assert found["plugin bad0"]["mend"] == "pip install --upgrade fake-bad0"
    assert found["plugin bad2"]["mend"] == "pip install no_such_thing"
    assert "no luck" in found["plugin bad0"]["detail"]
    assert "plugin bad0: pip install --upgrade fake-bad0\n" in run("doctor").out


def test_conflicts_are_told(run, install):
    install("one", learner="twin")
    install("two", learner="twin")
    found = findings(run("doctor", "--json").out)
    assert found["learner twin"]["detail"] == "offered by fake-one 1.0 and fake-two 1.0"
    assert found["learner twin"]["mend"] == "pip uninstall fake-two"


def test_a_required_package_is_broken(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    result = run("doctor", "--json")
    found = findings(result.out)
    assert result.code == 1
    assert found["numba"]["state"] == found["compiler"]["state"] == "FAILED"
    assert found["numba"]["mend"].startswith("pip install --force-reinstall 'numba>=")
    assert run("doctor").out.splitlines()[-1] == "broken: numba, compiler"


def test_a_required_package_is_missing_or_old(run, monkeypatch):
    import importlib.metadata

    real = importlib.metadata.version

    def version(name):
        if name == "pooch":
            raise importlib.metadata.PackageNotFoundError(name)
        return "0.1" if name == "scipy" else real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    result = run("doctor", "--json")
    found = findings(result.out)
    assert result.code == 1
    assert found["pooch"]["mend"].startswith("pip install 'pooch>=")
    assert found["scipy"]["detail"] == "0.1 is too old"


def test_data_folders(run, monkeypatch, tmp_path):
    (tmp_path / "cora.npz").touch()
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    found = findings(run("doctor", "--json").out)
    assert found["GRAPHOL_DATA"]["detail"].endswith("1 data set(s): cora.npz")
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path / "none"))
    result = run("doctor", "--json")
    assert result.code == 1
    assert findings(result.out)["GRAPHOL_DATA"]["mend"] == "unset GRAPHOL_DATA"
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    found = findings(run("doctor", "--json").out)
    assert found["cache folder"]["state"] == "FAILED"


@pytest.mark.parametrize("package", ["numpy", "pluggy", "attrs"])
def test_not_even_the_registry_can_be_imported(tmp_path, package):
    """In a process of its own, because half of graphol cannot be imported there."""
    (tmp_path / f"{package}.py").write_text("raise ImportError('shot')\n")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from graphol.cli import main; sys.exit(main())",
         "doctor"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ImportError: shot" in done.stdout
    assert f"{package}: pip install --force-reinstall '{package}>=" in done.stdout
