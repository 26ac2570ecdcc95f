"""What is kept on disk: the same bits, nobody else's, and never a reason to fail."""

import json
import os

import numpy as np
import pytest
from scipy.sparse import csr_array

from graphol import Graph, InputError, npz
from graphol.embeddings import store
from graphol.embeddings.kernel import Kernel
from graphol.embeddings.spectral import Spectral
from graphol.linalg import blocks as by_component
from graphol.linalg import connected, eigen
from graphol.linalg.eigen import ResidualWarning


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own, in which everything is worth keeping."""
    monkeypatch.setenv("GRAPHOL_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(store, "LONG", 0.0)
    return tmp_path / "kept"


@pytest.fixture
def solved(monkeypatch):
    """Counts the eigenproblems that are really solved."""
    calls, honest = [], by_component.nonzero_eigenpairs

    def counting(L, r, k, *others):
        calls.append(k)
        return honest(L, r, k, *others)

    monkeypatch.setattr(by_component, "nonzero_eigenpairs", counting)
    return calls


def rng(seed=0):
    return np.random.default_rng(seed)


def ring(n=40, weight=1.0):
    return Graph.from_edges(range(n), [*range(1, n), 0], [weight] * n)


def blocks(sizes=(60, 60, 60), seed=0):
    """Dense inside, a few ties between."""
    draw = np.random.default_rng(seed)
    label = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(label[:, None] == label, 0.5, 0.02)
    W = np.triu(draw.random(chance.shape) < chance, 1)
    return Graph(csr_array(W + W.T, dtype=float))


@pytest.mark.parametrize("trivial", ["share", "keep", "bias", "drop"])
def test_the_second_time_the_same_bits_come_from_disk(folder, solved, trivial, monkeypatch):
    embedding = Spectral(dim=7, trivial=trivial)
    one, two = rng(), rng()
    fresh = embedding.embed(ring(), one)
    again = embedding.embed(ring(), two)
    assert len(solved) == 1
    assert fresh.rows.tobytes() == again.rows.tobytes()
    assert one.bit_generator.state == two.bit_generator.state  # what follows is the same, too
    assert again.facts["why"] == fresh.facts["why"] + "; read from the cache"
    monkeypatch.setenv("GRAPHOL_CACHE", "off")
    assert embedding.embed(ring(), rng()).rows.tobytes() == fresh.rows.tobytes()
    assert len(solved) == 2


def test_variants_share_eigenvectors(folder, solved):
    for trivial, others in (("share", ["share"]), ("keep", ["keep", "bias"])):
        solved.clear()
        for changes in ({}, {"eps": 1.0}, {"rows": "raw"}, *({"trivial": t} for t in others)):
            Spectral(**{"dim": 7, "trivial": trivial, **changes}).embed(ring(), rng())
        assert len(solved) == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda: Spectral(dim=8).embed(ring(), rng()),
        lambda: Spectral(dim=7, laplacian="combinatorial").embed(ring(), rng()),
        lambda: Spectral(dim=7, trivial="drop").embed(ring(), rng()),
        lambda: Spectral(dim=7).embed(ring(), rng(1)),
        lambda: Spectral(dim=7).embed(ring(weight=2.0), rng()),
        lambda: Spectral(dim=7).embed(ring(41), rng()),
    ],
    ids=["dim", "laplacian", "trivial", "seed", "weights", "graph"],
)
def test_whatever_changes_the_result_is_in_the_key(folder, solved, other):
    Spectral(dim=7).embed(ring(), rng())
    other()
    assert len(solved) == 2
    assert len(store.stored_files()) == 2


def test_versions_are_in_the_key(folder, solved, monkeypatch):
    Spectral(dim=7).embed(ring(), rng())
    monkeypatch.setattr(store, "_makers", lambda: {"graphol": "99"})
    Spectral(dim=7).embed(ring(), rng())
    assert len(solved) == 2


def empty(path):
    path.write_bytes(b"")


def cut(path):
    path.write_bytes(path.read_bytes()[:-200])


def turned_bits(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def other_key(path):
    with np.load(path) as file:
        arrays = dict(file)
    text = json.loads(str(arrays["key"]))
    arrays["key"] = np.array(json.dumps(text | {"d": 99}))
    np.savez(path, **arrays)


def pickled(path):
    np.savez(path, key=np.array([object()], dtype=object))


def contents(path):
    with np.load(path) as stored:
        return dict(stored)


def other_members(path):
    """The right key, the wrong arrays, and even their digest."""
    arrays = {"R": np.array(1.0)}
    np.savez(path, key=contents(path)["key"], digest=npz.digest(arrays), **arrays)


def other_values(path):
    """The right key and members, and a digest of others."""
    arrays = contents(path)
    np.savez(path, **arrays | {"values": arrays["values"] + 1})


def another_shape(path):
    arrays = contents(path)
    key, _ = arrays.pop("key"), arrays.pop("digest")
    arrays |= {"vectors": np.ones((40, 3))}
    np.savez(path, key=key, digest=npz.digest(arrays), **arrays)


def a_pipe(path):
    path.unlink()
    os.mkfifo(path)


DAMAGES = (
    empty, cut, turned_bits, other_key, pickled, other_members, other_values, another_shape, a_pipe,
)  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_computed_again_and_replaced(folder, solved, damage):
    fresh = Spectral(dim=7).embed(ring(), rng())
    (path,) = store.stored_files()
    damage(path)
    for times in (2, 2):  # the second time from the file that replaced it
        assert np.array_equal(Spectral(dim=7).embed(ring(), rng()).rows, fresh.rows)
        assert len(solved) == times
    assert list(folder.iterdir()) == [path]


def test_quick_ones_are_not_kept(folder, monkeypatch):
    monkeypatch.setattr(store, "LONG", 1e9)
    Spectral(dim=7).embed(ring(), rng())
    assert not folder.exists()


def test_where_nothing_can_be_written_nothing_is_kept(folder):
    folder.write_text("a file where the folder should be")
    Spectral(dim=7).embed(ring(), rng())
    assert folder.is_file()
    assert store.stored_files() == []


def test_a_folder_that_may_only_be_read_is_read(folder, solved, monkeypatch):
    Spectral(dim=7).embed(ring(), rng())

    def refuse(path):
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(store.os, "utime", refuse)
    Spectral(dim=7).embed(ring(), rng())
    assert len(solved) == 1


def test_the_least_recently_used_goes_first(folder, monkeypatch):
    for dim in (5, 6, 7):
        Spectral(dim=dim).embed(ring(), rng())
    files = store.stored_files()
    for age, path in enumerate(files):
        os.utime(path, (1000 + age, 1000 + age))
    Spectral(dim=5).embed(ring(), rng())  # used again
    size = sum(path.stat().st_size for path in files)
    monkeypatch.setattr(store, "ROOM", size)
    Spectral(dim=4).embed(ring(), rng())
    left = store.stored_files()
    assert files[0] in left
    assert files[1] not in left
    monkeypatch.setattr(store, "ROOM", 100)
    Spectral(dim=9).embed(ring(), rng())  # too large to be kept at all
    assert store.stored_files() == left


def test_clear_removes_what_is_ours_only(folder):
    Spectral(dim=7).embed(ring(), rng())
    (folder / "notes.txt").write_text("mine")
    files, size = store.clear()
    assert files == 1
    assert size > 40 * 7 * 8
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert store.clear() == (0, 0)


def test_a_file_that_cannot_be_removed_is_one_line(folder, monkeypatch):
    Spectral(dim=7).embed(ring(), rng())

    def refuse(self, missing_ok=False):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    with pytest.raises(InputError, match=r"cannot remove .*: Permission denied"):
        store.clear()


def test_inaccurate_vectors_are_warned_about_again(folder, solved, monkeypatch):
    monkeypatch.setattr(eigen, "TOLERANCE", 1e-20)
    for _ in range(2):
        with pytest.warns(ResidualWarning, match="use fewer dimensions"):
            Spectral(dim=7).embed(ring(), rng())
    assert len(solved) == 1


def test_the_kernels_constant_is_kept(folder, monkeypatch):
    graph, searches = ring(40), []
    from graphol.linalg import diagonal

    honest = diagonal.largest_diagonal

    def counting(*arguments):
        searches.append(1)
        return honest(*arguments)

    monkeypatch.setattr(diagonal, "largest_diagonal", counting)
    one, two = (Kernel().embed(graph, rng()).R for _ in range(2))
    assert one == two
    assert len(searches) == 1
    Kernel(solver="cg").embed(graph, rng())
    assert len(searches) == 2


def test_methods_are_told(folder):
    facts = Spectral(dim=7).embed(ring(), rng()).facts
    assert facts["method"] == "dense"
    assert len(facts["eigenvalues"]) == len(facts["residuals"]) == 7
    assert max(facts["residuals"]) < connected.TOLERANCE
