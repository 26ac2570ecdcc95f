"""One line, in the words of whoever asked: options for who types, keywords for who programs."""

import pickle

import pytest

import graphol
from graphol.cli import main
from graphol.errors import GrapholError, command_line


@pytest.mark.parametrize(
    ("written", "in_python"),
    [
        ("x exists; add --force to replace it", "x exists; add force=True to replace it"),
        ("leave --fresh-data out", "leave fresh_data=True out"),
        ("try --embedding spectral", 'try embedding="spectral"'),
        ("(--feedback full), or not", '(feedback="full"), or not'),
        ("give --dataset signals:graph=FILE,samples=FILE", None),
        ("see `graphol simulate --force`", "see `graphol simulate --force`"),
        ("give some with --labels FILE", "give some with --labels FILE"),
        ("--forced is no option", "--forced is no option"),
    ],
)
def test_options_become_keywords_in_python_only(written, in_python):
    expected = in_python or 'give dataset="signals:graph=FILE,samples=FILE"'
    error = pickle.loads(pickle.dumps(GrapholError(written)))
    assert str(error) == expected
    with command_line():
        assert str(error) == written
    assert str(error) == expected


def test_one_refusal_two_languages(capsys):
    assert main(["simulate", "--learner", "molg-f", "--feedback", "bandit"]) == 2
    assert "; try --feedback full" in capsys.readouterr().err
    with pytest.raises(graphol.UsageError, match='; try feedback="full"'):
        graphol.simulate("molg-f", "sbm", feedback="bandit")


def test_a_predictor_speaks_python(tmp_path):
    graph = graphol.Graph.from_edges("ab", "bc")
    predictor = graphol.Predictor("gpa", graph, classes=["x", "y"])
    predictor.save(tmp_path / "p.npz")
    with pytest.raises(graphol.UsageError) as error:
        predictor.save(tmp_path / "p.npz")
    assert str(error.value).endswith("p.npz exists; add force=True to replace it")
    with pytest.raises(graphol.UsageError, match='; try embedding="spectral"') as error:
        graphol.Predictor("gpa", graph, classes=["x", "y"], embedding="kernel")
    assert "--" not in str(error.value)
