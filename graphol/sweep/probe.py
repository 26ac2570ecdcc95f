"""What a sweep would cost, from a few rounds of every kind of cell; an estimate, and it says so."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from graphol import seeding
from graphol.errors import GrapholError
from graphol.registry import registry
from graphol.runner import games, simulate_by
from graphol.sweep.cell import Cell, plugin_files
from graphol.sweep.play import arena_of
from graphol.tasks.splits import on_split

ROUNDS = 100
"""Rounds of a probe; who takes longer in later rounds is underestimated."""
MOST = 12
"""Kinds of cell that are probed; the others are taken for their mean."""
BESIDE = 0.015
"""Seconds that a cell takes beside its rounds: sent, packed, written."""


class Probe(NamedTuple):
    """What a few rounds of one cell tell."""

    loading: float
    """Seconds to load, embed and compile: once for every worker."""
    playing: float
    """Seconds for all rounds of the cell."""
    memory: int
    """Bytes that the process has taken at the most so far."""


class Estimate(NamedTuple):
    """Of a whole sweep."""

    cells: int
    seconds: float
    memory: int
    """Bytes of one worker."""
    probed: int
    kinds: int


def probe(sent: Mapping[str, Any], files: Sequence[Path]) -> Probe:
    """Play a few rounds of the cell twice; the first time loads, embeds and compiles."""
    for path in files:
        registry().load_file(path)
    cell = Cell.received(sent)
    if cell.plan.fuse is None:
        short = attrs.evolve(cell.plan, rounds=min(cell.plan.rounds or ROUNDS, ROUNDS))
    else:
        short = cell.plan  # its labels come before the first round
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        (played,) = simulate_by(
            short, [cell.learner], arena_of(cell), feedback=cell.feedback,
            embedding=cell.embedding, fuser=cell.fuser,
        )  # fmt: skip
        times.append(time.perf_counter() - begin)
    rounds = sum(map(len, played.traces))
    share = max(_rounds(cell), rounds) / rounds
    return Probe(max(times[0] - times[1], 0.0), times[1] * share, _peak())


def _rounds(cell: Cell) -> int:
    """How many rounds the whole cell has."""
    arena, plan = arena_of(cell), cell.plan
    task = arena.drawn(cell.repeat) if plan.fresh_data else arena.loaded
    task, _ = on_split(task, cell.feedback, seeding.learner(plan.seed))
    length = len(task.stream(seeding.order(plan.seed, cell.repeat)))
    return min(length, plan.rounds or length) * len(games(plan, arena.loaded))


def _peak() -> int:
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def estimate(cells: Sequence[Cell], jobs: int) -> Estimate:
    """Time and memory of these cells, so many at a time; probed in a process of its own."""
    kinds: dict[str, list[Cell]] = {}
    for cell in cells:
        parts = cell.learner, cell.dataset, cell.feedback, cell.embedding, cell.fuser
        kinds.setdefault(repr((parts, cell.plan.rounds)), []).append(cell)
    probes: list[tuple[Probe, int]] = []
    with registry().make("executor", "process").start(1) as pool:
        for alike in [*kinds.values()][:MOST]:
            try:
                found = pool.submit(probe, alike[0].sent(), plugin_files()).result()
                probes.append((found, len(alike)))
            except GrapholError:  # it would fail in the sweep as well, in no time
                continue
    counted = sum(count for _, count in probes)
    playing = sum(found.playing * count for found, count in probes) * len(cells) / max(counted, 1)
    loading = sum(found.loading for found, _ in probes) * len(kinds) / max(len(probes), 1)
    seconds = loading + (playing + BESIDE * len(cells)) / jobs
    memory = max((found.memory for found, _ in probes), default=0)
    return Estimate(len(cells), seconds, memory, len(probes), len(kinds))
