"""Numbers on the command line are read by one reader, whatever the command."""

from __future__ import annotations

import typing
from typing import Any

import pytest
import typer

from graphol.cli import app, datasets
from graphol.cli.options import number, read_repeats, size, whole

COMMANDS = [*app.registered_commands, *datasets.app.registered_commands]


def numeric_options():
    """Command, option, and the function that reads it."""
    for command in COMMANDS:
        for name, hint in typing.get_type_hints(command.callback, include_extras=True).items():
            if typing.get_origin(hint) is not typing.Annotated:
                continue
            kinds = {hint.__origin__, *typing.get_args(hint.__origin__)}
            for kind in {int, float, Any} & kinds:
                yield command.name, name, kind, hint.__metadata__[0].parser


OPTIONS = [*numeric_options()]
READERS = {int: whole, float: number, Any: read_repeats}
SIZES = {("sweep", "memory")}


def test_every_number_of_every_command_is_read_by_us():
    assert {(command, name) for command, name, _, _ in OPTIONS} >= {
        ("simulate", "repeats"), ("simulate", "seed"), ("compare", "rounds"), ("solve", "ridge"),
        ("report", "confidence"), ("reproduce", "jobs"), ("embed", "seed"),
    }  # fmt: skip
    for command, name, kind, parser in OPTIONS:
        reader = size if (command, name) in SIZES else READERS[kind]
        assert parser is reader, f"{command} --{name}"


@pytest.mark.parametrize("text", ["1_0", "٣", "x", "", "0x10", "--1"])
@pytest.mark.parametrize("read", [whole, number, read_repeats, size])
def test_what_is_no_number_is_refused(read, text):
    with pytest.raises(typer.BadParameter, match="number") as found:
        read(text)
    assert repr(text) in str(found.value)


def test_numbers_are_read():
    assert (whole("10"), whole("-3"), whole(10)) == (10, -3, 10)
    assert (number("1e-3"), number("2"), number(0.95)) == (0.001, 2.0, 0.95)
    assert (read_repeats("10"), read_repeats("5-9")) == (10, range(5, 10))
    with pytest.raises(typer.BadParameter):
        whole("1.5")


def test_sizes_are_read():
    found = [size(text) for text in ("2G", "500m", "1.5kB", "7")]
    assert found == [2 * 10**9, 5 * 10**8, 1500, 7]
    for text in ("0", "-1G", "0.5", "inf", "nan", "1e30", "G"):
        with pytest.raises(typer.BadParameter, match="size in bytes"):
            size(text)


@pytest.mark.parametrize(
    ("call", "option"),
    [
        (("simulate", "--learner", "gpa"), "--seed"),
        (("simulate", "--learner", "gpa"), "--repeats"),
        (("simulate", "--learner", "gpa"), "--noise"),
        (("compare", "--learners", "gpa,msg"), "--rounds"),
        (("compare", "--learners", "gpa,msg"), "--confidence"),
        (("solve", "--dataset", "sbm:nodes=60"), "--random"),
        (("reproduce", "kdd13-table2"), "--jobs"),
        (("sweep", "plan.toml"), "--memory"),
    ],
)
def test_the_message_is_one_line(run, call, option):
    code, out, err = run(*call, option, "1_0")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"'{option}': '1_0' is " in err and f"see `graphol {call[0]} --help`" in err
