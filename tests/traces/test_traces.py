"""Every learner plays as it did when its games were recorded, compiled and plain."""

import json
import runpy
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

import graphol
from graphol.registry import registry

HERE = Path(__file__).parent
R = runpy.run_path(str(HERE / "record.py"))
RECORDING = json.loads((HERE / "traces.json").read_text())
SAME_MACHINE = RECORDING["fingerprint"] == R["fingerprint"]()
FACTS = ("predictions", "updates", "queries")
COUNTS = ("loss", "n_updates", "n_queries", "n_answers")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1, "blas"):
        yield


def recorded(game):
    return dict(zip(RECORDING["columns"], RECORDING["games"][str(game)], strict=True))


def differences(game, way, same_machine=SAME_MACHINE):
    """What differs from the recording; where rounding may be another, beyond what that can do."""
    now, then = R["summary"](R["play"](game, way)[0]), recorded(game)
    if same_machine:
        return {fact for fact in FACTS if now[fact] != then[fact]}
    return {n for n in COUNTS if now[n] != pytest.approx(then[n], rel=0.05, abs=8)}


@pytest.mark.parametrize("learner", R["RECIPES"]["learner"])
def test_plays_as_recorded(learner):
    odd = {
        f"{game}, {way}": found
        for game in R["games"]()
        if game.learner == learner
        for way in game.ways
        if (found := differences(game, way))
    }
    assert not odd, "if it is meant to play otherwise: python tests/traces/record.py"


def test_another_recipe_is_noticed(monkeypatch):
    """The comparison can fail, by digests and by counts."""
    game = R["Game"]("molg-f", "sbm", "full")
    monkeypatch.setitem(R["RECIPES"]["learner"], "molg-f", R["RECIPES"]["learner"]["gpa-always"])
    assert {"predictions", "updates"} <= differences(game, "plain", True)
    assert {"n_updates"} <= differences(game, "plain", False)


def test_the_recording_is_of_these_games():
    assert list(map(str, R["games"]())) == list(RECORDING["games"])


def test_every_built_in_learner_and_protocol_is_recorded():
    for kind in ("learner", "feedback"):
        offers = registry().offers(kind)
        ours = {name for name in offers if offers[name][0].plugin.name == "builtin"}
        assert {recipe["name"] for recipe in R["RECIPES"][kind].values()} == ours


@pytest.mark.parametrize("kind", R["RECIPES"])
def test_every_parameter_is_spelled_out(kind):
    """A default that changes later must not change a recorded game."""
    for recipe in R["RECIPES"][kind].values():
        described = graphol.describe(R["make"](kind, recipe))
        assert {k: "none" if v is None else v for k, v in described.items()} == recipe


def test_a_state_may_gain_and_lose_arrays(tmp_path, capsys, monkeypatch):
    """The exact comparison names arrays that differ, and those that it could not compare."""
    game = R["Game"]("gpa", "sbm", "full")
    monkeypatch.setitem(R["compare"].__globals__, "games", lambda: iter([game]))
    raw = R["all_exact"]() | {"fingerprint": R["fingerprint"]()}
    raw["gpa, sbm, full, plain"] |= {"state W": "0", "state lost": "1"}
    (tmp_path / "raw.json").write_text(json.dumps(raw))
    assert R["compare"](tmp_path / "raw.json") == 1
    said = capsys.readouterr().out
    assert "gpa, sbm, full, plain: state W\n" in said and "state lost" in said
    assert "2 games, 1 differ" in said
