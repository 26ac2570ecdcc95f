"""Who meets in the arena, in which games, and among how many settings each may choose."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from graphol.api import Learner
from graphol.errors import UsageError, near
from graphol.fitting import declares
from graphol.registry import registry
from graphol.tuning import combinations

DATASETS = (
    "cora", "citeseer", "lastfm-asia", "pubmed", "facebook-pages", "github-developers",
    "movies-wikidata-decade", "wordnet30",
)  # fmt: skip
SMALL = ("cora", "citeseer")
"""What a quick run plays on."""

MOST_SETTINGS = 6
"""Of every rival; ours have one."""

OURS = (
    "pool", "pool-b", "walk", "poisson-ridge", "ridge", "ridge-bandit", "smoothed-ridge",
    "neighbour-bayes", "neighbour-histogram", "neighbour-logistic",
)  # fmt: skip
"""Learners of graphol's own: they play as they are, whatever the data."""

SPARING = (0.05, 0.5)
"""Shares of the labels that are worth a table; settings that buy fewer or more come second."""

PASSIVE = ("fastonl", "molg-f")
"""Rivals that get as many labels by a coin."""

LEFT_OUT = {"context-perceptron": "it is kernel-perceptron where rounds have no context"}
"""Who would fit and does not play, and why."""


def _grid(learner: str, **values: Sequence[float | str]) -> tuple[str, ...]:
    """All combinations, as the command line writes them."""
    found = []
    for setting in combinations(values):
        given = ",".join(f"{key}={value}" for key, value in setting.items())
        found.append(f"{learner}:{given}" if given else learner)
    return tuple(found)


RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)

SETTINGS: dict[str, tuple[str, ...]] = {
    "banditron": _grid("banditron", gamma=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5)),
    "confidit": _grid("confidit", alpha=(0.0, 1.0), eta=(1e-3, 1e-2, 1e-1)),
    "fastonl": (
        "fastonl:kernel=combinatorial,lam=0.5,eps=1e-4",
        "fastonl:kernel=normalized,lam=0.2,eps=1e-5",
        "fastonl:kernel=normalized,lam=0.2,eps=1e-4",
        "fastonl:kernel=normalized,lam=0.4,eps=1e-5",
        "fastonl:kernel=combinatorial,lam=0.9,eps=1e-4",
        "fastonl:kernel=normalized,lam=0.1,eps=1e-4",
    ),
    "gpa": _grid("gpa", when=("mistakes", "always")),
    "label-propagation": _grid(
        "label-propagation", noise=(0.1, 1.0), prior=("none", "uniform", "seen")
    ),
    "molg-b": _grid("molg-b", b=(2.0, 10.0, 100.0), phi=(10.0, 20.0)),
    "molg-f": _grid("molg-f", b=(2.0, 10.0, 100.0), phi=(10.0, 20.0)),
    "msg": _grid("msg", b=(0.1, 1.0, 10.0), delta=(0.03, 0.1)),
    "ollgc": _grid("ollgc", mu=RIDGES),
    "oslg": _grid("oslg", b=RIDGES),
    "oslg-bandit": _grid("oslg-bandit", b=(0.1, 1.0, 10.0), alpha=(0.05, 0.2)),
    "poisson": _grid("poisson", prior=("seen", "uniform")),
    "soba": _grid("soba", a=(0.1, 1.0, 10.0), gamma=(0.05, 0.2)),
    "sslgc": _grid("sslgc", mu=(0.1, 1.0, 10.0), kappa=(0.2, 0.4)),
    "weighted-majority": _grid("weighted-majority", beta=(0.5, 0.9), share=(0.0, 0.001, 0.01)),
}
"""Among what the search shuffles choose; whoever is not listed plays by its defaults."""


@attrs.frozen
class Game:
    """What learners are told, and who of ours plays for us."""

    name: str
    feedback: str
    champions: tuple[str, ...]
    """The first that there is and that can play; named beforehand, not picked by results."""


GAMES = (
    Game("full", "full", ("pool", "walk")),
    Game("bandit", "bandit", ("pool-b", "walk")),
    Game("selective", "selective", ("pool", "walk")),
    *(Game(f"seeds{n}", f"seeds:count={n}", ("pool", "poisson-ridge")) for n in (20, 50, 200)),
)


@attrs.frozen
class Player:
    """A learner, and the settings among which it may choose."""

    name: str
    settings: tuple[str, ...]
    ours: bool

    def candidates(self) -> list[Learner]:
        """One learner per setting."""
        return [registry().make("learner", text) for text in self.settings]


def player(name: str, settings: Sequence[str] = ()) -> Player:
    """The learner with the settings that are declared for it, or with these."""
    ours = name in OURS
    given = tuple(settings) or ((name,) if ours else SETTINGS.get(name, (name,)))
    return Player(name, given, ours)


def players(game: Game, only: Sequence[str] = ()) -> list[Player]:
    """Everybody in the registry who can play this game, ours first; or these of them."""
    shown = registry().make("feedback", game.feedback)
    found = []
    for name in registry().offers("learner"):
        said = declares("learner", registry().find("learner", name))
        asks = said["feedback"] == "selective"
        fits = (
            "classes" in said["targets"]
            and shown.reveals in said["learns_from"]
            and said["needs"] != "signals"
            and asks <= shown.on_request
        )
        if fits and name not in LEFT_OUT and (not only or name in only):
            found.append(player(name))
    return sorted(found, key=lambda each: (not each.ours, each.name))


def asking() -> tuple[str, ...]:
    """Rivals that choose which labels to buy; each sets the number for a table of its own."""
    (game,) = chosen_games(["selective"])
    return tuple(each.name for each in players(game) if not each.ours and _asks(each.name))


def _asks(name: str) -> bool:
    return bool(declares("learner", registry().find("learner", name))["feedback"] == "selective")


def champion(game: Game) -> Player:
    """Who of ours plays for us."""
    there = {each.name: each for each in players(game)}
    for name in game.champions:
        if name in there:
            return there[name]
    raise UsageError(f"{game.name}: none of {', '.join(game.champions)} can play it")


def chosen_games(names: Sequence[str]) -> tuple[Game, ...]:
    """The games of these names, all of them for none."""
    known = {game.name: game for game in GAMES}
    for name in names:
        if name not in known:
            raise UsageError(f"the arena has no game {name!r}; {near(name, known)}")
    return tuple(known[name] for name in names) or GAMES


def check_learners(names: Sequence[str]) -> None:
    """Refuse who never plays here."""
    known = dict.fromkeys(each.name for game in GAMES for each in players(game))
    for name in names:
        if name in LEFT_OUT:
            raise UsageError(f"{name} does not play in the arena: {LEFT_OUT[name]}")
        if name not in known:
            raise UsageError(f"no learner {name!r} plays in the arena; {near(name, known)}")
