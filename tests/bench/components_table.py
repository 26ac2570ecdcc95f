"""The table of embeddings on disconnected graphs.

`python tests/bench/components_table.py [--seed N] [--repeats N] [GRAPH ...]`, some 15 minutes. Each
cell is an error in per cent. The exit code is 1 if the default embedding is more than one point
worse than the best of the others on some graph, over the nodes that they share:

keep, drop
    `spectral` with 100 dimensions, the eigenvalue 0 kept or dropped.
per part
    A game of its own on every component, keep. Second-order learners do not carry anything over
    between rows that are orthogonal, so components of up to 100 nodes are played together, in as
    many dimensions as they have nodes; an isolated node is taken for class 0, as an unknown one is.
largest
    The game on the largest component alone, keep, against the default's figure on those nodes; the
    mean over all of that size, if there are several; none, if none of them has two classes.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

from component_graphs import GRAPHS

from graphol import Graph, simulate
from graphol.embeddings.spectral import ComponentsWarning

LEARNERS = ("molg-f", "molg-b")
KEEP, DROP = "spectral:trivial=keep,dim={}", "spectral:trivial=drop,dim=100"
TOGETHER = 300  # nodes of small components that are played in one game
POINT = 1.0

Errors = NDArray[np.float64]  # (n,), share of the games in which the node was mistaken
Play = Callable[[Graph, str], Errors]


def player(learner: str, repeats: int, seed: int) -> Play:
    """Games of one learner, node by node."""

    def play(graph: Graph, embedding: str) -> Errors:
        played = simulate(learner, graph, embedding=embedding, repeats=repeats, seed=seed)
        errors = np.full(graph.n, np.nan)
        errors[played.traces[0].node] = 0.0
        for trace in played.traces:
            errors[trace.node] += (trace.predicted != trace.label) / len(played.traces)
        return errors

    return play


def groups(graph: Graph) -> Iterator[NDArray[np.int64]]:
    """The nodes of large components one by one, of small ones some at a time; no isolated ones."""
    together: list[NDArray[np.int64]] = []
    order = np.argsort(graph.components, kind="stable")
    for nodes in np.split(order, np.cumsum(np.bincount(graph.components))[:-1]):
        if len(nodes) > 100:
            yield nodes
        elif len(nodes) > 1:
            if sum(map(len, together)) + len(nodes) > TOGETHER:
                yield np.concatenate(together)
                together = []
            together.append(nodes)
    if together:
        yield np.concatenate(together)


def per_part(graph: Graph, play: Play) -> Errors:
    """Every component for itself."""
    assert graph.labels is not None
    errors = (graph.labels != 0).astype(float)
    for nodes in groups(graph):
        part = graph.subgraph(nodes)
        if len(np.unique(part.labels)) == 1:  # no game: it would be mistaken once, or never
            errors[nodes] = np.mean(errors[nodes]) / len(nodes)
        else:
            errors[nodes] = play(part, KEEP.format(100 if part.n_components == 1 else part.n))
    return errors


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--repeats", type=int, default=10)
    options.add_argument("graphs", nargs="*", help="all, if none is named")
    given = options.parse_args()
    warnings.simplefilter("ignore", ComponentsWarning)
    worst = -np.inf
    print("| graph | nodes | parts | d | learner | default | keep | drop | per part | default, "
          "largest | largest | behind |")  # fmt: skip
    print("| --- " * 12 + "|")
    for name in given.graphs or GRAPHS:
        graph = GRAPHS[name]()
        for learner in LEARNERS:
            start = time.process_time()
            play = player(learner, given.repeats, given.seed)
            ours = play(graph, "spectral")
            d = dimensions(graph)
            others = [play(graph, KEEP.format(100)), play(graph, DROP), per_part(graph, play)]
            there = on_largest(graph)
            largest = np.where(there, others[2], np.nan)
            behind = max(100 * mean(ours - other) for other in (*others, largest))
            worst = max(worst, behind)
            figures = [ours, *others, np.where(there, ours, np.nan), largest]
            cells = " | ".join(f"{100 * mean(each):.2f}" for each in figures).replace("-inf", "")
            print(f"| {name} | {graph.n} | {graph.n_components} | {d} | {learner} | {cells} | "
                  f"{behind:+.2f} |", flush=True)  # fmt: skip
            print(f"{name}: {time.process_time() - start:.0f} s of CPU", file=sys.stderr)
    print(f"\nfurthest behind: {worst:+.2f} points, of {POINT:g} allowed")
    return int(worst > POINT)


def mean(errors: Errors) -> float:
    """Of those that there are."""
    return float(np.nanmean(errors)) if np.isfinite(errors).any() else -np.inf


def on_largest(graph: Graph) -> NDArray[np.bool_]:
    """The nodes of the largest components, if there is one with a game to play."""
    assert graph.labels is not None
    sizes = np.bincount(graph.components)
    there: NDArray[np.bool_] = sizes[graph.components] == sizes[0]
    classes = {(int(j), int(k)) for j, k in zip(graph.components, graph.labels, strict=True)}
    most = max(sum(j == i for i, _ in classes) for j in range(np.count_nonzero(sizes == sizes[0])))
    return there & (most > 1)


def dimensions(graph: Graph) -> int:
    """Of the default embedding."""
    from graphol.embeddings.spectral import Spectral

    return int(Spectral().embed(graph, np.random.default_rng(0)).rows.shape[1])


if __name__ == "__main__":
    raise SystemExit(main())
