"""When a measured figure counts as the published one."""

from __future__ import annotations

from typing import Literal

import attrs

REPRODUCED = "reproduced"
BETTER = "better"
SHORT = "short"
NO_DATA = "data not available"
NO_FIGURE = "no published figure"
NOT_COMPARED = "not compared"
"""Of seconds, which are of two machines."""
DRAWN = "drawn, not printed"
"""Of a point of a curve that the paper draws without numbers."""
QUOTED = "quoted, not run"
"""Of a row that the paper itself took over from another one."""
DIFFERS = "differs"
"""Of a size, which has no better side."""


@attrs.frozen
class Tolerance:
    """How far from the published figure is still the same figure."""

    absolute: float = 0.0
    relative: float = 0.0
    better: Literal["lower", "higher"] = "lower"
    """Which side of the published figure is the good one."""

    def around(self, paper: float) -> float:
        """The largest difference that is tolerated."""
        return self.absolute + self.relative * abs(paper)


def verdict(measured: float | None, paper: float | None, tolerance: Tolerance | None) -> str:
    """The verdict on one cell; errors, updates and queries are better when lower.

    Without a tolerance a measured figure stands beside the printed one and is not judged.

    >>> near = Tolerance(absolute=0.005)
    >>> verdict(0.1181, 0.1169, near), verdict(0.10, 0.1169, near), verdict(0.13, 0.1169, near)
    ('reproduced', 'better', 'short')
    >>> verdict(1539, 1525, Tolerance(relative=0.03))
    'reproduced'
    >>> verdict(None, 0.1169, near), verdict(0.1181, None, near)
    ('data not available', 'no published figure')
    >>> verdict(0.02, 0.0135, None)
    'not compared'
    """
    if measured is None:
        return NO_DATA
    if paper is None:
        return NO_FIGURE
    if tolerance is None:
        return NOT_COMPARED
    if abs(measured - paper) <= tolerance.around(paper):
        return REPRODUCED
    return BETTER if (measured < paper) == (tolerance.better == "lower") else SHORT
