"""The perceptron on the graph's kernel, with one function per class."""

from __future__ import annotations

from typing import ClassVar

import attrs

from graphol.bases.expansion import KernelSums


@attrs.frozen
class KernelPerceptron(KernelSums):
    r"""Perceptron on the graph's kernel: exact, no dimension to choose, grows with its mistakes.

    Every class k has a function on the nodes, :math:`f_k(i) = \sum_{s \in S} c_{sk} K(i, s)`, with
    S the nodes it erred at so far; none at first. It predicts :math:`\arg\max_k f_k(i_t)` (ties:
    the lowest k) and, on a mistake, with j the best-scored wrong class,

    .. math:: c_{i_t y_t} \leftarrow c_{i_t y_t} + 1, \qquad c_{i_t j} \leftarrow c_{i_t j} - 1 .

    Signs need one function: :math:`c_{i_t} \leftarrow c_{i_t} + y_t`, and the sign of 0 is +1.

    With m nodes in S a round costs O(mK), and the first mistake at a node one linear solve, for its
    column of the kernel (:class:`graphol.embeddings.kernel.Kernel`). The state grows: m numbers and
    mK coefficients. With an embedding that has rows it is ``gpa``, more slowly.

    Examples
    --------
    >>> import graphol
    >>> result = graphol.simulate("kernel-perceptron", dataset="sbm", repeats=2)
    >>> result.recipe["embedding"]["name"], result.error_rate_mean < 0.2
    ('kernel', True)
    >>> rows = {"dataset": "sbm", "embedding": "spectral:dim=10", "repeats": 2}
    >>> dual, primal = (graphol.simulate(name, **rows) for name in ("kernel-perceptron", "gpa"))
    >>> dual.error_rates.tolist() == primal.error_rates.tolist()
    True

    References
    ----------
    Herbster, Pontil. Prediction on a graph with a perceptron. NIPS 2006.

    Deviation: the paper is binary; for classes this is the usual multi-class form, as in ``gpa``.
    """

    name: ClassVar[str] = "kernel-perceptron"
