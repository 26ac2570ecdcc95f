"""Our own components, offered through the same hooks as anyone's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphol import api
from graphol.hookspecs import hookimpl


@hookimpl
def graphol_learners() -> Iterable[type[api.Learner]]:
    """The learners of graphol itself."""
    from graphol.learners.experts.neighbour_bayes import NeighbourBayes
    from graphol.learners.experts.neighbour_histogram import NeighbourHistogram
    from graphol.learners.experts.neighbour_logistic import NeighbourLogistic
    from graphol.learners.experts.pool import Pool
    from graphol.learners.experts.pool_b import PoolB
    from graphol.learners.graphs.dongle import Dongle
    from graphol.learners.graphs.knn_logistic import KnnLogistic
    from graphol.learners.graphs.multi_mrf import MultiMrf
    from graphol.learners.graphs.robust_lp import RobustLP
    from graphol.learners.graphs.smoothed_logistic import SmoothedLogistic
    from graphol.learners.nodes.banditron import Banditron
    from graphol.learners.nodes.confidit import Confidit
    from graphol.learners.nodes.fastonl import FastOnl
    from graphol.learners.nodes.gpa import GPA
    from graphol.learners.nodes.kernel_perceptron import KernelPerceptron
    from graphol.learners.nodes.label_propagation import LabelPropagation
    from graphol.learners.nodes.molg_b import MolgB
    from graphol.learners.nodes.molg_f import MolgF
    from graphol.learners.nodes.msg import Msg
    from graphol.learners.nodes.ollgc import Ollgc
    from graphol.learners.nodes.oslg import Oslg
    from graphol.learners.nodes.oslg_bandit import OslgBandit
    from graphol.learners.nodes.poisson import Poisson
    from graphol.learners.nodes.poisson_ridge import PoissonRidge
    from graphol.learners.nodes.ridge import Ridge
    from graphol.learners.nodes.ridge_bandit import RidgeBandit
    from graphol.learners.nodes.smoothed_ridge import SmoothedRidge
    from graphol.learners.nodes.soba import Soba
    from graphol.learners.nodes.sslgc import Sslgc
    from graphol.learners.nodes.walk import Walk
    from graphol.learners.signals.adagrad import AdaGrad
    from graphol.learners.signals.adam import Adam
    from graphol.learners.signals.da_gl import DaGl
    from graphol.learners.signals.da_iht import DaIht
    from graphol.learners.signals.da_sgl import DaSgl
    from graphol.learners.signals.graph_stoiht import GraphStoIht
    from graphol.learners.signals.graphda import GraphDA
    from graphol.learners.signals.l1_rda import L1Rda
    from graphol.learners.signals.stoiht import StoIht
    from graphol.learners.switching.auto_winnow import AutoWinnow
    from graphol.learners.switching.context_perceptron import ContextPerceptron
    from graphol.learners.switching.gaussian_bank import GaussianBank
    from graphol.learners.switching.gaussian_tasks import GaussianTasks
    from graphol.learners.switching.matrix_winnow import MatrixWinnow
    from graphol.learners.switching.multitask_perceptron import MultitaskPerceptron
    from graphol.learners.switching.perceptron_bank import PerceptronBank
    from graphol.learners.switching.tracking_perceptron import TrackingPerceptron
    from graphol.learners.switching.weighted_majority import WeightedMajority

    vote: Any = WeightedMajority  # what these declare depends on their members
    pool: Any = Pool
    pool_b: Any = PoolB
    return (
        AdaGrad, Adam, AutoWinnow, Banditron, Confidit, ContextPerceptron, DaGl, DaIht, DaSgl,
        Dongle, FastOnl, GPA, GaussianBank, GaussianTasks, GraphDA, GraphStoIht, KernelPerceptron,
        KnnLogistic, L1Rda, LabelPropagation, MatrixWinnow, MolgB, MolgF, Msg, MultiMrf,
        MultitaskPerceptron, NeighbourBayes, NeighbourHistogram, NeighbourLogistic, Ollgc, Oslg,
        OslgBandit, PerceptronBank, Poisson, PoissonRidge, Ridge, RidgeBandit, RobustLP,
        SmoothedLogistic, SmoothedRidge, Soba, Sslgc, StoIht, TrackingPerceptron, Walk, pool,
        pool_b, vote,
    )  # fmt: skip


@hookimpl
def graphol_feedbacks() -> Iterable[type[api.Feedback]]:
    """The feedback protocols of graphol itself."""
    from graphol.feedback.bandit import Bandit
    from graphol.feedback.full import Full
    from graphol.feedback.random_query import RandomQuery
    from graphol.feedback.seeds import Seeds
    from graphol.feedback.selective import Selective

    return Bandit, Full, RandomQuery, Seeds, Selective


@hookimpl
def graphol_embeddings() -> Iterable[type[api.Embedding]]:
    """The embeddings of graphol itself."""
    from graphol.embeddings.features import NodeFeatures
    from graphol.embeddings.kernel import Kernel
    from graphol.embeddings.spectral import Spectral

    return NodeFeatures, Kernel, Spectral


@hookimpl
def graphol_projections() -> Iterable[type[api.Projection]]:
    """The projections of graphol itself."""
    from graphol.projections.ball import Ball
    from graphol.projections.groups import Groups
    from graphol.projections.l1 import L1
    from graphol.projections.none import NoProjection
    from graphol.projections.top_s import TopS
    from graphol.projections.wgm import WgmHead, WgmTail

    return Ball, Groups, L1, NoProjection, TopS, WgmHead, WgmTail


@hookimpl
def graphol_solvers() -> Iterable[type[api.LinearSolver]]:
    """The linear solvers of graphol itself."""
    from graphol.linalg.solvers.approx_chol import ApproximateCholesky
    from graphol.linalg.solvers.auto import Auto
    from graphol.linalg.solvers.cg import ConjugateGradients
    from graphol.linalg.solvers.dense import DenseCholesky
    from graphol.linalg.solvers.splu import SuperLU

    return ApproximateCholesky, Auto, ConjugateGradients, DenseCholesky, SuperLU


@hookimpl
def graphol_datasets() -> Iterable[type[api.Dataset]]:
    """The data sets of graphol itself."""
    from graphol.datasets.digits import Digits
    from graphol.datasets.files import Files
    from graphol.datasets.graphda_grid import GraphdaGrid
    from graphol.datasets.grid import Grid
    from graphol.datasets.largest import Largest
    from graphol.datasets.layered import Layered
    from graphol.datasets.named import NAMED
    from graphol.datasets.own_signals import OwnSignals
    from graphol.datasets.pathway import Pathway
    from graphol.datasets.pixels import DigitPixels, MnistPixels
    from graphol.datasets.sbm import StochasticBlockModel
    from graphol.datasets.stream import OwnStream
    from graphol.datasets.switching import (
        Multitask,
        MultitaskBlocks,
        MultitaskGrid,
        Switching,
        SwitchingBlocks,
        SwitchingDigits,
        SwitchingGrid,
    )
    from graphol.datasets.synthetic_pathway import SyntheticPathway

    return (
        Digits, DigitPixels, Files, GraphdaGrid, Grid, Largest, Layered, MnistPixels, Multitask,
        MultitaskBlocks, MultitaskGrid, *NAMED, OwnSignals, OwnStream, Pathway,
        StochasticBlockModel, Switching, SwitchingBlocks, SwitchingDigits, SwitchingGrid,
        SyntheticPathway,
    )  # fmt: skip


@hookimpl
def graphol_executors() -> Iterable[type[api.Workers]]:
    """The executors of graphol itself."""
    from graphol.executors.dask import Dask
    from graphol.executors.process import Process
    from graphol.executors.serial import Serial

    return Dask, Process, Serial


@hookimpl
def graphol_strategies() -> Iterable[type[api.Strategy]]:
    """The strategies of graphol itself."""
    from graphol.strategies.at_random import Random
    from graphol.strategies.expected_change import ExpectedChange
    from graphol.strategies.uncertainty import Uncertainty
    from graphol.strategies.variance import Variance

    return ExpectedChange, Random, Uncertainty, Variance


@hookimpl
def graphol_experiments() -> Iterable[Any]:
    """The tables and figures of the papers, and the arena."""
    from graphol.reproduce import OWN

    return OWN
