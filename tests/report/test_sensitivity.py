"""How the error depends on a parameter, against means by hand."""

import attrs
import numpy as np

from graphol.report.cast import cast
from graphol.report.sensitivity import sensitivities


def game(outcome, b, dim, repeat, error, **more):
    return outcome(
        {"name": "molg-f", "b": b, "phi": 10.0}, error=error, repeat=repeat,
        embedding={"name": "spectral", "dim": dim}, **more,
    )  # fmt: skip


def test_means_over_games_that_have_every_value(outcome):
    rng = np.random.default_rng(1)
    errors = {
        (b, dim, r): rng.random() for b in (1.0, 10.0, 100.0) for dim in (5, 20) for r in range(4)
    }
    played = dict(errors)
    del played[10.0, 5, 2]  # not played yet: neither are its partners counted
    entries, _ = cast(game(outcome, b, dim, r, error) for (b, dim, r), error in played.items())
    found = {each.parameter: each for each in sensitivities(entries)}
    assert set(found) == {"learner.b", "embedding.dim"}
    (line,) = found["learner.b"].lines
    assert line.values == (1.0, 10.0, 100.0) and line.games == 7
    for b, span in zip(line.values, line.errors, strict=True):
        own = [e for (c, dim, r), e in errors.items() if c == b and (dim, r) != (5, 2)]
        assert np.isclose(span.mean, np.mean(own))
    (line,) = found["embedding.dim"].lines
    assert line.values == (5, 20) and line.games == 11


def test_one_at_a_time_mixes_nothing(outcome):
    """b varies at dim 5, dim varies at b 1: each line is of the games that have all its values."""
    pairs = [(1.0, 5), (10.0, 5), (1.0, 20)]
    entries, _ = cast(game(outcome, b, d, r, b / 100 + d / 100) for b, d in pairs for r in range(3))
    found = {each.parameter: each.lines[0] for each in sensitivities(entries)}
    np.testing.assert_allclose([s.mean for s in found["learner.b"].errors], [0.06, 0.15])
    np.testing.assert_allclose([s.mean for s in found["embedding.dim"].errors], [0.06, 0.21])


def test_parameters_of_games(outcome):
    rules = ({}, {"noise": 0.1}, {"noise": 0.2})
    entries, _ = cast(
        game(outcome, 1.0, 5, r, 0.2 + each.get("noise", 0), rules=each)
        for r in range(2)
        for each in rules
    )
    (found,) = sensitivities(entries)
    assert found.parameter == "noise"
    assert dict(zip(found.lines[0].values, found.lines[0].errors, strict=True))[0.2].mean == 0.4


def test_parameters_of_data_sets(outcome):
    """Another size is another graph; the line joins them by seed and repeat."""
    entries, _ = cast(
        attrs.evolve(
            outcome("gpa", "sbm", n / 1000, repeat=r, played_on=f"{n}", questions=f"{n} {r}"),
            dataset={"name": "sbm", "nodes": n},
        )
        for r in range(2)
        for n in (100, 200)
    )
    (found,) = sensitivities(entries)
    (line,) = found.lines
    assert (found.parameter, line.values, line.games) == ("dataset.nodes", (100, 200), 2)
    assert [span.mean for span in line.errors] == [0.1, 0.2]


def test_two_learners_of_one_name_that_differ_in_two_parameters_have_no_line(outcome):
    two = [{"name": "molg-f", "b": 1.0, "phi": 1.0}, {"name": "molg-f", "b": 2.0, "phi": 2.0}]
    assert sensitivities(cast(outcome(each, repeat=r) for each in two for r in range(2))[0]) == ()
