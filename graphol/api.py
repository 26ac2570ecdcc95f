"""The interfaces, and the small values that travel between them.

A round of the game, as the one loop in :mod:`graphol.engine` plays it::

    instance   = stream.instance(t)                                   # Dataset -> Task -> Stream
    prediction = learner.predict(state, instance)                     # Learner
    reveal     = feedback.reveal(instance, truth, prediction, rng)    # Feedback
    changed    = learner.update(state, instance, prediction, reveal)

Nodes become vectors or kernel entries through an Embedding, which may need a LinearSolver; a
Learner may need a Projection; Workers play many games, and a Strategy says whose label to ask for
next. All eight are looked up by name in :mod:`graphol.registry`. A component is a frozen attrs
class: its fields are hyper-parameters made by :func:`graphol.param`, its ``name`` is what the
command line calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.graph import Graph

API_VERSION = 2
"""The version of these interfaces; a plugin may state its own as ``GRAPHOL_API``."""

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]

Target = Literal["classes", "signs", "real"]
"""What is predicted: a class 0..K-1, a sign -1/+1, or a real number."""

Shown = str
"""The kind of a protocol's answers: ``"label"``, the truth; ``"bit"``, whether the prediction was
right; or a name of the protocol's own, such as ``"candidates"`` (see :class:`OwnAnswers`)."""

Needs = Literal["rows", "signals", "gram", "graph", "nothing"]
"""What a learner is asked with: vectors, vectors with one entry per node of the graph, kernel
entries, nodes of the graph, or nothing."""

NO_VECTOR: Vector = np.zeros(0)
NO_VECTOR.setflags(write=False)


class Instance(NamedTuple):
    """One round's question."""

    t: int
    """Round, from 0."""
    node: int = -1
    """Row of the node asked, or -1 when a whole signal is asked."""
    x: Vector = NO_VECTOR
    """Read-only vector (d,); of length 0 where nodes have no vectors."""
    context: int = -1
    """Latent vertex or task id, or -1."""


class Prediction(NamedTuple):
    """A learner's answer."""

    label: float
    """Class, sign or real number, as the task's target says."""
    scores: Vector | None = None
    """One score per class, where the learner has them."""
    query: bool = True
    """Does the learner want to pay for the truth?"""
    known: bool = True
    """Does anything that was learnt bear on this node? If not, the label is a guess."""


class Reveal(NamedTuple):
    """What came back: the label, or one bit, or an answer of another kind, or nothing."""

    label: float | None = None
    correct: bool | None = None
    answer: Any = None
    """What a protocol with answers of its own said."""
    kind: Shown = ""
    """The name that this protocol declares for them; empty for a label, a bit and nothing."""

    def right(self, prediction: Prediction) -> bool | None:
        """Was the prediction right? None if neither label nor bit came back."""
        return self.label == prediction.label if self.label is not None else self.correct


NOTHING = Reveal()


@runtime_checkable
class Features(Protocol):
    """Nodes as a learner sees them: as vectors, as kernel entries, or both."""

    @property
    def rows(self) -> Matrix | None:
        """(n, d), C-contiguous and read-only; None where only the kernel is to be had."""

    def gram(self, i: int, js: Integers) -> Vector:
        """Kernel entries between node i and the nodes js, (len(js),)."""


@runtime_checkable
class Scaled(Protocol):
    """Features that know their largest kernel entry of a node with itself."""

    @property
    def rho(self) -> float:
        """max K_ii, > 0; for a learner that needs entries of at most 1."""


@runtime_checkable
class GraphKernel(Protocol):
    """A kernel over a whole graph, L⁺ + R, as bounds see it."""

    @property
    def resistance(self) -> float | None:
        """R, the largest diagonal entry of L⁺; None where the kernel is another."""

    @property
    def vertices(self) -> int:
        """How many the graph has, those that nobody is asked about too."""

    def least_cut(self, labels: Integers, n_labels: int) -> float:
        """The weight that is cut by a labeling of all vertices with these labels at the first ones.

        -1 stands for any label; the least weight, where that can be found.
        """


