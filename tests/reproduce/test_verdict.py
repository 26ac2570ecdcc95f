"""When a measured figure counts as the published one."""

from __future__ import annotations

import pytest

from graphol.reproduce.verdict import Tolerance, verdict

POINTS, SHARE = Tolerance(absolute=0.005), Tolerance(relative=0.03)


@pytest.mark.parametrize(
    ("measured", "paper", "tolerance", "said"),
    [
        (0.1169, 0.1169, POINTS, "reproduced"),
        (0.1218, 0.1169, POINTS, "reproduced"),
        (0.1120, 0.1169, POINTS, "reproduced"),
        (0.1220, 0.1169, POINTS, "short"),
        (0.1118, 0.1169, POINTS, "better"),
        (1570, 1525, SHARE, "reproduced"),
        (1480, 1525, SHARE, "reproduced"),
        (1572, 1525, SHARE, "short"),
        (1478, 1525, SHARE, "better"),
        (0.0, 0.0, Tolerance(), "reproduced"),
        (0.5, None, POINTS, "no published figure"),
        (None, 0.5, POINTS, "data not available"),
        (None, None, POINTS, "data not available"),
    ],
)
def test_verdict(measured, paper, tolerance, said):
    assert verdict(measured, paper, tolerance) == said


def test_tolerances_add_up():
    assert Tolerance(absolute=1, relative=0.1).around(-50) == 6
