"""Many tables in one: how many cells of each have which verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from graphol.report.table import Column
from graphol.reproduce.reproduction import Reproduction
from graphol.reproduce.verdict import BETTER, REPRODUCED, SHORT

JUDGED = (REPRODUCED, BETTER, SHORT)


def summary(results: Sequence[Reproduction]) -> list[dict[str, Any]]:
    """One row per table: cells by verdict, judged ones first."""
    found = []
    for each in results:
        counts = Counter(row.verdict.partition(":")[0] for row in each.rows)
        failed = counts.pop("failed", 0)
        judged = {name: counts.pop(name, 0) for name in JUDGED}
        others = ", ".join(f"{count} {name}" for name, count in counts.items())
        found.append({"table": each.experiment.name, **judged, "failed": failed, "others": others})
    return found


def columns() -> list[Column]:
    """As a person reads them."""
    return [Column(name) for name in ("table", *JUDGED, "failed", "others")]
