"""``graphol report``, from the outside: what was printed comes back from the files."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.long  # what is played is the same on every Python

GOLDEN = Path(__file__).parents[1] / "golden"  # written before there were schema numbers
SBM = ("--dataset", "sbm:nodes=90,classes=3")
SMALL = (*SBM, "--repeats", 3)
LEARNERS = ("gpa", "oslg", "molg-f:b=20")


def without_time(text: str) -> list[list[str]]:
    """The words of a table but those of its column of times."""
    head, *lines = text.splitlines()
    end = head.index("µs/round") + len("µs/round")
    start = end - 10
    return [(line[:start] + line[end:]).split() for line in (head, *lines)]


@pytest.fixture
def three(run, tmp_path):
    """The folders of three runs."""
    for learner in LEARNERS:
        call = ("simulate", "--learner", learner, *SMALL, "--out", tmp_path / learner[:3])
        assert run(*call).code == 0
    return [tmp_path / learner[:3] for learner in LEARNERS]


def test_the_table_of_compare_from_its_folder(run, tmp_path):
    out = tmp_path / "out"
    for more in ((), ("--against", "molg-f", "--confidence", 0.8)):
        call = ("compare", "--learners", ",".join(LEARNERS), *SMALL, *more, "--out", out)
        printed = run(*call, "--force")
        assert run("report", out).out == printed.out
        rows = json.loads((out / "compare.json").read_text())
        assert json.loads(run("report", out, "--json").out) == rows


def test_the_table_of_compare_from_three_runs(run, three):
    printed = run("compare", "--learners", ",".join(LEARNERS), *SMALL)
    found = run("report", *three)
    assert (found.code, found.err) == (0, "")
    assert without_time(found.out) == without_time(printed.out)
    assert "molg-f:b=20" in found.out and "95 % paired t" in found.out


def test_one_folder_is_the_table_of_simulate(run, tmp_path):
    call = ("simulate", "--learner", "oslg", *SMALL, "--out", tmp_path / "out")
    for regret in ((), ("--regret",)):
        printed = run(*call, "--force", *regret)
        assert run("report", tmp_path / "out", *regret) == printed
        row = json.loads(run(*call, "--force", *regret, "--json").out)
        assert json.loads(run("report", tmp_path / "out", *regret, "--json").out) == row


def test_regret_of_several_is_that_of_each(run, three):
    rows = json.loads(run("report", *three, "--regret", "--json").out)
    for folder, row in zip(three, rows, strict=True):
        alone = json.loads(run("report", folder, "--regret", "--json").out)
        assert row["regret_mean"] == alone["regret_mean"] > 0
        assert row["bound_mean"] == alone["bound_mean"] > row["mistakes_mean"]
    assert run("report", *three, "--regret").out.splitlines()[0].endswith("bound  holds")


def test_no_bound_is_said_and_why(run, tmp_path):
    call = ("simulate", "--learner", "soba", *SMALL, "--regret", "--out", tmp_path / "out")
    assert run(*call).err == run("report", tmp_path / "out", "--regret").err != ""
    assert run("report", tmp_path / "out", "--regret", "--quiet").err == ""


def test_an_interval_needs_two_repeats(run, tmp_path):
    call = ("simulate", "--learner", "gpa", *SBM, "--out", tmp_path / "out", "--repeats", 1)
    assert "95 %" not in run(*call).out and "95 %" not in run("report", tmp_path / "out").out
    row = json.loads(run("report", tmp_path / "out", "--json").out)
    assert (row["error_rate_ci_low"], row["error_rate_ci_high"]) == (None, None)
    assert (row["schema"], row["confidence"], row["target"]) == (1, 0.95, "classes")


def test_the_repeats_that_all_have(run, tmp_path):
    for name, repeats in (("a", 4), ("b", 3)):
        call = ("simulate", "--learner", "gpa:when=always" if name == "b" else "gpa")
        run(*call, *SBM, "--repeats", repeats, "--out", tmp_path / name)
    found = run("report", tmp_path / "a", tmp_path / "b", "--json")
    assert "note: sbm: not all have the same repeats; those that all have are shown: 0, 1, 2" in (
        found.err
    )
    one, two = json.loads(found.out)
    assert one["repeats"] == two["repeats"] == 3
    alone = json.loads(run("report", tmp_path / "b", "--json").out)
    assert two["error_rate_mean"] == alone["error_rate_mean"]
    assert run("report", tmp_path / "a", tmp_path / "b", "--quiet").err == ""


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--dataset", "digits", "--rounds", 90), "(data set sbm and digits)"),
        ((*SBM, "--seed", 1), "are not of the same games (graph "),
        (("--dataset", "sbm:nodes=91,classes=3"), "are not of the same games (graph "),
        ((*SBM, "--rounds", 40), "repeat 0 of"),
    ],
)
def test_other_games_are_not_compared(run, refused, tmp_path, more, message):
    run("simulate", "--learner", "gpa", *SBM, "--repeats", 1, "--out", tmp_path / "a")
    run("simulate", "--learner", "oslg", *more, "--repeats", 1, "--out", tmp_path / "b")
    line = refused("report", tmp_path / "a", tmp_path / "b")
    assert message in line and line.endswith("report them one at a time")


def test_the_same_learner_twice_is_told_apart(run, tmp_path):
    for name, embedding in (("a", "spectral"), ("b", "spectral:dim=5")):
        call = ("simulate", "--learner", "gpa", *SMALL, "--embedding", embedding)
        run(*call, "--out", tmp_path / name)
    rows = json.loads(run("report", tmp_path / "a", tmp_path / "b", "--json").out)
    assert [row["label"] for row in rows] == [f"gpa ({tmp_path / name})" for name in "ab"]


def test_regret_is_refused_where_the_graph_is_another(run, refused, tmp_path):
    edges = "".join(f"{i},{(i + k) % 20}\n" for i in range(20) for k in (1, 2))
    (tmp_path / "e.csv").write_text("source,target\n" + edges)
    (tmp_path / "l.csv").write_text("node,label\n" + "".join(f"{i},{i // 10}\n" for i in range(20)))
    data = ("--graph", tmp_path / "e.csv", "--labels", tmp_path / "l.csv")
    run("simulate", "--learner", "oslg", *data, "--repeats", 2, "--out", tmp_path / "out")
    assert run("report", tmp_path / "out", "--regret").code == 0
    (tmp_path / "e.csv").write_text("source,target\n" + edges + "0,10\n")
    before = run("report", tmp_path / "out")
    assert before.code == 0  # without --regret the data is not read
    assert "is another graph today (hash" in refused("report", tmp_path / "out", "--regret", code=3)
    (tmp_path / "e.csv").unlink()
    line = refused("report", tmp_path / "out", "--regret", code=3)
    assert "is not to be had: " in line and "e.csv" in line


def test_a_learner_that_is_not_here_today(run, refused, tmp_path, plugin_file):
    from graphol.registry import registry

    path = plugin_file()
    call = ("compare", "--learners", "gpa,majority", "--plugin", path, *SMALL)
    printed = run(*call, "--out", tmp_path / "out")
    registry.cache_clear()
    found = run("report", tmp_path / "out")
    assert found.out.replace("majority:prior=0", "majority").split() == printed.out.split()
    assert "unknown learner 'majority'" in refused("report", tmp_path / "out", "--regret")
    registry.cache_clear()
    assert run("report", tmp_path / "out", "--plugin", path).out == printed.out


def test_pictures(run, refused, three, tmp_path):
    assert run("report", *three, "--plot", tmp_path / "all.svg").code == 0
    text = (tmp_path / "all.svg").read_text()
    assert "molg-f:b=20" in text and "sbm (mean ± std of 3)" in text
    assert "--force" in refused("report", three[0], "--plot", tmp_path / "all.svg")
    assert run("report", three[0], "--plot", tmp_path / "all.svg", "--force").code == 0
    assert "molg-f" not in (tmp_path / "all.svg").read_text()


def test_a_folder_of_schema_1(run):
    found = run("report", GOLDEN / "schema-1")
    rows = json.loads((GOLDEN / "schema-1" / "compare.json").read_text())
    assert (found.code, found.err) == (0, "")
    for row, new in zip(
        rows, json.loads(run("report", GOLDEN / "schema-1", "--json").out), strict=True
    ):
        assert {key: new[key] for key in row} == row
    scores = run("report", GOLDEN / "schema-1-scores")
    assert scores.err.endswith("an earlier version kept the means, are left out\n")
    assert "squared error" in scores.out


@pytest.mark.parametrize(
    ("damage", "message", "code"),
    [
        (lambda f: shutil.rmtree(f), "there is no folder", 3),
        (lambda f: (f / "meta.json").unlink(), "holds no results; `graphol simulate --out", 3),
        (lambda f: (f / "meta.json").write_text("{"), "is damaged (JSONDecodeError", 3),
        (lambda f: (f / "meta.json").write_text("[1]"), "meta.json is not of graphol's results", 3),
        (lambda f: (f / "meta.json").write_bytes(b"\xff\xfe\0"), "is damaged (Unicode", 3),
        (lambda f: edit(f, schema=7), "schema 7 is not 1 or 2, which are read here", 3),
        (lambda f: edit(f, learner={}), "is not of graphol's results", 3),
        (lambda f: edit(f, engine={}), "is damaged (KeyError: 'noise')", 3),
        (lambda f: edit(f, played=[{"repeat": 0, "scores": {"f1": "x"}}]), "is damaged (", 3),
        (lambda f: edit(f, played=[{"repeat": 0, "scores": {"f1": []}}]), "a score is []", 3),
        (lambda f: edit(f, played=[{"repeat": 0, "scores": {"f1": "-5"}}]), "a score is '-5'", 3),
        (lambda f: edit(f, played=[{"repeat": 0, "scores": {"f1": math.nan}}]), "score is nan", 3),
        (lambda f: edit(f, played=[]), "the repeats are []", 3),
        (lambda f: edit(f, seed=5), "trace-000.npz is not of the games in meta.json", 3),
        (lambda f: (f / "trace-001.npz").unlink(), "there is no trace", 3),
        (lambda f: (f / "trace-001.npz").write_bytes(b"PK"), "is not a trace, or is damaged", 3),
        (
            lambda f: shutil.copy(f / "trace-000.npz", f / "trace-001.npz"),
            "trace-001.npz is not of the games",
            3,
        ),
    ],
)
def test_damaged_and_foreign_folders_are_one_line(run, refused, tmp_path, damage, message, code):
    out = tmp_path / "out"
    run("simulate", "--learner", "gpa", *SBM, "--repeats", 2, "--out", out)
    damage(out)
    assert message in refused("report", out, code=code)


def edit(folder: Path, **changes: object) -> None:
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps(meta | changes))


def test_damaged_comparison(run, refused, tmp_path):
    shutil.copytree(GOLDEN / "schema-1", tmp_path / "c")
    (tmp_path / "c" / "compare.json").write_text('[{"learner": "gpa"}]')
    assert "compare.json is not of a comparison, or is damaged" in refused(
        "report", tmp_path / "c", code=3
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "missing argument 'DIR...'"),
        ((GOLDEN / "schema-1", "--against", "soba"), "'soba' is not one of those compared"),
        ((GOLDEN / "schema-1", "--confidence", 1), "confidence must be > 0 and < 1, got 1.0"),
        ((GOLDEN / "schema-1-scores", "--confidence", 0), "confidence must be > 0 and < 1"),
        ((GOLDEN / "schema-1-scores", "--against", "gpa"), "needs a second folder"),
        ((GOLDEN / "schema-1", "--plot", "a.jpg"), "a plot ends in .pdf, .png or"),
    ],
)
def test_wrong_calls_are_one_line(refused, arguments, message):
    assert message in refused("report", *arguments)


def test_every_json_says_its_schema(run):
    for call in (
        ("list",), ("list", "learners"), ("show", "gpa"), ("plugins",), ("reproduce",),
        ("datasets", "list"), ("datasets", "info", "sbm"), ("doctor",),
        ("solve", "--dataset", "sbm"), ("embed", "--dataset", "sbm"), ("embed", "--clear-cache"),
    ):  # fmt: skip
        answer = json.loads(run(*call, "--json").out)
        rows = answer if isinstance(answer, list) else [answer]
        assert rows and all(row["schema"] == 1 for row in rows), call


@pytest.mark.parametrize("what", ["queries", "updates", "regret"])
def test_pictures_of_cost_and_regret(run, three, tmp_path, what):
    path = tmp_path / "p.svg"
    result = run("report", *three, "--plot", path, "--draw", what, "--quiet")
    assert (result.code, result.err) == (0, "") and "gpa" in path.read_text()
    assert "regret" not in result.out.splitlines()[0]
    assert run("report", three[0], "--plot", tmp_path / "one.png", "--draw", what, "-q").code == 0


def test_the_table_as_a_file(run, three, tmp_path):
    out = run("report", *three, "--markdown", tmp_path / "t.md", "--tex", tmp_path / "t.tex").out
    for line, row in zip(out.splitlines(), _cells(tmp_path / "t.md"), strict=True):
        assert line.split() == " ".join(row).replace("\\", "").split()
    one = run("report", three[0], "--csv", tmp_path / "t.csv")
    assert len((tmp_path / "t.csv").read_text().splitlines()) == len(one.out.splitlines()) == 2


def _cells(path: Path) -> list[list[str]]:
    lines = [line.strip("|").split("|") for line in path.read_text("utf-8").splitlines()]
    return lines[:1] + lines[2:]
