"""The user's names for what is predicted, and the numbers that learners know it by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import attrs

from graphol import node_ids
from graphol.api import Target
from graphol.errors import UsageError
from graphol.graph import Graph

Name = str | int


@attrs.frozen(eq=False)
class ClassNames:
    """Classes: the first name is 0, the next 1, and more may come.

    >>> ClassNames(["cat", "dog"]).known(["dog"])
    [1]
    """

    names: list[Name]
    target: ClassVar[Target] = "classes"

    @property
    def numbers(self) -> Sequence[int]:
        """What learners call them, in the order of the names."""
        return range(len(self.names))

    @property
    def n_classes(self) -> int | None:
        """K, as a learner is told it."""
        return len(self.names)

    @property
    def described(self) -> str:
        """What a learner may say, in words."""
        return f"{len(self.names)} classes, 0 and up"

    def name(self, label: float) -> Name | None:
        """The user's name for what a learner said; None if it is none of these."""
        return self.names[self.numbers.index(label)] if label in self.numbers else None

    def plain(self, names: Iterable[Any]) -> list[Name]:
        """The names without numpy's own types; of another kind than those known: refused."""
        kind = type(self.names[0])
        found = [node_ids.plain(name) for name in names]
        for name in found:
            if type(name) is not kind:
                raise UsageError(
                    f"the {self.target} are of type {kind.__name__}, such as {self.names[0]!r}, "
                    f"got {name!r}"
                )
        return found

    def known(self, names: Iterable[Name]) -> list[int]:
        """The numbers of names that are known."""
        return [self.numbers[self.names.index(name)] for name in names]


@attrs.frozen(eq=False)
class SignNames(ClassNames):
    """Signs: two names, the first is -1 and the second +1.

    >>> SignNames(["no", "yes"]).known(["no", "yes"])
    [-1, 1]
    """

    target: ClassVar[Target] = "signs"

    @property
    def numbers(self) -> Sequence[int]:
        """What learners call them."""
        return (-1, 1)

    @property
    def n_classes(self) -> int | None:
        """Signs are no classes."""
        return None

    @property
    def described(self) -> str:
        """What a learner may say, in words."""
        return "signs, -1 and +1"


KINDS: dict[str, type[ClassNames]] = {"classes": ClassNames, "signs": SignNames}


def vocabulary(target: Any, given: Any, graph: Graph) -> ClassNames:
    """The names that were given; by default the graph's own classes, or the signs themselves."""
    if not (isinstance(target, str) and target in KINDS):
        raise UsageError(f"target must be 'classes' or 'signs', got {target!r}")
    usual: Sequence[Name] = graph.label_names if target == "classes" else (-1, 1)
    names = usual if given is None else given
    if not names and given is None:
        raise UsageError(f'{graph.name} has no labels; name the classes, as in classes=["a", "b"]')
    listed = isinstance(names, Iterable) and not isinstance(names, str)
    found: list[Name] = [node_ids.plain(name) for name in names] if listed else []
    if {type(name) for name in found} not in ({str}, {int}):
        raise UsageError(
            f"classes must be a list of texts or a list of whole numbers, got {given!r}"
        )
    if wrong := miscounted(target, found):
        raise UsageError(f'a predictor {wrong}, got {found}; give them as classes=["a", "b"]')
    return KINDS[target](found)


def miscounted(target: str, names: Sequence[Name]) -> str:
    """What is wrong with how many names there are, or ''."""
    distinct = len(set(names)) == len(names)
    if target == "signs" and not (distinct and len(names) == 2):
        return "of signs has exactly 2 distinct names, that of -1 first"
    if not (distinct and len(names) >= 2):
        return "starts with at least 2 distinct classes"
    return ""
