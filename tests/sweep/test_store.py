"""The folder of a sweep: whole files, one writer, folders that merge."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

import graphol
from graphol.claims import Taken
from graphol.errors import GrapholError, InputError, UsageError
from graphol.sweep import cell_file
from graphol.sweep.store import LOCK, PART, PLAN, Failure, Store


def content(seed=0, name="aa"):
    found = graphol.simulate("gpa", "sbm:nodes=40,classes=2", repeats=1, seed=seed)
    return cell_file.to_bytes(found, name, {"seed": seed})


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "out")
    with found.claimed():
        found.put("aa", content())
    return found


def test_done_is_what_has_a_file(store):
    assert store.done() == {"aa"}
    store.path("aa").unlink()
    assert store.done() == set()
    assert Store(store.folder / "nowhere").done() == set()


def test_a_cell_that_is_done_has_not_failed(store):
    failure = Failure("bb", {"seed": 1}, "no", "graphol simulate", 2, "killed", "now")
    store.fail(failure)
    assert store.failed() == {"bb": failure}
    store.put("bb", content(1, "bb"))
    assert store.failed() == {} and store.done() == {"aa", "bb"}


def test_one_process_writes_at_a_time(store):
    with store.claimed(), pytest.raises(Taken, match="is being written by process"):  # noqa: SIM117
        with Store(store.folder).claimed():
            pass


def test_who_was_taken_for_dead_writes_no_more(store):
    with store.claimed():
        store.log("aa", "before")
        (store.folder / LOCK).unlink()
        with Store(store.folder).claimed(), pytest.raises(InputError, match="was taken over by"):
            store.log("aa", "after")
    assert store.log_path("aa").read_text() == "before"
    assert sorted(os.listdir(store.folder)) == ["cells", "failed", "logs"]


@pytest.mark.parametrize("name", [LOCK, PART, PLAN])
def test_a_folder_in_the_place_of_a_file_of_ours_is_named(store, name):
    (store.folder / name).mkdir()
    with pytest.raises(GrapholError) as refusal, store.claimed():
        store.keep_plan({})
    assert str(refusal.value).count(name) >= 1 and "move it away" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_in_the_place_of_a_folder_of_ours_is_named(tmp_path):
    (tmp_path / "cells").touch()
    with pytest.raises(InputError, match=r"cells: Not a directory"):
        Store(tmp_path).done()


def test_what_a_killed_process_left_is_gone(store):
    script = (
        "import os, sys\n"
        "from graphol.sweep.store import Store\n"
        "store = Store(sys.argv[1])\n"
        "with store.claimed():\n"
        "    store._part.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, store.folder], check=False)
    assert done.returncode == -9 and store._part.exists()
    with store.claimed():
        assert not store._part.exists()
    assert sorted(os.listdir(store.folder)) == ["cells", "failed", "logs"]


def test_the_plan_is_replaced_whole_and_stays_if_it_is_the_same(store):
    store.keep_plan({"aa": {"seed": 0}}, tuned={"x": 1})
    before = os.stat(store.folder / "sweep.json").st_mtime_ns
    store.keep_plan({"aa": {"seed": 0}}, tuned={"x": 1})
    assert os.stat(store.folder / "sweep.json").st_mtime_ns == before
    assert store.planned() == {"aa": {"seed": 0}} and store.plan()["tuned"] == {"x": 1}


def test_folders_copied_together_are_one(store, tmp_path):
    other = Store(tmp_path / "other")
    with other.claimed():
        other.put("bb", content(1, "bb"))
    shutil.copytree(other.folder, store.folder, dirs_exist_ok=True)
    assert store.done() == {"aa", "bb"}
    assert store.read("bb").recipe["seed"] == 1


def test_merging_takes_what_is_new(store, tmp_path):
    other = Store(tmp_path / "other")
    with other.claimed():
        other.put("aa", content())
        other.put("bb", content(1, "bb"))
        other.log("bb", "said\n")
    assert store.merge(other.folder) == 1
    assert store.done() == {"aa", "bb"} and store.log_path("bb").read_text() == "said\n"
    assert store.merge(other.folder) == 0


def test_merging_refuses_other_figures_by_name(store, tmp_path):
    other = Store(tmp_path / "other")
    with other.claimed():
        other.put("aa", content(seed=7))
        other.put("bb", content(1, "bb"))
    with pytest.raises(UsageError, match="cell aa has other figures"):
        store.merge(other.folder)
    assert store.done() == {"aa"}
    with pytest.raises(UsageError, match="no cells"):
        store.merge(tmp_path)


def test_removing_frees_what_it_says(store):
    before = store.size()
    store.log("aa", "x" * 1000)
    assert store.remove(["aa"]) == before + 1000
    assert store.size() == 0 and store.everything() == set()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 9, "name": "a", "error": "b"}'])
def test_a_damaged_record_is_refused_in_one_line(store, text):
    (store.folder / "failed" / "cc.json").write_text(text)
    with pytest.raises(InputError, match=r"cc\.json"):
        store.failed()


def test_keys_of_a_later_version_are_left_alone(store):
    store.fail(Failure("bb", {}, "no", None))
    path = store.folder / "failed" / "bb.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"mood": "bad"}))
    assert store.failed()["bb"].error == "no"


@pytest.mark.parametrize(
    "part",
    [{"tuned": [1]}, {"cells": [1]}, {"cells": {"aa": 5}}, {"cells": {"aa": {"engine": 5}}}],
)
def test_a_plan_of_another_kind_is_refused_in_one_line(store, part):
    (store.folder / "sweep.json").write_text(json.dumps({"schema": 1, "cells": {}} | part))
    with pytest.raises(InputError, match=r"sweep.json is damaged .*; remove it"):
        store.plan()


@pytest.mark.parametrize(
    "part",
    [{"error": 7}, {"tries": "x"}, {"recipe": [1]}, {"command": 3}, {"recipe": {"engine": 1}}],
)
def test_a_failure_of_another_kind_is_refused_in_one_line(store, part):
    record = {"schema": 1, "name": "bb", "error": "x"} | part
    (store.folder / "failed" / "bb.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"bb.json is damaged .*; remove it"):
        store.failed()


def test_a_link_to_nowhere_has_a_size(store):
    before = store.size()
    (store.folder / "logs" / "zz.log").symlink_to("/nowhere")
    assert store.size() == before + len("/nowhere")
