"""The linear solver ``cholmod`` for graphol."""

import sksparse.cholmod  # noqa: F401, so that `graphol doctor` says what is missing

from graphol import hookimpl

GRAPHOL_API = 2


@hookimpl
def graphol_solvers():
    """The linear solvers this plugin offers."""
    from graphol_cholmod.cholmod import Cholmod

    return [Cholmod]
