"""What learners share that spread labels over a weighted graph, exactly."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from graphol.api import Given, Instance, Integers, Needs, Prediction, Reveal, Share, State, Vector
from graphol.bases.propagation import Propagation
from graphol.bases.usual import UsualLearner

ROOM, ENTRIES = 128, 2**24
"""Labels taken one at a time before all are solved for anew; fewer where n times that is more."""

LOST = 1e-6
"""Where no more than this is left of a column's own entry, rounding has eaten the digits."""


def beginning(n: int, K: int, components: int) -> dict[str, NDArray[Any]]:
    """No label known: the parts of a state that :class:`Harmonic` keeps."""
    return {
        "label": np.full(n, -1),
        "F": np.zeros((n, K)),
        "mass": np.zeros(K),
        "solved": np.zeros(n, dtype=bool),
        "W": np.zeros((min(ROOM, max(ENTRIES // n, 8)), n)),
        "used": np.zeros(1, dtype=np.int64),
        "first": np.full(components, -1),
    }


def largest_shares(
    labelled: Integers, label: Integers, amount: Vector, top: int
) -> tuple[Share, ...]:
    """The labelled nodes with the largest amounts above 0, (|S|,), and their labels."""
    order = np.argsort(-amount, kind="stable")[:top]
    return tuple(
        Share(int(labelled[i]), int(label[labelled[i]]), float(amount[i]))
        for i in order[amount[order] > 0]
    )


class Harmonic(UsualLearner):
    """A learner whose F solves the system of :class:`Propagation`, and is balanced by a prior.

    The state has ``label`` (n,), -1 where not known; ``F`` (n, K) and ``mass`` (K,), its column
    sums; ``solved`` (n,), the labels in the system that is prepared; ``W`` (room, n), by which the
    inverse now is the prepared one minus W'W, with ``used`` (1,) rows; ``first`` (components,), the
    first label told in each, -1 if none.
    """

    needs: ClassVar[Needs] = "graph"
    noise: float
    eps: float
    prior: str

    def system(self, state: State) -> Propagation:
        """The linear system at the state's weights."""
        raise NotImplementedError

    def predict(self, state: State, instance: Instance) -> Prediction:
        """The class with the largest share at the node; a guess out of reach."""
        if self.reached(state, instance.node):
            scores = state.F[instance.node] * self.balance(state)
            if self.prior == "centred":
                told = self.guess(state)
                scores = scores - scores.sum() * told / told.sum()
            return Prediction(int(np.argmax(scores)), scores)
        scores = self.guess(state)
        return Prediction(int(np.argmax(scores)), scores, known=False)

    def update(
        self, state: State, instance: Instance, prediction: Prediction, reveal: Reveal
    ) -> int:
        """Every class model, unless the label was known; the last label of a node counts."""
        assert reveal.label is not None
        s, y = instance.node, int(reveal.label)
        before = state.label[s]
        if before == y:
            return 0
        state.label[s] = y
        if before >= 0 or state.used[0] == len(state.W):
            self.solve(state)
        else:
            self._add(state, s, y)
        state.mass[:] = np.ones(len(state.F)) @ state.F
        return int(state.F.shape[1])

    def fit(self, state: State, given: Given) -> int:
        """All labels in one go."""
        before = state.label.copy()
        state.label[given.nodes] = given.labels
        if np.array_equal(before, state.label):
            return 0
        self.solve(state)
        state.mass[:] = np.ones(len(state.F)) @ state.F
        return int(state.F.shape[1])

    def grow(self, state: State, n_classes: int) -> State:
        """New classes have no label yet."""
        more = n_classes - len(state.mass)
        return state._replace(
            F=np.pad(state.F, ((0, 0), (0, more))), mass=np.pad(state.mass, (0, more))
        )

    def influences(self, state: State, node: int, top: int) -> tuple[Share, ...]:
        """The labels that add most to their class at this node: rows of the system's inverse."""
        if not self.reached(state, node):
            return ()
        known = state.label >= 0
        amount = self.system(state).shares(known, node)[known]
        amount *= self.balance(state)[state.label[known]]
        return largest_shares(np.flatnonzero(known), state.label, amount, top)

    def check_state(self, state: State, nodes: int) -> None:
        """Labels are classes, and the first ones are labelled nodes of their components."""
        known = np.flatnonzero(state.first >= 0)
        inside = state.first.min() >= -1 and state.first.max() < nodes
        if not inside or (self.system(state).components[state.first[known]] != known).any():
            raise ValueError("the first labels are not nodes of their components")
        if state.label.min() < -1 or state.label.max() >= len(state.mass):
            raise ValueError("labels are not classes")
        if not 0 <= state.used[0] <= len(state.W):
            raise ValueError(f"{state.used[0]} changes in room for {len(state.W)}")

    def reached(self, state: State, node: int) -> bool:
        """Is there a label in the node's component?"""
        return bool(state.first[self.system(state).components[node]] >= 0)

    def guess(self, state: State) -> Vector:
        """Scores where nothing is known: how often the classes have been told."""
        known = state.label[state.label >= 0]
        return np.bincount(known, minlength=state.F.shape[1]).astype(float)

    def balance(self, state: State) -> Vector:
        """What class-mass normalisation multiplies the classes with."""
        K = len(state.mass)
        if self.prior in ("none", "centred"):
            return np.ones(K)
        known = state.label[state.label >= 0]
        seen = np.bincount(known, minlength=K).astype(float)
        wanted = np.ones(K) if self.prior == "uniform" else seen
        share = state.mass / len(state.F)
        balance: Vector = np.divide(wanted, share, out=np.zeros(K), where=share > 0)
        return balance

    def solve(self, state: State) -> None:
        """F from all labels, anew."""
        system = self.system(state)
        state.solved[:] = state.label >= 0
        known = np.flatnonzero(state.solved)
        Y = np.zeros_like(state.F)
        Y[known, state.label[known]] = 1.0
        state.F[:] = system.solution(state.solved, Y)
        state.used[0] = 0
        state.first[system.components[known]] = known

    def _add(self, state: State, s: int, y: int) -> None:
        """One label more."""
        system = self.system(state)
        c, m = system.components[s], int(state.used[0])
        ground = int(state.first[c])
        if ground < 0:
            state.first[c] = s
            if not self.eps:  # the only label of its component holds everywhere there
                state.F[system.components == c, y] = 1.0
                return
        elif self.eps or state.solved[ground]:
            ground = -1
        g = system.column(state.solved, s, ground)
        W, before = state.W[:m], g[s]
        g -= W.T @ W[:, s]
        if not g[s] > LOST * before:
            self.solve(state)
            return
        error = -state.F[s]
        error[y] += 1.0
        size = self.noise + g[s]
        state.F[:] += np.outer(g, error / size)
        state.W[m] = g / np.sqrt(size)
        state.used[0] += 1
