"""Play the recorded games, and keep what they left.

Every learner plays every protocol it can learn from on two data sets of each of its targets, once
compiled and once plain; its own protocol also with noise and, plain, with delay; and by
:func:`graphol.simulate`. All parameters are in recipes.toml.

    python tests/traces/record.py                   writes traces.json, which test_traces.py reads
    python tests/traces/record.py --exact FILE      writes the raw numbers' digests to FILE
    python tests/traces/record.py --compare FILE    plays again and prints every game that differs

traces.json holds for each game the digests of predictions, updates and queries, and their counts;
numbers that a real target asks for are rounded to six digits. Other libraries or another
processor round differently, and one rounding may flip a prediction and with it all that follow:
where the fingerprint is another, counts are compared in place of digests.

The raw numbers (predictions, losses, scores, weights, all arrays of the final state) are equal bit
by bit on one machine only and are no part of the repository. Record them before a change of
mechanism and compare after it. Arrays are known by name: a state may gain or lose some.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np
import scipy.linalg  # noqa: F401, so that the BLAS that numba calls is there to be limited
from threadpoolctl import threadpool_info, threadpool_limits

import graphol
from graphol.testing.games import signal_game, switch_game

HERE = Path(__file__).parent
RECIPES: dict[str, Any] = tomllib.loads((HERE / "recipes.toml").read_text())
RECORDING = HERE / "traces.json"
GAMES = {
    "classes": ("sbm", "digits"),
    "signs": ("sbm 2", "digits 5", "path signs", "grid signs", "switching"),
    "real": ("path real", "pixels"),
}
"""By target; a node learner plays on nodes, a signal learner on signals, kernels also switching."""
KIND = dict.fromkeys(("sbm", "digits", "sbm 2", "digits 5"), "nodes") | {"switching": "switching"}
NULL = "none"
"""Stands for None, which TOML cannot write, except where it is the default: a word there."""
ROUNDS, SEED, NOISE, DELAY = 400, 11, 0.15, 7
ANEW = dict.fromkeys(("dongle", "knn-logistic", "robust-lp", "smoothed-logistic"), 100)
"""Rounds of those who fit all labels again at each; on digits they learn few one at a time."""
WORDS = ("dongle", "smoothed-logistic", "smoothed-ridge")
"""They need node features, which blocks have not."""


class Game(NamedTuple):
    """What is played, apart from compiled or plain."""

    learner: str
    data: str
    feedback: str
    variant: str = ""
    """Nothing, or one of noise, delay, simulate."""

    def __str__(self) -> str:
        return ", ".join(filter(None, self))

    @property
    def ways(self) -> tuple[str, ...]:
        """A delay is always played plain."""
        return ("plain",) if self.variant == "delay" else ("compiled", "plain")


def make(kind: str, recipe: dict[str, Any]) -> Any:
    """The component of a recipe; recipes inside it are projections and solvers."""
    inside = {
        "head": "projection", "projection": "projection", "solver": "solver", "learners": "learner",
        "experts": "learner",
    }  # fmt: skip
    plain = graphol.make(kind, recipe["name"])
    words = {key for key, value in graphol.describe(plain).items() if value == NULL}
    values = {
        key: make(inside[key], value) if isinstance(value, dict)
        else [make(inside[key], each) for each in value] if isinstance(value, list)
        else None if value == NULL and key not in words else value
        for key, value in recipe.items()
        if key != "name"
    }  # fmt: skip
    return attrs.evolve(plain, **values)


@cache
def task(data: str) -> Any:
    """The data, embedded where they are nodes."""
    name, _, part = data.partition(" ")
    if name == "switching":
        return switch_game(300)
    if name == "path":
        return signal_game(part, rounds=120, p=12, seed=0)
    loaded = make("dataset", RECIPES["dataset"][name]).load(np.random.default_rng(SEED))
    if name == "grid":
        return _shifted(loaded.graph)
    if name == "pixels":
        return loaded
    embedding = make("embedding", RECIPES["embedding"][name])
    embedded = loaded.embedded(lambda graph: embedding.embed(graph, np.random.default_rng(SEED)))
    return graphol.OneVsRest(embedded, int(part)) if part else embedded


def _shifted(graph: Any) -> Any:
    """Signals on a grid of seven columns, raised on 3 x 3 nodes where the sign is +1."""
    rng = np.random.default_rng(SEED)
    support = (np.arange(3)[:, None] * 7 + np.arange(3)).ravel()
    truth = rng.choice([-1, 1], size=150)
    samples = rng.normal(size=(150, graph.n))
    samples[:, support] += 0.8 * (truth[:, None] > 0)
    return graphol.SignalTask(graph, samples, truth, name="shift", target="signs", support=support)


def games() -> Iterator[Game]:
    """All of them."""
    for name, recipe in RECIPES["learner"].items():
        learner = make("learner", recipe)
        kinds = {"nodes": "classes" in learner.targets, "switching": learner.needs == "gram"}
        kinds["signals"] = not any(kinds.values())
        for data in (data for target in learner.targets for data in GAMES[target]):
            if not kinds[KIND.get(data, "signals")] or (name in WORDS and data == "sbm"):
                continue
            few = name in ANEW and data == "digits"
            for feedback, rule in RECIPES["feedback"].items():
                slow = few and feedback not in ("random-query", "seeds")
                if make("feedback", rule).reveals in learner.learns_from and not slow:
                    yield Game(name, data, feedback)
            if few:
                continue
            if data not in GAMES["real"]:
                yield Game(name, data, learner.feedback, "noise")
            yield Game(name, data, learner.feedback, "delay")
            if not data.startswith("digits"):  # embedding them anew takes its time
                yield Game(name, data, learner.feedback, "simulate")


def play(game: Game, way: str) -> tuple[list[Any], dict[str, Any]]:
    """The traces of a game, and whatever else it left by name."""
    learner = make("learner", RECIPES["learner"][game.learner])
    feedback = make("feedback", RECIPES["feedback"][game.feedback])
    compiled, rounds = way == "compiled", ANEW.get(game.learner, ROUNDS)
    if game.variant == "simulate":
        data = game.data.partition(" ")[0]
        embedding = make("embedding", RECIPES["embedding"][data]) if data == "sbm" else None
        result = graphol.simulate(
            learner, task(game.data), feedback=feedback, embedding=embedding, repeats=2, seed=SEED,
            rounds=rounds, compiled=compiled,
        )  # fmt: skip
        return list(result.traces), {"scores": result.scores}
    run = graphol.play(
        task(game.data), learner, feedback, np.random.default_rng(SEED), rounds=rounds,
        noise=NOISE if game.variant == "noise" else 0.0,
        delay=DELAY if game.variant == "delay" else 0,
        compiled=compiled,
    )  # fmt: skip
    left = {f"state {name}": value for name, value in _fields(run.state).items()}
    return [run.trace], left | {f"weights {k}": w for k, w in run.weights.items()} | run.scores


def _fields(state: Any) -> dict[str, Any]:
    values = state._asdict() if hasattr(state, "_asdict") else vars(state)
    return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def digest(value: Any) -> str:
    """Of an array's type, shape and bytes, or of plain data."""
    if isinstance(value, np.ndarray):
        head = f"{value.dtype.str} {value.shape} ".encode()
        return hashlib.sha256(head + np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def summary(traces: list[Any]) -> dict[str, Any]:
    """What traces.json holds: facts that are equal compiled and plain, up to rounding."""
    said = np.concatenate([trace.predicted for trace in traces])
    updates, queried, answered, wrong = (
        np.concatenate([getattr(trace, name) for trace in traces])
        for name in ("updates", "queried", "revealed", "loss")
    )
    whole = said.dtype.kind == "i"
    rounded = said.astype(np.int32) if whole else np.round(said, 6) + 0.0
    return {
        "predictions": digest(rounded),
        "updates": digest(updates.astype(np.int32)),
        "queries": digest(queried.astype(bool)),
        "loss": float(f"{wrong.sum():.6g}"),
        "n_updates": int(updates.sum()),
        "n_queries": int(queried.sum()),
        "n_answers": int((~np.isnan(answered)).sum()),
    }


def exact(traces: list[Any], left: dict[str, Any]) -> dict[str, str]:
    """Digests of the raw numbers, by name."""
    columns = ("node", "predicted", "label", "revealed", "queried", "updates", "loss", "scored")
    found = {
        f"{column} {repeat}": digest(getattr(trace, column))
        for repeat, trace in enumerate(traces)
        for column in columns
    }
    return found | {name: digest(value) for name, value in left.items()}


def fingerprint() -> dict[str, str]:
    """What rounding depends on: the libraries, their BLAS and the processor."""
    import llvmlite.binding

    found = {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "numba")}
    blas = {
        f"{lib['internal_api']} {lib['version']} {lib.get('architecture', '')}"
        for lib in threadpool_info()
        if lib["user_api"] == "blas"
    }
    return found | {
        "blas": ", ".join(sorted(blas)),
        "processor": f"{platform.machine()} {llvmlite.binding.get_host_cpu_name()}",
    }


