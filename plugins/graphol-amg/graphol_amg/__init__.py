"""The linear solver ``amg`` for graphol."""

from graphol import hookimpl

GRAPHOL_API = 2


@hookimpl
def graphol_solvers():
    """The linear solvers this plugin offers."""
    from graphol_amg.amg import Multigrid

    return [Multigrid]