@attrs.frozen(eq=False)
class Problem:
    """What a learner is told before round 1."""

    target: Target
    n_classes: int | None
    """K, or None unless the target is a class."""
    dim: int
    """Length of every ``Instance.x``; 0 where there are no vectors."""
    rng: np.random.Generator
    graph: Graph | None = None
    """The graph with its labels removed; of several layers, their sum."""
    features: Features | None = None
    """All nodes' features, in a transductive game."""
    latent: Features | None = None
    """The kernel over contexts, where there are some and it is known how near they are."""
    n_contexts: int | None = None
    """How many contexts there are; None where there are none, or nobody knows."""
    graphs: tuple[Graph, ...] = ()
    """The layers: all graphs over the same nodes, labels removed; by default ``graph`` alone."""

    def __attrs_post_init__(self) -> None:
        if not self.graphs and self.graph is not None:
            object.__setattr__(self, "graphs", (self.graph,))


State = Any
"""Everything of a learner that changes: a NamedTuple of numpy arrays and plain scalars. Arrays may
be changed in place; scalars that change are held in arrays of length 1. An array that gets longer
with the rounds is an :class:`Appendable`, and what is made of the problem stands aside in something
:class:`Derived`. A learner made of others holds their states, or tuples of them (see
:mod:`graphol.states`)."""


class Appendable:
    """An array of a state that grows at its end, in place; a state that holds one may grow.

    Room is doubled when it is used up. It is saved as the plain array ``values``, and made of that
    array again.

    >>> support = Appendable(np.zeros(0, dtype=np.int64))
    >>> support.append(4)
    >>> support.append(2)
    >>> support.values
    array([4, 2])
    """

    def __init__(self, values: NDArray[Any]) -> None:
        self._room, self._used = np.array(values), len(values)

    @property
    def values(self) -> NDArray[Any]:
        """All that was appended so far; a view, to be asked for again after :meth:`append`."""
        return self._room[: self._used]

    def append(self, entry: Any) -> None:
        """One entry, or one row, more."""
        self._make_room(1)
        self._room[self._used] = entry
        self._used += 1

    def extend(self, entries: NDArray[Any]) -> None:
        """Several entries, or rows, more."""
        self._make_room(len(entries))
        self._room[self._used : self._used + len(entries)] = entries
        self._used += len(entries)

    def _make_room(self, wanted: int) -> None:
        if self._used + wanted > len(self._room):
            size = max(16, self._used, wanted)
            more = np.zeros((size, *self._room.shape[1:]), self._room.dtype)
            self._room = np.concatenate([self._room, more])


