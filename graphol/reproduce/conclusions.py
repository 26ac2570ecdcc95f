"""What the rows of a table over switching games say, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from graphol.reproduce.experiment import Row

PUBLISHED = "published parameters"
"""Begins the label of an entry that plays as the paper says."""
TRACKING = "tracking-perceptron"


def switching(rows: Sequence[Row], against: str) -> list[str]:
    """Who loses to a plain learner with what was published, and who equals it.

    Everything is read off the rows: mistakes are compared repeat by repeat.
    """
    found: list[str] = []
    for row in rows:
        if row.metric == "mistakes" and row.learner != against and row.measured is not None:
            found += _published(row, rows, against)
            found += _tracking(row, rows, against)
    for row in rows:
        if row.metric == "bound" and "says nothing" in row.verdict and row.measured is not None:
            found.append(
                f"{row.dataset}: the bound of {row.learner}, {row.measured:.3g} mistakes, is above "
                "the number of rounds: true, and it says nothing"
            )
    return found


def _mistakes(rows: Sequence[Row], dataset: str, learner: str) -> Row | None:
    for row in rows:
        if (row.dataset, row.learner, row.metric) == (dataset, learner, "mistakes"):
            return row
    return None


def _published(row: Row, rows: Sequence[Row], against: str) -> list[str]:
    plain = _mistakes(rows, row.dataset, against)
    if not row.learner.startswith(PUBLISHED) or plain is None or not plain.measured:
        return []
    assert row.measured is not None
    ratio = row.measured / plain.measured
    verb = "loses to" if ratio > 1 else "beats" if ratio < 1 else "equals"
    return [
        f"{row.dataset}: with the published parameters matrix winnow {verb} {against}, "
        f"{row.measured:.0f} mistakes to {plain.measured:.0f} ({100 * (ratio - 1):+.0f} %)"
    ]


def _tracking(row: Row, rows: Sequence[Row], against: str) -> list[str]:
    plain = _mistakes(rows, row.dataset, against)
    if not row.learner.startswith(TRACKING) or plain is None:
        return []
    pairs = list(zip(row.trials, plain.trials, strict=True))
    same = sum(one["measured"] == other["measured"] for one, other in pairs)
    return [
        f"{row.dataset}: {TRACKING} makes as many mistakes as {against} in {same} of "
        f"{len(pairs)} repeats"
    ]
