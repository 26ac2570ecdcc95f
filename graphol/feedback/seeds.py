"""The first labels are given, the rest never."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import NOTHING, Instance, Prediction, Reveal, Shown, Split, Wish
from graphol.errors import UsageError
from graphol.params import param


@attrs.frozen
class Seeds:
    """The true label in the first rounds, then nothing; only the later rounds are scored.

    Batch semi-supervised learning as an online game: the first ``count`` nodes are the labelled
    seeds, all others are predicted without ever learning the truth. A learner that can be fitted
    (``label-propagation``) gets the seeds in one go and is not asked for them.

    On a split the seeds are its training part, and only nodes of its test part are asked. The
    labels of its validation part go to learners that can be fitted, to choose by, not to learn.

    Parameters
    ----------
    count
        Number of labelled seeds, >= 1, where there is no split.
    split
        ``fixed`` for the split that came with the data; ``none`` where it is drawn, or there is
        none.
    per_class
        Seeds of every class in a split that is drawn, anew in every repeat.
    validation
        Nodes of its validation part.
    test
        Nodes of its test part; by default all that are left.

    Examples
    --------
    >>> seeds = Seeds(count=2)
    >>> seeds.answered(4, np.random.default_rng(0))
    array([ True,  True, False, False])
    >>> seeds.scored(4)
    array([False, False,  True,  True])

    References
    ----------
    Zhu, Ghahramani, Lafferty. Semi-supervised learning using Gaussian fields and harmonic
    functions. ICML, 2003.
    """

    name: ClassVar[str] = "seeds"
    on_request: ClassVar[bool] = False
    reveals: ClassVar[Shown] = "label"
    count: int = param(100, least=1)
    split: str = param("none", choices=("none", "fixed"))
    per_class: int | None = param(None, least=1, type=int)
    validation: int = param(0, least=0)
    test: int | None = param(None, least=1, type=int)

    def __attrs_post_init__(self) -> None:
        sizes = self.per_class is not None or self.validation or self.test is not None
        if self.split == "fixed" and sizes:
            raise UsageError(
                "seeds: a fixed split has its own sizes; leave per_class, validation and test out"
            )
        if self.per_class is None and (self.validation or self.test is not None):
            raise UsageError(
                "seeds: validation and test are parts of a split; say per_class=20, too"
            )

    @property
    def wish(self) -> Wish | None:
        """The split to play, if one is wanted."""
        if self.split == "fixed":
            return Wish(fixed=True)
        if self.per_class is None:
            return None
        return Wish(per_class=self.per_class, validation=self.validation, test=self.test)

    def on(self, split: Split) -> Seeds:
        """The training part are the seeds."""
        return Seeds(count=len(split.train))

    def reveal(
        self, instance: Instance, truth: float, prediction: Prediction, rng: np.random.Generator
    ) -> Reveal:
        """The label of a seed, else nothing."""
        return Reveal(label=truth) if instance.t < self.count else NOTHING

    def answered(self, rounds: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """The seeds."""
        return np.arange(rounds) < self.count

    def given(self, rounds: int) -> NDArray[np.bool_]:
        """The seeds, to learners that can be fitted."""
        return np.arange(rounds) < self.count

    def scored(self, rounds: int) -> NDArray[np.bool_]:
        """The rounds after the seeds."""
        return np.arange(rounds) >= self.count
