"""The executor ``slurm`` for graphol."""

from graphol import hookimpl

GRAPHOL_API = 2


@hookimpl
def graphol_executors():
    """The executors this plugin offers."""
    from graphol_slurm.slurm import Slurm

    return [Slurm]
