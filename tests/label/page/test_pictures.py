"""The pictures of docs/howto/label.md: `GRAPHOL_PICTURES=docs/pictures pytest -m once FILE`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import graphol
from graphol import seeding

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.data]
ANSWERS = 30
LARGEST = 150_000


def test_pictures_of_the_page(opened, data_dir, tmp_path):
    from PIL import Image  # matplotlib's

    graph = graphol.make("dataset", "cora").load(seeding.data(0)).graph
    texts = {
        node: {"title": f"Paper {node}", "venue": "a collection of papers on machine learning",
               "link": f"https://example.org/paper/{node}"}
        for node in graph.ids
    }  # fmt: skip
    classes = tuple(name.replace("_", " ").lower() for name in graph.label_names)
    page = opened(graph, classes, nodes=texts, title="Papers of Cora").open(1400, height=860)
    for _ in range(ANSWERS):
        page.key(str(page.truth(graph) + 1))
    folder = Path(os.environ.get("GRAPHOL_PICTURES", tmp_path))
    for name, width, scheme, height in (
        ("label-page", 1400, "light", 860), ("label-phone", 390, "dark", 780),
    ):  # fmt: skip
        page.size(width, scheme, height)
        page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
        path = folder / f"{name}.png"
        page.browser.save_screenshot(str(path))
        with Image.open(path) as drawn:
            small = drawn.convert("RGB").quantize(96)
        small.save(path, optimize=True)
        assert 10_000 < path.stat().st_size < LARGEST
    assert page.console() == []