class Derived:
    """What a learner makes of the problem: a kernel, a factorisation, a workspace.

    The state holds it, and yet it is no part of it: it says nothing that ``start`` would not make
    again from the same problem. So it is neither saved nor compared, copies of a state share it,
    and whoever resumes a state takes it from ``start``. Every game has its own.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Derived:
        return self


class Learner(Protocol):
    """What do we predict, and how do we change?

    A learner with a compiled whole-stream version also has ``stream`` (see :class:`Compiled`); one
    that can meet new classes half-way has ``grow`` (see :class:`Growing`); one that learns many
    labels in one go has ``fit`` (see :class:`Fits`); one with a proof has ``mistake_bound`` (see
    :class:`Bounded`).
    """

    name: ClassVar[str]
    feedback: ClassVar[str]
    """Name of the protocol it plays by default."""
    learns_from: ClassVar[tuple[Shown, ...]]
    """Kinds of answers; any protocol that reveals one of these will do, anybody's."""
    targets: ClassVar[tuple[Target, ...]]
    needs: ClassVar[Needs]
    """What it uses to tell nodes apart; checked before round 1."""

    def start(self, problem: Problem) -> State:
        """The state before round 1."""

    def predict(self, state: State, instance: Instance) -> Prediction:
        """Answer; leaves the state and the instance as they are."""

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Learn in place; how many class models changed."""


class NotCompiled(Exception):
    """Raised by a ``stream`` that cannot play after all, with the parameters the learner has."""


NO_FLIPS: NDArray[np.bool_] = np.zeros(0, dtype=bool)
NO_SCORES: Matrix = np.zeros((0, 0))


class Stretch(NamedTuple):
    """Some rounds in a row as a compiled stream gets them: rounds first, first + 1, ...

    Entry i of a column is round first + i. ``rows[row[i]]`` is asked, about node ``node[i]`` and
    context ``context[i]``, and ``told[i]`` is revealed if ``answered[i]`` and the learner asks; or,
    by a protocol of bits, whether that is what was predicted. For a learner that needs no vectors,
    rows may have length 0.
    """

    rows: Matrix
    row: Integers
    node: Integers
    context: Integers
    told: NDArray[Any]
    """int64, or float64 where numbers are predicted."""
    answered: NDArray[np.bool_]
    first: int
    flipped: NDArray[np.bool_] = NO_FLIPS
    """Which bits are turned round; of length 0 where none is. Only for a learner that hears it."""
    bits: bool = False
    """Is it a protocol of bits? For a learner of labels and of bits."""


class Played(NamedTuple):
    """The columns a compiled stream fills, one entry per round."""

    predicted: NDArray[Any]
    """int32, or float64 where numbers are predicted."""
    updates: NDArray[np.int32]
    query: NDArray[np.bool_]
    """True where the learner does not say otherwise."""
    known: NDArray[np.bool_] = NO_FLIPS
    """The same of :attr:`Prediction.known`."""
    scores: Matrix = NO_SCORES
    """Where it is not empty, (rounds, K): :attr:`Prediction.scores`. Only for a learner that keeps
    them (see :class:`KeepsScores`)."""


@runtime_checkable
class Compiled(Protocol):
    """A learner whose whole stream is one compiled call, equal to the plain loop in every round."""

    def stream(self, state: State, stretch: Stretch, out: Played) -> None:
        """Play these rounds.

        It is called with no rounds first, to compile; if it raises :class:`NotCompiled` then, the
        plain loop plays. Only what the learner's own protocol allows may be used: a bandit
        compares its prediction with what is told and looks no further.

        A learner from bits whose ``stream`` looks at ``stretch.flipped`` says so (see
        :class:`HearsFlips`); for all others the plain loop plays where bits are turned round.
        """


class Steps(NamedTuple):
    """One learner's rounds in two parts, as the compiled loop of another calls them.

    Both are plain functions that numba compiles. ``own`` is theirs: arrays of the state, which
    change in place, room to work in, numbers, tuples of them.
    """

    foresee: Callable[..., Any]
    """``foresee(own, stretch, t, scores)`` fills the scores (K,) of entry t of the stretch.

    Its answer is the label, whether it is known and whether the learner asks, as in
    :class:`Prediction`."""
    hear: Callable[..., Any]
    """``hear(own, stretch, t, said, heard, bits)`` follows it, if there is an answer.

    The class ``said`` is to be learnt from, whoever said it; ``heard`` is the label, or -1 where
    all that came back is that it is another. ``bits`` says whether the answer came as one. It
    answers how many class models changed, or -1 if there is no way on."""
    own: tuple[Any, ...]


@runtime_checkable
class PlaysAlong(Protocol):
    """A learner whose rounds can be compiled into the loop of another, which asks and tells it."""

    def along(self, state: State, stretch: Stretch) -> Steps:
        """The rounds of this stretch in two parts, equal to ``predict`` and ``update``.

        Raises :class:`NotCompiled` where there are none with the parameters that it has.
        """


@runtime_checkable
class HearsFlips(Protocol):
    """A compiled learner from bits that looks which of them are turned round."""

    hears_flips: ClassVar[bool]
    """Does its ``stream`` look at ``stretch.flipped``?"""


@runtime_checkable
class KeepsScores(Protocol):
    """A compiled learner that writes down the scores of every round where they are asked for."""

    @property
    def keeps_scores(self) -> bool:
        """Does its ``stream`` fill ``out.scores`` with what ``predict`` would give?"""


@runtime_checkable
class Growing(Protocol):
    """A learner that can meet new classes in the middle of a stream."""

    def grow(self, state: State, n_classes: int) -> State:
        """The same state with room for ``n_classes`` classes."""


class Labelled(NamedTuple):
    """Some nodes and their labels, as the task's target says."""

    nodes: Integers
    labels: NDArray[Any]


NO_NODES: Integers = np.zeros(0, dtype=np.int64)
NO_NODES.setflags(write=False)


@attrs.frozen(eq=False)
class Given:
    """Labels that are given away, in the order of their rounds."""

    nodes: Integers
    labels: NDArray[Any]
    """As the task's target says; noise included."""
    validation_nodes: Integers = NO_NODES
    """Further nodes whose labels may choose (parameters, weights), and are never learnt."""
    validation_labels: NDArray[Any] = NO_NODES


@runtime_checkable
class Fits(Protocol):
    """A learner that gets labels which are given away in one go, and is not asked for them."""

    def fit(self, state: State, given: Given) -> int:
        """Learn in place, beside what is known already; how many class models changed."""


