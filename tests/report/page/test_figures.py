"""What figures draw, read back from their paths."""

import re
from itertools import product

import numpy as np

from graphol.report.gather import Gathered
from graphol.report.page import Material
from graphol.report.page.figures import curves, front
from graphol.report.page.panel import x_ends, y_ends


def test_the_front_is_what_nobody_beats():
    rng = np.random.default_rng(1)
    for _ in range(50):
        points = [tuple(map(float, rng.integers(0, 6, 2))) for _ in range(8)]
        best = front(points)
        for a, b in product(points, points):
            if b != a and b[0] <= a[0] and b[1] <= a[1]:
                assert a not in best
        assert all(any(c[0] <= p[0] and c[1] <= p[1] for c in best) for p in points)


def test_a_curve_goes_through_the_means(outcome):
    rounds = np.arange(1, 11) * 10
    table = np.random.default_rng(2).uniform(0.1, 0.3, (4, 10))
    games = [
        outcome("gpa", error=row[-1], repeat=i, rounds=rounds, curve=row)
        for i, row in enumerate(table)
    ]
    (drawing,) = curves(Material(Gathered(tuple(games))).shown)
    (path,) = re.findall(r'<path class="w c0" d="M([^"]*)"', drawing.inside)
    drawn = np.array([list(map(float, point.split())) for point in path.split("L")])
    left, right = x_ends()
    np.testing.assert_allclose(drawn[:, 0], left + (right - left) * rounds / 100, atol=0.06)
    # the axis begins at 0 at the bottom: heights are proportional to the means
    heights = y_ends()[0] - drawn[:, 1]
    np.testing.assert_allclose(
        heights / heights[0], table.mean(axis=0) / table.mean(axis=0)[0], rtol=0.01
    )
