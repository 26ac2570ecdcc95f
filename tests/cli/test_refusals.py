"""Every wrong call has one helpful line, an exit code, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

LEARNER = ("--learner", "molg-b")
SMALL = ("--dataset", "sbm:nodes=60,classes=2")
GOLDEN = Path(__file__).parents[1] / "golden"

BAD = {
    "unknown command": (("simulat",), "Did you mean 'simulate'?"),
    "unknown option": (("simulate", "--leraner", "gpa"), "--learner"),
    "no learner": (("simulate",), "missing option '--learner'; see `graphol simulate --help`"),
    "learner without value": (("simulate", "--learner"), "'--learner' requires an argument"),
    "left over": (("simulate", *LEARNER, "cora"), "(cora); see `graphol simulate --help`"),
    "unknown learner": (("simulate", "--learner", "molgb"), "did you mean 'molg-b'?"),
    "strange learner": (("simulate", "--learner", "zzz"), "there are: adagrad, adam, auto-winnow"),
    "unknown dataset": (("simulate", *LEARNER, "--dataset", "digit"), "did you mean 'digits'?"),
    "unknown feedback": (("simulate", *LEARNER, "--feedback", "ful"), "did you mean 'full'?"),
    "unknown embedding": (("simulate", *LEARNER, "--embedding", "spectra"), "'spectral'"),
    "empty dataset": (("simulate", *LEARNER, "--dataset", ""), "unknown dataset '': there are: "),
    "empty feedback": (("simulate", *LEARNER, "--feedback", ""), "unknown feedback '': there"),
    "empty embedding": (("simulate", *LEARNER, "--embedding", ""), "unknown embedding '': there"),
    "no value": (("simulate", *LEARNER, "-p", "b"), "-p: 'b' is not of the form key=value"),
    "twice": (("simulate", *LEARNER, "-p", "b=3", "-p", "b=4"), "'b' is given twice"),
    "not a number": (("simulate", *LEARNER, "-p", "b=x"), "molg-b: b must be a number, got 'x'"),
    "nan": (("simulate", *LEARNER, "-p", "b=nan"), "molg-b: b must be > 0, got nan"),
    "out of range": (("simulate", *LEARNER, "-p", "b=-1"), "molg-b: b must be > 0, got -1.0"),
    "unknown key": (("simulate", *LEARNER, "-p", "explore=1"), "did you mean 'exploration'?"),
    "unknown key inside": (("simulate", *LEARNER, "--dataset", "sbm:node=9"), "'nodes'"),
    "bit for gpa": (("simulate", "--learner", "gpa", "--feedback", "bandit"), "--feedback full"),
    "small ridge": (("simulate", *LEARNER, *SMALL, "-p", "b=0.001"), "b must be > max ||x||²"),
    "no repeats": (("simulate", *LEARNER, "--repeats", 0), "repeats must be >= 1, got 0"),
    "no rounds": (("simulate", *LEARNER, *SMALL, "--rounds", 0), "rounds must be >= 1, got 0"),
    "no jobs": (("simulate", *LEARNER, "--jobs", 0), "jobs must be >= 1, got 0"),
    "negative seed": (("simulate", *LEARNER, "--seed", -1), "seed must be >= 0, got -1"),
    "noise 2": (("simulate", *LEARNER, *SMALL, "--noise", 2), "noise must be >= 0 and < 1, got 2"),
    "noise nan": (("simulate", *LEARNER, *SMALL, "--noise", "nan"), "noise must be"),
    "delay -1": (("simulate", *LEARNER, *SMALL, "--delay", -1), "delay must be >= 0"),
    "repeats 1.5": (("simulate", *LEARNER, "--repeats", "1.5"), "'--repeats'"),
    "repeats a-b": (("simulate", *LEARNER, "--repeats", "a-b"), "nor of the form 5-9"),
    "repeats 9-5": (("simulate", *LEARNER, "--repeats", "9-5"), "'9-5' ends before it begins"),
    "repeats -1": (("simulate", *LEARNER, "--repeats=-1"), "'-1' is neither a number"),
    "fresh digits": (("simulate", *LEARNER, "--fresh-data"), "digits is read, not generated"),
    "fresh regret": (
        ("simulate", *LEARNER, *SMALL, "--fresh-data", "--regret"),
        "--regret looks back on one task",
    ),
    "one class of molg-b": (
        ("simulate", *LEARNER, *SMALL, "--one-vs-rest"),
        "molg-b predicts classes, but sbm: 0 asks for signs; try another, for example gpa",
    ),
    "component": (("simulate", *LEARNER, "--component", "big"), "'largest', 'all'"),
    "labels alone": (("simulate", *LEARNER, "--labels", "x.csv"), "--labels needs --graph"),
    "two graphs": (("simulate", *LEARNER, *SMALL, "--graph", "x.csv"), "not both"),
    "no plugin file": (("simulate", *LEARNER, "--plugin", "no.py"), "there is no such file"),
    "unknown component of a graph": (
        ("simulate", *LEARNER, *SMALL, "--component", "largst"),
        "value for '--component': 'largst' is not one of 'largest', 'all'",
    ),
    "plot of what": (("simulate", *LEARNER, "--plot", "a.jpg"), "a plot ends in .pdf, .png or"),
    "plot nearly": (("simulate", *LEARNER, "--plot", "a.pgn"), "did you mean 'png'?"),
    "plot without ending": (("simulate", *LEARNER, "--plot", "a"), "a plot ends in"),
    "plot nowhere": (("simulate", *LEARNER, "--plot", "no/where/a.png"), "no folder no/where"),
    "unknown kind": (("list", "lerners"), "did you mean 'learner'?"),
    "unknown component": (("show", "molgb"), "did you mean 'molg-b'?"),
    "wrong kind": (("show", "gpa", "--kind", "dataset"), "unknown dataset 'gpa'"),
    "nothing to show": (("show",), "missing argument 'NAME'; see `graphol show --help`"),
    "check what": (("check", "learner", "molgb"), "did you mean 'molg-b'?"),
    "check which": (("check", "lerner", "gpa"), "did you mean 'learner'?"),
    "unknown data": (("datasets", "info", "crora"), "did you mean 'cora'?"),
    "fetch what": (("datasets", "fetch", "crora"), "did you mean 'cora'?"),
    "fetch from where": (("datasets", "fetch", "cora", "--url", "nowhere"), "not an address"),
}  # fmt: skip

UNREADABLE = {
    "no graph": (("simulate", *LEARNER, "--graph", "no.csv"), "no.csv"),
    "graph without labels": (("simulate", *LEARNER, "--graph", "edges.csv"), "--labels FILE"),
    "no labels": (("simulate", *LEARNER, "--graph", "edges.csv", "--labels", "no.csv"), "no.csv"),
    "not here": (("simulate", *LEARNER, "--dataset", "cora"), "graphol datasets fetch cora"),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "edges.csv").write_text("source,target\na,b\nb,c\n")
    monkeypatch.chdir(folder)
    yield
    assert [path.name for path in folder.iterdir()] == ["edges.csv"]


@pytest.mark.parametrize("case", BAD)
def test_asked_for_what_is_not_there(refused, case):
    call, hint = BAD[case]
    assert hint in refused(*call, code=2)


@pytest.mark.parametrize("case", UNREADABLE)
def test_input_that_cannot_be_used(refused, case):
    call, hint = UNREADABLE[case]
    assert hint in refused(*call, code=3)


class TestBeforeTheRun:
    """What would stop the results from being written is found before anything is computed."""

    @pytest.fixture(autouse=True)
    def _no_game(self, monkeypatch):
        def played(*arguments, **options):
            raise AssertionError("a game was played")

        monkeypatch.setattr("graphol.runner.simulate_by", played)

    def test_out_is_a_file(self, refused, tmp_path):
        (tmp_path / "file").touch()
        assert "is not a folder" in refused("simulate", *LEARNER, "--out", tmp_path / "file")

    def test_out_inside_a_file(self, refused, tmp_path):
        (tmp_path / "file").touch()
        assert "is not a folder" in refused("simulate", *LEARNER, "--out", tmp_path / "file" / "x")

    def test_out_holds_results(self, refused, tmp_path):
        shutil.copytree(GOLDEN / "schema-1", tmp_path / "out")
        for folder in (tmp_path / "out", tmp_path / "out" / "1-gpa"):
            assert "add --force" in refused("simulate", *LEARNER, "--out", folder)

    @pytest.mark.parametrize("name", ["meta.json", "trace-000.npz", "weights.npz", "compare.json"])
    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_out_holds_what_is_not_ours(self, refused, tmp_path, name, force):
        out = tmp_path / "out"
        out.mkdir()
        (out / name).write_text("mine")
        line = refused("simulate", *LEARNER, "--out", out, *force)
        assert "is not of graphol's results there, so it stays; move it away" in line
        assert (out / name).read_text() == "mine" and os.listdir(out) == [name]
        (out / name).unlink()
        (out / name).mkdir()
        assert "is a folder, so it stays" in refused("simulate", *LEARNER, "--out", out, *force)
        assert os.listdir(out) == [name]

    def test_out_cannot_be_written(self, refused, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
        line = refused("simulate", *LEARNER, "--out", tmp_path / "new", code=3)
        assert "cannot write into" in line

    def test_plot_exists(self, refused, tmp_path):
        (tmp_path / "a.png").touch()
        assert "add --force" in refused("simulate", *LEARNER, "--plot", tmp_path / "a.png")

    def test_plot_is_a_folder(self, refused, tmp_path):
        (tmp_path / "a.png").mkdir()
        assert "is a folder" in refused(
            "simulate", *LEARNER, "--plot", tmp_path / "a.png", "--force"
        )

    def test_plot_cannot_be_written(self, refused, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        line = refused("simulate", *LEARNER, "--plot", tmp_path / "a.png", code=3)
        assert "cannot write into" in line

    def test_no_matplotlib(self, refused, tmp_path, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        line = refused("simulate", *LEARNER, "--plot", tmp_path / "a.png")
        assert line == "a plot needs matplotlib: `pip install matplotlib`"

    def test_a_bad_learner_makes_no_folder(self, refused, tmp_path):
        refused("simulate", "--learner", "molgb", "--out", tmp_path / "new")
        assert not (tmp_path / "new").exists()


def test_a_parameter_is_given_once(refused):
    told = refused("simulate", "--learner", "molg-b:b=20", "-p", "b=10", "--dataset", "sbm")
    assert told == "learner 'molg-b:b=20': 'b' is given again with -p; drop one"
    told = refused("simulate", "--learner", "soba", "-p", "gamma=0.1", "-p", "gamma=0.2")
    assert told == "-p: 'gamma' is given twice"
