"""One colour and one mark for everybody."""

import re

import numpy as np

from graphol.report.cast import cast
from graphol.report.page.look import COLOURS, MARKS, looks
from graphol.report.page.panel import style


def test_no_two_look_alike(outcome):
    names = [f"player{i:02d}" for i in range(20)]
    entries, _ = cast(outcome(name) for name in names)
    found = looks(entries)
    assert len({(each.colour, each.mark) for each in found.looks.values()}) == len(names)
    assert len({each.colour for each in found.looks.values()}) == COLOURS
    assert looks(entries[::-1]) == found


def test_of_many_settings_a_learner_has_one_look(outcome):
    entries, _ = cast(outcome({"name": name, "b": b}) for name in "xy" for b in range(9))
    found = looks(entries)
    assert set(found.looks) == {"x", "y"} and found.of("x:b=3", "x") == found.looks["x"]


def brightness(colour: str) -> float:
    """The relative luminance of WCAG."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def test_every_colour_stands_out_from_its_ground():
    """A contrast of 3 to 1, as graphics need, in the light and in the dark."""
    for part in style().split("@media")[:2]:
        colours = dict(re.findall(r"--(s\d|bg):(#[0-9a-f]{3,6})", part))
        ground = colours.pop("bg").replace("#fff", "#ffffff")
        assert len(colours) == COLOURS == len(MARKS)
        for name, colour in colours.items():
            light, dark = sorted((brightness(colour), brightness(ground)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, name
