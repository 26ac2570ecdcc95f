"""Cells of the arena: a few repeats of one learner in one game, in a file, played once.

A file is named by a digest of everything that can change its figures, and holds that recipe. It is
whole or not there, so a campaign may be stopped at any time and begun again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from graphol import seeding
from graphol.api import Feedback, Learner, Vector
from graphol.arena import Arena, Watcher, embedding_for
from graphol.atomic import replacing
from graphol.claims import Taken
from graphol.command import command
from graphol.errors import GrapholError, InputError, UsageError, in_one_line
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.reproduce.arena_code import code_of
from graphol.runner import simulate_by
from graphol.schema import plain
from graphol.simulation import Simulation, versions
from graphol.states import parts
from graphol.states import plain as saved
from graphol.tasks import NodeTask

SCHEMA = 1
"""Of the files; part of their names."""
BLOCK = 5
"""Repeats in a file: 100-109 are 100-104 and 105-109, whoever asks for them and for how many."""
PROBES = (1, 4, 16, 128, 1024, 8192)
"""Rounds that are timed to foresee how long a cell will take, until that is sure enough."""
TYPICAL = 1024
"""Fewer rounds may all be among those in which a learner refits what it knows."""
FIGURES = ("errors", "queries", "us_per_round")


class NotPlayed(Exception):
    """A cell has no figures; the text says why, in one line."""


@attrs.frozen(eq=False)
class Played:
    """Figures of a learner, one per repeat."""

    recipe: dict[str, Any]
    repeats: tuple[int, ...]
    errors: Vector
    queries: Vector
    us_per_round: Vector
    rounds: int
    state_bytes: int
    """Of the arrays in the state before round 1."""

    @property
    def command(self) -> str | None:
        """Plays these repeats again."""
        which = f"{self.repeats[0]}-{self.repeats[-1]}"
        engine = self.recipe["engine"] | {"repeats": which}
        return command(self.recipe | {"engine": engine}, registry().files)


@attrs.define(eq=False)
class Cells:
    """The folder of all cells, and what was played for it now."""

    folder: Path
    limit: float = np.inf
    """Seconds of one processor that a cell may take; if more are foreseen it is not played."""
    played: int = 0
    """Cells played, not read."""
    _used: dict[str, str] = attrs.field(factory=versions, init=False)

    def get(
        self,
        arena: Arena,
        learner: Learner,
        feedback: Feedback,
        plan: Plan,
        watcher: Watcher,
    ) -> Played:
        """All repeats of the plan: read where they are there, else played and written."""
        each = (attrs.evolve(plan, repeats=block) for block in blocks(plan.repeats))
        return _joined([self._block(arena, learner, feedback, by, watcher) for by in each])

    def _block(
        self, arena: Arena, learner: Learner, feedback: Feedback, plan: Plan, watcher: Watcher
    ) -> dict[str, Any]:
        recipe = self._recipe(arena, learner, feedback, plan)
        path = self.path(recipe)
        known = self._read(path, recipe, len(plan.repeats))
        if known is not None and ("errors" in known or known["foreseen"] > self.limit):
            return self._worth(known)
        try:
            new = self._play(arena, learner, feedback, plan, watcher)
        except UsageError as reason:
            raise NotPlayed(f"does not fit: {reason}") from None
        except GrapholError as reason:
            raise NotPlayed(f"failed: {reason}") from None
        except (MemoryError, np.linalg.LinAlgError) as reason:
            raise NotPlayed(f"failed: {in_one_line(reason)}") from None
        whole = {"recipe": recipe, **new}
        self._write(path, whole)
        return self._worth(whole)

    def _worth(self, known: dict[str, Any]) -> dict[str, Any]:
        """The figures, or why there are none."""
        if "errors" not in known:
            raise NotPlayed(
                f"not played: about {shown_seconds(known['foreseen'])} for "
                f"{known['recipe']['engine']['repeats']}, above --limit {self.limit:g} s"
            )
        return known

    def _recipe(
        self, arena: Arena, learner: Learner, feedback: Feedback, plan: Plan
    ) -> dict[str, Any]:
        """Everything that can change a figure, as it is read back from a file."""
        task, vectors = arena.loaded, embedding_for(learner, None)
        assert isinstance(task, NodeTask)
        recipe = {
            "schema": SCHEMA,
            "learner": describe(learner),
            "dataset": arena.source,
            "feedback": describe(feedback),
            "embedding": None if vectors is None else describe(vectors),
            "engine": plan.recipe(),
            "seed": plan.seed,
            "graph_hash": task.graph.hash,
            **task.hashes,
            "versions": self._used,
            "code": code_of(learner),
        }
        found: dict[str, Any] = json.loads(json.dumps(recipe))
        return found

    def path(self, recipe: dict[str, Any]) -> Path:
        """The file of a recipe."""
        text = json.dumps(recipe, sort_keys=True)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"

    def _read(self, path: Path, recipe: dict[str, Any], repeats: int) -> dict[str, Any] | None:
        """A file's content; what is damaged, or of another recipe, counts as absent."""
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if found["recipe"] != recipe:
                return None
            if "errors" not in found:
                return found if _is_number(found["foreseen"]) else None
            if not (_is_number(found["state_bytes"]) and _is_number(found["rounds"])):
                return None
            most = {"errors": 1.0, "queries": found["rounds"]}
            for key in FIGURES:
                values = found[key]
                if len(values) != repeats or not all(map(_is_number, values)):
                    return None
                if found["rounds"] < 1 or max(values) > most.get(key, np.inf):
                    return None
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        return found

    def _write(self, path: Path, whole: dict[str, Any]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise UsageError(f"{self.folder} is not a folder; name another with --out") from None
        except OSError as reason:
            raise InputError(f"cannot make the folder {self.folder}: {reason.strerror}") from None
        with contextlib.suppress(Taken), replacing(path) as temporary:  # another arena, the same
            temporary.write_text(json.dumps(plain(whole), indent=1) + "\n", encoding="utf-8")

    def _play(
        self, arena: Arena, learner: Learner, feedback: Feedback, plan: Plan, watcher: Watcher
    ) -> dict[str, Any]:
        """Figures, or how long they would take."""
        task = arena.task(learner, plan=plan).task  # embedded before the clock starts

        def play(these: Plan) -> Simulation:
            return simulate_by(these, [learner], arena, feedback=feedback, watcher=watcher)[0]

        if np.isfinite(self.limit):
            foreseen = self._foreseen(play, arena, feedback, plan)
            if foreseen > self.limit:
                return {"foreseen": foreseen}
        first, *rest = plan.repeats
        begin = time.process_time()
        games = [play(attrs.evolve(plan, repeats=range(first, first + 1)))]
        took = time.process_time() - begin
        if took * len(plan.repeats) > self.limit:
            return {"foreseen": took * len(plan.repeats)}
        if rest:
            games.append(play(attrs.evolve(plan, repeats=range(first + 1, plan.repeats.stop))))
        self.played += 1
        state = learner.start(task.problem(seeding.learner(plan.seed)))
        sizes = [np.asarray(saved(part)).nbytes for part in parts(state).values()]
        return {
            "errors": [float(x) for game in games for x in game.error_rates],
            "queries": [float(x) for game in games for x in game.queries],
            "us_per_round": [t.us_per_round for game in games for t in game.traces],
            "rounds": len(games[0].traces[0]),
            "state_bytes": sum(sizes),
            "seconds": time.process_time() - begin,
        }

    def _foreseen(self, play: Any, arena: Arena, feedback: Feedback, plan: Plan) -> float:
        """Seconds of one processor, from the first rounds of the first game.

        More and more rounds are timed until the limit is passed, or is not even in sight if rounds
        get slower as they go on, in proportion to their number.
        """
        labels = arena.loaded.graph.labels
        assert labels is not None
        T = int(np.count_nonzero(labels >= 0))
        scored = feedback.scored(T)
        before = int(np.argmax(scored)) if scored.any() else T  # labels that are given away
        one = attrs.evolve(plan, repeats=plan.repeats[:1], jobs=1)
        timed: list[tuple[int, float]] = []
        foreseen = 0.0
        for more in PROBES:
            if before + more >= T:
                break
            begin = time.process_time()
            play(attrs.evolve(one, rounds=before + more))
            timed.append((more, time.process_time() - begin))
            if len(timed) == 1:  # it may have been compiled just now
                foreseen = len(plan.repeats) * timed[0][1]
                if timed[0][1] > self.limit:
                    break
                continue
            (a, t_a), (b, t_b) = timed[-2:]
            slope = max(t_b - t_a, 0.0) / (b - a)
            foreseen = len(plan.repeats) * (t_b + slope * (T - b))
            spent = len(plan.repeats) * t_b
            hopeless = foreseen > self.limit and (more >= TYPICAL or spent > self.limit)
            if hopeless or foreseen * T / b < self.limit:
                break
        return foreseen


def _is_number(value: Any) -> bool:
    """Is it a number, finite and not below 0?"""
    return isinstance(value, int | float) and 0 <= value < np.inf


def blocks(repeats: range) -> Iterator[range]:
    """A range of repeats, cut at every fifth.

    >>> list(blocks(range(98, 107)))
    [range(98, 100), range(100, 105), range(105, 107)]
    """
    first = repeats.start
    while first < repeats.stop:
        last = min(first - first % BLOCK + BLOCK, repeats.stop)
        yield range(first, last)
        first = last


def shown_seconds(seconds: float) -> str:
    """Seconds, or hours where they are many.

    >>> shown_seconds(75.2), shown_seconds(9000)
    ('75 s', '2.5 h')
    """
    return f"{seconds:.0f} s" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def _joined(found: Sequence[dict[str, Any]]) -> Played:
    repeats: list[int] = []
    for each in found:
        first, last = each["recipe"]["engine"]["repeats"].split("-")
        repeats += range(int(first), int(last) + 1)
    columns = {key: np.concatenate([each[key] for each in found]) for key in FIGURES}
    first_one = found[0]
    return Played(
        first_one["recipe"], tuple(repeats), **columns,
        rounds=first_one["rounds"], state_bytes=first_one["state_bytes"],
    )  # fmt: skip