class Share(NamedTuple):
    """What one label contributed to a prediction."""

    node: int
    """Row of the labelled node."""
    label: int
    amount: float
    """What it adds to the score of its own class."""


@runtime_checkable
class Influences(Protocol):
    """A learner that can tell which labels decided a prediction; ``graphol explain`` asks it."""

    def influences(self, state: State, node: int, top: int) -> tuple[Share, ...]:
        """The labels that add most to their class at this node, largest first; at most ``top``."""


@runtime_checkable
class Weighs(Protocol):
    """A learner that gives every layer a weight of its own."""

    def layer_weights(self, state: State) -> Mapping[str, float]:
        """The weight of every layer that was used, by its name."""


@runtime_checkable
class Tells(Protocol):
    """A learner that has something to say about how it learnt: a method that it chose, and why."""

    def tells(self, state: State) -> Sequence[str]:
        """Notes, a line each; tables and ``--json`` have them with the other notes."""


@runtime_checkable
class ChecksState(Protocol):
    """A learner whose state holds numbers of nodes or classes, which a file may get wrong.

    Of a state that is read from a file, types, shapes and finiteness are compared with those of
    ``start`` for every learner; what else must hold, only the learner knows.
    """

    def check_state(self, state: State, nodes: int) -> None:
        """Raise ValueError if the state cannot be one on a graph with so many nodes."""


@runtime_checkable
class Linear(Protocol):
    """A learner of a linear model, which a task may score beyond its predictions."""

    def weights(self, state: State) -> Mapping[str, Vector]:
        """Weights by name ("last", "average"), each (dim + 1,) with the intercept at the end."""

    def misses(self, state: State) -> Mapping[str, int]:
        """By the same names, the wrong signs so far; empty where it does not count them."""


@attrs.frozen(eq=False)
class Finished:
    """A game that is over, round by round, and fixed linear models to hold it against."""

    X: Matrix
    """The vectors, (T, d)."""
    y: Integers
    """The truth."""
    predicted: Integers
    updates: NDArray[np.int32]
    """Class models changed by the answer."""
    n_classes: int | None
    """K, or None for signs."""
    models: tuple[Matrix, ...]
    """Models that are good in hindsight, each (K, d), or (1, d) for signs; no intercept."""
    bought: int | None = None
    """Labels that were shown, where the learner had to ask for them; None: all."""
    task: Task | None = None
    stream: Stream | None = None
    """What was played, hidden labelings included: for bounds that are not made of vectors."""

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """The rounds with a mistake."""
        return np.asarray(self.predicted != self.y)

    @property
    def learnt(self) -> NDArray[np.bool_]:
        """The rounds with an update."""
        return np.asarray(self.updates > 0)


class MistakeBound(NamedTuple):
    """The most mistakes that a proof allows a learner in one game."""

    name: str
    """What kind of bound, in a word or two."""
    value: float
    mean_only: bool = False
    """Is it one on the mean over the learner's own draws?"""


@runtime_checkable
class Bounded(Protocol):
    """A learner with a proof: ``--regret`` holds every run against its bound.

    A class inherits it with the rest: where another rule is not covered by the proof,
    ``mistake_bound = None`` takes it back.
    """

    def mistake_bound(self, game: Finished) -> MistakeBound | None:
        """The bound in this game, or None if none is known with these parameters.

        It is asked about classes and signs with vectors, where every round was answered at once,
        with the truth or a true bit, and counts. Unless it is one on the mean, a mistake that the
        learner did not learn from is reported as a violation.
        """


class StatedBound(NamedTuple):
    """A figure of a game beside what a theorem says about it."""

    name: str
    """Which theorem, or what kind of bound."""
    what: str
    """What is bounded: ``mistakes``, ``labels`` or ``regret``."""
    measured: float
    value: float
    """The most that it allows."""
    proved: bool = True
    """Is there a proof for this very rule? If not, it stands there as printed, and may fail."""


@runtime_checkable
class Stating(Protocol):
    """A learner with bounds beside the one on its mistakes, for ``--regret`` to print."""

    def stated_bounds(self, game: Finished) -> Sequence[StatedBound]:
        """The theorems about this game.

        Those on mistakes and regret are kept where every round was answered at once with the truth
        and counts; those on labels wherever answers came at once.
        """


