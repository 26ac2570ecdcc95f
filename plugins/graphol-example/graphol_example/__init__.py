"""A complete graphol plugin: one learner, one feedback protocol."""

from graphol import hookimpl

GRAPHOL_API = 2


@hookimpl
def graphol_learners():
    """The learners this plugin offers."""
    from graphol_example.arow import Arow
    from graphol_example.neighbour_vote import NeighbourVote

    return [Arow, NeighbourVote]


@hookimpl
def graphol_feedbacks():
    """The feedback protocols this plugin offers."""
    from graphol_example.periodic import Periodic

    return [Periodic]
