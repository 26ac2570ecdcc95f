"""A parameter is described once, in the docstring; everybody reads it there."""

import attrs
import pytest

from graphol import param
from graphol.api import KINDS
from graphol.docstrings import helps, parameters, sections
from graphol.registry import registry


def test_every_way_of_writing_an_entry():
    class Written:
        """First line.

        Text with

        - a list : of things.

        Parameters
        ----------
        one
            In one line.
        two : float
            With a type, and
            in two lines.

            And a second paragraph.
        three, four
            Together: ``a, b``.

        References
        ----------
        Somebody. 2005.
            Not a parameter.
        """

    assert parameters(Written) == {
        "one": "In one line.",
        "two": "With a type, and in two lines. And a second paragraph.",
        "three": "Together: ``a, b``.",
        "four": "Together: ``a, b``.",
    }
    first, rest = sections(Written.__doc__)
    assert first.startswith("First line.") and first.endswith("- a list : of things.")
    assert list(rest) == ["Parameters", "References"]


@pytest.mark.parametrize("doc", [None, "", "One line.", "Parameters\n----------\n"])
def test_docstrings_that_say_nothing(doc):
    assert parameters(type("Silent", (), {"__doc__": doc})) == {}


def test_a_base_describes_its_own_parameters():
    class Base:
        """Base.

        Parameters
        ----------
        a
            Of the base.
        b
            Of the base.
        """

    class Derived(Base):
        """Derived.

        Parameters
        ----------
        b
            Of the class.
        """

    assert parameters(Derived) == {"a": "Of the base.", "b": "Of the class."}


def test_every_parameter_is_listed_and_none_is_invented():
    @attrs.frozen
    class Half:
        """Half of it is said, and of one thing too many.

        Parameters
        ----------
        a
            From the docstring.
        c
            No parameter.
        """

        a: int = param(1)
        b: int = param(2)

    assert helps(Half) == {"a": "From the docstring.", "b": ""}


@pytest.mark.parametrize("kind", KINDS)
def test_built_ins_describe_every_parameter_and_no_other(kind):
    for name, (offer,) in registry().offers(kind).items():
        if offer.plugin.name == "builtin":
            fields = [field.name for field in attrs.fields(offer.cls)]
            assert list(parameters(offer.cls)) == fields, name
