"""Names of players, data sets and protocols: short, and no two alike."""

import attrs

from graphol.report.cast import cast


def names(found):
    entries, _ = cast(found)
    return [sorted({getattr(each, key) for each in entries}) for key in ("player", "dataset")]


def test_an_embedding_is_named_where_a_learner_has_several(outcome):
    spectral = {"name": "spectral", "dim": 5}
    one = [outcome("gpa", embedding=spectral), outcome("walk")]
    assert names(one)[0] == ["gpa", "walk"]
    more = [*one, outcome("gpa", embedding={"name": "spectral", "dim": 7}), outcome("gpa")]
    players, _ = names(more)
    assert [text.partition(":")[0] for text in players] == [
        "gpa on spectral", "gpa on spectral", "gpa without embedding", "walk",
    ]  # fmt: skip


def test_what_was_tuned_is_one_player_whatever_was_chosen(outcome):
    spectral = {"name": "spectral", "dim": 5}
    grid = {"b": ["2", "10"], "embedding.dim": ["5", "7"]}
    found = [
        outcome({"name": "stranger", "b": b, "c": 1}, dataset, tuned=grid,
                embedding=spectral | {"dim": dim})
        for b, dataset, dim in ((2, "digits", 5), (10, "cora", 7))
    ]  # fmt: skip
    fixed = outcome({"name": "stranger", "b": 2, "c": 1}, "cora", embedding=spectral)
    other = outcome({"name": "stranger", "b": 2, "c": 1}, "cora", tuned=grid | {"b": ["2"]})
    players, _ = names([*found, fixed])
    assert players == ["stranger:b=2,c=1", "stranger:c=1, tuned b, embedding.dim"]
    assert len(names([*found, fixed, other])[0]) == 3
    chosen = outcome("gpa", tuned={"learner": ["gpa", "oslg"]})
    assert names([chosen, outcome("oslg", "cora", tuned=chosen.tuned)])[0] == [
        "learner, tuned learner"
    ]


def test_files_are_called_by_their_task_and_told_apart(outcome):
    both = [
        attrs.evolve(outcome(task="mine"), dataset={"name": "files", "graph": path})
        for path in ("a/mine.csv", "b/mine.csv")
    ]
    assert names(both[:1])[1] == ["mine"]
    assert names(both)[1] == ["mine (1)", "mine (2)"] == names(both[::-1])[1]


def test_protocols_say_what_is_unusual(outcome):
    (entry,), _ = cast([outcome(rules={"noise": 0.1, "rounds": 50, "fresh_data": True})])
    assert entry.protocol == "full, noise 0.1, rounds 50, fresh data"


def test_the_order_is_that_of_the_names(outcome):
    found = [outcome(name, repeat=r) for name in ("gpa", "oslg") for r in (1, 0)]
    for order in (found, found[::-1]):
        entries, _ = cast(order)
        assert [(e.player, e.outcome.repeat) for e in entries] == [
            ("gpa", 0), ("gpa", 1), ("oslg", 0), ("oslg", 1),
        ]  # fmt: skip
