"""What a prediction worked out, kept for the update that follows it."""

from __future__ import annotations

from typing import Any

from graphol.api import Derived, Instance


class Memo(Derived):
    """The last thing worked out of a state for an instance, until the state changes.

    It is found again by the identity of both, an array of the state standing for the state: so
    never for a copy, nor for a question that only looks the same. Whoever has it shared with a
    copy, or asks from another thread, finds his own or nothing.
    """

    def __init__(self) -> None:
        self._last: tuple[Any, Instance, Any] | None = None

    def keep(self, owner: Any, instance: Instance, found: Any) -> Any:
        """Keep it, and give it back."""
        self._last = (owner, instance, found)
        return found

    def recall(self, owner: Any, instance: Instance) -> Any:
        """What was kept last, if it is of this very state and question; else None."""
        last = self._last
        return last[2] if last and last[0] is owner and last[1] is instance else None

    def drop(self) -> None:
        """The state is about to change."""
        self._last = None
