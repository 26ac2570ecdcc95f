"""What a component declares may depend on its parameters; it is read from the value."""

import attrs
import numpy as np
import pytest

import graphol
from graphol import GrapholError, make, param
from graphol.fitting import declares, misdeclared, misfit
from graphol.learners.nodes.gpa import GPA
from graphol.registry import registry

FULL = registry().find("feedback", "full")


@attrs.frozen
class Choosy(FULL):
    """Labels or bits, as a parameter says."""

    name = "choosy"
    tells = param("bit", choices=("bit", "label", "nothing"))

    @property
    def reveals(self):
        return self.tells if self.tells != "nothing" else None

    def reveal(self, instance, truth, prediction, rng):
        if self.tells == "label":
            return graphol.Reveal(label=truth)
        return graphol.Reveal(correct=prediction.label == truth)


@attrs.frozen
class Field(GPA):
    """A learner that needs what its first parameter says, which has no default."""

    name = "field"
    needs: str = attrs.field(kw_only=True)


def test_a_protocol_may_decide_by_its_parameters_what_it_reveals():
    assert misfit("feedback", Choosy) == ""
    for tells, names in (("label", ["gpa", "molg-b"]), ("bit", ["molg-b"])):
        for name in names:
            ours = graphol.simulate(name, "sbm:nodes=60", feedback=Choosy(tells), repeats=1)
            usual = "full" if tells == "label" else "bandit"
            theirs = graphol.simulate(name, "sbm:nodes=60", feedback=usual, repeats=1)
            np.testing.assert_array_equal(ours.traces[0].predicted, theirs.traces[0].predicted)
    with pytest.raises(GrapholError, match="gpa learns from a label, but choosy feedback reveals"):
        graphol.simulate("gpa", "sbm:nodes=60", feedback=Choosy("bit"), repeats=1)
    with pytest.raises(GrapholError, match="choosy: its reveals must be a text, such as 'label'"):
        make("feedback", Choosy("nothing"))


def test_a_class_is_shown_with_what_its_defaults_declare():
    assert declares("feedback", Choosy) == {"reveals": "bit", "on_request": False}
    assert declares("learner", GPA)["needs"] == "rows"


def test_a_parameter_may_be_what_is_declared():
    assert misfit("learner", Field) == ""
    assert misdeclared("learner", Field(needs="gram")) == ""
    assert misdeclared("learner", Field(needs="tea")).startswith("its needs must be one of rows, ")
    with pytest.raises(GrapholError, match="field: its needs must be one of"):
        make("learner", Field(needs="tea"))


def test_a_class_without_defaults_is_shown_all_the_same():
    said = declares("learner", Field)
    assert said["needs"] == "depends on its parameters" and said["feedback"] == "full"
