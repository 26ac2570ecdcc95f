"""What a page shows of one node, as plain data."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

import numpy as np

from graphol.label.project import Project
from graphol.label.session.around import Surroundings
from graphol.label.session.ledger import Ledger
from graphol.label.session.outlook import Outlook
from graphol.label.session.progress import tempered
from graphol.label.texts import SPECIAL, safe_link

LIKELY = 4
"""Classes of which a probability is said."""
KEPT = 20_000
"""Nodes whose titles are kept."""
TITLE = 300


class Cards:
    """Makes cards: texts of the node, the guess, what lies around it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.surroundings = Surroundings(project.graph)
        self._titles: OrderedDict[int, str] = OrderedDict()

    def card(self, row: int, ledger: Ledger, outlook: Outlook, reason: str = "") -> dict[str, Any]:
        """All that is shown of a node."""
        texts = self.project.texts(row)
        guess = self.guess(row, ledger, outlook)
        denied = ledger.denied(row)
        names = [each.name for each in ledger.classes]
        return {
            "node": self.project.graph.ids[row],
            "title": self.title(row),
            "description": texts.get("description", ""),
            "link": safe_link(texts.get("link", "")),
            "picture": "picture" in texts,
            "columns": [[name, text] for name, text in texts.items() if name not in SPECIAL],
            "guess": guess,
            "ask": asked(row, names, denied, outlook, guess),
            "denied": [names[k] for k in sorted(denied)],
            "reason": reason,
            "around": self.around(row, ledger, outlook),
        }

    def title(self, row: int) -> str:
        """What a node is called: its title, or else its id."""
        found = self._titles.get(row)
        if found is None:
            ids = self.surroundings.graph.ids
            found = self.project.texts(row).get("title", "").strip() or str(ids[row])
            self._titles[row] = found = found[:TITLE]
            while len(self._titles) > KEPT:
                self._titles.popitem(last=False)
        return found

    def guess(self, row: int, ledger: Ledger, outlook: Outlook) -> dict[str, Any] | None:
        """What the model says of a node, in the names of today; None without a model."""
        said = outlook.said
        if said is None or row >= len(said.label) or outlook.classes != names_of(ledger):
            return None
        p, label = said.probabilities[row], int(said.label[row])
        if label >= len(outlook.classes):
            return None
        order = [int(k) for k in np.argsort(-p, kind="stable") if k != label][: LIKELY - 1]
        q = tempered(p, outlook.report.chance(float(p.max())))
        return {
            "class": outlook.classes[label],
            "known": bool(said.known[row]),
            "confidence": float(p[label]),
            "probability": float(q[label]),
            "others": [{"class": outlook.classes[k], "probability": float(q[k])} for k in order],
        }

    def around(self, row: int, ledger: Ledger, outlook: Outlook) -> dict[str, Any]:
        """What lies around a node: places, edges, what is known and what is guessed."""
        found, said = self.surroundings.of(row), outlook.said
        fits = said is not None and outlook.classes == names_of(ledger)
        nodes = []
        for i, (j, (x, y)) in enumerate(
            zip(found.nodes.tolist(), found.places.tolist(), strict=True)
        ):
            known = int(ledger.label[j])
            guess = None
            if fits and said is not None and j < len(said.label) and said.known[j]:
                guess = int(said.label[j])
            nodes.append(
                {
                    "node": self.surroundings.graph.ids[j],
                    "title": self.title(j),
                    "x": round(x, 3),
                    "y": round(y, 3),
                    "ring": 0 if i == 0 else 1 if i <= found.near else 2,
                    "known": known if known >= 0 else None,
                    "guess": guess,
                    "sure": round(float(outlook.sure[j]), 3) if guess is not None else 0.0,
                }
            )
        edges = [list(edge) for edge in found.edges]
        text = in_words(nodes[1 : 1 + found.near], found.more, names_of(ledger))
        return {"nodes": nodes, "edges": edges, "more": found.more, "text": text}


def names_of(ledger: Ledger) -> tuple[str, ...]:
    """Of the classes that count."""
    return tuple(each.name for each in ledger.classes)


def asked(
    row: int, names: list[str], denied: set[int], outlook: Outlook, guess: dict[str, Any] | None
) -> str | None:
    """The class of which yes or no is asked: the guess, or the likeliest that nobody denied."""
    left = [k for k in range(len(names)) if k not in denied]
    if not left:
        return None
    if guess is None or outlook.said is None:
        return names[left[0]]
    if names.index(guess["class"]) in left:
        return str(guess["class"])
    p = outlook.said.probabilities[row]
    return names[max(left, key=lambda k: p[k])]


def in_words(near: list[dict[str, Any]], more: int, names: tuple[str, ...]) -> str:
    """The picture as a sentence.

    >>> in_words([{"known": 0, "guess": 0}, {"known": None, "guess": None}], 0, ("tea",))
    '2 neighbours: 1 known (1 tea), 1 unknown.'
    """
    if not near:
        return "No neighbours."
    known = Counter(names[each["known"]] for each in near if each["known"] is not None)
    guess = Counter(
        names[each["guess"]] for each in near if each["known"] is None and each["guess"] is not None
    )
    unknown = len(near) - known.total() - guess.total()
    parts = []
    for counts, what in ((known, "known"), (guess, "guessed")):
        if counts:
            each = ", ".join(f"{count} {name}" for name, count in counts.most_common(5))
            parts.append(f"{counts.total()} {what} ({each})")
    if unknown:
        parts.append(f"{unknown} unknown")
    total = len(near) + more
    begin = f"{total} neighbour{'s' if total > 1 else ''}"
    shown = f", {len(near)} of them drawn" if more else ""
    return f"{begin}{shown}: {', '.join(parts)}."
