"""The one door for npz files: what is damaged is one line, what is a pickle is never loaded."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphol
from graphol import door, npz
from graphol.errors import InputError, UsageError

ARRAYS = {"a": np.arange(5), "t": np.array(["x", "yy"]), "f": np.eye(2)}
META = {"schema": npz.SCHEMA, "what": "a test"}


@pytest.mark.parametrize("packed", [True, False])
def test_arrays_and_meta_come_back(tmp_path, packed):
    npz.write(tmp_path / "f.npz", ARRAYS, META, force=False, packed=packed)
    arrays, meta = npz.read(tmp_path / "f.npz", "test")
    assert meta == META and arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, ARRAYS[name])
        assert array.dtype == ARRAYS[name].dtype
    with np.load(tmp_path / "f.npz") as alone:  # numpy needs no help
        assert json.loads(alone["meta.json"]) == META
    with pytest.raises(UsageError, match="exists; add force=True"):
        npz.write(tmp_path / "f.npz", ARRAYS, META, force=False)


def test_objects_are_neither_written_nor_loaded(tmp_path):
    objects = np.array([print, 1], dtype=object)
    with pytest.raises(UsageError, match="a holds Python objects; store numbers or texts"):
        npz.write(tmp_path / "f.npz", {"a": objects}, force=False)
    assert not list(tmp_path.iterdir())
    np.savez(tmp_path / "f.npz", a=objects, b=1)
    np.save(tmp_path / "f.npy", objects)
    with pytest.raises(InputError, match="a holds Python objects, which are never loaded"):
        npz.members(tmp_path / "f.npz", ("a",), "a test")
    assert npz.members(tmp_path / "f.npz", ("b",), "a test") == {"b": 1}  # others are left alone
    with pytest.raises(InputError, match="holds Python objects, which are never loaded"):
        npz.array(tmp_path / "f.npy")


def test_what_is_missing_is_said(tmp_path):
    npz.write(tmp_path / "f.npz", ARRAYS, force=False)
    with pytest.raises(InputError, match=r"f.npz has no b, c; a test needs a, b, c"):
        npz.members(tmp_path / "f.npz", ("a", "b", "c"), "a test", ("t",))
    with pytest.raises(InputError, match=r"is not a trace, or is damaged: .* has no meta.json"):
        npz.read(tmp_path / "f.npz", "trace")
    with pytest.raises(InputError, match=r"there is no trace .*g.npz"):
        npz.read(tmp_path / "g.npz", "trace")
    with pytest.raises(InputError, match=r"there is no such file; did you mean '.*f\.npz'"):
        npz.members(tmp_path / "g.npz", ("a",), "a test")


@pytest.mark.parametrize("text", ["", "[]", "7", "{", "null", "[" * 100_000])
def test_a_meta_that_is_no_record_is_one_line(tmp_path, text):
    npz.write(tmp_path / "f.npz", ARRAYS, force=False)
    with zipfile.ZipFile(tmp_path / "f.npz", "a") as archive:
        archive.writestr("meta.json", text)
    with pytest.raises(InputError, match="is not a trace, or is damaged") as refusal:
        npz.read(tmp_path / "f.npz", "trace")
    assert "\n" not in str(refusal.value)


def test_another_schema_is_refused(tmp_path):
    npz.write(tmp_path / "f.npz", ARRAYS, META | {"schema": 99}, force=False)
    with pytest.raises(InputError, match="schema 99 is not 1, which is read here"):
        npz.read(tmp_path / "f.npz", "trace")


@settings(max_examples=200)
@given(data=st.data())
def test_damage_anywhere_is_one_line_or_harmless(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("npz") / "f.npz"
    npz.write(file, ARRAYS, META, force=False, packed=data.draw(st.booleans()))
    content = bytearray(file.read_bytes())
    where = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[where:]
    else:
        content[where] ^= data.draw(st.integers(1, 255))
    file.write_bytes(bytes(content))
    said = ""
    try:
        npz.read(file, "trace")
    except InputError as refusal:
        said = str(refusal)
    assert "\n" not in said and (not said or str(file) in said)


def npy(header, body=b"", version=b"\1\0"):
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + body


def headed(shape, descr="<i8"):
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"no array", "is not an array that numpy wrote"),
        (npy(headed("(2,)")[:-9], bytes(16)), "header is of something else"),
        (npy("(" * 9000), "header is of something else"),
        (npy(headed(f"({'9' * 4000},)")), "header is of something else"),
        (npy(headed("(2,)"), bytes(8)), "but 8 bytes follow"),
        (npy(headed("(2,)"), bytes(24)), "but 24 bytes follow"),
        (npy(headed(f"({10**15},)"), bytes(8)), "would take more than 100,000,000 bytes"),
        (npy(headed(f"({10**9}, {10**9}, 0)")), "would take more than 100,000,000 bytes"),
        (npy(headed(f"({10**12},)", "<U0")), "must be numbers or texts"),
        (npy(headed("(2,)", "|b1"), b"\1\2"), "neither true nor false"),
        (npy(headed("(1,)", "<U1"), b"\xff\xff\xff\x7f"), "holds what is not text"),
        (npy(headed("(2,)"), bytes(16), b"\7\7"), "is not an array that numpy wrote"),
    ],
    ids=["bytes", "unbalanced", "nested", "digits", "short", "long", "huge", "empty and huge",
         "no width", "truths", "code points", "version"],
)  # fmt: skip
def test_headers_are_held_against_the_bytes(tmp_path, raw, said):
    with zipfile.ZipFile(tmp_path / "f.npz", "w") as archive:
        archive.writestr("a.npy", raw)
    with pytest.raises(InputError, match=re.escape(said)):
        npz.members(tmp_path / "f.npz", ("a",), "a test")


ARRAYS_OF_ALL_KINDS = {
    "transposed": np.arange(6).reshape(2, 3).T, "big end first": np.arange(5, dtype=">i4"),
    "one text": np.array("x"), "empty": np.zeros((0, 3)), "empty texts": np.array(["", ""]),
    "half": np.ones(3, dtype=np.float16), "truths": np.array([True, False]),
    "complex": np.array([1j]), "long": np.arange(3, dtype=np.longdouble),
    "bytes": np.array([b"ab"]),
}  # fmt: skip


@pytest.mark.parametrize("values", ARRAYS_OF_ALL_KINDS.values(), ids=ARRAYS_OF_ALL_KINDS)
def test_arrays_are_read_as_numpy_reads_them(tmp_path, values):
    np.savez(tmp_path / "f.npz", a=values)
    np.save(tmp_path / "f.npy", values)
    for found in (npz.members(tmp_path / "f.npz", ("a",), "")["a"], npz.array(tmp_path / "f.npy")):
        np.testing.assert_array_equal(found, values)
        assert found.dtype == values.dtype.newbyteorder("=") and found.shape == values.shape


def test_members_are_there_once(tmp_path):
    with zipfile.ZipFile(tmp_path / "f.npz", "w") as archive:
        archive.writestr("a.npy", npy(headed("()"), bytes(8)))
        archive.writestr("a", npy(headed("()"), bytes(8)))
    with pytest.raises(InputError, match="has two members 'a'"):
        npz.members(tmp_path / "f.npz", ("a",), "a test")


def test_a_gigabyte_in_a_megabyte_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(door, "FLOOR", 1_000_000)
    np.savez_compressed(tmp_path / "f.npz", a=np.zeros(1_000_000))
    with pytest.raises(InputError, match=r"an array \(1000000,\) of float64 would take more than"):
        npz.members(tmp_path / "f.npz", ("a",), "a test")
    npz.write(tmp_path / "ours.npz", {"a": np.zeros(1_000_000)}, force=False)  # not packed, then
    assert npz.members(tmp_path / "ours.npz", ("a",), "a test")["a"].shape == (1_000_000,)


@pytest.mark.parametrize(
    ("call", "doors"),
    [
        (r"np\.load\(", []),
        (r"np\.savez", ["npz.py"]),
        (r"zipfile\.ZipFile\(", ["downloads/archive.py", "npz.py"]),
        (r"gzip\.|decompressobj|BZ2|LZMA", ["door.py"]),
    ],
)
def test_the_door_is_the_only_one(call, doors):
    package = Path(graphol.__file__).parent
    files = [
        p.relative_to(package) for p in package.rglob("*.py") if re.search(call, p.read_text())
    ]
    assert sorted(str(path) for path in files if path.parts[0] != "testing") == doors