class Feedback(Protocol):
    """What is revealed after a prediction?

    Labels and bits are shown by ``reveal`` and ``answered`` (see :class:`LabelOrBit`), anything
    else by ``blank`` and ``answer`` (see :class:`OwnAnswers`).
    """

    name: ClassVar[str]
    reveals: ClassVar[Shown]
    on_request: ClassVar[bool]
    """Is only that revealed which the learner asks for, with ``Prediction.query``?"""

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """Which rounds of so many count in the error rate."""


@runtime_checkable
class LabelOrBit(Feedback, Protocol):
    """A protocol that shows the label, or whether the prediction was right."""

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """What the learner is shown."""

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_] | None:
        """Which rounds are answered, if that does not depend on predictions (else None).

        With ``on_request`` these are the rounds answered if the learner asks. It must consume
        ``rng`` exactly as ``rounds`` calls of :meth:`reveal` do, and an answer
        must be the truth, or the bit, itself; one that alters answers says None here and
        may have a ``script`` (see :class:`Scripted`). This is what lets a compiled learner play the
        protocol without a Python call per round.
        """


class Script(NamedTuple):
    """What a protocol of labels or bits answers in a whole game, whatever is predicted."""

    answered: NDArray[np.bool_]
    """Which rounds are answered; with ``on_request``, if the learner asks."""
    label: NDArray[Any] | None = None
    """The label that each answer shows, or that its bit is about; None: the truth."""
    flipped: NDArray[np.bool_] | None = None
    """Of a protocol of bits: which are turned round, right for wrong; None: none."""


@runtime_checkable
class Scripted(Protocol):
    """A protocol of labels or bits that alters answers by chance, not by what is predicted.

    Compiled learners then play it without a Python call per round.
    """

    def script(
        self, problem: Problem, truth: NDArray[Any], rng: np.random.Generator
    ) -> Script | None:
        """The answers to all rounds, whose truth is given; None: not in this game.

        It must consume ``rng`` exactly as one call of ``reveal`` per round does, and say the same.
        """


@runtime_checkable
class OwnAnswers(Feedback, Protocol):
    """A protocol whose answers are neither labels nor bits; ``reveals`` is its name for them.

    Answers are arrays of one shape and type, and the trace keeps them under that name, one row per
    round. A learner that has the name in ``learns_from`` gets them as ``Reveal.answer``. The plain
    loop plays.
    """

    def blank(self, problem: Problem) -> NDArray[Any]:
        """What the trace keeps where nothing is revealed; all answers have its shape and type."""

    def answer(
        self,
        problem: Problem,
        instance: Instance,
        truth: float,
        prediction: Prediction,
        rng: np.random.Generator,
    ) -> NDArray[Any] | None:
        """What the learner is shown, a new array; None for nothing."""


def feedback_interface(reveals: Shown) -> type:
    """What a protocol with answers of this kind has to have."""
    return LabelOrBit if reveals in ("label", "bit") else OwnAnswers


@runtime_checkable
class GivesAway(Protocol):
    """A protocol that shows some labels whatever is predicted, and does not score them.

    A learner that :class:`Fits` gets them before the first prediction that follows; all others are
    asked as in any round.
    """

    def given(self, rounds: int) -> NDArray[np.bool_]:
        """Which rounds' labels are given away."""


class Split(NamedTuple):
    """Nodes in three parts, none in two of them: learnt from, chosen by, asked."""

    train: Integers
    validation: Integers
    test: Integers


class Wish(NamedTuple):
    """Which split a protocol wants of a task: the one that came with the data, or one drawn."""

    fixed: bool = False
    per_class: int = 0
    """Nodes of every class to learn from, of a split that is drawn."""
    validation: int = 0
    test: int | None = None
    """None: all nodes that are left."""


@runtime_checkable
class PlaysSplit(Protocol):
    """A protocol that may be played on a split of the nodes.

    The task draws it, since a protocol never sees labels beforehand. The rounds are then those
    of the training part and those of the test part after them.
    """

    @property
    def wish(self) -> Wish | None:
        """The split that is wanted; None for every node in a random order."""

    def on(self, split: Split) -> Feedback:
        """The protocol for the rounds of this split."""


class Embedding(Protocol):
    """How does a node become a vector, or a kernel entry?"""

    name: ClassVar[str]

    def embed(self, graph: Graph, rng: np.random.Generator) -> Features:
        """The features of all nodes. Deterministic for a given state of ``rng``."""


