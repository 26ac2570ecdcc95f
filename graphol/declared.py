"""What the members of a kind of file must be, declared once and checked before anything uses them.

A length is a number, a name, or a name + 1; a name stands for the same number wherever it occurs,
so that shapes are stated in terms of each other.

>>> rows = {"n": Member("iu", (), least=1), "rows": Member("f", ("n", "d"))}
>>> check({"n": np.array(2), "rows": np.zeros((2, 3))}, rows, "a file")
{'n': 2, 'd': 3}
>>> check({"n": np.array(5), "rows": np.zeros((2, 3))}, rows, "a file")
Traceback (most recent call last):
graphol.errors.InputError: a file: rows must be numbers (5, d), got float64 (2, 3)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from graphol.door import check_rows, limit, too_large
from graphol.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LARGEST = 1e100
"""Of a number in a file, where it must be finite: its square is soon out of range."""
WORDS = {"iu": "whole numbers", "U": "texts", "iuU": "whole numbers or texts", "b": "true or false"}


@attrs.frozen
class Member:
    """One member of a file."""

    kinds: str
    """Letters of numpy's kinds of types that it may have."""
    shape: tuple[int | str | None, ...]
    """None: any length. The shape () is one value."""
    least: float | None = None
    """The smallest number that is allowed."""
    below: int | str | None = None
    """The first whole number that is not."""
    finite: bool = True
    """Must numbers be finite and of at most 1e100?"""
    optional: bool = False


def check(
    stored: Mapping[str, NDArray[Any]], form: Mapping[str, Member], where: str, **known: int
) -> dict[str, int]:
    """Refuse members that are not as declared; the lengths that the names stand for."""
    for name, member in form.items():
        if name in stored:
            _check(stored[name], member, f"{where}: {name}", known)
            if not member.shape and "iu".startswith(member.kinds[:1]):
                known[name] = int(stored[name])
        elif not member.optional:
            raise InputError(f"{where} has no {name}")
    return known


def _check(array: NDArray[Any], member: Member, what: str, known: dict[str, int]) -> None:
    if fits := array.dtype.kind in member.kinds and array.ndim == len(member.shape):
        for wanted, length in zip(member.shape, array.shape, strict=True):
            fits = fits and _meets(wanted, length, known)
    if not fits:
        kind = WORDS.get(member.kinds, "numbers")
        raise InputError(
            f"{what} must be {kind} {_written(member.shape, known)}, got {array.dtype} "
            f"{_written(array.shape, {})}"
        )
    if array.size and array.dtype.kind in "iu":
        lowest, highest = int(array.min()), int(array.max())
        below = known[member.below] if isinstance(member.below, str) else member.below
        if (member.least is not None and lowest < member.least) or highest >= 2**63:
            wrong = lowest if highest < 2**63 else highest
            raise InputError(f"{what} holds {wrong}; it must be >= {member.least or 0}")
        if below is not None and highest >= below:
            raise InputError(f"{what} holds {highest}; it must be below {below}")
    if array.size and member.finite and array.dtype.kind in "fc":
        if not float(np.abs(array).max()) <= LARGEST:
            raise InputError(f"{what} holds NaN, infinity or a number above {LARGEST:g}")
        if member.least is not None and array.min() < member.least:
            raise InputError(f"{what} holds {array.min():g}; it must be >= {member.least:g}")


def _meets(wanted: int | str | None, length: int, known: dict[str, int]) -> bool:
    if isinstance(wanted, str):
        name, _, more = wanted.partition("+")
        return known.setdefault(name, length - int(more or 0)) + int(more or 0) == length
    return wanted is None or wanted == length


def _written(shape: Sequence[int | str | None], known: Mapping[str, int]) -> str:
    """As numpy writes a shape, with the names of lengths that are not known."""
    lengths = []
    for length in shape:
        name, _, more = str(length).partition("+")
        number = known[name] + int(more or 0) if name in known else length
        lengths.append("any" if number is None else str(number))
    return f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


def csr_form(prefix: str = "", rows: str = "n", columns: str = "n") -> dict[str, Member]:
    """The members of a sparse matrix with so many rows and columns."""
    optional = bool(prefix)
    return {
        f"{prefix}indptr": Member("iu", (f"{rows}+1",), least=0, optional=optional),
        f"{prefix}indices": Member("iu", (f"{prefix}entries",), 0, columns, optional=optional),
        f"{prefix}data": Member("biuf", (f"{prefix}entries",), finite=False, optional=optional),
    }


def csr(
    stored: Mapping[str, NDArray[Any]],
    where: str,
    size: int,
    shape: tuple[int, int],
    prefix: str = "",
) -> csr_array:
    """The matrix of members that were checked; ``size`` is that of their file.

    scipy takes row pointers as they are and reads memory that is not its own where they are wrong,
    so they are checked here, and all is made of the types that scipy will use anyway.
    """
    from scipy.sparse import csr_array

    indptr, indices, data = (stored[prefix + key] for key in ("indptr", "indices", "data"))
    pointers = indptr.astype(np.int64)
    if pointers[0] != 0 or pointers[-1] != len(indices) or (np.diff(pointers) < 0).any():
        raise InputError(
            f"{where}: {prefix}indptr must rise from 0 to {len(indices)}, the number of entries"
        )
    if 12 * len(indices) > limit(size):
        raise too_large(where, f"{prefix}data", limit(size))
    if len(indices) > shape[0] * shape[1]:
        raise InputError(f"{where}: {len(indices)} entries for a matrix {shape}")
    check_rows(shape[0], len(indices), where)
    kind = np.int32 if max(*shape, len(indices)) < 2**31 else np.int64
    with np.errstate(over="ignore"):  # a long double may become infinite, which is refused later
        values = data.astype(np.float64)
    return csr_array((values, indices.astype(kind), pointers.astype(kind)), shape=shape)
