"""Nodes as vectors: the Features of every embedding that has rows."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.errors import InputError


def _frozen(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    frozen = np.array(rows, dtype=np.float64, order="C")  # a copy: nobody else can change it
    if frozen.ndim != 2:
        raise InputError(f"features must be a table (n, d), got shape {frozen.shape}")
    if not np.isfinite(frozen).all():
        raise InputError("features hold NaN or infinity")
    frozen.setflags(write=False)
    return frozen


@attrs.frozen(eq=False)
class RowFeatures:
    """One row per node, and their inner products as the kernel; the rows cannot be changed.

    >>> features = RowFeatures([[1.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    >>> features.gram(1, np.array([0, 2]))
    array([1., 3.])
    """

    rows: NDArray[np.float64] = attrs.field(converter=_frozen)  # (n, d), C-contiguous, read-only
    facts: Mapping[str, Any] = attrs.field(factory=dict)
    """How the rows were found, as plain data; ``graphol embed`` shows it."""

    @functools.cached_property
    def rho(self) -> float:
        """The largest squared length of a row; 1 where all are 0."""
        return float(np.einsum("nd,nd->n", self.rows, self.rows).max(initial=0.0)) or 1.0

    def gram(self, i: int, js: NDArray[np.int64]) -> NDArray[np.float64]:
        """Inner products of row i with the rows js."""
        products: NDArray[np.float64] = self.rows[js] @ self.rows[i]
        return products


def unit_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every row divided by its Euclidean norm; a zero row stays zero."""
    largest = np.max(np.abs(rows), axis=1, keepdims=True, initial=0.0)
    rows = rows / np.where(
        largest > 0, largest, 1.0
    )  # first, so that no square over- or underflows
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float64] = rows / np.where(norms > 0, norms, 1.0)
    return unit
