"""Games of several labelings of one graph: they take turns, or every task has its own.

A game is two things: what it is played on (any data set, a grid, a block model, digits) and what
changes the labeling (time, the task). Each is a class here, and a data set is one of each. The
names K, S and T are the paper's.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from graphol.api import Dataset
from graphol.datasets.digits import Digits
from graphol.datasets.files import COMPONENTS, Files
from graphol.datasets.grid import Grid
from graphol.datasets.labelings import Labelings, by_centres, by_classes
from graphol.datasets.sbm import StochasticBlockModel
from graphol.errors import UsageError
from graphol.formats import read_graph
from graphol.graph import Graph
from graphol.params import param
from graphol.registry import component
from graphol.tasks import SwitchTask
from graphol.tasks.schedules import Schedule, Switches, Tasks
from graphol.tasks.switching import Shows

LABELINGS = ("classes", "centres")
OWN = ("time", "task")
"""What contexts are; anything else is shown in their place."""


@attrs.frozen(slots=False)
class _Game:
    """What all of these games have.

    Parameters
    ----------
    K
        Labelings, 2 to 1000; different ones as far as the graph has them.
    T
        Rounds, at least 1; each asks about a node drawn evenly.
    labelings
        ``classes`` gives every class a random sign, ``centres`` every node the sign of the nearest,
        in edges, of some random nodes; signs are never all the same.
    centres
        How many random nodes, at least 2 and at most those of the graph.
    component
        The ``largest`` connected component, or ``all`` nodes, which must then be connected.
    latent
        Path of a graph over the contexts in place of the usual one; its vertices are the contexts
        in their order, and the others have no context. In any format that ``--graph`` reads.
    """

    name: ClassVar[str]
    K: int = param(3, least=2, most=1000)
    T: int = param(2000, least=1, most=10**8)
    labelings: str = param("classes", choices=LABELINGS)
    centres: int = param(8, least=2)
    component: str = param("largest", choices=COMPONENTS)
    latent: str | None = param(None, type=str)

    @property
    def whole(self) -> Dataset:
        """The data set whose graph is played on."""
        raise NotImplementedError

    @property
    def schedule(self) -> Schedule:
        """When does which labeling hold?"""
        raise NotImplementedError

    @property
    def shows(self) -> Shows:
        """What the learner sees as context."""
        raise NotImplementedError

    def __attrs_post_init__(self) -> None:
        self.whole, self.schedule  # noqa: B018 - they refuse what they cannot be
        if self.latent is not None and self.shows != "own":
            raise UsageError(
                f"{self.name}: latent is a graph over what is usually the context; leave out "
                f"context={self.shows}, or latent"
            )

    def load(self, rng: np.random.Generator) -> SwitchTask:
        """Graph, where it is generated, and labelings are drawn by ``rng``."""
        graph = _graph(self.whole, self.component, rng)
        signs, notes = self._labelings(graph, rng)
        return SwitchTask(
            graph.unlabelled.noted(*notes),
            signs,
            self.schedule,
            self._title,
            self.shows,
            None if self.latent is None else read_graph(self.latent).unlabelled,
        )

    def _labelings(self, graph: Graph, rng: np.random.Generator) -> Labelings:
        if self.labelings == "classes":
            return by_classes(graph, self.K, rng)
        return by_centres(graph, self.K, self.centres, rng)

    @property
    def _title(self) -> str:
        return self.name


def _graph(whole: Any, component: str, rng: np.random.Generator) -> Graph:
    """The graph of a data set, labels or not, or its largest component."""
    if component == "all" and "component" in attrs.fields_dict(type(whole)):
        whole = attrs.evolve(whole, component="all")
    graph: Graph = whole.read() if isinstance(whole, Files) else whole.load(rng).graph
    return graph.largest_component() if component == "largest" else graph


@attrs.frozen(slots=False)
class _OverTime(_Game):
    """One labeling at a time.

    Parameters
    ----------
    S
        Switches to another labeling, at random rounds; >= 0 and < T.
    context
        What is shown: ``time``, the round; or what no learner would know, for the sake of
        comparison: ``segment``, the number of switches so far, or ``labeling``, which one holds.
    """

    S: int = param(30, least=0)
    context: str = param("time", choices=("time", "segment", "labeling"))

    @property
    def schedule(self) -> Switches:
        """S switches in T rounds."""
        if self.S >= self.T:
            raise UsageError(f"{self.name}: S must be < T = {self.T}, got {self.S}")
        return Switches(rounds=self.T, switches=self.S)

    @property
    def shows(self) -> Shows:
        """The round, unless something else is asked for."""
        return _shows(self.context)


@attrs.frozen(slots=False)
class _OverLongTime(_OverTime):
    """The same for graphs of some thousand nodes.

    Parameters
    ----------
    T
        Rounds, at least 1; each asks about a node drawn evenly.
    S
        Switches to another labeling, at random rounds; >= 0 and < T.
    """

    T: int = param(3000, least=1, most=10**8)
    S: int = param(15, least=0)


@attrs.frozen(slots=False)
class _OverTasks(_Game):
    """One labeling per task.

    Parameters
    ----------
    tasks
        Tasks p, 2 to 10^8; each has one of the labelings, drawn evenly, and so has each round
        one of the tasks.
    context
        What is shown: the ``task``; or, for the sake of comparison, the ``labeling`` that it has,
        which no learner would know.
    """

    tasks: int = param(24, least=2, most=10**8)
    context: str = param("task", choices=("task", "labeling"))

    @property
    def schedule(self) -> Tasks:
        """T rounds of p tasks."""
        return Tasks(rounds=self.T, tasks=self.tasks)

    @property
    def shows(self) -> Shows:
        """The task, unless something else is asked for."""
        return _shows(self.context)


def _shows(context: str) -> Shows:
    if context in OWN:
        return "own"
    return "segment" if context == "segment" else "labeling"


@attrs.frozen(slots=False)
class _OfDataset(_Game):
    """Played on the graph of any data set.

    Parameters
    ----------
    of
        The data set; of ``files`` no labels are needed if labelings are by centres.
    """

    of: Any = component("dataset", "sbm")

    @property
    def whole(self) -> Dataset:
        """The data set as it is given."""
        found: Dataset = self.of
        return found

    @property
    def _title(self) -> str:
        return f"{self.name}: {self.of.name}"


@attrs.frozen(slots=False)
class _OnGrid(_Game):
    """Played on a grid, by centres unless you say otherwise.

    Parameters
    ----------
    rows
        Number of rows, at least 1.
    cols
        Number of columns, at least 2.
    labelings
        ``centres`` gives every node the sign of the nearest, in edges, of some random nodes;
        ``classes`` gives the left and the right half a random sign each.
    """

    rows: int = param(20, least=1)
    cols: int = param(20, least=2)
    labelings: str = param("centres", choices=LABELINGS)

    @property
    def whole(self) -> Grid:
        """The grid; with classes, of two stripes."""
        return Grid(rows=self.rows, cols=self.cols)


@attrs.frozen(slots=False)
class _OnBlocks(_Game):
    """Played on a block model.

    Parameters
    ----------
    nodes
        Number of nodes n, at least 4.
    classes
        Number of blocks, at least 2 and at most n / 2.
    degree_in
        Mean number of neighbours in the same block; by default each is one with chance 0.3.
    degree_out
        Mean number of neighbours in other blocks; by default each is one with chance 0.01.
    """

    nodes: int = param(400, least=4, most=10**9)
    classes: int = param(8, least=2)
    degree_in: float = param(14.7, least=0)
    degree_out: float = param(3.5, least=0)

    @property
    def whole(self) -> StochasticBlockModel:
        """The block model."""
        return StochasticBlockModel(
            nodes=self.nodes, classes=self.classes, degree_in=self.degree_in,
            degree_out=self.degree_out,
        )  # fmt: skip


@attrs.frozen(slots=False)
class _OnDigits(_Game):
    """Played on the handwritten digits.

    Parameters
    ----------
    k
        Nearest neighbours that an image is joined to, 1 to 1796.
    """

    k: int = param(10, least=1, most=1796)

    @property
    def whole(self) -> Digits:
        """The digits."""
        return Digits(k=self.k)


@attrs.frozen
class Switching(_OfDataset, _OverLongTime):
    """K labelings of any graph with signs; one holds at a time, and S times another takes over.

    A round shows a node and the time; the sign of the node under the labeling that holds is to be
    predicted. Labelings belong to the data set; the rounds of the switches and the nodes that are
    asked are drawn anew in every repeat. ``--fresh-data`` draws everything anew.

    Examples
    --------
    >>> from graphol import make
    >>> game = make("dataset", "switching:of=digits,T=100,S=4").load(np.random.default_rng(0))
    >>> game.name, game.labelings.shape, len(game.stream(np.random.default_rng(1)).marks)
    ('switching: digits', (3, 1797), 4)

    References
    ----------
    Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015.
    """

    name: ClassVar[str] = "switching"


@attrs.frozen
class SwitchingGrid(_OnGrid, _OverTime):
    """Labelings of a grid by random centres, of which one holds at a time.

    See ``switching`` for the game.
    """

    name: ClassVar[str] = "switching-grid"


@attrs.frozen
class SwitchingBlocks(_OnBlocks, _OverTime):
    """Labelings of a block model, a sign per block, of which one holds at a time.

    See ``switching`` for the game.
    """

    name: ClassVar[str] = "switching-sbm"


@attrs.frozen
class SwitchingDigits(_OnDigits, _OverLongTime):
    """Labelings of the handwritten digits, a sign per digit, of which one holds at a time.

    See ``switching`` for the game.
    """

    name: ClassVar[str] = "switching-digits"


@attrs.frozen
class Multitask(_OfDataset, _OverTasks):
    """K labelings of any graph with signs; each of p tasks has one of them for the whole game.

    A round shows a node and a task; the sign of the node under the task's labeling is to be
    predicted. Labelings belong to the data set; which task has which, and tasks and nodes of the
    rounds, are drawn anew in every repeat. ``--fresh-data`` draws everything anew.

    Examples
    --------
    >>> from graphol import make
    >>> game = make("dataset", "multitask:of=digits,T=100,tasks=5").load(np.random.default_rng(0))
    >>> sorted(set(game.stream(np.random.default_rng(1)).context.tolist()))
    [0, 1, 2, 3, 4]

    References
    ----------
    Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR, 2015.
    """

    name: ClassVar[str] = "multitask"


@attrs.frozen
class MultitaskGrid(_OnGrid, _OverTasks):
    """Labelings of a grid by random centres, one of them for each of p tasks.

    See ``multitask`` for the game.
    """

    name: ClassVar[str] = "multitask-grid"


@attrs.frozen
class MultitaskBlocks(_OnBlocks, _OverTasks):
    """Labelings of a block model, a sign per block, one of them for each of p tasks.

    See ``multitask`` for the game.
    """

    name: ClassVar[str] = "multitask-sbm"
