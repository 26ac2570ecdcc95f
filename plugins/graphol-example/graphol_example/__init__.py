"""A complete graphol plugin: learners, feedback protocols and a strategy."""

from graphol import hookimpl

GRAPHOL_API = 2


@hookimpl
def graphol_learners():
    """The learners this plugin offers."""
    from graphol_example.arow import Arow
    from graphol_example.candidate_vote import CandidateVote
    from graphol_example.neighbour_vote import NeighbourVote

    return [Arow, NeighbourVote, CandidateVote]


@hookimpl
def graphol_feedbacks():
    """The feedback protocols this plugin offers."""
    from graphol_example.noisy_bit import NoisyBit
    from graphol_example.partial import Partial
    from graphol_example.periodic import Periodic

    return [Periodic, Partial, NoisyBit]


@hookimpl
def graphol_strategies():
    """The strategies this plugin offers."""
    from graphol_example.hubs import Hubs

    return [Hubs]
