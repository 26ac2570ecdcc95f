"""What a session knows from the log: who is done with which node, and what the model may learn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from graphol.api import Integers
from graphol.label.events import Event
from graphol.label.replay import Class, Replay
from graphol.label.session.model import Lesson
from graphol.label.session.progress import Check
from graphol.label.votes import Guess, decided

NEAR = 2
"""Of the nodes that come next as checks, how many may be asked at a time, by several annotators."""
HARMLESS = ("add-class", "rename-class", "import")
"""Events after which everything that was said stands as it did."""


class Ledger:
    """The log so far, as a page needs it.

    An event costs little, save where something is taken back or replaced: then all is counted anew.

    Parameters
    ----------
    n
        Nodes of the graph that the project began with.
    """

    def __init__(self, n: int) -> None:
        self.replay, self._first = Replay(n), n
        self._forgiven: dict[str, int] = {}
        self._clear()

    def _clear(self) -> None:
        self.label: Integers = np.full(self.replay.n, -1, dtype=np.int64)
        """Position of every node's class, by the majority; -1 where there is none."""
        self.done: dict[str, set[int]] = {}
        """Rows that an annotator has a class for, or cannot tell."""
        self.passed: dict[str, set[int]] = {}
        """Rows that an annotator skipped, or of which is only said what they are not."""
        self.lessons: list[Lesson] = []
        """What the model is to learn: every answer that stands, in the order of the log."""
        self.guesses: list[Guess] = []
        """What came of the model's guesses, once for every node."""
        self.answers: dict[str, int] = {}
        """Answers that stand, by annotator."""
        self.about: dict[int, tuple[str, ...]] = {}
        """Who said something of a row."""
        self.disputed: set[int] = set()
        """Rows that have votes, and no majority or not all of them for it."""
        self.unsure: dict[str, set[int]] = {}
        """Rows of which an annotator cannot tell."""
        self.voted = np.zeros(self.replay.n, dtype=np.int64)
        """How many annotators have a class for each node."""
        self.checks: list[Check] = []
        """The same of nodes that were drawn at random, whatever the strategy would have asked."""
        self._drawn = self._permuted()
        self._next = 0
        self._alone: dict[str, tuple[str, ...]] = {}
        self._told: set[int] = set()
        self._places = {each.number: k for k, each in enumerate(self.replay.live)}

    def _permuted(self) -> list[int]:
        """The order in which nodes are checks: at random, those that joined after all others."""
        first = np.random.default_rng(self._first).permutation(self._first).tolist()
        return [*first, *range(self._first, self.replay.n)]

    def drawn(self) -> Iterator[int]:
        """The nodes to ask as checks: in an order drawn at random, those of which nothing is said.

        An answer counts as a check if its node was among the next ones then, so that whoever reads
        the log knows which were.
        """
        for place in range(self._next, len(self._drawn)):
            if self._drawn[place] not in self.about:
                yield self._drawn[place]

    @property
    def last(self) -> int:
        """Number of the last event."""
        return self.replay.last

    @property
    def classes(self) -> tuple[Class, ...]:
        """Those that count."""
        return self.replay.live

    def take(self, events: Iterable[Event]) -> bool:
        """Some events more; was anything taken back or replaced?"""
        anew = False
        for event in events:
            said = self.replay.standing.get(
                (-1 if event.row is None else event.row, event.annotator)
            )
            self.replay.apply(event)
            if event.is_answer:
                anew |= said is not None and said.number > 0 and event.kind != "skip"
                if not anew:
                    self._take(event)
            elif event.kind == "add-class":
                self._places[self.replay.live[-1].number] = len(self._places)
            else:
                anew |= event.kind not in HARMLESS
        if anew:
            self._clear()
            for event in self.replay.active():
                self._take(event)
        return anew

    def again(self, annotator: str) -> None:
        """What was passed so far may be asked again."""
        self._forgiven[annotator] = self.last
        self.passed.pop(annotator, None)

    def votes(self, row: int) -> dict[str, int]:
        """By annotator: the position of the class."""
        found = {}
        for who in sorted(self.about.get(row, ())):
            said = self.replay.standing.get((row, who))
            if said is not None and said.label is not None:
                found[who] = self.place(said.label)
        return found

    def denied(self, row: int) -> set[int]:
        """Positions of the classes that somebody says it is not."""
        return {
            self.place(number)
            for who in self.about.get(row, ())
            for number in self.replay.standing[row, who].denied
        }

    def place(self, number: int) -> int:
        """Position of a class, or of what it was merged into."""
        return self._places[self.replay.resolved(number)]

    def _take(self, event: Event) -> None:
        row, who = event.row, event.annotator
        assert row is not None
        said = self.replay.standing[row, who]
        check = row in islice(self.drawn(), NEAR)
        spoke = self.about.get(row, ())
        if who not in spoke:
            self.about[row] = (*spoke, who) if spoke else self._alone.setdefault(who, (who,))
        self.answers[who] = self.answers.get(who, 0) + 1
        while self._next < len(self._drawn) and self._drawn[self._next] in self.about:
            self._next += 1
        done, passed = self.done.setdefault(who, set()), self.passed.setdefault(who, set())
        if said.unsure:
            self.unsure.setdefault(who, set()).add(row)
        if said.label is not None or said.unsure:
            done.add(row)
            passed.discard(row)
        elif event.number > self._forgiven.get(who, 0):
            passed.add(row)
        if event.label is None:
            return
        number = decided(self.replay, row, self.about[row])
        self.label[row] = -1 if number is None else self._places[number]
        votes = self.votes(row)
        self.voted[row] = len(votes)
        odd = {*votes.values()} - {int(self.label[row])}
        (self.disputed.add if odd else self.disputed.discard)(row)
        yes, place = event.yes is not False, self.place(event.label)
        if yes and said.label is not None and self.place(said.label) == place:
            self.lessons.append(Lesson(event.number, row, place, True, event.kind == "bit"))
        elif not yes and event.label in said.denied:
            self.lessons.append(Lesson(event.number, row, place, False, True))
        if row not in self._told:
            self._told.add(row)
            if event.predicted is not None and (yes or self.place(event.predicted) == place):
                predicted = self.replay.resolved(event.predicted)
                right = yes and self.place(event.predicted) == place
                self.guesses.append(Guess(event.number, row, predicted, right, event.confidence))
                if check:
                    self.checks.append(Check(len(self.lessons) - 1, right))
