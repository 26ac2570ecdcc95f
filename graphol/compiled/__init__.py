"""Templates of whole streams, and how rules are compiled into them.

Nothing here is imported before a stream is played, so that importing a learner, or playing a plain
round, does not import numba.
"""

from graphol.compiled.template import bind, compiled

__all__ = ["bind", "compiled"]
