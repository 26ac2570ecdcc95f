"""Which bytes, and whose code, a recipe holds."""

from __future__ import annotations

import hashlib

import attrs

from graphol.registry import registry
from graphol.simulation import versions as all_versions
from graphol.sweep.provenance import data_hashes, known, missing_data, parts, versions


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make(spec):
    return registry().make("dataset", spec)


def test_generated_data_read_no_file():
    for spec in ("sbm", "grid", "digits", "largest:of=(sbm:nodes=60)"):
        assert data_hashes(make(spec)) == {} and missing_data(make(spec)) == []


def test_a_stored_graph_is_its_file(tmp_path, monkeypatch):
    assert missing_data(make("largest:of=(cora:component=all)")) == ["cora"]
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    filename = type(make("cora")).filename()
    (tmp_path / filename).write_bytes(b"1")
    assert data_hashes(make("largest:of=(cora:component=all)")) == {
        "cora": sha(tmp_path / filename)
    }
    (tmp_path / filename).write_bytes(b"22")
    assert data_hashes(make("cora")) == {"cora": sha(tmp_path / filename)}
    assert missing_data(make("cora")) == []


def test_a_data_set_that_is_named_in_a_parameter(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHOL_DATA", str(tmp_path))
    path = tmp_path / registry().find("dataset", "wordnet30").filename()
    path.write_bytes(b"1")
    assert data_hashes(make("synthetic-pathway:graph=wordnet30")) == {"wordnet30": sha(path)}


def test_files_of_ones_own_are_all_hashed(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("one", "two", "labels")]
    for path in paths:
        path.write_text(path.name)
    one, two, labels = paths
    made = attrs.evolve(make(f"files:graph={one},labels={labels}"), more=[str(two)])
    assert sorted(data_hashes(made).values()) == sorted(map(sha, paths))


def test_parts_are_all_components_inside():
    pool = registry().make("learner", "pool:experts=(gpa)+(molg-f)")
    assert [part.name for part in parts(pool)][:1] == ["pool"]
    assert {"gpa", "molg-f"} <= {part.name for part in parts(pool)}


def test_versions_are_those_that_a_simulation_notes():
    found = versions([registry().make("learner", "gpa")])
    assert found.items() <= all_versions().items() and "numba" in found


def test_a_class_of_a_script_is_known_by_its_file(poison):
    registry().load_file(poison)
    made = registry().make("learner", "poison")
    assert versions([made])["file poison.py"] == sha(poison)
    assert known(made) and known(registry().make("learner", "gpa"))
    registry.cache_clear()
    assert not known(made)
    assert versions([made])["file poison.py"] == sha(poison)
