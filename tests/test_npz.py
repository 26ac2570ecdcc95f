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
from graphol import npz
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
    with pytest.raises(UsageError, match="exists; add --force"):
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
    with pytest.raises(InputError, match="schema 99 is not 1, the one I know"):
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
