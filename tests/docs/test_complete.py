"""Nothing that users can see is left out of the pages, and no link leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphol
from graphol import hookspecs
from graphol.api import KINDS
from graphol.registry import registry

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
HOOKS = [name for name in vars(hookspecs) if name.startswith("graphol_")]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def own(kind: str) -> list[str]:
    """The names of graphol's own components, whatever else is installed."""
    offers = registry().offers(kind)
    return [
        name for name, found in offers.items() if any(o.plugin.name == "builtin" for o in found)
    ]


def test_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", graphol.__all__)
def test_public_names(name):
    assert f"| `{name}` |" in page("reference/python.md")


@pytest.mark.parametrize("name", HOOKS)
def test_hooks(name):
    assert f"| `{name}` |" in page("reference/python.md")
    assert f"`{name}`" in page("tutorial-plugin.md")


@pytest.mark.parametrize(("name", "meaning"), graphol.Trace.columns().items())
def test_trace_columns(name, meaning):
    assert f"| `{name}` | {meaning} |" in page("concepts.md")


def test_keys_and_headings():
    import graphol.report.columns as c

    text = page("reference/results.md")
    played = graphol.simulate("gpa", "sbm:nodes=60", repeats=1)
    tables = (
        c.GAME,
        c.PLAYER,
        c.COST,
        c.KNOWN,
        c.EMBEDDED,
        c.SOLVED,
        c.FUSED,
        c.EXPLAINED,
        c.FORETOLD,
        c.TRIED,
        c.HELD,
        c.SUGGESTED,
        c.reproduced("d"),
        c.CONTEST,
        c.CORRECTED,
        c.TALLY,
        c.tuned(played, 0.95),
        c.rehearsed(played),
        *(c.regrets({"hindsight": kind}) for kind in ("linear", "labeling")),
    )
    for column in (each for table in tables for each in table):
        assert f"`{column.key}`" in text, column
        assert column.title in text or column.key == "at", column


@pytest.mark.parametrize("kind", KINDS)
def test_components(kind):
    text = page("reference/components.md")
    names = own(kind)
    assert names
    assert [name for name in names if f"### `{name}`" not in text] == []


@pytest.mark.parametrize("name", own("learner"))
def test_every_learner_has_a_theory_page(name):
    text = page(f"theory/{name}.md")
    for part in ("Problem", "Cost", "Measured", "What we changed", "Reference"):
        assert f"**{part}.**" in text
    assert f"theory/{name}.md" in page("README.md")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://", "#")):
            file, _, heading = target.partition("#")
            found = (path.parent / file).resolve()
            assert found.exists(), f"{target} is not there"
            headings = re.findall(r"^#+ (.+)$", found.read_text("utf-8"), re.M) if heading else []
            anchors = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings]
            assert not heading or heading in anchors, f"{target}: no such heading"


def test_the_index_knows_every_page():
    linked = {(DOCS / target).resolve() for target in LINK.findall(page("README.md"))}
    changes = DOCS / "changelog"
    missing = [
        str(path.relative_to(DOCS))
        for path in DOCS.rglob("*.md")
        if path not in linked and changes not in path.parents and path != DOCS / "README.md"
    ]
    assert missing == []


def test_the_citation_says_what_is_cited():
    """By the schema of the Citation File Format 1.2.0, as far as used; the version is ours."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not here; `tox -e docs` has it")
    found = yaml.safe_load((DOCS / "CITATION.cff").read_text(encoding="utf-8"))
    known = {
        "abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi",
        "identifiers", "keywords", "license", "license-url", "message", "preferred-citation",
        "references", "repository", "repository-artifact", "repository-code", "title", "type",
        "url", "version",
    }  # fmt: skip
    assert {"cff-version", "message", "title", "authors"} <= found.keys() <= known
    assert found["cff-version"] == "1.2.0"
    assert found["type"] in ("software", "dataset")
    for author in found["authors"]:  # an entity has a name, a person given or family names
        assert {"name"} == author.keys() or author.keys() & {"family-names", "given-names"}
    assert str(found["version"]) == graphol.__version__
    assert found["license"] in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert len(set(found["keywords"])) == len(found["keywords"]) > 0
