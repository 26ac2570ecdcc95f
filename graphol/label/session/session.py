"""Somebody labels a graph: the nodes to ask about, the answers, how it goes. No web in here."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from graphol.api import Learner, Strategy
from graphol.errors import UsageError, hint, shown
from graphol.label.events import name_of
from graphol.label.project import Project, Row
from graphol.label.session import export
from graphol.label.session.cards import Cards, names_of
from graphol.label.session.ledger import Ledger
from graphol.label.session.outlook import Known, Outlook, Thinker
from graphol.registry import registry

AHEAD = 3
"""Nodes that an annotator gets in one reply: one to answer, the rest for when no reply comes."""
PATIENCE = 0.05
"""Seconds that a reply waits for a model that knows the answer; one that takes longer is not waited
for."""
TAKEN_BACK = "you took it back"
CHECK = "drawn at random, to see how good the guesses are"
LEASE = 600.0
"""Seconds for which a node is one annotator's."""
MOST_TICKETS = 5000
MOST_ANNOTATORS = 200
SHOWN = 20
"""Disagreements that every reply has."""


class Ticket(NamedTuple):
    """What was guessed of a node when it was shown."""

    row: int
    predicted: int | None
    """Number of the class."""
    confidence: float | None


class Session:
    """A project that is being labelled, and a model that learns between two answers.

    The project is the truth: whoever else writes to it is followed, and a session that is begun
    again goes on where the last one stopped. An answer is on the disk before its reply is made; the
    model hears of it in a thread of its own. Any thread may call any method.

    Parameters
    ----------
    project
        Open for writing.
    learner, strategy
        Who guesses, who says what to ask; by name or as components.
    embedding
        For a learner that needs vectors.
    annotator
        Who answers, unless a request says otherwise.
    votes
        How many annotators are asked about each node.
    checks
        Every so many-th node is drawn at random: these alone tell how good the guesses are where
        nobody has answered, since a strategy asks for hard nodes. 0: none is.
    seed
        Of the learner and the strategy.
    failed
        Told in one line when the model cannot follow.
    """

    EXPORTS: ClassVar = export.EXPORTS

    def __init__(
        self,
        project: Project,
        *,
        learner: str | Learner = "walk",
        strategy: str | Strategy = "uncertainty",
        embedding: Any = None,
        annotator: str = "me",
        votes: int = 1,
        checks: int = 10,
        seed: int = 0,
        failed: Callable[[str], None] = lambda text: None,
    ) -> None:
        if not 1 <= votes <= 100:
            raise UsageError(f"votes must be from 1 to 100, got {votes}")
        if not 0 <= checks <= 10_000:
            raise UsageError(f"checks must be from 0 to 10000, got {checks}")
        self.project, self.votes, self.checks = project, votes, checks
        self.default_annotator = self.checked_annotator(annotator)
        self._lock = threading.RLock()
        self._ledger = Ledger(project.first_nodes)
        self._regraph()
        self._tickets: OrderedDict[str, Ticket] = OrderedDict()
        self._leases: dict[str, dict[int, float]] = {}
        self._first: dict[str, tuple[int, str]] = {}
        """What an annotator is to see first, and why: what they took back, or see already."""
        self._catch_up()
        self._thinker = Thinker(
            self._known, registry().make("learner", learner), registry().make("strategy", strategy),
            embedding=embedding, seed=seed, failed=failed, ready=self._prepare,
        )  # fmt: skip

    def close(self) -> None:
        """End the thread; the project stays open."""
        self._thinker.close()

    def settled(self, seconds: float = 60.0) -> Outlook:
        """The outlook once it knows everything that was said."""
        self._thinker.wake()
        return self._thinker.until(self._catch_up(), seconds)

    # for the page

    def next(self, annotator: str) -> dict[str, Any]:
        """The node to ask this annotator about, those after it, and how it goes."""
        return self._reply(self.checked_annotator(annotator))

    def answer(
        self,
        annotator: str,
        node: Hashable,
        kind: str,
        value: Any,
        token: str,
        ticket: str | None = None,
    ) -> dict[str, Any]:
        """What somebody says of a node; on the disk before anything else happens.

        A ticket is what the card had: with it the guess that was shown is kept beside the answer,
        whatever the model would say by now. The same token again is the same answer.
        """
        row = self._row(node)
        with self._lock:
            shown_then = self._tickets.get(ticket or "", Ticket(-1, None, None))
        known = shown_then if shown_then.row == row else Ticket(row, None, None)
        if isinstance(value, list):
            value = tuple(value)
        event = self.project.answer(
            Row(row), kind, value, annotator=annotator, token=token, predicted=known.predicted,
            confidence=known.confidence,
        )  # fmt: skip
        with self._lock:
            if self._first.get(event.annotator, (None,))[0] == row:  # sent twice: it is another
                del self._first[event.annotator]
        return self._reply(event.annotator, event.number) | {"answered": event.number}

    def undo(self, annotator: str, token: str) -> dict[str, Any]:
        """Take back the last answer of an annotator; its node is the next."""
        return self._back(self.project.undo(annotator, token))

    def redo(self, annotator: str, token: str) -> dict[str, Any]:
        """Say again what was taken back."""
        return self._back(self.project.redo(annotator, token))

    def _back(self, event: Any) -> dict[str, Any]:
        (meant,) = self.project.events(event.target - 1, 1)
        with self._lock:
            self._first.pop(event.annotator, None)
            if meant.row is not None and event.kind == "undo":
                self._first[event.annotator] = meant.row, TAKEN_BACK
        said = {"answered": event.number}
        if event.kind == "undo":
            title = "an import" if meant.row is None else self._cards.title(meant.row)
            said["undone"] = title
        return self._reply(event.annotator, event.number) | said

    def again(self, annotator: str) -> dict[str, Any]:
        """Ask again what this annotator skipped."""
        who = self.checked_annotator(annotator)
        self._catch_up()
        with self._lock:
            self._ledger.again(who)
        return self._reply(who)

    def add_class(self, annotator: str, name: str, token: str) -> dict[str, Any]:
        """A class more."""
        event = self.project.add_class(name, annotator=annotator, token=token)
        return self._reply(event.annotator, event.number)

    def rename_class(self, annotator: str, name: str, new: str, token: str) -> dict[str, Any]:
        """Another name for a class."""
        event = self.project.rename_class(_named(name), new, annotator=annotator, token=token)
        return self._reply(event.annotator, event.number)

    def merge_class(self, annotator: str, name: str, into: str, token: str) -> dict[str, Any]:
        """One class counts as another from here on."""
        event = self.project.merge_class(
            _named(name), _named(into), annotator=annotator, token=token
        )
        return self._reply(event.annotator, event.number)

    # to look something up

    def classes(self) -> dict[str, Any]:
        """The classes, and how many nodes have them."""
        self._catch_up()
        with self._lock:
            return {"classes": self._classes()}

    def node(self, node: Hashable) -> dict[str, Any]:
        """A node: its card, its label, and who said what."""
        self._catch_up()
        row = self._row(node)
        with self._lock:
            names = names_of(self._ledger)
            label = int(self._ledger.label[row])
            return self._cards.card(row, self._ledger, self._thinker.outlook) | {
                "label": names[label] if label >= 0 else None,
                "votes": {who: names[k] for who, k in self._ledger.votes(row).items()},
            }

    def neighbourhood(self, node: Hashable) -> dict[str, Any]:
        """What lies around a node."""
        self._catch_up()
        row = self._row(node)
        with self._lock:
            return self._cards.around(row, self._ledger, self._thinker.outlook)

    def suggest(self, count: int) -> dict[str, Any]:
        """The nodes worth asking, best first, as ``graphol suggest`` gives them."""
        known = self._known()._replace(wanted=count)
        found = self._thinker.ranked(known)
        ids = known.graph.ids
        return {
            "nodes": [
                {"node": ids[each.row], "title": self._cards.title(each.row), "worth": each.worth,
                 "reason": each.reason}
                for each in found
            ]
        }  # fmt: skip

    def progress(self, annotator: str) -> dict[str, Any]:
        """Counts, errors and estimates."""
        who = self.checked_annotator(annotator)
        self._catch_up()
        with self._lock:
            return self._progress(who, self._thinker.outlook)

    def disagreements(self) -> dict[str, Any]:
        """Nodes on which annotators disagree, and every two of them."""
        self._catch_up()
        with self._lock:
            nodes = self._disagreements(None)
        return {"nodes": nodes, "pairs": self.project.disagreements()}

    def events(self, after: int, limit: int) -> dict[str, Any]:
        """Part of the log."""
        ids = self.project.graph.ids
        found = []
        for event in self.project.events(after, limit):
            plain = event.as_dict()
            plain["node"] = None if event.row is None else ids[event.row]
            found.append(plain)
        return {"events": found, "last": self.project.last}

    def export(self, what: str) -> bytes:
        """A CSV file: labels, votes, predictions or events."""
        outlook = self.settled() if what == "predictions" else self._thinker.outlook
        return export.table(self.project, what, outlook)

    def picture(self, node: Hashable) -> tuple[bytes, str]:
        """The picture of a node and its kind."""
        return export.picture(self.project, self._row(node))

    def checked_annotator(self, name: Any) -> str:
        """A name that an annotator may have."""
        return name_of(name, "annotator")

    # inside

    def _row(self, node: Any) -> int:
        """By its id; a request knows numbers and texts alone, and no two ids are written alike."""
        if type(node) not in (str, int):
            raise UsageError(f"a node is meant by its id, got {shown(node)}")
        with self._lock:
            row = self._rows.get(str(node))
        if row is None:
            known = self._rows if len(self._rows) <= 10_000 else ()
            raise UsageError(f"there is no node {shown(node)}{hint(str(node), known)}")
        return row

    def _prepare(self, rows: Sequence[int]) -> None:
        """Draw what lies around these rows, before anybody asks."""
        with self._lock:
            surroundings, drawn = self._cards.surroundings, self._ledger.drawn()
            wanted = [*rows, *itertools.islice(drawn, 2)]
        for row in wanted:
            if row < surroundings.graph.n:
                surroundings.of(row)

    def _regraph(self) -> None:
        """The graph is new, or has grown."""
        graph = self.project.graph
        self._graph = graph
        self._rows = {str(node): row for row, node in enumerate(graph.ids)}
        self._cards = Cards(self.project)

    def _catch_up(self) -> int:
        """Take in what was written since; the number of the last event."""
        with self._lock:
            self._ledger.take(self.project.events(self._ledger.last))
            if self._ledger.replay.n != self._graph.n:
                self._regraph()
            return self._ledger.last

    def _known(self) -> Known:
        """What the model needs to know."""
        with self._lock:
            self._catch_up()
            ledger, n = self._ledger, self._graph.n
            active = [who for who, rows in self._leases.items() if rows] or [self.default_annotator]
            leave_out = np.ones(n, dtype=bool)
            for who in active:
                rows = ledger.done.get(who, set()) | ledger.passed.get(who, set())
                mask = np.zeros(n, dtype=bool)
                mask[list(rows)] = True
                leave_out &= mask
            return Known(
                ledger.last, self._graph, names_of(ledger), ledger.label.copy(),
                [*ledger.lessons], [*ledger.guesses], [*ledger.checks], leave_out,
                (AHEAD + 1) * len(active) + 2,
            )  # fmt: skip

    def _reply(self, who: str, number: int | None = None) -> dict[str, Any]:
        """What every answer to an annotator has: the node to ask, and how it goes."""
        now = self._catch_up()
        quick = self._thinker.takes < PATIENCE
        if now > self._thinker.outlook.number:
            self._thinker.wake(0.0 if quick else PATIENCE)
        outlook = self._thinker.until(now, PATIENCE if quick else 0.0)
        with self._lock:
            self._catch_up()
            chosen = [*self._choose(who, outlook)]
            if len(self._leases) >= MOST_ANNOTATORS and who not in self._leases:
                self._leases.pop(next(iter(self._leases)))
            until = time.monotonic() + LEASE
            self._leases[who] = {row: until for row, _ in chosen}
            if chosen:
                self._first[who] = chosen[0]  # to whoever loads the page again
            cards = [self._ticketed(row, reason, outlook) for row, reason in chosen]
            if len(chosen) < AHEAD and outlook.order:
                self._thinker.wake(PATIENCE)
            found = self._disagreements(SHOWN + 1)
            return {
                "project": self.project.title or self._graph.name,
                "id": self.project.first_hash + self.project.created,
                "annotator": who,
                "card": cards[0] if cards else None,
                "ahead": cards[1:],
                "classes": self._classes(),
                "progress": self._progress(who, outlook),
                "undo": self._ledger.replay.last_done(who) is not None,
                "redo": self._ledger.replay.last_undone(who) is not None,
                "annotators": [
                    {"name": name, "answers": count}
                    for name, count in sorted(self._ledger.answers.items())
                ][:50],
                "disagreements": found[:SHOWN],
                "more_disagreements": len(found) > SHOWN,
            }

    def _choose(self, who: str, outlook: Outlook) -> Iterator[tuple[int, str]]:
        """The next few rows for an annotator, each with the reason."""
        ledger, now = self._ledger, time.monotonic()
        mine = ledger.done.get(who, set()) | ledger.passed.get(who, set())
        others = {
            row
            for name, rows in self._leases.items()
            if name != who
            for row, until in rows.items()
            if until > now
        }
        taken, count = mine | others, 0
        first = self._first.get(who)
        if first is not None and first[0] not in taken:
            row, reason = first
            if reason == TAKEN_BACK or ledger.label[row] < 0 or ledger.voted[row] < self.votes:
                yield first
                taken.add(row)
                count = 1
        drawn = (row for row in ledger.drawn() if row not in taken)
        order = self._in_order(outlook, mine, others)
        for place in range(ledger.answers.get(who, 0) + count, ledger.answers.get(who, 0) + AHEAD):
            check = None
            if self.checks and place % self.checks == self.checks - 1:
                check = next(drawn, None)
            found = (check, CHECK) if check is not None else next(
                (each for each in order if each[0] not in taken), None
            )  # fmt: skip
            if found is None:
                return
            taken.add(found[0])
            yield found

    def _in_order(
        self, outlook: Outlook, mine: set[int], others: set[int]
    ) -> Iterator[tuple[int, str]]:
        """What is open, by the strategy; what it did not think of, by how sure the model is."""
        ledger = self._ledger
        if self.votes > 1:
            for row in np.flatnonzero((ledger.voted > 0) & (ledger.voted < self.votes)).tolist():
                yield row, f"{ledger.voted[row]} of {self.votes} votes so far"
        for each in outlook.order:
            if ledger.label[each.row] < 0:
                yield each.row, each.reason
        n = len(outlook.sure)
        left = ledger.label[:n] < 0
        left[[row for row in (*mine, *others) if row < n]] = False
        rows = np.flatnonzero(left)
        for row in rows[np.argsort(outlook.sure[left], kind="stable")].tolist():
            yield row, ""

    def _ticketed(self, row: int, reason: str, outlook: Outlook) -> dict[str, Any]:
        card = self._cards.card(row, self._ledger, outlook, reason)
        guess = card["guess"]
        predicted = confidence = None
        if guess is not None and guess["known"]:
            place = names_of(self._ledger).index(guess["class"])
            predicted, confidence = self._ledger.classes[place].number, guess["confidence"]
        ticket = secrets.token_urlsafe(9)
        self._tickets[ticket] = Ticket(row, predicted, confidence)
        while len(self._tickets) > MOST_TICKETS:
            self._tickets.popitem(last=False)
        return card | {"ticket": ticket}

    def _classes(self) -> list[dict[str, Any]]:
        label = self._ledger.label
        names = names_of(self._ledger)
        counts = np.bincount(label[label >= 0], minlength=len(names)).tolist()
        return [{"name": name, "nodes": count} for name, count in zip(names, counts, strict=True)]

    def _progress(self, who: str, outlook: Outlook) -> dict[str, Any]:
        ledger, told = self._ledger, outlook.report
        done, passed = ledger.done.get(who, set()), ledger.passed.get(who, set())
        others = {
            row for name, rows in self._leases.items() if name != who for row in rows
        }  # fmt: skip
        return {
            "nodes": self._graph.n,
            "answered": int(np.count_nonzero(ledger.label >= 0)),
            "mine": len(done),
            "skipped": sum(1 for row in passed if ledger.label[row] < 0),
            "unsure": len(ledger.unsure.get(who, ())),
            "elsewhere": sum(1 for row in others if ledger.label[row] < 0 and row not in done),
            "disputed": len(ledger.disputed),
            "events": ledger.last,
            "guesses": told.guesses,
            "wrong": told.wrong,
            "checks": told.checks,
            "error": told.error and told.error._asdict(),
            "curve": told.curve,
            "rest": told.rest and told.rest._asdict(),
            "left": [each._asdict() for each in told.left],
            "model": outlook.number,
        }

    def _disagreements(self, most: int | None) -> list[dict[str, Any]]:
        names = names_of(self._ledger)
        return [
            {
                "node": self._graph.ids[row],
                "title": self._cards.title(row),
                "votes": [[who, names[k]] for who, k in self._ledger.votes(row).items()],
            }
            for row in sorted(self._ledger.disputed)[:most]
        ]


def _named(name: Any) -> str:
    """A class by its name; its number is graphol's own affair."""
    if not isinstance(name, str):
        raise UsageError(f"a class is meant by its name, got {shown(name)}")
    return name
