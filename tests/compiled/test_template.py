"""The cache between processes: a small template, a rule in a plugin file, a helper in another."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import graphol
from graphol.compiled import bind, compiled
from graphol.errors import UsageError

FILES = {
    "loop.py": "def play(n):\n    total = 0.0\n    for k in range(n):\n        total += rule(k)\n"
    "    return total\n",
    "helpers.py": "def half(x):\n    return x / 2\n",
    "plugin/rules.py": "import helpers\n\nSTEP = 1.0\n\n\ndef rule(k):\n"
    "    return helpers.half(k) + STEP\n",
    "play.py": """
import json, sys
from pathlib import Path
from graphol.compiled import compiled
from graphol.registry import registry
import loop
file = Path(sys.argv[1]).resolve()
registry().load_file(file)
rule = next(m for m in sys.modules.values() if getattr(m, "__file__", None) == str(file)).rule
made = compiled(loop.play, "stranger", rule=rule)
said = made(4)
counts = made.stats.cache_hits, made.stats.cache_misses
print(json.dumps([said, *(sum(count.values()) for count in counts)]))
""",
}
SAID = 0.5 * (0 + 1 + 2 + 3) + 4 * 1.0


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def started(folder, rule="plugin/rules.py", before="", **environment):
    """A process that plays the rule; ``before`` is run first."""
    where = [str(folder), str(Path(graphol.__file__).parents[1])]
    given = {
        "PYTHONPATH": os.pathsep.join(where), "NUMBA_CACHE_DIR": str(folder / "kept"),
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error", "GRAPHOL_PLUGINS": "",
    }  # fmt: skip
    code = f"{before}\nimport runpy\nrunpy.run_path('play.py')"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder / rule)], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | given | environment,
    )  # fmt: skip


def played(folder, *arguments, **environment):
    """What was said in a process of its own, hits and misses by numba's own counters."""
    process = started(folder, *arguments, **environment)
    out, complaint = process.communicate()
    assert (process.returncode, complaint) == (0, "")
    return tuple(json.loads(out))


def test_unchanged_and_moved_rules_are_hits_and_changed_ones_are_not(folder):
    assert played(folder) == (SAID, 0, 1)
    assert played(folder) == (SAID, 1, 0)
    shutil.move(folder / "plugin", folder / "moved")
    assert played(folder, "moved/rules.py") == (SAID, 1, 0)
    rules = folder / "moved" / "rules.py"
    rules.write_text("# A line more.\n" + rules.read_text())
    assert played(folder, "moved/rules.py") == (SAID, 1, 0)


CHANGES = [
    ("plugin/rules.py", ") + STEP", ") - STEP", SAID - 8),
    ("plugin/rules.py", "STEP = 1.0", "STEP = 2.0", SAID + 4),
    ("helpers.py", "x / 2", "x * 2", 4 * SAID - 12),
    ("loop.py", "total = 0.0", "total = 1.0", SAID + 1),
]
"""Of the rule, of a constant, of a helper and of the template; and what is said then."""


def test_what_a_result_depends_on_is_compiled_anew(folder):
    assert played(folder) == (SAID, 0, 1)
    for file, old, new, said in CHANGES:
        (folder / file).write_text(FILES[file].replace(old, new))
        assert played(folder) == (said, 0, 1), (file, new)
        (folder / file).write_text(FILES[file])
    assert played(folder)[0] == SAID


@pytest.mark.long
def test_a_moved_rule_with_a_compiled_helper_of_its_own(folder):
    """numba would import the module of that helper, which is gone."""
    rules = folder / "plugin" / "rules.py"
    own = "from numba import njit\n\n\n@njit\ndef half(x):\n    return x / 2\n\n\n"
    rules.write_text(own + FILES["plugin/rules.py"].replace("helpers.half", "half"))
    assert played(folder) == (SAID, 0, 1)
    shutil.move(folder / "plugin", folder / "moved")
    assert played(folder, "moved/rules.py") == (SAID, 1, 0)


@pytest.mark.long
def test_processes_that_compile_one_rule_at_once(folder):
    wait = "import pathlib, time\nwhile not pathlib.Path('go').exists():\n    time.sleep(0.001)\n"
    both = [started(folder, before="import numba, graphol.compiled\n" + wait) for _ in range(2)]
    (folder / "go").touch()
    for process in both:
        out, complaint = process.communicate()
        assert (process.returncode, complaint) == (0, "")
        assert json.loads(out)[0] == SAID
    assert played(folder) == (SAID, 1, 0)


