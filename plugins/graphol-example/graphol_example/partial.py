"""The truth is among these: a set of candidates in place of the label."""

from typing import ClassVar

import attrs
import numpy as np

from graphol import Instance, Prediction, Problem, param


@attrs.frozen
class Partial:
    """After every round a set of classes, of which one is the true one.

    Every wrong class is in the set with probability p, whatever was predicted. With p = 0 the set
    is the label, with p = 1 it says nothing. An answer is a row of K bits, and the trace keeps the
    rows as its column ``candidates``.

    Parameters
    ----------
    p
        Probability of a wrong class to be in the set, from 0 to 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> problem = Problem("classes", n_classes=4, dim=0, rng=rng)
    >>> Partial(p=0.3).answer(problem, Instance(t=0), 2, Prediction(1), rng)
    array([False,  True,  True,  True])

    References
    ----------
    Cour, Sapp, Taskar. Learning from partial labels. JMLR, 2011.
    """

    name: ClassVar[str] = "partial"
    reveals: ClassVar[str] = "candidates"
    on_request: ClassVar[bool] = False

    p: float = param(0.3, least=0, most=1)

    def blank(self, problem: Problem) -> np.ndarray:
        """No candidates: in a round without an answer."""
        return np.zeros(problem.n_classes, dtype=bool)

    def answer(
        self,
        problem: Problem,
        instance: Instance,
        truth: float,
        prediction: Prediction,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """The candidates."""
        candidates = rng.random(problem.n_classes) < self.p
        candidates[int(truth)] = True
        return candidates

    def scored(self, rounds: int) -> np.ndarray:
        """Every round counts."""
        return np.ones(rounds, dtype=bool)
