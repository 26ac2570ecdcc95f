"""Pictures: drawn by the programs that are there, in both themes, small, and with words."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
PAGES = [ROOT / "README.md", *DOCS.rglob("*.md")]
USED = re.compile(r"!\[([^]]*)\]\((?:[^)]*/)?pictures/([^)]+)\)")
NOT_AGAIN = {
    "solvers": "seconds differ from day to day", "report": "needs a browser",
    "label_page": "needs a browser", "label_phone": "needs a browser",
}  # fmt: skip
"""Pictures whose figures are not compared with those of another day."""


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("graphol_pictures", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pictures = load(DOCS / "pictures.py")


def test_all_are_current():
    assert pictures.stale() == [], "run `python docs/pictures.py --check`"


@pytest.mark.parametrize("what", ["program", "figures", "picture", "gone", "new"])
def test_what_changed_is_found(tmp_path, what):
    for name in ("pictures", "gallery"):
        shutil.copytree(DOCS / name, tmp_path / name)
    shutil.copy(DOCS / "pictures.py", tmp_path)
    copy, inside = load(tmp_path / "pictures.py"), tmp_path / "pictures"
    assert copy.stale() == []
    if what == "program":
        (inside / "game.py").write_text("print(1)\n", encoding="utf-8")
    elif what == "figures":
        (inside / "game.txt").write_text("other\n", encoding="utf-8")
    elif what == "picture":
        (inside / "game.dark.svg").write_text("<svg/>", encoding="utf-8")
    elif what == "gone":
        (inside / "game.py").unlink()
    else:
        (inside / "more.py").write_text("print(1)\n", encoding="utf-8")
    assert copy.stale() == ["more" if what == "new" else "game"]


def test_together_they_are_small():
    files = [path for path in PICTURES.rglob("*") if path.suffix in (".svg", ".png")]
    assert sum(path.stat().st_size for path in files) < 3_000_000


def test_all_are_used_and_say_in_words_what_they_show():
    used: dict[str, list[str]] = {}
    for page in PAGES:
        for words, name in USED.findall(page.read_text(encoding="utf-8")):
            used.setdefault(name, []).append(words)
    for name in pictures.programs():
        (light, dark) = pictures.files(name)
        assert light.name in used, f"{light.name} is on no page"
        assert dark.stem.endswith(".dark")
        assert max(map(len, used[light.name])) > 30, f"{light.name}: more words"


@pytest.mark.parametrize("name", pictures.programs())
def test_it_holds_nothing_but_the_picture(name):
    for path in pictures.files(name):
        if path.suffix == ".svg":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(href|src|url)\s*[=(]\s*[\"']?(https?:|//)", text)
            assert "<script" not in text


def light(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    low, high = sorted((light(one), light(two)))
    return (high + 0.05) / (low + 0.05)


def test_text_and_curves_can_be_seen_in_both_themes():
    """Text with 4.5, curves with 3, as WCAG has it."""
    grounds = "#ffffff", pictures.INK["#ffffff"]
    for ink in ("#1b1f24", "#5b626b"):
        assert contrast(ink, grounds[0]) >= 4.5
        assert contrast(pictures.INK[ink], grounds[1]) >= 4.5
    for colour in pictures.COLOURS:
        assert min(contrast(colour, ground) for ground in grounds) >= 3, colour


def test_every_text_of_a_picture_has_an_ink_that_changes_with_the_theme():
    for name in pictures.programs():
        path = PICTURES / f"{name}.dark.svg"
        if path.exists():
            fills = set(re.findall(r"<text [^>]*fill: (#\w+)", path.read_text(encoding="utf-8")))
            assert fills <= {"#e4e6ea", "#aab0ba"} | set(pictures.COLOURS), (name, fills)


def test_every_line_of_a_picture_can_be_seen_in_the_dark():
    """A colour that only the light knows, such as matplotlib's own black, would be lost."""
    known = set(pictures.INK.values()) | set(pictures.COLOURS)
    for path in sorted(PICTURES.glob("*.dark.svg")):
        strokes = set(re.findall(r"stroke: ?(#\w+)", path.read_text(encoding="utf-8")))
        assert strokes <= known, f"{path.name}: {strokes - known}"


@pytest.mark.once
@pytest.mark.data
@pytest.mark.parametrize("name", [path.stem for path in sorted(PICTURES.glob("*.py"))])
def test_the_figures_come_out_again(tmp_path, monkeypatch, name):
    """Those of the gallery are compared by the tests of their pages."""
    if name in NOT_AGAIN:
        pytest.skip(NOT_AGAIN[name])
    monkeypatch.setattr(pictures, "PICTURES", tmp_path)
    pictures.draw(name, PICTURES / f"{name}.py")
    numbers = re.compile(r"-?\d+\.?\d*")
    texts = [
        (folder / f"{name}.txt").read_text(encoding="utf-8") for folder in (PICTURES, tmp_path)
    ]
    assert numbers.sub("#", texts[0]) == numbers.sub("#", texts[1])
    kept, again = (list(map(float, numbers.findall(text))) for text in texts)
    assert again == pytest.approx(kept, rel=0.1, abs=0.05)


def test_the_record_names_no_other():
    record = json.loads((PICTURES / "drawn.json").read_text(encoding="utf-8"))
    assert sorted(record) == sorted(pictures.programs())
