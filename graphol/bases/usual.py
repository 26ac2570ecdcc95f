"""What most learners say about themselves."""

from __future__ import annotations

from typing import ClassVar

from graphol.api import Needs, Shown, Target


class UsualLearner:
    """A learner of classes that is asked with a vector and shown the label.

    One of another kind, or a base of such, says in what it differs.
    """

    name: ClassVar[str]
    feedback: ClassVar[str] = "full"
    learns_from: ClassVar[tuple[Shown, ...]] = ("label",)
    targets: ClassVar[tuple[Target, ...]] = ("classes",)
    needs: ClassVar[Needs] = "rows"
