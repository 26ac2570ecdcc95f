"""The learners ``gl-laplace`` and ``gl-poisson`` for graphol."""

from graphol import hookimpl

GRAPHOL_API = 2


@hookimpl
def graphol_learners():
    """The learners this plugin offers."""
    from graphol_graphlearning.learners import GlLaplace, GlPoisson

    return [GlLaplace, GlPoisson]
