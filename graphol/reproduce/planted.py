"""Weights of two layers that are planted, learned again, and looked for on a grid."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import seeding
from graphol.api import Matrix, Vector
from graphol.errors import UsageError, near
from graphol.interval import deviation
from graphol.layers.edges import Layers
from graphol.layers.likelihood import Likelihood
from graphol.layers.optimise import hybrid, lbfgs
from graphol.layers.probes import Trace, edge_probes, estimated, seed_probes
from graphol.registry import registry
from graphol.reproduce.desk import Desk
from graphol.reproduce.experiment import Experiment, Row
from graphol.reproduce.published import Cell
from graphol.reproduce.verdict import Tolerance, verdict

MU_0, VECTORS, EPS = 100.0, 50, 1e-3 / 100.0
"""Inverse noise, label vectors and ridge, none of which the paper prints."""
SEEDS, LARGEST = 0.2, 3.0
"""Share of the vertices that are seeds, and the end of the grid."""
PROBES = 30
NEAR = Tolerance(absolute=0.02)


@attrs.frozen
class Case:
    """A row of the table: how instances are drawn, how many, and how fine the grid is."""

    kind: str
    """``I``: two Erdos-Renyi graphs; ``II``: two features, each a star."""
    n: int
    density: float
    """The chance of an edge, or of a feature at a vertex."""
    weights: tuple[float, float]
    instances: int
    step: float

    @property
    def name(self) -> str:
        """As tables write it."""
        return f"{self.kind} n={self.n} weights={'+'.join(f'{w:g}' for w in self.weights)}"

    @property
    def values(self) -> Vector:
        """The grid, along each of the two weights."""
        found: Vector = self.step * np.arange(1.0, round(LARGEST / self.step) + 1)
        return found


class Drawn(NamedTuple):
    """One instance."""

    layers: Layers
    seeds: NDArray[np.int64]
    Y: Matrix
    """A label vector in every column, (|S|, T)."""


def draw(case: Case, rng: np.random.Generator, vectors: int = VECTORS) -> Drawn:
    """Two layers, seeds, and labels drawn from the field with the case's weights."""
    made = _graphs if case.kind == "I" else _stars
    layers = made(case.n, case.density, rng)
    seeds = np.sort(rng.permutation(case.n)[: round(SEEDS * case.n)])
    Sigma = covariances(layers, seeds, case.weights[1], np.array(case.weights[:1]))[0]
    Y = np.linalg.cholesky(Sigma / MU_0) @ rng.standard_normal((len(seeds), vectors))
    return Drawn(layers, seeds, Y)


def _graphs(n: int, density: float, rng: np.random.Generator) -> Layers:
    rows, columns = np.triu_indices(n, 1)
    edges = [np.flatnonzero(rng.random(len(rows)) < density) for _ in range(2)]
    every = np.concatenate(edges)
    return Layers(
        ("first", "second"), n, rows[every], columns[every], np.ones(len(every)),
        np.repeat([0, 1], [len(each) for each in edges]), np.array([-1, -1]),
    )  # fmt: skip


def _stars(n: int, density: float, rng: np.random.Generator) -> Layers:
    node, star = np.nonzero(rng.random((n, 2)) < density)
    return Layers(
        ("first", "second"), n, node, n + star, np.ones(len(node)), star, np.array([0, 1])
    )


def dense_laplacians(layers: Layers) -> tuple[Matrix, Matrix]:
    """Of both layers on the nodes alone, the centre of a star eliminated; (n, n) each."""
    n = layers.n
    found = []
    for i in range(2):
        L = layers.laplacian(np.eye(2)[i]).toarray()
        core = L[:n, :n]
        if layers.feature[i] >= 0:
            centre = n + int(np.count_nonzero(layers.feature[:i] >= 0))
            core = core - np.outer(L[:n, centre], L[:n, centre]) / L[centre, centre]
        found.append(core)
    return found[0], found[1]


def covariances(
    layers: Layers, seeds: NDArray[np.int64], second: float, first: Vector
) -> NDArray[np.float64]:
    """Sigma for one weight of the second layer and several of the first, (len(first), |S|, |S|).

    With V' (mu L_2 / mu_0 + eps I) V = I and V' L_1 V = diag(d), the inverse of the whole is
    V diag(1 / (1 + mu_1 d / mu_0)) V': one eigenproblem for a line of the grid.
    """
    from scipy.linalg import eigh

    L1, L2 = dense_laplacians(layers)
    d, V = eigh(L1, second / MU_0 * L2 + EPS * np.eye(layers.n))
    at = V[seeds]
    shrunk = 1 / (1 + first[:, None] / MU_0 * np.maximum(d, 0))
    found: NDArray[np.float64] = (at * shrunk[:, None, :]) @ at.T + np.eye(len(seeds))
    return found


def objectives(drawn: Drawn, values: Vector) -> Matrix:
    """The likelihood on the grid: rows are weights of the first layer, columns of the second."""
    T, found = drawn.Y.shape[1], np.empty((len(values), len(values)))
    for j, second in enumerate(values):
        C = np.linalg.cholesky(covariances(drawn.layers, drawn.seeds, second, values))
        logdet = 2 * np.log(np.diagonal(C, axis1=1, axis2=2)).sum(axis=1)
        half = np.linalg.solve(C, np.broadcast_to(drawn.Y, (len(C), *drawn.Y.shape)))
        found[:, j] = -T * logdet - MU_0 * (half**2).sum(axis=(1, 2))
    return found


