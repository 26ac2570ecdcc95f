"""SSLGC: selective sampling with local and global consistency."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Finished, StatedBound
from graphol.bounds import labels_bought, labels_learnt
from graphol.learners.nodes.ollgc import Ollgc
from graphol.params import param


@attrs.frozen
class Sslgc(Ollgc):
    r"""OLLGC that asks only where it knows little: when x'A⁻¹x is above t^-kappa.

    As :class:`graphol.learners.nodes.ollgc.Ollgc`, but in round t = 1, 2, ... a model wants a label
    only if :math:`r_t = x^\top (A + x x^\top)^{-1} x > t^{-\kappa}`: where the nodes it learnt from
    say little about this one. Labels it did not ask for are not used. With K classes a label is
    bought if any of the K models asks, and used by those that do.

    Parameters
    ----------
    mu
        Ridge, the weight of smoothness.
    kappa
        How often it asks: 0 hardly ever, 1 most of the time.

    Examples
    --------
    >>> import graphol
    >>> result = graphol.simulate("sslgc", dataset="sbm", repeats=2)
    >>> result.row()["queries_mean"] < result.row()["rounds"]
    True

    References
    ----------
    Gu, Aggarwal, Liu, Han. Selective sampling on graphs for classification. KDD 2013. The rule is
    that of Cesa-Bianchi, Gentile, Orabona. Robust bounds for classification via selective
    sampling. ICML 2009.

    Deviation: mistake-driven, which is the reading that gives the paper's error rates and queries.
    """

    name: ClassVar[str] = "sslgc"
    feedback: ClassVar[str] = "selective"
    kappa: float = param(0.4, least=0, most=1)
    mistake_bound = None  # type: ignore[assignment]  # OLLGC's is for a rule that sees every label

    @staticmethod
    def ask(r, t, kappa):
        """Is x'A⁻¹x, with x added to A, above t^-kappa, t from 1?"""
        return r / (1.0 + r) > (t + 1.0) ** -kappa

    def stated_bounds(self, game: Finished) -> list[StatedBound]:
        """The labels: those it learnt from, and as printed all that it bought.

        The printed one counts on every label bought being learnt from, which a rule that learns
        from mistakes alone does not do. With K classes it holds for each model, hence K times.
        """
        T, d = game.X.shape
        B = float(np.max(np.sum(game.X**2, axis=1)))
        printed = (game.n_classes or 1) * labels_bought(T, d, self.mu, self.kappa, B)
        bought = float(T if game.bought is None else game.bought)
        most = labels_learnt(game, self.mu, self.kappa)
        return [
            StatedBound("labels learnt from", "labels", float(game.updates.sum()), most),
            StatedBound("KDD 2013, theorem 7", "labels", bought, printed, False),
        ]
