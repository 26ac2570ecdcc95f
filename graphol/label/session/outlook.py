"""What the model makes of the answers so far, thought out behind the annotator's back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphol import seeding
from graphol.api import Integers, Learner, Strategy, Vector
from graphol.graph import Graph
from graphol.label.session.model import Lesson, Model, Said
from graphol.label.session.progress import Check, Report, report
from graphol.label.suggesting import Suggestion, rank
from graphol.label.votes import Guess

POLL = 1.0
"""Seconds after which a log that others may write to is looked at."""


class Known(NamedTuple):
    """What the log says, as it was at one moment."""

    number: int
    """Of the last event."""
    graph: Graph
    classes: tuple[str, ...]
    label: Integers
    lessons: list[Lesson]
    guesses: list[Guess]
    checks: list[Check]
    leave_out: NDArray[np.bool_]
    wanted: int
    """How many nodes are to be suggested."""


class Outlook(NamedTuple):
    """What follows from it; never changed."""

    number: int
    classes: tuple[str, ...]
    said: Said | None
    """What the model says of every node; None where there is no model."""
    order: tuple[Suggestion, ...]
    sure: Vector
    """(n,) the probability of the likeliest class."""
    report: Report


class Thinker:
    """A thread that follows the log, so that no answer waits for a model.

    Parameters
    ----------
    look
        Gives what the log says now.
    learner, embedding, seed
        Of the model.
    strategy
        Who says which nodes to ask.
    failed
        Told in one line of what went wrong; the last outlook stays.
    ready
        Told of the rows that are likely to be asked next.
    """

    def __init__(
        self,
        look: Callable[[], Known],
        learner: Learner,
        strategy: Strategy,
        *,
        embedding: Any = None,
        seed: int = 0,
        failed: Callable[[str], None] = lambda text: None,
        ready: Callable[[Sequence[int]], None] = lambda rows: None,
    ) -> None:
        self._ready = ready
        self._look, self.learner, self.strategy = look, learner, strategy
        self._embedding, self._seed, self._failed = embedding, seed, failed
        self._model: Model | None = None
        self._changed = threading.Condition()
        self._wanted = self._closed = False
        self._begin = 0.0
        self.takes = 0.0
        """Seconds that the last outlook took."""
        self.outlook = self._think(look())
        self._thread = threading.Thread(target=self._run, name="outlook", daemon=True)
        self._thread.start()

    def wake(self, delay: float = 0.0) -> None:
        """Something was said; begin so many seconds from now, when the reply is on its way."""
        with self._changed:
            self._wanted, self._begin = True, time.monotonic() + delay
            self._changed.notify_all()

    def until(self, number: int, seconds: float) -> Outlook:
        """The outlook, which knows this event if it came within so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self.outlook.number >= number or self._closed, seconds)
            return self.outlook

    def close(self) -> None:
        """No more of it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._closed, POLL)
                while (early := self._begin - time.monotonic()) > 0 and not self._closed:
                    self._changed.wait(early)
                if self._closed:
                    return
                self._wanted = False
            try:
                known = self._look()
                if known.number == self.outlook.number and known.wanted <= len(self.outlook.order):
                    continue
                found = self._think(known)
                self._ready([each.row for each in found.order])
            except Exception as reason:  # a plugin's learner may raise anything
                self._failed(f"the model could not follow: {type(reason).__name__}: {reason}")
                self._model = None
                found = self.outlook._replace(number=max(known.number, self.outlook.number))
            with self._changed:
                self.outlook = found
                self._changed.notify_all()

    def _think(self, known: Known) -> Outlook:
        begin = time.monotonic()
        said = self._said(known)
        K, n = len(known.classes), known.graph.n
        sure = np.zeros(n)
        if said is not None:
            sure = np.where(said.known, said.probabilities.max(axis=1), 1 / K)
        told = report(
            known.guesses, known.checks, len(known.lessons), int(np.count_nonzero(known.label < 0))
        )
        order = tuple(self._ranked(known, said))
        self.takes = time.monotonic() - begin
        return Outlook(known.number, known.classes, said, order, sure, told)

    def _said(self, known: Known) -> Said | None:
        """What the model says, which needs answers and two classes."""
        if known.lessons and len(known.classes) > 1:
            return self._followed(known).says()
        return None

    def ranked(self, known: Known) -> list[Suggestion]:
        """The nodes to ask, by what the model says now."""
        said = self.outlook.said
        fits = said is not None and said.probabilities.shape == (known.graph.n, len(known.classes))
        return self._ranked(known, said if fits else None)

    def _ranked(self, known: Known, said: Said | None) -> list[Suggestion]:
        n, K = known.graph.n, max(len(known.classes), 2)
        if said is None:
            said = Said(np.zeros(n, np.int64), np.full((n, K), 1 / K), np.zeros(n, dtype=bool))
        return rank(
            known.graph, known.label, said.probabilities, said.known, self.strategy,
            seeding.labelled(self._seed, len(known.lessons)), known.wanted,
            classes=known.classes, leave_out=known.leave_out,
            rows=None if self._model is None else self._model.rows,
        )  # fmt: skip

    def _followed(self, known: Known) -> Model:
        """The model after these lessons."""
        K, model = len(known.classes), self._model
        if model is None or model.graph is not known.graph.unlabelled:
            model = Model(self.learner, known.graph, self._seed, self._embedding)
        model.follow(known.lessons, K)
        self._model = model
        return model
