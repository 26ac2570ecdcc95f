"""Members as declared, and sparse matrices against scipy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import random_array

from graphol.declared import Member, check, csr, csr_form
from graphol.errors import InputError

FORM = {
    "n": Member("iu", (), least=1),
    "rows": Member("f", ("n", "d")),
    "ends": Member("iu", ("n+1",), least=0, below="n"),
    "names": Member("U", (None,), optional=True),
}
GOOD = {"n": np.array(2), "rows": np.ones((2, 3)), "ends": np.array([0, 1, 0], dtype=np.uint8)}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n": np.array(0)}, "f: n holds 0; it must be >= 1"),
        ({"n": np.array([2])}, r"f: n must be whole numbers \(\), got int64 \(1,\)"),
        ({"rows": np.ones((3, 3))}, r"f: rows must be numbers \(2, d\), got float64 \(3, 3\)"),
        ({"rows": np.ones((2, 3)) * np.inf}, "f: rows holds NaN, infinity or a number above"),
        ({"rows": np.full((2, 3), 1e101)}, "above 1e\\+100"),
        ({"rows": np.ones((2, 3), dtype=int)}, "f: rows must be numbers"),
        ({"ends": np.array([0, 1])}, r"f: ends must be whole numbers \(3,\), got int64 \(2,\)"),
        ({"ends": np.array([0, -1, 0])}, "f: ends holds -1; it must be >= 0"),
        ({"ends": np.array([0, 2, 0])}, "f: ends holds 2; it must be below 2"),
        ({"ends": np.array([0, 2**64 - 1, 0], dtype=np.uint64)}, "ends holds 18446744073709551615"),
        ({"names": np.array([1])}, r"f: names must be texts \(any,\), got int64 \(1,\)"),
        ({"rows": None}, "f has no rows"),
    ],
)
def test_what_is_not_as_declared(changes, said):
    assert check(GOOD, FORM, "f") == {"n": 2, "d": 3}
    changed = {key: value for key, value in (GOOD | changes).items() if value is not None}
    with pytest.raises(InputError, match=said):
        check(changed, FORM, "f")


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64])
def test_a_good_matrix_is_scipys(kind):
    S = random_array((30, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
    stored = {"indptr": S.indptr.astype(kind), "indices": S.indices.astype(kind), "data": S.data}
    check(stored, csr_form(columns="columns"), "f", n=30, columns=40)
    np.testing.assert_array_equal(csr(stored, "f", 1000, (30, 40)).toarray(), S.toarray())


@pytest.mark.parametrize(
    "indptr", [[0, 2, 1, 3], [1, 1, 2, 3], [0, 1, 2, 2], [0, 9, 9, 3], [0, 1, 2, 4]]
)
def test_pointers_are_checked_before_scipy_sees_them(indptr):
    stored = {"indptr": np.array(indptr), "indices": np.array([0, 1, 2]), "data": np.ones(3)}
    with pytest.raises(InputError, match="indptr must rise from 0 to 3"):
        csr(stored, "f", 1000, (3, 3))


def test_more_entries_than_places_are_refused():
    n, many = 10, 200
    stored = {
        "indptr": np.array([0] * n + [many]), "indices": np.zeros(many, dtype=int),
        "data": np.ones(many),
    }  # fmt: skip
    with pytest.raises(InputError, match=r"200 entries for a matrix \(10, 10\)"):
        csr(stored, "f", 1000, (n, n))
