"""Who plays what: short names for learners, data sets and protocols, no two alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from graphol.command import OPTIONS
from graphol.errors import GrapholError
from graphol.registry import registry
from graphol.report.comparison import label
from graphol.report.outcome import Outcome, identity


@attrs.frozen(eq=False)
class Entry:
    """An outcome and what a reader calls it by."""

    player: str
    """The learner as the command line writes it, with its embedding where it has several."""
    dataset: str
    protocol: str
    outcome: Outcome

    @property
    def learner(self) -> str:
        """The learner's name alone."""
        return str(self.outcome.learner["name"])


def cast(found: Iterable[Outcome]) -> tuple[list[Entry], int]:
    """The outcomes with their names, in an order that is theirs alone; how many came twice.

    Of outcomes of one player in one game the first one counts, as when a folder is given twice.
    """
    listed = list(found)
    many: dict[str, set[str]] = {}
    for each in listed:
        learner, embedding = _fixed(each)
        many.setdefault(identity(learner, each.tuned), set()).add(identity(embedding))

    def player(each: Outcome) -> str:
        learner, embedding = _fixed(each)
        name = label(learner) if learner else "learner"
        if each.tuned:
            name += f", tuned {', '.join(sorted(each.tuned))}"
        if len(many[identity(learner, each.tuned)]) == 1:
            return name
        if embedding is None:
            return f"{name} without embedding"
        return f"{name} on {label(embedding, 'embedding')}"

    players = _names(listed, lambda each: (*_fixed(each), each.tuned), player)
    datasets = _names(listed, lambda each: (each.dataset, each.task), dataset_name)
    protocols = _names(listed, lambda each: (each.feedback, each.rules), protocol_name)
    entries: dict[tuple[Any, ...], Entry] = {}
    for i, each in enumerate(listed):
        entry = Entry(players[i], datasets[i], protocols[i], each)
        key = entry.protocol, entry.dataset, entry.player, *each.pair
        entries.setdefault(key, entry)
    return [entries[key] for key in sorted(entries)], len(listed) - len(entries)


def _fixed(each: Outcome) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Learner and embedding without what was tuned: whatever was chosen, it is one player."""
    parts = {"learner": dict(each.learner), "embedding": dict(each.embedding or {})}
    for key in each.tuned:
        kind, dot, parameter = key.partition(".")
        if kind in parts and not dot:  # the whole of it was chosen
            parts[kind] = {}
        elif kind in parts:
            parts[kind].pop(parameter, None)
        elif not dot:
            parts["learner"].pop(key, None)
    return parts["learner"], parts["embedding"] or None


def dataset_name(each: Outcome) -> str:
    """As the command line writes it; of files, and of what is not known here, the task's name."""
    name = str(each.dataset.get("name", ""))
    try:
        registry().find("dataset", name)
    except GrapholError:
        return each.task
    return each.task if name in OPTIONS else label(dict(each.dataset), "dataset")


def protocol_name(each: Outcome) -> str:
    """The feedback with what is unusual about the game: ``full, noise 0.1``."""
    return ", ".join([label(dict(each.feedback), "feedback"), *map(_rule, each.rules.items())])


def _rule(pair: tuple[str, Any]) -> str:
    key, value = pair
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return key.replace("_", " ") + ("" if value is True else f" {shown}")


def _names(
    listed: Sequence[Outcome],
    what: Callable[[Outcome], Any],
    name: Callable[[Outcome], str],
) -> list[str]:
    """Of each its name, with a number where different things have the same."""
    keys = [identity(what(each)) for each in listed]
    short: dict[str, str] = {}
    for key, each in zip(keys, listed, strict=True):
        if key not in short:
            short[key] = name(each)
    alike: dict[str, list[str]] = {}
    for key, text in short.items():
        alike.setdefault(text, []).append(key)
    final: Mapping[str, str] = {
        key: text if len(same) == 1 else f"{text} ({1 + sorted(same).index(key)})"
        for text, same in alike.items()
        for key in same
    }
    return [final[key] for key in keys]
