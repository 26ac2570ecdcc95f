"""``graphol simulate --regret``, from the outside."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python

SMALL = ("--dataset", "sbm:nodes=80,classes=2", "--repeats", 2)
MORE = [
    "mistakes_mean", "hindsight_mistakes_mean", "hindsight_squared_loss_mean",
    "hindsight_hinge_loss_mean", "regret_mean", "regret_std", "bound", "bound_mean",
    "bound_holds", "bound_note", "bound_of_mean", "stated_bounds", "hindsight", "bound_says",
]  # fmt: skip


def test_columns_and_keys_only_when_asked(run):
    call = ("simulate", "--learner", "oslg", *SMALL)
    plain, asked = (run(*call, *more).out.splitlines() for more in ((), ("--regret",)))
    assert asked[0].startswith(plain[0])
    assert asked[0].split()[-6:] == ["mistakes", "best", "linear", "regret", "bound", "holds"]
    assert asked[1].split()[-1] == "yes"
    row, more = (json.loads(run(*call, "--json", *x).out) for x in ((), ("--regret",)))
    assert list(more) == [*list(row)[:-1], *MORE, "schema"]
    assert more["regret_mean"] == more["mistakes_mean"] - more["hindsight_mistakes_mean"]
    assert more["bound_holds"] is True and more["bound_mean"] > more["mistakes_mean"]


def test_no_bound_is_said_and_why(run):
    known = run("simulate", "--learner", "soba", *SMALL, "--regret")
    assert known.code == 0 and "none known" in known.out
    assert known.err == "graphol: note: soba: mistake bound none known\n"
    late = run("simulate", "--learner", "oslg", *SMALL, "--delay", 1, "--regret")
    assert "not applicable" in late.out and "answers came late" in late.err
    assert run("simulate", "--learner", "soba", *SMALL, "--regret", "--quiet").err == ""


def test_a_bound_on_the_mean_says_so(run):
    line = run("simulate", "--learner", "banditron", *SMALL, "--regret").out.splitlines()[1]
    assert line.endswith("yes (mean)")


BOUNDED = """
import attrs
import numpy as np

import graphol
from graphol.bounds import hinge_bound
from graphol.bounds.hindsight import margins
from graphol.learners.nodes.gpa import GPA


@attrs.frozen
class Mine(GPA):
    '''A perceptron with a bound of its own, without the centring.'''

    name = "mine"
    share: float = graphol.param(1.0, least=0)

    def mistake_bound(self, game):
        if self.always:
            return None
        size = np.sqrt(2 * np.sum(game.X[game.wrong] ** 2))
        values = [
            hinge_bound(margins(game.X @ W.T, game.y), size * np.linalg.norm(W))
            for W in game.models
        ]
        return graphol.MistakeBound("mine alone", self.share * min(values))


@graphol.hookimpl
def graphol_learners():
    return [Mine]
"""


def bounded(tmp_path, *parameters):
    path = tmp_path / "mine.py"
    path.write_text(BOUNDED)
    chosen = [word for each in parameters for word in ("-p", each)]
    return ("simulate", "--plugin", path, "--learner", "mine", *chosen, *SMALL, "--regret")


def test_a_learner_from_a_file_has_a_bound(run, tmp_path):
    line = run(*bounded(tmp_path)).out.splitlines()[1]
    assert line.endswith("yes")
    mine = json.loads(run(*bounded(tmp_path), "--json").out)
    gpa = json.loads(run("simulate", "--learner", "gpa", *SMALL, "--regret", "--json").out)
    assert mine["bound"] == "mine alone" and mine["mistakes_mean"] == gpa["mistakes_mean"]
    assert mine["bound_mean"] >= gpa["bound_mean"] - 1e-9  # centred models: smaller norms
    always = run(*bounded(tmp_path, "when=always"))
    assert always.code == 0
    assert always.err == "graphol: note: mine: mistake bound none known with these parameters\n"


def test_a_violated_bound_is_loud(run, tmp_path):
    result = run(*bounded(tmp_path, "share=0"), "--quiet")
    assert result.code == 1
    assert result.out.splitlines()[1].endswith("NO")
    assert "mine: its mistake bound is violated: a bug in the learner" in result.err
    assert "repeat 0: " in result.err and "repeat 1: " in result.err


def test_no_vectors_no_regret(refused, plugin_file):
    call = ("simulate", "--learner", "majority", "--plugin", plugin_file(), *SMALL, "--regret")
    assert refused(*call).startswith("regret against a linear model needs a vector per node; sbm")


SWITCHING = "switching-grid:rows=5,cols=5,T=120,S=3"
TOLD = "matrix-winnow:eta=theory,K=3,theta=5000"


def test_switching_games(run, tmp_path):
    call = ("simulate", "--learner", TOLD, "--dataset", SWITCHING, "--repeats", 2, "--fresh-data")
    table = run(*call, "--regret", "--out", tmp_path / "out")
    assert table.out.splitlines()[0].split()[-6:] == [
        "mistakes", "best", "labeling", "regret", "bound", "holds",
    ]  # fmt: skip
    assert "matrix-winnow: mistake bound above T: says nothing" in table.err
    row = json.loads(run(*call, "--regret", "--json").out)
    assert row["bound_says"] == "above T: says nothing" and len(row["measures"]) == 2
    wanted = {
        "n", "p", "K", "cuts", "R_G", "cut_H", "R_H", "balance", "phi", "switches", "theta",
        "theorem1", "theorem1_printed", "bound", "bound_says",
    }  # fmt: skip
    assert row["measures"][0].keys() == wanted
    meta = json.loads((tmp_path / "out" / "meta.json").read_text())
    assert [game["measures"] for game in meta["played"]] == row["measures"]
    again = run("report", tmp_path / "out", "--regret", "--json")
    assert json.loads(again.out)["measures"] == row["measures"]
    kept = json.loads(run("report", tmp_path / "out", "--json").out)
    assert kept["measures"] == row["measures"]


def test_fresh_data_of_other_games_is_refused(run):
    found = run("simulate", "--learner", "oslg", *SMALL, "--fresh-data", "--regret")
    assert found.code == 2 and "--regret looks back on one task" in found.err