def record() -> None:
    """Write traces.json; a game whose two ways differ is refused."""
    recorded = {}
    for game in games():
        found = [summary(play(game, way)[0]) for way in game.ways]
        if found[0] != found[-1]:
            sys.exit(f"{game}: compiled and plain differ: {found}")
        recorded[str(game)] = list(found[0].values())
    lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items())
    head = json.dumps({"fingerprint": fingerprint(), "columns": list(found[0])})[1:-1]
    RECORDING.write_text(f'{{{head},\n "games": {{\n{lines}\n}}}}\n')


def all_exact() -> dict[str, dict[str, str]]:
    """The raw numbers of all games, both ways."""
    return {f"{game}, {way}": exact(*play(game, way)) for game in games() for way in game.ways}


def compare(file: Path) -> int:
    """Print what differs from the raw numbers in a file; how many games do."""
    old, now = json.loads(file.read_text()), all_exact()
    if (other := old.pop("fingerprint")) != fingerprint():
        sys.exit(f"{file} was recorded on another machine: {other}")
    different, gone = 0, set()
    for name, values in old.items():
        found = now.get(name, {})
        odd = [key for key in values if key in found and values[key] != found[key]]
        gone |= {key for key in values if key not in found}
        if odd or not found:
            different += 1
            print(f"{name}: {', '.join(odd) or 'not played'}")
    if gone:
        print(f"not compared, as some states lack it: {', '.join(sorted(gone))}")
    print(f"{len(old)} games, {different} differ")
    return different


def main() -> int:
    """See the file's head."""
    parser = argparse.ArgumentParser(description="Play the recorded games.")
    parser.add_argument("--exact", type=Path, help="write the raw numbers' digests here")
    parser.add_argument("--compare", type=Path, help="compare with such a file")
    given = parser.parse_args()
    with threadpool_limits(1, "blas"), tempfile.TemporaryDirectory() as folder:
        os.environ["GRAPHOL_CACHE"] = folder  # eigenvectors are computed, not remembered
        if given.compare:
            return 1 if compare(given.compare) else 0
        if given.exact:
            raw = {"fingerprint": fingerprint()} | all_exact()
            given.exact.write_text(json.dumps(raw, indent=0) + "\n")
        else:
            record()
    return 0


if __name__ == "__main__":
    sys.exit(main())
