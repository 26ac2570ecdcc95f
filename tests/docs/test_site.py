"""The site: strictly built, whole without a network, and the same pages as the repository's."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shutil
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"
LOADS = {
    "script": "src", "img": "src", "link": "href", "iframe": "src", "source": "srcset",
    "audio": "src", "video": "src", "embed": "src", "object": "data", "input": "src",
}  # fmt: skip
"""Elements that fetch something, and the attribute that says what."""
LEVEL = re.compile(r"h([1-6])")


class Seen(HTMLParser):
    """What the checks ask of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.levels: list[int] = []
        self.without_words: list[str] = []
        self.article = Counter[str]()
        self._in_article = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {key: value or "" for key, value in attrs}
        self.anchors |= {has[key] for key in ("id", "name") if key in has}
        if tag == "article":
            self._in_article = True
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag in LOADS and has.get("rel") not in ("canonical", "next", "prev"):
            self.loads += [has[LOADS[tag]]] if LOADS[tag] in has else []
        if tag == "img" and not has.get("alt", "").strip():
            self.without_words.append(has.get("src", ""))
        if found := LEVEL.fullmatch(tag):
            self.levels.append(int(found[1]))
        if self._in_article:
            self.article[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self._in_article = False


@pytest.fixture(scope="session")
def seen(site) -> dict[Path, Seen]:
    return {path: Seen(path) for path in sorted(site.rglob("*.html"))}


def test_links_lead_somewhere(site, seen):
    bad = []
    for path, page in seen.items():
        for target in page.links:
            url = urlsplit(target)
            if url.scheme in ("http", "https", "mailto"):
                continue
            to = (path.parent / unquote(url.path)).resolve() if url.path else path
            if path.name == "404.html" and url.path.startswith("/"):
                to = site / unquote(url.path).lstrip("/")
            to = to / "index.html" if to.is_dir() else to
            there = to in seen and (not url.fragment or unquote(url.fragment) in seen[to].anchors)
            if not (there or (to.is_file() and to not in seen)):
                bad.append(f"{path.relative_to(site)}: {target}")
    assert len(seen) > 80
    assert bad == []


def test_nothing_is_fetched_from_elsewhere(site, seen):
    bad = []
    for path, page in seen.items():
        for target in page.loads:
            url = urlsplit(target)
            base = site if url.path.startswith("/") else path.parent
            if url.scheme == "data":
                continue
            if url.scheme or url.netloc or not (base / unquote(url.path).lstrip("/")).is_file():
                bad.append(f"{path.relative_to(site)}: {target}")
    for path in site.rglob("*.css"):
        for target in re.findall(r"url\(([^)]+)\)|@import ([^;]+)", path.read_text("utf-8")):
            if re.search(r"//", "".join(target)) and "data:" not in "".join(target):
                bad.append(f"{path.relative_to(site)}: {target}")
    assert bad == []


def test_headings_nest(site, seen):
    for path, page in seen.items():
        name = path.relative_to(site)
        assert page.levels.count(1) == 1, f"{name}: {page.levels.count(1)} headings of level 1"
        steps = zip(page.levels, page.levels[1:], strict=False)
        assert all(b <= a + 1 for a, b in steps), f"{name}: {page.levels}"


def test_pictures_have_words(seen):
    assert [f"{path}: {src}" for path, page in seen.items() for src in page.without_words] == []


MARKS = ("table", "tr", "li", "pre", "blockquote", "h1", "h2", "h3")


def pages() -> list[str]:
    docs = ROOT / "docs"
    found = [path.relative_to(docs).as_posix() for path in docs.rglob("*.md")]
    return sorted(name for name in found if not name.startswith("changelog/"))


@pytest.mark.parametrize("name", pages())
def test_a_page_says_the_same_in_the_repository(site, seen, name):
    """Lists, tables and blocks that one dialect of Markdown sees, and another does not."""
    read = pytest.importorskip("markdown_it", reason="`tox -e docs` has it").MarkdownIt
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    if re.search(r"^::: ", text, re.M):
        pytest.skip("made of docstrings")
    tokens = read("commonmark").enable("table").parse(text)
    wanted = Counter(token.tag for token in tokens if token.nesting == 1)
    wanted["pre"] = sum(token.type in ("fence", "code_block") for token in tokens)
    html = name.replace("README.md", "index.html").replace(".md", ".html")
    found = seen[site / html].article
    assert {tag: found[tag] for tag in MARKS} == {tag: wanted[tag] for tag in MARKS}


def test_docstrings_are_all_read(site):
    """No mark of reStructuredText is left, and formulas are formulas."""
    for name in ("api", "equations"):
        text = (site / "reference" / f"{name}.html").read_text(encoding="utf-8")
        assert re.findall(r":\w+:<code>|\.\. math::|:::math|``", text) == []
    assert text.count("<math ") > 300


def test_keywords_that_share_a_sentence_have_rows_of_their_own(site):
    """With the default that they have, not "required", which ``**plan`` would make of them."""
    from graphol.plan import Plan

    text = (site / "reference" / "api.html").read_text(encoding="utf-8")
    part = text[text.index('id="graphol.simulate"') : text.index('id="graphol.compare"')]
    rows = dict(re.findall(r"<code>(\w+)</code>\s*</td>(.*?)</tr>", part.replace("\n", " "), re.S))
    assert {"repeats", "seed", "jobs", "fuse"} <= rows.keys()
    for name in rows.keys() & {field.name for field in Plan.__attrs_attrs__}:
        shown = re.sub(r"<[^>]+>", "", rows[name])
        assert "required" not in shown, name
        assert str(getattr(Plan(), name)) in shown.replace("range(10)", "range(0, 10)"), name
    assert "required" in rows["learner"]


def test_formulas_are_formulas(site):
    """Those between dollars too, and no command is shown as it was typed."""
    math = re.compile(r"<math .*?</math>", re.S)
    found = (site / "theory" / "bounds.html").read_text(encoding="utf-8")
    assert len(math.findall(found)) == 17
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for each in math.findall(text):
            assert not re.search(r">[^<]*\\[^<]*<", each), f"{path.name}: {each}"
        plain = re.sub(r"<(code|pre|math|script)\b.*?</\1>", "", text, flags=re.S)
        assert "$$" not in plain, path.name


@pytest.mark.parametrize("name", ["docstrings", "formulas", "pages"])
def test_examples_of_the_parts(monkeypatch, name):
    pytest.importorskip("mkdocs", reason="mkdocs is not here; `tox -e docs` has it")
    monkeypatch.syspath_prepend(str(SITE))
    found = doctest.testmod(load(name))
    assert found.attempted >= 1
    assert found.failed == 0


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"graphol_site_{name}", SITE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop("formulas", None)
    return module


BROKEN = {
    "link": ({"a.md": "# a\n\n[b](b.md)\n"}, "'b.md'"),
    "anchor": ({"a.md": "# a\n\n[b](#b)\n"}, "'#b'"),
    "place": ({"a.md": "# a\n\n[b](../plugins/other)\n"}, "'../plugins/other'"),
    "unlisted page": ({"a.md": "# a\n", "b.md": "# b\n"}, "b.md"),
    "missing page": ({}, "a.md"),
}


@pytest.mark.parametrize("what", ["nothing", *BROKEN])
def test_what_is_broken_fails(mkdocs, tmp_path, what):
    """A small site of the same configuration."""
    shutil.copytree(SITE, tmp_path / "docs" / "site")
    index = "# x\n\n## Start\n\n- [a](a.md)\n"
    for name, text in {"README.md": "# x\n", "LICENSE": "x\n", "docs/README.md": index}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    plugin = tmp_path / "plugins" / "one"
    plugin.mkdir(parents=True)
    (plugin / "README.md").write_text("# one\n", encoding="utf-8")
    files, said = BROKEN.get(what, ({"a.md": "# a\n\n[one](../plugins/one)\n"}, ""))
    for name, text in files.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    done = mkdocs(tmp_path / "docs" / "site" / "mkdocs.yml", tmp_path / "built")
    assert (done.returncode == 0) == (what == "nothing"), done.stderr
    assert said in done.stderr
