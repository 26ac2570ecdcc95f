"""The user's own gene expressions, with a graph of interactions and a pathway to be found."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import attrs
import numpy as np

from graphol.api import Integers
from graphol.datasets.signals import standardised, table_task
from graphol.errors import InputError, UsageError, near
from graphol.formats import read_graph
from graphol.formats.gmt import read_gmt
from graphol.formats.signal_file import SignalFile, read_signal_file, refuse_target_among
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import SignalTask


@attrs.frozen
class Pathway:
    """Gene expressions of yours over a graph of interactions, with a pathway as the true support.

    ``expression`` has a sample per line and a gene per column, and one column for the target, as
    ``signals`` has; ``interactions`` joins genes. Only genes that both files have are kept, and
    notes say how many are not. Every gene is standardised over all samples. Which samples are held
    out is drawn from the rng, because such tables are often sorted by the target.

    No data comes with graphol. Pathways: KEGG's are licensed, see
    https://www.kegg.jp/kegg/legal.html before you take them from its own site; MSigDB
    (https://www.gsea-msigdb.org) has them and others as GMT files. Expressions: GEO
    (https://www.ncbi.nlm.nih.gov/geo) and TCGA (https://portal.gdc.cancer.gov). Interactions:
    STRING (https://string-db.org) and BioGRID (https://thebiogrid.org). All files need the same
    kind of gene id.

    Parameters
    ----------
    expression
        Path of the table, CSV or TSV: a header of gene ids and the target's name.
    interactions
        Path of the graph between the gene ids, in any format that ``--graph`` reads.
    pathways
        Path of a GMT file: on every line a pathway's id, its description and its genes, with tabs
        between.
    pathway
        Id of the pathway that is the true support. Without one the support is not scored.
    target
        Name of the target's column.
    validation
        Share of the samples to tune on; >= 0 and < 1.
    test
        Share of the samples to score on; >= 0 and < 1, and with ``validation`` below 1.
    """

    name: ClassVar[str] = "pathway"
    expression: str = param("")
    interactions: str = param("")
    pathways: str | None = param(None, type=str)
    pathway: str | None = param(None, type=str)
    target: str = param("target")
    validation: float = param(0.2, least=0, below=1)
    test: float = param(0.2, least=0, below=1)

    def __attrs_post_init__(self) -> None:
        if self.validation + self.test >= 1:
            raise UsageError(
                f"pathway: validation + test must be < 1, got {self.validation + self.test:g}"
            )
        if self.pathway is not None and self.pathways is None:
            raise UsageError("pathway: name the GMT file that has the pathway with pathways=FILE")

    @classmethod
    def where(cls) -> str:
        """With the user."""
        return "your own: --dataset pathway:expression=FILE,interactions=FILE"

    def load(self, rng: np.random.Generator) -> SignalTask:
        """The samples, in an order drawn from ``rng``."""
        if not self.expression or not self.interactions:
            raise UsageError(
                "pathway: give both files, --dataset pathway:expression=FILE,interactions=FILE"
            )
        graph = read_graph(self.interactions)
        table = read_signal_file(self.expression, self.target)
        refuse_target_among(graph, table)
        graph = _measured(graph, table)
        support = None
        if self.pathways is not None:
            support, note = _support(graph, self.pathways, self.pathway)
            graph = graph.noted(*note)
        X, y = table.numbers([str(gene) for gene in graph.ids])
        order = rng.permutation(len(y))
        name = Path(self.expression).name
        if self.pathway is not None:
            name = f"{name}: {self.pathway}"
        return table_task(
            graph, standardised(X[order]), y[order], name,
            test=self.test, validation=self.validation, support=support,
        )  # fmt: skip


def _measured(graph: Graph, table: SignalFile) -> Graph:
    """The graph on the genes that have a column."""
    columns = set(table.inputs)
    kept = np.flatnonzero([str(gene) in columns for gene in graph.ids])
    if len(kept) == 0:
        raise InputError(
            f"{table.path}: none of its columns is a gene of {graph.name}, e.g. column "
            f"{table.inputs[0]!r} and gene {graph.ids[0]!r}; both need the same kind of gene id, "
            "and the table a gene per column"
        )
    if graph.adjacency[kept][:, kept].nnz == 0:
        raise InputError(
            f"{table.path}: has columns for {len(kept)} gene(s), between which {graph.name} has no "
            "interaction; take a table with more genes, or more interactions"
        )
    notes = []
    if len(columns) > len(kept):
        notes.append(
            f"{len(columns) - len(kept)} column(s) of {table.path} dropped: not in {graph.name}"
        )
    if len(kept) < graph.n:
        notes.append(f"{graph.n - len(kept)} gene(s) dropped: no column in {table.path}")
        graph = graph.subgraph(kept)
    return graph.noted(*notes)


def _support(graph: Graph, path: str, pathway: str | None) -> tuple[Integers | None, list[str]]:
    """The rows of the pathway's genes, and what is to be said about it."""
    pathways = read_gmt(path)
    if pathway is None:
        return None, [f"no pathway=ID of {path} is named, so the support is not scored"]
    if pathway not in pathways:
        raise UsageError(f"{path} has no pathway {pathway!r}; {near(pathway, pathways)}")
    genes = set(pathways[pathway])
    support = np.flatnonzero([str(gene) in genes for gene in graph.ids])
    if len(support) == 0:
        raise InputError(
            f"{path}: none of the {len(genes)} gene(s) of {pathway!r} has both a column and an "
            "interaction; all files need the same kind of gene id"
        )
    if len(support) == len(genes):
        return support, []
    missing = len(genes) - len(support)
    return support, [f"{missing} of {len(genes)} gene(s) of {pathway!r} are not in the graph"]
