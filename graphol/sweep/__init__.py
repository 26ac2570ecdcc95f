"""Many games as cells of one sweep: planned from a file, played anywhere, kept one by one.

A cell is one learner on one data set in one repeat. Its name is a digest of everything that can
change its figures, so a sweep is a set of names, and what is done is what has a file.

The package itself can be called: ``graphol.sweep("plan.toml")`` is
:func:`graphol.sweep.sweeping.sweep`.
"""

from __future__ import annotations

import sys
import types
from typing import Any


class _Callable(types.ModuleType):
    """A package that shares its name with the function in it."""

    def __call__(self, *what: Any, **how: Any) -> Any:
        from graphol.sweep.sweeping import sweep

        return sweep(*what, **how)


sys.modules[__name__].__class__ = _Callable
