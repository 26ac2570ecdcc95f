"""Labels from what everybody said: the votes about every node, and what they come to."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import UsageError, near
from graphol.label.events import Event
from graphol.label.replay import Class, Replay, Standing

Policy = Literal["majority", "last", "unanimous"]
POLICIES: tuple[str, ...] = get_args(Policy)


class Bit(NamedTuple):
    """Whether a node is of one class, as one annotator says it."""

    row: int
    label: int
    """Number of the class."""
    yes: bool
    annotator: str


class Said(NamedTuple):
    """What one annotator says of one node."""

    row: int
    annotator: str
    says: str
    """``label``, ``yes``, ``no`` or ``unsure``."""
    label: int | None
    """Number of the class."""
    number: int
    """The event that it was last said with."""


class Guess(NamedTuple):
    """A class that a model said before it was told, and whether it was that."""

    number: int
    """Of the event."""
    row: int
    predicted: int
    """Number of the class."""
    right: bool
    confidence: float | None


@attrs.frozen(eq=False)
class Labels:
    """What a project's answers come to; classes are meant by their numbers, but for ``label``."""

    classes: tuple[Class, ...]
    """Those that count, in the order of ``label``."""
    label: NDArray[np.int64]
    """Of every node its class, as a position in ``classes``; -1 where there is none. (n,)"""
    votes: Mapping[int, Mapping[str, int]]
    """By row, then by annotator: the class."""
    denials: Mapping[int, Mapping[str, frozenset[int]]]
    """By row, then by annotator: classes that it is not."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the classes, in the order of ``label``."""
        return tuple(each.name for each in self.classes)

    def counts(self, row: int) -> dict[int, int]:
        """How many say each class of a node, the most frequent first."""
        return dict(Counter(self.votes.get(row, {}).values()).most_common())

    def disputed(self, row: int) -> bool:
        """Do annotators contradict each other about this node?"""
        said = self.votes.get(row, {})
        denied = self.denials.get(row, {})
        return len(set(said.values())) > 1 or any(
            label in classes
            for one, label in said.items()
            for other, classes in denied.items()
            if one != other
        )

    @functools.cached_property
    def disagreements(self) -> tuple[int, ...]:
        """The rows about which annotators contradict each other."""
        return tuple(row for row in sorted(self.votes) if self.disputed(row))


def labels(replay: Replay, policy: str) -> Labels:
    """What all answers come to.

    ``majority``: every vote counts for its class and every no against it; the class with the most,
    if it has more than 0 and no other has as many. ``last``: what was said last, by anybody.
    ``unanimous``: the class that all votes are for, if nobody denies it.
    """
    if policy not in POLICIES:
        raise UsageError(f"there is no policy {policy!r}; {near(str(policy), POLICIES)}")
    classes = replay.live
    votes: dict[int, dict[str, int]] = {}
    denials: dict[int, dict[str, frozenset[int]]] = {}
    latest: dict[int, tuple[int, int]] = {}
    for (row, annotator), said in replay.standing.items():
        label = -1 if said.label is None else replay.resolved(said.label)
        if label >= 0:
            votes.setdefault(row, {})[annotator] = label
        if denied := _denied(replay, said):
            denials.setdefault(row, {})[annotator] = denied
        if said.number > latest.get(row, (0, -1))[0]:
            latest[row] = said.number, label
    found = np.full(replay.n, -1, dtype=np.int64)
    place = {each.number: k for k, each in enumerate(classes)}
    for row, said_of in votes.items():
        against = denials.get(row, {})
        chosen = latest[row][1] if policy == "last" else _chosen(said_of, against, policy)
        found[row] = place.get(chosen, -1)
    found.setflags(write=False)
    return Labels(classes, found, votes, denials)