def grid_maximum(drawn: Drawn, values: Vector) -> Vector:
    """The weights with the largest likelihood on the grid, (2,)."""
    found = objectives(drawn, values)
    return values[np.array(np.unravel_index(int(np.argmax(found)), found.shape))]


Optimiser = Callable[[Likelihood, np.random.Generator], Vector]


def exact(like: Likelihood, rng: np.random.Generator) -> Vector:
    """L-BFGS with exact gradients."""
    return lbfgs(like, iterations=100).alpha


def stochastic(trace: Trace) -> Optimiser:
    """The hybrid update with probes of this kind."""

    def found(like: Likelihood, rng: np.random.Generator) -> Vector:
        start = np.full(len(like.layers), 1 / MU_0)
        return hybrid(
            lambda alpha: estimated(like, alpha, PROBES, rng, trace), like.Y.size, start
        ).alpha

    return found


OPTIMISERS: dict[str, Optimiser] = {
    "exact": exact,
    "hybrid, seed probes": stochastic(seed_probes),
    "hybrid, paper's probes": stochastic(edge_probes),
}


@attrs.frozen
class PlantedTable(Experiment):
    """How far learned weights are from the maximum of the likelihood on a grid."""

    cases: tuple[Case, ...] = ()
    published: dict[str, Cell] = attrs.field(factory=dict)
    """By case."""
    usual_repeats: ClassVar[int] = 25

    def pieces(self, datasets: Sequence[str] = (), *, quick: bool = False) -> tuple[str, ...]:
        """Its cases."""
        return tuple(datasets) or tuple(case.name for case in self.cases)

    def reads(self, dataset: str) -> None:
        """Nothing: it draws what it plays on."""

    def run(self, desk: Desk, datasets: Sequence[str] = ()) -> list[Row]:
        """All cases, or those that are named."""
        known = {case.name: case for case in self.cases}
        for name in datasets:
            if name not in known:
                raise UsageError(
                    f"{self.name} draws its own graphs and has no {name!r}; {near(name, known)}"
                )
        chosen = [known[name] for name in datasets or known]
        return [row for case in chosen for row in self.case(desk, case)]

    def case(self, desk: Desk, case: Case) -> Iterator[Row]:
        """A row for every optimiser, and for how far the grid's maximum is from the truth."""
        which = desk.plan.repeats[: case.instances]
        trials: dict[str, list[dict[str, Any]]] = {}
        for number, repeat in enumerate(which, start=1):
            desk.watcher.stage(f"{case.name}, instance {number} of {len(which)}")
            rng = seeding.fresh_data(desk.plan.seed, repeat)
            drawn = draw(case, rng)
            best = grid_maximum(drawn, case.values)
            if best.max() > LARGEST - case.step / 2 or best.min() < 1.5 * case.step:
                desk.notes.append(f"{case.name}: the maximum of instance {repeat} is at the edge")
            solver = registry().make("solver", "auto")
            like = Likelihood.of(drawn.layers, drawn.seeds, drawn.Y, MU_0, solver, EPS)
            for label, optimise in OPTIMISERS.items():
                found = MU_0 * optimise(like, rng)
                trials.setdefault(label, []).append(_trial(repeat, found, best))
            trials.setdefault("truth", []).append(_trial(repeat, np.array(case.weights), best))
        command = shlex.join(
            ["graphol", "reproduce", self.name, "--datasets", case.name,
             "--repeats", f"{which[0]}-{which[-1]}", "--seed", str(desk.plan.seed)]
        )  # fmt: skip
        for label, each in trials.items():
            yield self._row(case, label, each, command)

    def _row(self, case: Case, label: str, trials: list[dict[str, Any]], command: str) -> Row:
        values = np.array([trial["measured"] for trial in trials])
        paper = None if label == "truth" else self.published.get(case.name)
        mean = float(values.mean())
        return Row(
            table=self.name, dataset=case.name, learner=label, metric="l1_distance",
            paper=None if paper is None else paper.value, paper_std=None,
            measured=mean, std=deviation(values),
            verdict=verdict(mean, None if paper is None else paper.value, NEAR),
            params={"step": case.step, "mu_0": MU_0, "vectors": VECTORS, "eps": EPS},
            embedding="", feedback=None, repeats=len(values), command=command,
            trials=tuple(trials),
        )  # fmt: skip

    def conclusions(self, rows: Sequence[Row]) -> list[str]:
        """Is the distance below twice the step of the grid?"""
        steps = {case.name: case.step for case in self.cases}
        found = []
        for row in rows:
            if row.learner != "truth" and row.measured is not None:
                limit = 2 * steps[row.dataset]
                below = "below" if row.measured < limit else "not below"
                found.append(
                    f"{row.dataset}: {row.learner}, {row.measured:.3f}, is {below} twice the step, "
                    f"{limit:g}"
                )
        return found


def _trial(repeat: int, found: Vector, best: Vector) -> dict[str, Any]:
    return {
        "repeat": repeat,
        "measured": float(np.abs(found - best).sum()),
        "weights": found.tolist(),
        "grid": best.tolist(),
    }
