"""A folder's files are the old ones or the new ones, whenever whoever replaces them stops."""

from __future__ import annotations

import itertools
import os
import time

import pytest

from graphol.errors import InputError, UsageError
from graphol.transaction import DONE, LOCK, NEW, ORDERS, alone_in, replacing_all, standing

pytestmark = pytest.mark.skipif(os.name != "posix", reason="flock, fork")

OLD = {"meta.json": "old", "a": "old", "b": "old", "in/c": "old"}
NEXT = {"meta.json": "new", "a": "new", "in/d": "new", "on/e": "new"}


def fill(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)


def replace(folder, files, old):
    with alone_in(folder), replacing_all(folder, old) as new:
        fill(new, files)


def seen(folder):
    """What a reader finds, by name, the inner folders by themselves."""
    found = {}
    for name in {*OLD, *NEXT}:
        inner, _, last = name.rpartition("/")
        for path in (standing(folder, name), standing(folder / inner, last)):
            if path.is_file():
                found[name] = path.read_text()
            else:
                assert name not in found or path != standing(folder / inner, last)
    return found


def test_old_or_new_whatever_step_the_writer_was_killed_at(tmp_path, killed_at, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # for speed
    states = []
    for k in itertools.count(1):
        folder = tmp_path / str(k)
        fill(folder, OLD | {"mine": "mine", "in/mine": "mine"})
        killed = killed_at(k, lambda folder=folder: replace(folder, NEXT, OLD))
        states.append(seen(folder))
        with alone_in(folder):  # the next run tidies up
            pass
        files = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
        assert files == {*states[-1], "mine", "in/mine"}
        if not killed:
            break
    assert k > 20 and all(state in (OLD, NEXT) for state in states)
    assert states == sorted(states, key=lambda state: state == NEXT)
    assert states[0] == OLD and states[-1] == NEXT


def test_tidying_may_be_killed_as_often_as_it_likes(tmp_path, killed_at, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    fill(tmp_path, OLD)

    def tidy():
        with alone_in(tmp_path):
            pass

    k = 25  # about where it counts
    while not (tmp_path / DONE).exists():
        assert killed_at(k, lambda: replace(tmp_path, NEXT, OLD))
        k += 1
    for step in itertools.count(3):
        killed = killed_at(step, tidy)
        assert seen(tmp_path) == NEXT
        if not killed:
            break
    assert step > 5 and not list(tmp_path.glob(".*"))


def test_a_failure_leaves_everything_as_it_was(tmp_path):
    fill(tmp_path, OLD)

    def fail():
        with alone_in(tmp_path), replacing_all(tmp_path, OLD) as new:
            fill(new, NEXT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen(tmp_path) == OLD and not list(tmp_path.glob(".*"))


def test_what_is_not_old_is_never_replaced(tmp_path):
    fill(tmp_path, OLD)
    for name, given in (("a", ["meta.json", "b"]), ("on", OLD)):
        fill(tmp_path, {"on": "a file where a folder should be"} if name == "on" else {})
        with pytest.raises(UsageError, match=f"{tmp_path / name} is not of graphol's results"):
            replace(tmp_path, NEXT, given)
        assert seen(tmp_path) == OLD and not list(tmp_path.glob(".*")), name


def test_one_writer_at_a_time(tmp_path):
    with alone_in(tmp_path), pytest.raises(UsageError, match="is being written by process"):
        replace(tmp_path, NEXT, [])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("held", "wanted"), [("", "in"), ("in", "")])
def test_nobody_writes_one_folder_up_or_down(tmp_path, held, wanted):
    (tmp_path / "in").mkdir()
    one, two = tmp_path / held, tmp_path / wanted
    with alone_in(one), pytest.raises(UsageError, match="is being written by process") as error:
        replace(two, {"a": "new"}, [])
    assert str(error.value).startswith(f"{two} cannot be written: {one}, which ")
    replace(two, {"a": "new"}, [])
    assert not list(tmp_path.rglob(".graphol*"))


def test_who_writes_elsewhere_is_in_nobodys_way(tmp_path):
    fill(tmp_path, {"in/deep/x": "", "on/x": ""})
    (tmp_path / "link").symlink_to(tmp_path / "on" / "away", target_is_directory=True)
    (tmp_path / "on" / "away").mkdir()
    with alone_in(tmp_path / "in"):
        for other in ("on", "link"):
            replace(tmp_path / other, {"a": "new"}, [])
    with alone_in(tmp_path / "on" / "away"):  # behind a link
        replace(tmp_path, {"b": "new"}, [])
    with alone_in(tmp_path):
        replace(tmp_path / "in" / "deep", {"a": "new"}, [])
    written = ("on/a", "on/away/a", "b", "in/deep/a")
    assert [(tmp_path / path).read_text() for path in written] == ["new"] * 4


def test_claims_of_the_dead_are_in_nobodys_way(tmp_path):
    """Here they are of another machine, and were not touched for longer than a lease."""
    fill(tmp_path, {f"in/{LOCK}": "process 1 on x", LOCK: "process 2 on x", "in/on/x": ""})
    for mark in (tmp_path / "in" / LOCK, tmp_path / LOCK):
        os.utime(mark, (0, 0))
    replace(tmp_path / "in", {"a": "new"}, [])
    (tmp_path / "in" / LOCK).write_text("process 3 on x")
    os.utime(tmp_path / "in" / LOCK, (0, 0))
    replace(tmp_path, {"a": "new"}, [])
    assert not list(tmp_path.rglob(".graphol*"))


def test_what_a_dead_one_wrote_further_up_is_brought_here_first(tmp_path):
    """Else it would stand for, and later replace, what is written now."""
    fill(tmp_path, {"in/c": "old", f"{DONE}/in/c": "dead", f"{DONE}/a": "dead"})
    (tmp_path / DONE / ORDERS).write_text('{"stale": [], "over": ["in/c"]}')
    assert standing(tmp_path / "in", "c").read_text() == "dead"
    replace(tmp_path / "in", {"c": "new"}, ["c"])
    assert standing(tmp_path / "in", "c").read_text() == "new"
    assert (tmp_path / "a").read_text() == "dead" and not list(tmp_path.rglob(".graphol*"))


def test_messages_name_the_folder_that_the_user_named(tmp_path):
    place = replacing_all(tmp_path, [])
    with pytest.raises(InputError) as error, alone_in(tmp_path), place as new:
        raise InputError(f"cannot write {new / 'a'}: no room")
    assert str(error.value) == f"cannot write {tmp_path / 'a'}: no room"


def test_leftovers_of_earlier_versions(tmp_path):
    ours, young, users = (tmp_path / f".new-abcd{i}_12" for i in range(3))
    fill(ours, {"trace-000.npz": "", "meta.json": "", ".meta.json.h3dk2_1a.json": ""})
    fill(young, {"trace-000.npz": ""})
    fill(users, {"thesis.txt": ""})
    for old in (ours, users):
        os.utime(old, (time.time() - 7200,) * 2)
    with alone_in(tmp_path):
        assert {path.name for path in tmp_path.glob(".new*")} == {young.name, users.name}


@pytest.mark.parametrize("orders", ["{", '{"stale": ["../mine"], "over": []}', '{"stale": 3}'])
def test_orders_that_are_not_ours(tmp_path, orders):
    fill(tmp_path, {"mine": "mine", f"out/{DONE}/{ORDERS}": orders, f"out/{DONE}/a": "new"})
    with pytest.raises(InputError, match="is damaged; remove"), alone_in(tmp_path / "out"):
        pass
    assert (tmp_path / "mine").exists() and not (tmp_path / "out" / NEW).exists()


@pytest.mark.parametrize(
    ("link", "files"),
    [
        ("in", {f"{DONE}/{ORDERS}": '{"stale": ["in/deep/mine"], "over": []}'}),
        ("in", {f"{DONE}/{ORDERS}": '{"stale": ["in/mine"], "over": []}'}),
        (
            "in",
            {f"{DONE}/in/mine": "new", f"{DONE}/{ORDERS}": '{"stale": [], "over": ["in/mine"]}'},
        ),
        (DONE, {}),
    ],
)
def test_links_do_not_lead_out_of_the_folder(tmp_path, link, files):
    """Somebody gave us the folder: what its links lead to is neither removed nor moved."""
    mine, out = tmp_path / "home", tmp_path / "out"
    fill(mine, {"mine": "mine", "deep/mine": "mine"})
    fill(out, files | {"meta.json": "old"})
    (out / link).symlink_to(mine)
    with pytest.raises((InputError, UsageError)):
        replace(out, {"meta.json": "new", "a": "new"}, ["meta.json"])
    assert (mine / "mine").read_text() == (mine / "deep" / "mine").read_text() == "mine"
    assert (out / "meta.json").read_text() == "old"


def test_nothing_is_written_through_a_link(tmp_path):
    fill(tmp_path, {"home/d": "mine", "out/meta.json": "old"})
    (tmp_path / "out" / "in").symlink_to(tmp_path / "home")
    with pytest.raises(UsageError, match="in is not of graphol's results there, so it stays"):
        replace(tmp_path / "out", NEXT, ["meta.json", "in/d"])
    assert (tmp_path / "home" / "d").read_text() == "mine"