def decided(replay: Replay, row: int, annotators: Iterable[str]) -> int | None:
    """The number of a node's class by the majority of these annotators; None: there is none."""
    votes, against = {}, {}
    for annotator in annotators:
        stands = replay.standing.get((row, annotator))
        if stands is not None and stands.label is not None:
            votes[annotator] = replay.resolved(stands.label)
        if stands is not None and (denied := _denied(replay, stands)):
            against[annotator] = denied
    chosen = _chosen(votes, against, "majority") if votes else -1
    return chosen if chosen >= 0 else None


def _chosen(said: Mapping[str, int], denied: Mapping[str, frozenset[int]], policy: str) -> int:
    score = Counter(said.values())
    against = Counter(label for classes in denied.values() for label in classes)
    if policy == "unanimous":
        (label, _), *others = score.most_common()
        return -1 if others or against[label] else label
    (label, most), *others = Counter(
        {each: votes - against[each] for each, votes in score.items()}
    ).most_common(2)
    return label if most > 0 and (not others or others[0][1] < most) else -1


def _denied(replay: Replay, said: Standing) -> frozenset[int]:
    """The classes that it is not; one into which others were merged, if it is none of all."""
    return frozenset(
        each
        for each in {replay.resolved(label) for label in said.denied}
        if replay.members(each) <= said.denied
    )


def said(replay: Replay) -> list[Said]:
    """What stands of every answer, by row and annotator."""
    found = []
    for (row, annotator), each in sorted(replay.standing.items()):
        if each.label is not None:
            says = "yes" if each.by_bit else "label"
            found.append(Said(row, annotator, says, replay.resolved(each.label), each.number))
        if each.unsure:
            found.append(Said(row, annotator, "unsure", None, each.number))
        denied = sorted(_denied(replay, each))
        found += [Said(row, annotator, "no", label, each.number) for label in denied]
    return found


def bits(replay: Replay) -> list[Bit]:
    """What stands of all yes and no, by row and annotator."""
    return [
        Bit(each.row, each.label, each.says == "yes", each.annotator)
        for each in said(replay)
        if each.says in ("yes", "no") and each.label is not None
    ]


def guesses(replay: Replay) -> list[Guess]:
    """Whether the model was right, once for every node: when it was first told of it.

    Answers that were taken back do not count, and a no to another class than the one it had
    guessed does not tell.
    """
    found: list[Guess] = []
    told: set[int] = set()
    for event in replay.active():
        if event.row is None or event.label is None or event.row in told:
            continue
        told.add(event.row)
        right = _right(replay, event)
        if right is not None and event.predicted is not None:
            predicted = replay.resolved(event.predicted)
            found.append(Guess(event.number, event.row, predicted, right, event.confidence))
    return found


def _right(replay: Replay, event: Event) -> bool | None:
    if event.predicted is None or event.label is None:
        return None
    same = replay.resolved(event.predicted) == replay.resolved(event.label)
    if event.yes is False:
        return False if same else None
    return same


def progress(replay: Replay, policy: str) -> dict[str, Any]:
    """How far it is: counts of nodes, answers, classes and annotators, as plain data."""
    found, guessed, standing = labels(replay, policy), guesses(replay), replay.standing
    active = replay.active()
    by_class = np.bincount(found.label[found.label >= 0], minlength=len(found.classes))
    who = Counter(event.annotator for event in active)
    return {
        "nodes": replay.n,
        "labelled": int(by_class.sum()),
        "answered": len({row for row, _ in standing}),
        "unsure": len({row for (row, _), each in standing.items() if each.unsure}),
        "skipped": len({event.row for event in active if event.kind == "skip"}),
        "answers": replay.answers,
        "taken_back": replay.retracted,
        "events": replay.last,
        "disputed": len(found.disagreements),
        "guesses": len(guessed),
        "wrong": sum(not each.right for each in guessed),
        "classes": [
            {"number": each.number, "name": each.name, "nodes": int(count)}
            for each, count in zip(found.classes, by_class, strict=True)
        ],
        "annotators": [{"name": name, "answers": who[name]} for name in sorted(who)],
    }
