"""Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR 2015.

The paper is theory: it has one figure, without numbers, and no experiment. What is played here is
graphol's own choice of problems: a grid, a block model and Cora, and tasks on the block model.
"""

from __future__ import annotations

import itertools

from graphol.reproduce.conclusions import PUBLISHED
from graphol.reproduce.support_tree import TreeFigure
from graphol.reproduce.switching import (
    BOUND,
    MISTAKES,
    RELATIVE,
    Player,
    SwitchingTable,
    Told,
    ball,
    theory,
)

REFERENCE = (
    "Herbster, Pasteris, Pontil. Predicting a switching sequence of graph labelings. JMLR 2015"
)
BOTH = (MISTAKES, RELATIVE)
PROVED = (*BOTH, BOUND)

BANKS = "(perceptron-bank:K=3,beta=0.5)+(perceptron-bank:K=5,beta=1)"


def nine(leaves: str) -> str:
    """Matrix winnow with nine pairs of eta and tau."""
    return "+".join(
        f"(matrix-winnow:eta={eta},tau={tau},leaves={leaves})"
        for eta, tau in itertools.product((1, 4, 8), (5, 30, 100))
    )


def _player(
    learner: str, label: str = "", told: Told | None = None, context: str = "", proved: bool = False
) -> Player:
    return Player(
        learner, "kernel", PROVED if proved else BOTH, label or learner, told=told, context=context
    )


def _winnow(told: Told) -> Player:
    return _player(
        "matrix-winnow:eta=theory,K=2", f"{PUBLISHED} of matrix-winnow (told)", told, proved=True
    )


NOTES = (
    "every repeat draws labelings, switches or tasks, nodes and, but for Cora, the graph anew",
    "relative: mean mistakes divided by those of the first row, on the same repeats",
    "told: computed from what is hidden and handed in for every repeat, as no user could: K and "
    "theta for matrix-winnow, the ball phi for tracking-perceptron",
    "oracles are shown the segment between two switches, or the labeling that holds, as context",
    "bound: the most mistakes that a theorem allows, its mean over the repeats; only for learners "
    "that have one",
    "the paper has no experiment, so there is nothing to compare with",
)

SWITCHING = SwitchingTable(
    name="jmlr15-switching",
    title="JMLR 2015: mistakes when labelings switch, of every learner against oracles and bound",
    reference=REFERENCE,
    datasets=("switching-grid", "switching-sbm", "switching:of=cora"),
    entries=(
        _player("kernel-perceptron"),
        _player("tracking-perceptron", "tracking-perceptron (told)", ball, proved=True),
        _winnow(theory),
        _player("matrix-winnow:eta=8,tau=30,leaves=mistakes"),
        _player("perceptron-bank:K=3,beta=0.5"),
        _player("perceptron-bank:K=3,beta=1"),
        _player("perceptron-bank:K=5,beta=1"),
        _player(f"weighted-majority:learners=(kernel-perceptron)+{BANKS}",
                "majority of perceptron, banks"),
        _player(f"weighted-majority:learners={nine('mistakes')}", "majority of nine winnows"),
        _player("gaussian-bank"),
        _player("auto-winnow"),
        _player("context-perceptron", "oracle: segment", context="segment"),
        _player("context-perceptron", "oracle: labeling", context="labeling"),
        _player("gaussian-tasks", "oracle: labeling, gaussian-tasks", context="labeling"),
    ),
    notes=NOTES,
    against="kernel-perceptron",
)  # fmt: skip

MULTITASK = SwitchingTable(
    name="jmlr15-multitask",
    title="JMLR 2015: mistakes in many tasks that share labelings",
    reference=REFERENCE,
    datasets=("multitask-sbm:tasks=24,T=2000", "multitask-sbm:tasks=200,T=3000"),
    entries=(
        _player("context-perceptron", "independent perceptrons"),
        _player("kernel-perceptron", "pooled perceptron"),
        _player("multitask-perceptron", proved=True),
        _winnow(theory),
        _player("matrix-winnow:eta=4,tau=5"),
        _player("matrix-winnow:eta=8,tau=30"),
        _player("gaussian-tasks"),
        _player("auto-winnow"),
        _player("context-perceptron", "oracle: labeling", context="labeling"),
        _player("gaussian-tasks", "oracle: labeling, gaussian-tasks", context="labeling"),
    ),
    notes=NOTES,
    against="independent perceptrons",
    over_time=False,
)

FIGURE1 = TreeFigure(
    name="jmlr15-fig1",
    title="JMLR 2015, Figure 1: a sequence of labelings on its support tree",
    reference=REFERENCE,
    datasets=(),
    entries=(),
    notes=(
        "labeling 1 holds in rounds 1-4 and 16-20, 2 in 5-6 and 10-13, 3 in 7-9 and 14-15",
        "least cut: the fewest edges of the tree between vertices of different labels, whatever "
        "the inner ones have; at most S log2 T, up to the next power of two",
        "--plot draws the tree, the edges that are cut marked",
    ),
    active=(0,) * 4 + (1,) * 2 + (2,) * 3 + (1,) * 4 + (2,) * 2 + (0,) * 5,
)
