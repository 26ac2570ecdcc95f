"""One projection per file: the nearest structured point.

The Steiner forests behind ``wgm-head`` and ``wgm-tail`` are of use on their own:

>>> from graphol.projections import steiner_forest
>>> steiner_forest(prizes=[5, 0, 5, 1], edges=[(0, 1), (1, 2), (2, 3)], costs=[1, 1, 3])
Forest(nodes=array([0, 1, 2]), edges=array([0, 1]))
"""

from graphol.projections.steiner import Forest, Steiner, steiner_forest

__all__ = ["Forest", "Steiner", "steiner_forest"]
