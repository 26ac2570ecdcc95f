"""The command in a row gives the row's figure."""

from __future__ import annotations

import json
import shlex

import attrs
import pytest

from graphol.cli import main
from graphol.reproduce import OWN, run
from graphol.reproduce.maps import Maps
from graphol.reproduce.signals import AgainstData, AgainstSeen, AgainstSize, SignalExperiment

EXPERIMENTS = {each.name: each for each in OWN}

SMALL = "sbm:nodes=60,classes=3"
PIXELS = "digit-pixels:digit=1"
FIGURES = {
    "error_percent": lambda row: 100 * row["error_rate_mean"],
    "error_rate": lambda row: row["error_rate_mean"],
    "update_ratio": lambda row: row["updates_mean"] / row["rounds"],
}
"""How a metric is read off the JSON row of simulate; others have a key of their own."""


def figure(metric, row, signals):
    if signals and metric == "error_rate":
        return 1 - row["accuracy_mean"]
    if metric in FIGURES:
        return FIGURES[metric](row)
    return row[metric.removesuffix("_published_rule") + "_mean"]


def small(experiment, labels):
    """These entries alone, with two values in each grid, so that there is something to tune."""
    entries = tuple(
        attrs.evolve(e, grid={key: values[:2] for key, values in e.grid.items()})
        for e in experiment.entries
        if e.label in labels
    )
    return attrs.evolve(experiment, entries=entries)


def check(rows, capsys):
    """Play every row's command."""
    assert rows
    for row in rows:
        if row.metric == "seconds":  # which no two runs share
            continue
        words = shlex.split(row.command)
        assert words.pop(0) == "graphol"
        capsys.readouterr()
        assert main([*words, "--json", "--quiet"]) == 0
        played = json.loads(capsys.readouterr().out)
        wanted = row.trials[0]["measured"] if row.trials else row.measured
        assert figure(row.metric, played, bool(row.trials)) == pytest.approx(wanted, rel=1e-12)
        assert played["command"] == row.command


def cells(rows):
    """One row of every learner, and the last one of each metric."""
    by = {row.learner: row for row in rows} | {row.metric: row for row in rows}
    return list({id(row): row for row in by.values()}.values())


OTHERS = "jmlr15", "aistats19", "arena", "predict", "strategies"
NODES = [
    name
    for name, e in EXPERIMENTS.items()
    if not isinstance(e, SignalExperiment) and not name.startswith(OTHERS)
]
ALIKE = {"kdd19-regret", "kdd19-fig11", "kdd19-fig12"}
"""Run by the code of another figure; ``simulate`` has regrets under --regret."""
SIGNALS = [
    name for name, e in EXPERIMENTS.items() if isinstance(e, SignalExperiment) and name not in ALIKE
]


@pytest.mark.long
@pytest.mark.parametrize("name", NODES)
def test_commands_on_nodes(name, capsys):
    check(cells(run(name, datasets=[SMALL], repeats=2, seed=3, quick=True).rows), capsys)


def test_commands_of_a_table_and_of_a_figure(capsys):
    experiment = small(EXPERIMENTS["kdd13-table2"], {"ollgc", "sslgc"})
    check(run(experiment, datasets=[SMALL], repeats=2, seed=3, quick=True).rows, capsys)
    experiment = attrs.evolve(small(EXPERIMENTS["kdd19-fig8"], {"da-iht", "graphda"}), values=(50,))
    rows = run(experiment, datasets=[PIXELS], repeats=range(4, 6), quick=True).rows
    check(rows, capsys)
    assert [trial["repeat"] for trial in rows[0].trials] == [4, 5]
    assert all(row.measured == sum(t["measured"] for t in row.trials) / 2 for row in rows)


@pytest.mark.data
@pytest.mark.parametrize("name", ["kdd13-table2", "ijcai18-table1"])
def test_commands_on_cora(data_dir, name, capsys):
    experiment = small(EXPERIMENTS[name], {"gpa", "sslgc", "ollgc", "molg-b"})
    check(cells(run(experiment, datasets=["cora"], quick=True).rows), capsys)


@pytest.mark.data
@pytest.mark.parametrize("name", SIGNALS)
def test_commands_over_signals(data_dir, name, capsys):
    experiment = small(EXPERIMENTS[name], {"adam", "graphda", "da-gl", "l1-rda"})
    if isinstance(experiment, AgainstSize):
        sizes = {name: values[3:4] for name, values in experiment.values.items()}
        experiment = attrs.evolve(experiment, values=sizes)
    elif isinstance(experiment, AgainstSeen | AgainstData):
        experiment = attrs.evolve(experiment, values=experiment.values[2:3])
    elif isinstance(experiment, Maps):
        experiment = attrs.evolve(experiment, which=experiment.which[:1])
    dataset = experiment.datasets[0]
    if dataset.startswith("synthetic-pathway"):
        dataset += ",nodes=300"
    check(cells(run(experiment, datasets=[dataset], repeats=1, quick=True).rows), capsys)
