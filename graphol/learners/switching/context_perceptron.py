"""The kernel perceptron with functions of its own for every context."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Instance, Vector
from graphol.bases.expansion import InContexts, KernelSumsInContexts


@attrs.frozen
class ContextPerceptron(KernelSumsInContexts):
    r"""Kernel perceptrons side by side, one per context: what is learnt in one helps no other.

    As ``kernel-perceptron``, with functions :math:`f_{jk}` for every context j: in round t only
    those of :math:`j_t` are asked and, on a mistake, changed. It is the kernel perceptron on the
    kernel :math:`K(i, i')\,[j = j']`. Contexts need not be known beforehand; no context at all
    (-1) counts as one.

    With a context that nobody knows in practice it tells how hard a switching game is: shown the
    stretch between two switches, it is an oracle that starts afresh at each; shown the labeling
    that holds, one that has a perceptron for every labeling.

    With m pairs of node and context it erred at, a round costs O(m) and O(K) for each of this
    context. The state grows: 2m numbers and mK coefficients.

    Examples
    --------
    >>> import graphol
    >>> from graphol.testing.games import switch_game
    >>> known = attrs.evolve(switch_game(300), shows="labeling")
    >>> games = {"embedding": "kernel", "repeats": 3}
    >>> one, each = (graphol.simulate(name, dataset=known, **games).error_rate_mean
    ...     for name in ("kernel-perceptron", "context-perceptron"))
    >>> each < one
    True

    References
    ----------
    Herbster, Pontil. Prediction on a graph with a perceptron. NIPS 2006.
    """

    name: ClassVar[str] = "context-perceptron"

    def entries(self, state: InContexts, instance: Instance) -> Vector:
        """The kernel's own within the context, 0 beyond it."""
        here = state.contexts.values == instance.context
        found = np.zeros(len(here))
        found[here] = state.kernel.features.gram(instance.node, state.support.values[here])
        return found
