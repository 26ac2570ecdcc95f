"""The game in which a strategy picks the next node, so that it is measured before it is trusted.

Round t asks about the node that the strategy wants of those that have no label yet; the learner
predicts it, the label is revealed, the learner learns. After it all other nodes without a label are
predicted, and the share of errors among them is what labels so chosen are worth.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol import seeding
from graphol.api import (
    NO_VECTOR,
    Compiled,
    Embedding,
    Instance,
    Integers,
    Learner,
    Matrix,
    Problem,
    Reveal,
    Situation,
    State,
    Strategy,
    Vector,
)
from graphol.arena import Arena, Silent, Watcher
from graphol.clock import Clock
from graphol.command import spelled
from graphol.engine import Progress, Run
from graphol.errors import UsageError
from graphol.guard import guard
from graphol.label.batches import batch, neighbourhoods
from graphol.label.scoring import Everywhere, everywhere
from graphol.label.suggesting import valued, weight_around
from graphol.matching import check_fit, check_rules
from graphol.npz import SCHEMA
from graphol.params import describe
from graphol.plan import Plan
from graphol.registry import registry
from graphol.runner import PlayedRepeat, Player, simulation_of
from graphol.simulation import Simulation, versions
from graphol.tasks import NodeTask
from graphol.tickets import is_whole
from graphol.trace import Trace
from graphol.workers import Turn, each_turn

FIRST, EVERY = 10, 1
CHECKPOINTS = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""After so many answers a score says how many of the other nodes are predicted wrongly."""


@attrs.frozen
class Rules:
    """How nodes are picked."""

    strategy: Strategy
    first: int = FIRST
    """Nodes that are drawn by lot before the strategy is asked, the same ones for all of them."""
    every: int = EVERY
    """Answers until all nodes are valued anew; so many are picked as a batch."""

    def __attrs_post_init__(self) -> None:
        for name, least in (("first", 0), ("every", 1)):
            value = getattr(self, name)
            if not (is_whole(value) and value >= least):
                raise UsageError(f"{name} must be a whole number >= {least}, got {value!r}")

    def recipe(self) -> dict[str, Any]:
        """As plain data."""
        said = spelled(describe(self.strategy))
        return {"strategy": said, "first": self.first, "every": self.every}


@guard()
def simulate_asking(
    learner: str | Learner,
    dataset: Any,
    strategy: str | Strategy,
    *,
    first: int = FIRST,
    every: int = EVERY,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
    **plan: Any,
) -> Simulation:
    """Play ``repeats`` games in which a strategy picks the nodes, every label being revealed.

    Repeat r of seed s begins with the same nodes for every strategy and learner. Its traces have
    one more column, ``rest``: after each round the share of wrong predictions among the nodes not
    asked yet, NaN in rounds after which nobody looked.

    Parameters
    ----------
    learner, dataset, embedding, watcher
        As in :func:`graphol.simulate`.
    strategy
        Who picks.
    first
        So many nodes are drawn by lot before the strategy is asked.
    every
        All nodes are valued anew after so many answers; until then a batch is worked off.
    repeats, seed, rounds, jobs, compiled, fresh_data
        See :class:`graphol.plan.Plan`.

    Examples
    --------
    >>> found = simulate_asking("walk", "sbm:nodes=120", "uncertainty", rounds=30, repeats=2)
    >>> bool(found.traces[0].kept["rest"][-1] < 0.2)
    True
    """
    known, asked = registry(), Plan(**plan)
    rules = Rules(known.make("strategy", strategy), first, every)
    arena = dataset if isinstance(dataset, Arena) else Arena(dataset, asked.seed, watcher)
    return simulate_asking_by(
        asked, rules, known.make("learner", learner), arena, embedding, watcher
    )


