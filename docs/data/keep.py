"""Keep what the arena printed, for the benchmark page: `python docs/data/keep.py FILE COMMAND`.

FILE is what `graphol reproduce arena --json` wrote, COMMAND the line that wrote it. The rows go to
docs/data/arena/ with the day on which the file was written and the versions of what is installed
here, without the parameters, which every row's command spells out, and with figures of six digits.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

ARENA = Path(__file__).parent / "arena"
KEYS = (
    "game", "dataset", "learner", "setting", "settings", "chosen_on", "scored_on", "repeats",
    "measured", "std", "low", "high", "queries", "us_per_round", "champion", "difference",
    "difference_low", "difference_high", "p_holm", "comparisons", "verdict", "command",
)  # fmt: skip
MOST_BYTES = 400_000


def kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows with what the page needs."""
    return [
        {
            key: float(f"{row[key]:.6g}") if isinstance(row[key], float) else row[key]
            for key in KEYS
            if row.get(key) not in (None, "")
        }
        for row in rows
    ]


def main(path: Path, command: str) -> None:
    """Write docs/data/arena/NAME.json."""
    from graphol.simulation import versions

    day = datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()
    head = {"date": day, "versions": versions(), "made_by": command}
    rows = kept(json.loads(path.read_text(encoding="utf-8")))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n{lines}\n]\n}}\n'
    if len(text.encode()) > MOST_BYTES:
        raise SystemExit(f"{path}: more than {MOST_BYTES} bytes; play in parts")
    (ARENA / path.name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
