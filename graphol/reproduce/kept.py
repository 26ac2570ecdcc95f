"""Tables and figures as plans: parts are played anywhere, kept, and read by who comes later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import attrs

from graphol.errors import InputError
from graphol.reproduce.experiment import Experiment
from graphol.reproduce.parts import Found, Part, joined, parts, read
from graphol.reproduce.reproduction import Reproduction
from graphol.sweep.run import Means, Runner
from graphol.sweep.store import PARTS, Failure, Store


class PartStore(Store):
    """A folder of parts, which are JSON."""

    ending: ClassVar[str] = ".json"
    plan_file: ClassVar[str] = PARTS


def run_kept(
    experiments: Sequence[Experiment],
    folder: str | Path,
    *,
    datasets: Sequence[str] = (),
    quick: bool = False,
    repeats: int | range | None = None,
    seed: int = 0,
    means: Means | None = None,
) -> list[Reproduction]:
    """Run tables and figures again, part by part.

    A part is one data set or, where every repeat is a trial of its own, one trial of it. Those that
    the folder has are read; a part that fails stops no other, and is tried again by the next call.

    Parameters
    ----------
    experiments
        Which, as values.
    folder
        Where parts are kept.
    datasets, quick, repeats, seed
        See :func:`graphol.reproduce.run`.
    means
        Where parts are played, and how many at a time; see :class:`graphol.sweep.run.Means`.
    """
    store, planned = PartStore(folder), []
    for experiment in experiments:
        desk = experiment.desk(quick=quick, repeats=repeats, seed=seed)
        planned.append((experiment, parts(experiment, datasets, desk.plan, desk.held_out, quick)))
    named = {part.name: part for _, groups in planned for group in groups for part in group}
    with store.claimed():
        done = _whole(store, named)
        store.keep_plan({name: part.recipe() for name, part in named.items()})
        runner = Runner(store, means or Means())
        if todo := {name: part for name, part in named.items() if name not in done}:
            runner.play(todo)
    return [
        _reproduced(experiment, groups, store, runner.failures) for experiment, groups in planned
    ]


def _whole(store: PartStore, named: Mapping[str, Part]) -> set[str]:
    """Parts that are there and can be read; damaged ones are played again."""
    found = set()
    for name in store.done() & named.keys():
        try:
            read(store.path(name), named[name].experiment.row)
        except InputError:
            continue
        found.add(name)
    return found


def _reproduced(
    experiment: Experiment,
    groups: Sequence[Sequence[Part]],
    store: PartStore,
    failures: Mapping[str, Failure],
) -> Reproduction:
    each = [_together(experiment, group, store, failures) for group in groups]
    rows = tuple(row for found in each for row in found.rows)
    notes = dict.fromkeys(note for found in each for note in found.notes)
    own = [failures[p.name] for group in groups for p in group if p.name in failures]
    return Reproduction(experiment, rows, (*notes,), (*own,))


def _together(
    experiment: Experiment,
    group: Sequence[Part],
    store: PartStore,
    failures: Mapping[str, Failure],
) -> Found:
    """One data set, from those of its parts that did not fail; if all did, rows that say so."""
    failed = [failures[part.name] for part in group if part.name in failures]
    paths = [store.path(part.name) for part in group if part.name not in failures]
    there = [read(path, experiment.row) for path in paths if path.is_file()]
    notes = [*_told(failed)]
    if there:
        found = joined(experiment, there)
        return Found(found.rows, [*found.notes, *notes])
    why = f"failed: {failed[0].error}" if failed else "not played: another part failed first"
    absent = experiment.absent(group[0].dataset)
    return Found([attrs.evolve(row, verdict=why) for row in absent], notes)


def _told(failed: Sequence[Failure]) -> Iterator[str]:
    for each in failed:
        yield f"failed: {each.command}: {each.error}; the next run tries it again"
