"""Who may choose among what, and who plays which game."""

from __future__ import annotations

import pytest

from graphol import make
from graphol.errors import UsageError
from graphol.params import describe
from graphol.registry import registry
from graphol.reproduce import arena_players
from graphol.reproduce.arena_players import (
    GAMES,
    LEFT_OUT,
    MOST_SETTINGS,
    OURS,
    SETTINGS,
    Game,
    asking,
    champion,
    check_learners,
    chosen_games,
    player,
    players,
)

THERE = registry().offers("learner")


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_few_and_differ(name):
    made = [make("learner", text) for text in SETTINGS[name]]
    assert 1 < len(made) <= MOST_SETTINGS and len(set(map(repr, made))) == len(made)
    assert {each.name for each in made} == {name}
    assert name not in OURS


@pytest.mark.parametrize("name", [name for name in OURS if name in THERE])
def test_ours_play_as_they_are(name):
    (learner,) = player(name).candidates()
    assert describe(learner) == describe(registry().find("learner", name)())


def test_everybody_who_fits_plays():
    by = {game.name: {each.name for each in players(game)} for game in GAMES}
    assert {"walk", "ridge", "fastonl", "molg-f", "confidit", "label-propagation"} <= by["full"]
    assert {"walk", "ridge-bandit", "confidit", "soba", "banditron"} <= by["bandit"]
    assert not {"molg-f", "fastonl", "ridge"} & by["bandit"]  # of labels alone
    assert not {"msg", "sslgc"} & (by["full"] | by["seeds50"])
    assert {"msg", "sslgc"} <= by["selective"]
    everywhere = set.union(*by.values())
    assert not everywhere & {"adagrad", "graphda", "matrix-winnow", *LEFT_OUT}
    assert by["seeds20"] == by["full"]


def test_whoever_declares_to_ask_has_a_table(monkeypatch):
    """Those of plugins too."""
    assert asking() == ("msg", "sslgc")
    real = arena_players.declares

    def declares(kind, cls):
        return real(kind, cls) | ({"feedback": "selective"} if cls.name == "gpa" else {})

    monkeypatch.setattr(arena_players, "declares", declares)
    assert asking() == ("gpa", "msg", "sslgc")


def test_a_champion_is_the_first_that_there_is():
    assert champion(Game("g", "full", ("no-such", "walk", "ridge"))).name == "walk"
    assert champion(Game("g", "bandit", ("ridge", "walk"))).name == "walk"  # learns from labels
    with pytest.raises(UsageError, match="none of no-such can play it"):
        champion(Game("g", "full", ("no-such",)))


def test_names_are_checked():
    assert chosen_games(()) == GAMES
    assert [game.name for game in chosen_games(["bandit"])] == ["bandit"]
    with pytest.raises(UsageError, match="no game 'bandits'; did you mean 'bandit'"):
        chosen_games(["bandits"])
    with pytest.raises(UsageError, match="did you mean 'fastonl'"):
        check_learners(["fastnol"])
    with pytest.raises(UsageError, match="where rounds have no context"):
        check_learners(["context-perceptron"])