def no_cache(folder):
    """Nowhere to write: neither where we say, nor beside the file, nor in the user's folder."""
    (folder / "__pycache__").write_text("not a folder")
    nowhere = "/dev/null/nowhere"
    return {"NUMBA_CACHE_DIR": nowhere, "HOME": nowhere, "XDG_CACHE_HOME": nowhere}


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="its paths")
def test_without_a_cache_folder_everything_plays(folder):
    for _ in range(2):  # and nothing is kept
        assert played(folder, **no_cache(folder)) == (SAID, 0, 1)
    copy = folder / "copied" / "graphol"
    shutil.copytree(
        Path(graphol.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    for place in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (place / "__pycache__").write_text("not a folder")
    done = subprocess.run(
        [
            sys.executable, "-c",
            "import numpy as np\nfrom graphol.compiled import blocks, selection, template\n"
            "from graphol.linalg import _approx_chol, _fill, _filter, _pcg\n"
            "from graphol.projections import _wgm\n"
            "print(template.__file__, selection.nth_largest(np.array([3.0, 1.0, 2.0]), 2))",
        ],
        env=os.environ | no_cache(folder) | {"PYTHONPATH": str(copy.parent)},
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.split() == [str(copy / "compiled" / "template.py"), "2.0"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="its limits")
def test_a_disk_that_is_full_while_saving(folder):
    full = (
        "import numba, graphol.compiled, resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n"  # as a full disk: OSError
    )
    assert played(folder, "plugin/rules.py", full) == (SAID, 0, 1)
    assert played(folder) == (SAID, 0, 1)
    assert played(folder) == (SAID, 1, 0)


@pytest.mark.long
def test_a_damaged_cache_is_a_miss(folder):
    played(folder)
    for file in (folder / "kept").rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:50])
    assert played(folder) == (SAID, 0, 1)
    assert played(folder) == (SAID, 1, 0)


def test_a_rule_edited_ten_times_leaves_three_versions(folder, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(folder / "kept"))
    loop = plain(folder / "loop.py", "play")
    for k in range(10):
        rules = plain(
            folder / "plugin" / "rules.py", "rule", STEP=float(k), helpers=helpers(folder)
        )
        assert compiled(loop, "stranger", rule=rules)(4) == SAID + 4 * (k - 1)
        if k == 0:
            compiled(loop, "stranger-b", rule=rules)(4)
    names = [file.name for file in (folder / "kept").rglob("*.nb?")]
    for end in (".nbi", ".nbc"):
        assert sum("play.stranger." in name and name.endswith(end) for name in names) == 3
        assert sum("play.stranger-b." in name and name.endswith(end) for name in names) == 1


def plain(file, name, **scope):
    """A function of the file, whose text says ``import helpers`` in vain."""
    text = file.read_text().replace("import helpers\n", "").replace("STEP = 1.0\n", "")
    scope = {"__name__": "graphol.compiled.template", **scope}
    exec(compile(text, str(file), "exec"), scope)
    return scope[name]


def helpers(folder):
    found = ModuleType("helpers")
    exec((folder / "helpers.py").read_text(), found.__dict__)
    return found


def test_functions_of_one_name_stay_apart(tmp_path, monkeypatch):
    """Also recursive ones, and those in closures; plain and compiled say the same."""

    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def template(n):
        return rule(n)  # noqa: F821

    def make(step):
        def down(n):
            return 0 if n == 0 else step + down(n - 1)

        def rule(n):
            return down(n)

        return rule

    for step in (1, 2, 3):
        assert bind(template, rule=make(step))(5) == 5 * step
        assert compiled(template, "apart", rule=make(step))(5) == 5 * step


TABLE = {1: 2.0}


def test_a_value_that_cannot_be_digested_is_refused_by_name():
    def template(n):
        return rule(n)  # noqa: F821

    with pytest.raises(UsageError, match=r"^<lambda>: TABLE is a dict, which cannot be part"):
        compiled(template, "refused", rule=lambda n: TABLE[n])