class BoundProjection(Protocol):
    """A projection bound to one graph."""

    def __call__(self, v: Vector) -> tuple[Vector, Integers]:
        """The nearest structured point, and its support."""


@runtime_checkable
class WarmProjection(Protocol):
    """A bound projection that searches, and may begin where the last search ended."""

    def warm(self, v: Vector, memory: Vector) -> tuple[Vector, Integers]:
        """As a call; ``memory`` (1,) is 0 at first and changed in place."""


@runtime_checkable
class CompiledProjection(Protocol):
    """A bound projection that compiled streams can call."""

    def compiled(self) -> tuple[Callable[..., int], Any]:
        """A function ``project(v, setting, memory, out)`` for numba, and its setting.

        It writes the projection of v into ``out`` and answers how many entries may be non-zero, or
        -1 if v is not finite. The setting is an array, a number, or a NamedTuple of them.
        """


class Projection(Protocol):
    """What is the nearest structured point?

    One that does not always find it says so (see :class:`Approximate`).
    """

    name: ClassVar[str]

    def bind(self, graph: Graph | None, dim: int) -> BoundProjection:
        """Prepare for vectors of length ``dim`` on the graph's nodes."""


@runtime_checkable
class Approximate(Protocol):
    """A projection whose result is near, and not always the nearest structured point."""

    @property
    def factor(self) -> float | None:
        """How many times the least distance its result may be away; None if nothing is proved."""


class PreparedSolver(Protocol):
    """A x = b, prepared once and used often."""

    @property
    def iterations(self) -> int:
        """Iterations of the last solve, the maximum over its columns; 0 for a direct solver."""

    @property
    def residual(self) -> float:
        """Largest relative residual ||A x - b|| / ||b|| of the last solve."""

    def solve(self, B: Matrix) -> Matrix:
        """X with A X = B for B of shape (n,) or (n, k); on a singular A the one orthogonal to its
        null space. Refuses a B outside the range of A with an InputError."""


class LinearSolver(Protocol):
    """How is A x = b solved, for A a graph's Laplacian plus a non-negative diagonal?"""

    name: ClassVar[str]

    def prepare(self, A: Any) -> PreparedSolver:
        """Factorise or precondition the sparse matrix A once."""


@runtime_checkable
class Estimates(Protocol):
    """A solver's class that can tell how long it would take; ``auto`` chooses among these."""

    @staticmethod
    def seconds(shape: Any) -> float:
        """Expected time for preparing and solving a :class:`graphol.linalg.shape.Shape`."""


@attrs.frozen(eq=False)
class Stream:
    """One order of play, as columns of length T.

    Round t asks about ``rows[row[t]]`` (where there are vectors), node ``node[t]`` and context
    ``context[t]``, and the truth is ``truth[t]``. What is hidden, no learner sees: bounds do.
    """

    truth: NDArray[Any]
    node: Integers
    row: Integers
    rows: Matrix | None = None
    context: Integers | None = None
    active: Integers | None = None
    """Hidden: the labeling that holds in each round."""
    marks: Integers | None = None
    """Hidden: the rounds at which it changed, where that is what the game is about."""
    validation: Labelled | None = None
    """Nodes that are not asked, for a learner that chooses by their labels."""

    def __attrs_post_init__(self) -> None:
        if self.rows is not None:
            rows = np.ascontiguousarray(self.rows, dtype=np.float64).view()
            rows.setflags(write=False)
            object.__setattr__(self, "rows", rows)

    def __len__(self) -> int:
        return len(self.truth)

    def first(self, rounds: int | None) -> Stream:
        """Its first rounds, or all of them."""
        if rounds is None or rounds >= len(self):
            return self
        columns = {"truth", "node", "row", "context", "active"}
        cut = {k: v[:rounds] for k in columns if (v := getattr(self, k)) is not None}
        marks = None if self.marks is None else self.marks[self.marks < rounds]
        return attrs.evolve(self, marks=marks, **cut)

    def instance(self, t: int) -> Instance:
        """The question of round t."""
        return Instance(
            t=t,
            node=int(self.node[t]),
            x=NO_VECTOR if self.rows is None else self.rows[self.row[t]],
            context=-1 if self.context is None else int(self.context[t]),
        )


