"""Compiled functions where numba or the disk do not do as they are told; see tests/compiled too."""

import numba
import pytest

from graphol import jit


def double(x):
    return 2 * x


def test_kernels_compile_where_the_option_is_unknown(monkeypatch):
    def strict(**options):
        if "_nrt" in options:
            raise KeyError("Unrecognized options: {'_nrt'}")
        return numba.njit(**options)

    monkeypatch.setattr(jit, "njit", strict)
    with pytest.raises(KeyError):
        jit.kept(double, _nrt=False)
    assert jit.kernel(double)(21) == 42


def test_what_is_kept_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    first, second = jit.kept(double), jit.kept(double)
    assert first(21) == second(21) == 42
    assert sum(first.stats.cache_misses.values()) == sum(second.stats.cache_hits.values()) == 1