def simulate_asking_by(
    plan: Plan,
    rules: Rules,
    who: Learner,
    arena: Arena,
    embedding: str | Embedding | None = None,
    watcher: Watcher | None = None,
) -> Simulation:
    """The same by a plan and rules that are made already."""
    watcher, full = watcher or Silent(), registry().make("feedback", "full")
    _check(plan)
    check_rules(who, full)
    task = arena.task(who, embedding, plan=plan).task
    if not isinstance(task, NodeTask):
        raise UsageError(f"{task.name} is no graph with classes of nodes; leave --strategy out")
    check_fit(task.target, task.name, task.problem(seeding.learner(plan.seed)), who)
    player = Player(who, full, arena.tasks(who, embedding, plan))
    watcher.stage(f"play {who.name}, {rules.strategy.name}")
    turns = [Turn(repeat, 0) for repeat in plan.repeats]
    play = partial(_turn, plan, rules, player)
    threads = plan.compiled and isinstance(who, Compiled)
    runs = dict(each_turn(play, turns, plan.jobs, watcher.rounds, threads=threads))
    played = [PlayedRepeat((runs[turn],), ()) for turn in turns]
    return simulation_of(plan, arena, player, played, versions(), rules.recipe())


def _check(plan: Plan) -> None:
    """Refuse what has no meaning here."""
    odd = {
        "noise": plan.noise, "delay": plan.delay, "fuse": plan.fuse,
        "one_vs_rest": plan.one_vs_rest, "keep": plan.keep,
    }  # fmt: skip
    for name, value in odd.items():
        if value:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"where a strategy picks the nodes there is no {option}; leave it out")


def _turn(plan: Plan, rules: Rules, player: Player, turn: Turn, progress: Progress) -> Run:
    task = player.tasks(turn.repeat).task
    assert isinstance(task, NodeTask)
    rng = seeding.game(plan.seed, turn.repeat, held_out=plan.held_out)
    run = play(
        task, player.learner, rules, rng,
        rounds=plan.rounds, compiled=plan.compiled, progress=progress,
    )  # fmt: skip
    return run._replace(state=None)


def play(
    task: NodeTask,
    learner: Learner,
    rules: Rules,
    rng: np.random.Generator,
    *,
    rounds: int | None = None,
    compiled: bool = True,
    enough: float | None = None,
    progress: Progress = lambda rounds: None,
) -> Run:
    """Play one game. Order and learner draw as in :func:`graphol.play`, the strategy by itself.

    It ends early where the share of errors among the other nodes is found to be ``enough`` or less.
    """
    order_rng, learner_rng, _, _, strategy_rng = rng.spawn(5)
    problem = task.problem(learner_rng)
    state = learner.start(problem)
    order = task.stream(order_rng).first(None).node
    board = Board(task, problem, learner, state, rules, strategy_rng, compiled=compiled)
    T = len(order) if rounds is None else min(rounds, len(order))
    predicted, updates = np.zeros(T, np.int32), np.zeros(T, np.int32)
    known, rest = np.ones(T, dtype=bool), np.full(T, np.nan)
    asked = np.zeros(T, dtype=np.int64)
    looks = {stop - 1 for stop in (*CHECKPOINTS, T)}
    clock = Clock()
    predict, update = clock.timing(learner.predict), clock.timing(learner.update)
    with clock:
        for t in range(T):
            node = int(order[t]) if t < rules.first else board.next()
            x = NO_VECTOR if board.rows is None else board.rows[node]
            instance = Instance(t, node, x)
            prediction = predict(state, instance)._replace(query=True)
            truth = int(board.truth[node])
            updates[t] = update(state, instance, prediction, Reveal(label=truth))
            asked[t], predicted[t], known[t] = node, prediction.label, prediction.known
            board.answered(node)
            if t in looks or (t + 1 >= rules.first and not board.waiting):
                rest[t] = board.look()
            progress(1)
            if enough is not None and rest[t] <= enough:
                T = t + 1
                break
    asked, predicted, updates = asked[:T], predicted[:T], updates[:T]
    known, rest = known[:T], rest[:T]
    label = board.truth[asked]
    trace = Trace(
        node=asked, predicted=predicted, label=label, revealed=label.astype(float),
        queried=np.ones(T, dtype=bool), updates=updates, known=known,
        loss=(predicted != label).astype(float), scored=np.ones(T, dtype=bool),
        kept={"rest": rest},
        meta={"schema": SCHEMA, "compiled": compiled, "elapsed_ns": clock.elapsed_ns},
    )  # fmt: skip
    return Run(trace, state, scores(rest), {})


