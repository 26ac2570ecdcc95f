"""Graphs over contexts whose kernels are known in closed form.

A context is a vertex of a latent graph H: a round, or a task. Neighbours there are expected to have
the same labeling. Each kernel is the pseudo-inverse of H's Laplacian plus its largest diagonal
entry R, so the largest entry ``rho`` is 2R; any other graph becomes one as the observed graph does,
by the ``kernel`` embedding.
"""

from graphol.latent.clique import Clique
from graphol.latent.line import Line
from graphol.latent.tree import SupportTree

__all__ = ["Clique", "Line", "SupportTree"]
