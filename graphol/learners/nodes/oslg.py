"""OSLG: online spectral learning from full information."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.api import Finished, MistakeBound
from graphol.bases import SharedInverse
from graphol.bounds import shared_ridge
from graphol.params import param


@attrs.frozen
class Oslg(SharedInverse):
    r"""Ridge regression to plus and minus one for all classes, on mistakes; sees every label.

    All classes share :math:`A`, at first :math:`bI`, and class k has the model :math:`w_k`. It
    predicts :math:`\arg\max_k w_k^\top x` (ties: the lowest k). On a mistake every class is told
    :math:`\tau_k = +1` if it is the true one and -1 otherwise:

    .. math:: A \leftarrow A + x x^\top, \qquad
              w_k \leftarrow w_k + \frac{\tau_k - w_k^\top x}{1 + r}\, u, \qquad
              u = A^{-1} x, \; r = x^\top u .

    One round costs O(d² + Kd); the state is d² + Kd floats. A mistake counts as K class models.

    Parameters
    ----------
    b
        Ridge.

    Examples
    --------
    >>> import graphol
    >>> result = graphol.simulate("oslg", dataset="sbm", repeats=2)  # of four classes
    >>> [trace.n_updates == 4 * trace.n_mistakes < 400 for trace in result.traces]
    [True, True]

    References
    ----------
    Gu, Han. Online spectral learning on a graph with bandit feedback. ICDM 2014.

    Deviation: its full text was not at hand; this is the reading that gives the error rates and
    update counts which Yang, Zhao, Gao (IJCAI 2018) print for OSLG, on their data.
    """

    name: ClassVar[str] = "oslg"
    b: float = param(1.0, above=0)

    @staticmethod
    def decide(f, r, best, y, tau):
        """Wrong: all classes move, with a = 1."""
        if best == y:
            return 0.0, 0
        tau[:] = -1.0
        tau[y] = 1.0
        return 1.0 / (1.0 + max(r, 0.0)), len(f)

    def mistake_bound(self, game: Finished) -> MistakeBound:
        """Of ridge regression on mistakes."""
        return MistakeBound("ridge", shared_ridge(game, self.b))