@runtime_checkable
class Task(Protocol):
    """What a dataset yields: a game that can be played in many orders.

    :mod:`graphol.tasks` has the kinds: NodeTask, SignalTask, SwitchTask, SequenceTask.
    """

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def graph(self) -> Graph:
        """The graph; its labels are the truth of a node task."""

    @property
    def target(self) -> Target:
        """What is to be predicted."""

    def embedded(self, embed: Callable[[Graph], Features]) -> Task:
        """This task with the nodes' features filled in, if it has a use for them."""

    def problem(self, rng: np.random.Generator) -> Problem:
        """What the learner is told before round 1."""

    def stream(self, rng: np.random.Generator) -> Stream:
        """One order of play."""

    def score(self, learner: Learner, state: State, trace: Any) -> Mapping[str, float]:
        """Further scores of a finished run, beside the error rate."""


class Dataset(Protocol):
    """Where do tasks come from?"""

    name: ClassVar[str]

    def load(self, rng: np.random.Generator) -> Task:
        """The task, read or generated."""


@runtime_checkable
class Located(Protocol):
    """A data set's class whose data are somewhere; all others are made when they are needed."""

    @classmethod
    def where(cls) -> str:
        """``here: ...``, or how to come by it: what ``graphol datasets`` says."""


class Workers(Protocol):
    """Where are the tasks of a sweep played, and how many at a time?"""

    name: ClassVar[str]

    def start(
        self, workers: int, *, timeout: float | None = None, memory: int | None = None
    ) -> Executor:
        """An executor of the standard library's kind, with so many workers, 1 at least.

        A task may take ``timeout`` seconds, and its process ``memory`` bytes; an executor that
        cannot see to that refuses with a UsageError. The future of a task whose process is gone
        raises :class:`graphol.executors.TaskDied`; what a task itself raises keeps its type, and
        harms no other. Plugin files are loaded before what is made of their classes.
        """


@attrs.frozen(eq=False)
class Situation:
    """What a strategy sees: a graph on which some labels are known, and what a learner makes of it.

    Nobody changes its arrays.
    """

    graph: Graph
    """The graph, of several layers their sum, with its labels removed."""
    labels: Integers
    """(n,) the class that is known of every node, -1 where none is."""
    probabilities: Matrix
    """(n, K) what the learner believes of every node; rows sum to 1."""
    known: NDArray[np.bool_]
    """(n,) does anything that is known bear on the node?"""
    rows: Matrix | None = None
    """(n, d), where the nodes have vectors."""

    @classmethod
    def unasked(cls, graph: Graph, classes: int) -> Situation:
        """The one before the first label: nothing is known, and all classes are alike.

        >>> Situation.unasked(Graph.from_edges("ab", "bc"), classes=2).probabilities[0]
        array([0.5, 0.5])
        """
        labels, known = np.full(graph.n, -1), np.zeros(graph.n, dtype=bool)
        return cls(graph.unlabelled, labels, np.full((graph.n, classes), 1 / classes), known)


class Strategy(Protocol):
    """Whose label would help most?

    One that knows why it wants a node says so (see :class:`Reasons`).
    """

    name: ClassVar[str]
    spreads: ClassVar[bool]
    """Does a batch keep its nodes apart? If not, they are taken as they are valued."""

    def values(self, situation: Situation, rng: np.random.Generator) -> Vector:
        """What asking each node is worth, (n,): finite, larger is better.

        It leaves the situation alone. What it says of nodes whose label is known does not matter.
        """


@runtime_checkable
class Reasons(Protocol):
    """A strategy that says in words why it wants a node."""

    def reason(self, situation: Situation, node: int) -> str:
        """Why, in a few words without a full stop; '' leaves it to what can be seen of it."""


KINDS: dict[str, type] = {
    "learner": Learner,
    "feedback": Feedback,
    "embedding": Embedding,
    "projection": Projection,
    "solver": LinearSolver,
    "dataset": Dataset,
    "executor": Workers,
    "strategy": Strategy,
}
"""The kinds of component, each with its interface."""


def plural(kind: str) -> str:
    """What several components of a kind are called.

    >>> plural("learner"), plural("strategy")
    ('learners', 'strategies')
    """
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


@runtime_checkable
class Reports(Protocol):
    """Features that say how they were found; ``graphol embed`` shows it."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Plain data: method, why, eigenvalues, residuals, ..."""


@runtime_checkable
class Explains(Protocol):
    """A prepared system that chose its own solver; ``graphol solve`` shows which and why."""

    @property
    def choice(self) -> str:
        """The name of the solver that was chosen."""

    @property
    def explain(self) -> str:
        """Why, in a line or two."""
