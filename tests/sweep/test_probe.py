"""An estimate from a few rounds."""

from __future__ import annotations

from graphol.plan import Plan
from graphol.sweep import probe as probing
from graphol.sweep.cell import Cell
from graphol.sweep.probe import Probe, estimate, probe

SBM = "sbm:nodes=400,classes=2"


def cell(repeat=0, learner="gpa", **rules):
    return Cell(learner, SBM, plan=Plan(repeats=range(repeat, repeat + 1), **rules))


def test_rounds_are_those_of_the_whole_cell():
    assert probing._rounds(cell()) == 400
    assert probing._rounds(cell(rounds=30)) == 30
    assert probing._rounds(cell(one_vs_rest=True)) == 2 * 400


def test_a_probe_has_seen_the_memory_of_its_process():
    found = probe(cell().sent(), ())
    assert found.playing > 0 and found.memory > 10_000_000


def test_times_are_added_up(monkeypatch):
    probes = {"gpa": Probe(2.0, 3.0, 100), "molg-f": Probe(4.0, 5.0, 50)}

    class Now:
        def start(self, workers):
            return self

        def __enter__(self):
            return self

        def __exit__(self, *reason):
            pass

        def submit(self, function, sent, files):
            self.found = probes[sent["learner"]["name"]]
            return self

        def result(self):
            return self.found

    class Known:
        def make(self, kind, name):
            return Now()

    monkeypatch.setattr(probing, "registry", Known)
    cells = [cell(r) for r in range(10)] + [cell(r, "molg-f") for r in range(20)]
    found = estimate(cells, jobs=2)
    assert found.seconds == 6 + (10 * 3 + 20 * 5 + probing.BESIDE * 30) / 2
    assert (found.memory, found.cells, found.kinds, found.probed) == (100, 30, 2, 2)