def scores(rest: Vector) -> dict[str, float]:
    """The share of errors among the other nodes at checkpoints, and at the end."""
    found = {f"rest_{stop}": float(rest[stop - 1]) for stop in CHECKPOINTS if stop < len(rest)}
    return found | {"rest": float(rest[-1])}


class Board:
    """What is known in the middle of a game, and which node comes next."""

    def __init__(
        self,
        task: NodeTask,
        problem: Problem,
        learner: Learner,
        state: State,
        rules: Rules,
        rng: np.random.Generator,
        *,
        compiled: bool,
    ) -> None:
        assert problem.graph is not None and task.graph.labels is not None
        self.graph, self.problem, self.learner, self.state = problem.graph, problem, learner, state
        self.rules, self.rng = rules, rng
        self.often = compiled
        self.truth: Integers = task.graph.labels
        self.rows = None if problem.features is None else problem.features.rows
        self.labels = np.full(self.graph.n, -1)
        self.open = self.truth >= 0
        self.waiting: deque[int] = deque()
        spreads = rules.every > 1 and rules.strategy.spreads
        self.around = neighbourhoods(self.graph) if spreads else None
        self._seen: Everywhere | None = None

    def answered(self, node: int) -> None:
        """Its label is known now."""
        self.labels[node], self.open[node] = self.truth[node], False
        self._seen = None

    def look(self) -> float:
        """The share of errors among the nodes that are open; NaN if none is."""
        nodes = np.flatnonzero(self.open)
        if not len(nodes):
            return float("nan")
        wrong = self._everywhere().label[nodes] != self.truth[nodes]
        return float(wrong.mean())

    def next(self) -> int:
        """The node that is asked about."""
        if not self.waiting:
            situation = self.situation()
            values = valued(self.rules.strategy, situation, self.rng)
            found = batch(
                values, self.open, weight_around(situation), self.rng, self.rules.every, self.around
            )
            self.waiting.extend(node for node, _ in found)
        return self.waiting.popleft()

    def situation(self) -> Situation:
        """What the strategy is shown."""
        K, found = self.problem.n_classes or 0, self._everywhere()
        p = believed(found, K, self.learner)
        told = self.labels >= 0
        p[told] = np.eye(K)[self.labels[told]]
        return Situation(self.graph, self.labels.copy(), p, found.known | told, self.rows)

    def _everywhere(self) -> Everywhere:
        if self._seen is None:
            self._seen = everywhere(self.learner, self.state, self.problem, often=self.often)
        return self._seen


def believed(found: Everywhere, K: int, learner: Learner) -> Matrix:
    """Scores as probabilities, (n, K): shares of them, or of margins a softmax in their own units.

    They order nodes; to be believed as numbers they would have to be calibrated.
    """
    if found.scores is None:
        raise UsageError(f"{learner.name} has no scores to tell how sure it is; take another")
    even = np.full(found.scores.shape, 1 / K)
    if found.scores.min(initial=0.0) >= 0:
        total = found.scores.sum(axis=1, keepdims=True)
        p = np.divide(found.scores, total, out=even.copy(), where=total > 0)
    else:
        centred = found.scores - found.scores.mean(axis=1, keepdims=True)
        z = centred / max(float(centred.std()), 1e-300)
        e = np.exp(z - z.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
    mask: NDArray[np.bool_] = found.known
    return np.asarray(np.where(mask[:, None], p, even))
