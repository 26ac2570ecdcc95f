"""The picture of a linear model's weights on the graph."""

import numpy as np
import pytest

import graphol
from graphol.errors import UsageError
from graphol.graph import Graph
from graphol.report import map as drawing
from graphol.report.map import layout, plot_map
from graphol.testing.games import blocks, signal_game


def test_simulate_draws_the_weights(tmp_path):
    """A grid as one, the same picture twice as the same file."""
    from graphol.cli import main

    files = [tmp_path / f"{i}.svg" for i in range(2)]
    for path in files:
        code = main([
            "simulate", "--learner", "graphda", "-p", "s=5", "--dataset", "digit-pixels:train=30",
            "--repeats", "2", "--quiet", "--plot", str(path),
        ])  # fmt: skip
        assert code == 0
    one, two = (path.read_text() for path in files)
    assert one == two and "true support" in one and "mean of 2" in one


def test_the_middle_of_the_picture_is_the_support(tmp_path):
    """Read back pixel by pixel: the weight's square is red, the rest white."""
    image = pytest.importorskip("matplotlib.image")
    grid = graphol.make("dataset", "grid:rows=3,cols=3").load(np.random.default_rng(0)).graph
    w = np.zeros(10)
    w[4] = 1.0
    plot_map(grid, [w], tmp_path / "map.png")
    pixels = image.imread(tmp_path / "map.png")[..., :3]
    red = (pixels[..., 0] > pixels[..., 2] + 0.2).nonzero()
    rows, cols = (np.ptp(axis) for axis in red)
    assert rows == pytest.approx(cols, abs=2)
    assert len(red[0]) == pytest.approx((rows + 1) * (cols + 1), rel=0.02)


def test_other_graphs_are_laid_out_by_eigenvectors(tmp_path):
    graph = blocks(30, isolated=False)
    places = layout(graph)
    assert sorted(places[:, 0]) == list(range(30)) == sorted(places[:, 1])
    plot_map(graph, [np.ones(31)], tmp_path / "map.pdf")
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF")


def test_too_many_nodes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "MOST", 2)
    star = Graph.from_edges([0, 0, 0], [1, 2, 3])
    with pytest.raises(UsageError, match="4 nodes cannot be drawn"):
        plot_map(star, [np.ones(5)], tmp_path / "map.png")


def test_weights_of_every_repeat_are_kept():
    result = graphol.simulate("da-iht:s=3", signal_game(), repeats=2)
    assert [np.count_nonzero(each["last"][:-1]) for each in result.weights] == [3, 3]
    assert graphol.simulate("gpa", "sbm", repeats=1).weights == ({},)


def test_what_cannot_be_drawn_is_refused_before_it_is_played(tmp_path, monkeypatch, capsys):
    from graphol.cli import main

    edges, table = tmp_path / "edges.csv", tmp_path / "table.csv"
    edges.write_text("source,target\na,b\nb,c\nc,a\n")
    table.write_text("a,b,c,target\n1,2,3,1\n-1,-2,-3,-1\n1,0,1,1\n0,-1,0,-1\n1,1,1,1\n")
    monkeypatch.setattr(drawing, "MOST", 2)
    code = main([
        "simulate", "--learner", "graphda", "-p", "s=2", "--quiet", "--out", str(tmp_path / "out"),
        "--dataset", f"signals:graph={edges},samples={table}", "--plot", str(tmp_path / "m.png"),
    ])  # fmt: skip
    assert code == 2 and "3 nodes cannot be drawn" in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*.npz"))
