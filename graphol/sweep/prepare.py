"""For places without a network: fetch the data of a sweep, embed its graphs into the cache."""

from __future__ import annotations

from collections.abc import Iterable

from graphol.arena import Arena, Silent, Watcher, embedding_for
from graphol.downloads.catalogue import ROWS
from graphol.downloads.fetch import ByteCounter, fetch
from graphol.sweep.cell import Cell
from graphol.sweep.provenance import missing_data


def prepare(
    cells: Iterable[Cell], watcher: Watcher | None = None, counter: ByteCounter | None = None
) -> list[str]:
    """Fetch and embed whatever these cells need; what was done, a line each.

    Data that are drawn anew, or fused, in every repeat are left to their cells.
    """
    watcher = watcher or Silent()
    said: list[str] = []
    arenas: dict[tuple[str, int], Arena] = {}
    seen: set[str] = set()
    for cell in cells:
        if repr(cell.dataset) not in seen:
            said += _fetched(cell, watcher, counter)
            seen.add(repr(cell.dataset))
        plan = cell.plan
        embedding = embedding_for(cell.learner, cell.embedding)
        key = repr((cell.dataset, plan.seed, embedding))
        if plan.fresh_data or plan.fuse is not None or key in seen:
            continue
        seen.add(key)
        where = repr(cell.dataset), plan.seed
        if where not in arenas:
            arenas.clear()  # one graph at a time
            arenas[where] = Arena(cell.dataset, plan.seed, watcher)
        found = arenas[where].task(cell.learner, cell.embedding, plan=plan)
        if found.embedding is not None:
            said.append(f"{found.task.name}, seed {plan.seed}: embedded by {found.embedding.name}")
    return said


def _fetched(cell: Cell, watcher: Watcher, counter: ByteCounter | None) -> list[str]:
    """Fetch what has a public address; who misses anything else says so when it is loaded."""
    public = {row.name for row in ROWS if row.published is not None}
    names = [name for name in missing_data(cell.dataset) if name in public]
    for name in names:
        watcher.stage(f"fetch {name}")
        fetch(name, progress=counter)
    return [f"{name}: fetched" for name in names]
