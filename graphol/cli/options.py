"""Options and arguments that several commands share."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from graphol.api import Feedback
    from graphol.graph import Graph
    from graphol.registry import Registry
    from graphol.tasks import NodeTask

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
PluginFiles = Annotated[
    list[Path] | None,
    typer.Option("--plugin", metavar="FILE.py", help="Load this plugin file first; repeatable."),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "-p", metavar="KEY=VALUE", help="A hyper-parameter of the component; repeatable."
    ),
]
DatasetName = Annotated[
    str | None,
    typer.Option("--dataset", metavar="NAME", help="On what.", show_default="digits"),
]
Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", metavar="NAME,...", help="On what; repeatable.", show_default="digits"
    ),
]
GraphFile = Annotated[
    list[Path] | None,
    typer.Option(
        "--graph",
        metavar="FILE",
        help="A graph of your own instead: .csv .tsv .txt .graphml .mtx .npz.",
    ),
]
GraphFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--graph",
        metavar="FILE",
        help="A graph of your own instead: .csv .tsv .txt .graphml .mtx .npz. Several are layers "
        "over the same nodes; repeatable.",
    ),
]
FeaturesFile = Annotated[
    Path | None,
    typer.Option(
        "--features",
        metavar="FILE",
        help="Features of its nodes: a CSV file node,NAME,NAME,... or node,feature,value.",
    ),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option("--labels", metavar="FILE", help="Its labels: a CSV file node,label."),
]
StreamFile = Annotated[
    Path | None,
    typer.Option(
        "--stream",
        metavar="FILE",
        help="Rounds to play on it, in place of labels: a CSV file node,context,sign or "
        "node,time,sign.",
    ),
]
LatentFile = Annotated[
    Path | None,
    typer.Option(
        "--latent", metavar="FILE", help="A graph over the contexts, in any format of --graph."
    ),
]


class Component(StrEnum):
    """Which part of a graph that is not connected."""

    largest = "largest"
    all = "all"


ComponentName = Annotated[
    Component | None,
    typer.Option(
        "--component",
        metavar="largest|all",
        help="Take the largest connected component, or all nodes.",
        show_default="as the dataset says",
    ),
]
FeedbackName = Annotated[
    str | None,
    typer.Option(
        "--feedback", metavar="NAME", help="The protocol.", show_default="the learner's own"
    ),
]
EmbeddingName = Annotated[
    str | None,
    typer.Option(
        "--embedding",
        metavar="NAME",
        help="How nodes become vectors.",
        show_default="spectral, or kernel where needed",
    ),
]


UNITS = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


def whole(text: Any) -> int:
    """A whole number as graphol reads it everywhere; parser of every option that is one."""
    return _read(int, text, "a whole number")  # type: ignore[no-any-return]


def number(text: Any) -> float:
    """A number as graphol reads it everywhere; parser of every option that is one."""
    return _read(float, text, "a number")  # type: ignore[no-any-return]


def size(text: Any) -> int:
    """``2G``, ``500M`` or a number of bytes; parser of every option that is one."""
    from graphol.errors import shown

    said = str(text).strip().lower().removesuffix("b")
    unit = UNITS.get(said[-1:], 1)
    try:
        found = number(said[:-1] if said[-1:] in UNITS else said) * unit
    except typer.BadParameter:
        found = 0.0
    if not 1 <= found < 1e18:
        raise typer.BadParameter(f"{shown(text)} is not a size in bytes, a number such as 2G")
    return int(found)


def _read(kind: type, text: Any, wanted: str) -> Any:
    from graphol.errors import shown
    from graphol.params import reader

    try:
        return reader(kind)(str(text))
    except ValueError:
        raise typer.BadParameter(f"{shown(text)} is not {wanted}") from None


def read_repeats(text: Any) -> int | range:
    """``10`` as a number, ``5-9`` as those repeats."""
    first, dash, last = str(text).partition("-")
    try:
        numbers = range(whole(first), whole(last) + 1) if dash else whole(first)
    except typer.BadParameter:
        raise typer.BadParameter(f"{text!r} is neither a number nor of the form 5-9") from None
    if dash and not numbers:
        raise typer.BadParameter(f"{text!r} ends before it begins")
    return numbers


Embeddings = Annotated[
    list[str] | None,
    typer.Option(
        "--embedding",
        metavar="NAME,...",
        help="How nodes become vectors; repeatable.",
        show_default="spectral, or kernel where needed",
    ),
]
Repeats = Annotated[
    Any,
    typer.Option(
        "--repeats",
        metavar="N|FIRST-LAST",
        parser=read_repeats,
        help="Games, each in an order of its own; >= 1. Or only some of them, numbered from 0: "
        "5-9, or 7-7 for one.",
    ),
]
FreshData = Annotated[
    bool, typer.Option("--fresh-data", help="Draw generated data anew in every repeat.")
]
OneVsRest = Annotated[
    bool,
    typer.Option(
        "--one-vs-rest",
        help="Play one binary game per class; the figures of a repeat are means over them.",
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole, help="Rounds per game; >= 1.", show_default="all"),
]
Seed = Annotated[
    int,
    typer.Option(metavar="N", parser=whole, help="The same seed gives the same traces; >= 0."),
]
Noise = Annotated[
    float,
    typer.Option(
        metavar="P", parser=number, help="Probability of an answer about a wrong label; < 1."
    ),
]
Delay = Annotated[
    int, typer.Option(metavar="N", parser=whole, help="Rounds by which answers come late.")
]
Fuse = Annotated[
    int | None,
    typer.Option(
        "--fuse",
        metavar="N",
        parser=whole,
        help="Weigh the layers by the first N labels of every repeat, which are not scored, and "
        "play on the graph that they are fused to.",
    ),
]
Fuser = Annotated[
    str | None,
    typer.Option(
        "--fuser", metavar="NAME", help="Who weighs them, with --fuse.", show_default="multi-mrf"
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="scores",
        help="Keep the scores of every round in the traces of --out; where compiled code gives "
        "none, the slower plain loop plays.",
    ),
]
Jobs = Annotated[int, typer.Option(metavar="N", parser=whole, help="Games played at once.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Write every trace and a meta.json there."),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw the error rate so far: .png, .svg or .pdf.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Make one page of everything; needs no network."),
]
SvgFolder = Annotated[
    Path | None,
    typer.Option("--svg", metavar="DIR", help="Write the page's figures there, a file each."),
]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write the table there too, one number per cell."),
]
Tex = Annotated[
    Path | None, typer.Option("--tex", metavar="FILE", help="The same as LaTeX, a tabular.")
]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="The same as Markdown: .md.")
]
Parquet = Annotated[
    Path | None,
    typer.Option(
        "--parquet", metavar="FILE", help="The same as Parquet; needs `graphol[parquet]`."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace the files that are there.")]
ForceOut = Annotated[bool, typer.Option("--force", help="Replace what --out finds there.")]
Regret = Annotated[
    bool,
    typer.Option(
        "--regret",
        help="Add the best fixed model in hindsight, and the bound on the mistakes.",
    ),
]


StrategyName = Annotated[
    str,
    typer.Option(
        "--strategy", metavar="NAME", help="Who picks nodes; see `graphol list strategies`."
    ),
]


class Drawn(StrEnum):
    """What a picture shows."""

    curve = "curve"
    queries = "queries"
    updates = "updates"
    regret = "regret"


Draw = Annotated[
    Drawn,
    typer.Option(
        "--draw",
        metavar="curve|queries|updates|regret",
        help="What --plot draws: the error rate so far over the rounds, over the labels revealed, "
        "over the class models updated; or the regret so far.",
        show_default="curve",
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="NAME",
        help="The learner to hold the others against.",
        show_default="the best",
    ),
]
Confidence = Annotated[
    float, typer.Option(metavar="P", parser=number, help="Of the intervals; > 0 and < 1.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")]
Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="learner, feedback, embedding, projection, solver, dataset, executor or "
        "strategy; or plural.",
    ),
]


def load(files: list[Path] | None, *, quiet: bool = False) -> Registry:
    """The registry, with these plugin files in it; if quiet, warnings are no notes from here on."""
    from graphol.registry import registry

    if quiet:
        warnings.simplefilter("ignore")  # until main() ends
    found = registry()
    for path in files or []:
        found.load_file(path)
    return found


def names(text: str | None) -> list[str]:
    """``a,b:x=1,y=2,c`` as a, b:x=1,y=2 and c: what holds = without : belongs to what precedes it.

    >>> names("gpa,molg-b:b=20,phi=5,soba")
    ['gpa', 'molg-b:b=20,phi=5', 'soba']
    """
    from graphol.spelling import pieces

    found: list[str] = []
    for piece in pieces(text) if text else []:
        if found and "=" in piece and ":" not in piece.partition("=")[0]:
            found[-1] += f",{piece}"
        else:
            found.append(piece.strip())
    return found


def kind_of(text: str) -> str:
    """``learners`` or ``learner`` as ``learner``."""
    from graphol.api import KINDS, plural
    from graphol.errors import UsageError, near

    said = text.lower()
    kind = next((each for each in KINDS if said == plural(each)), said.removesuffix("s"))
    if kind not in KINDS:
        raise UsageError(f"there is no kind {text!r} of component; {near(kind, KINDS)}")
    return kind


def make_dataset(
    known: Registry,
    spec: str | None,
    graphs: list[Path] | None,
    labels: Path | None,
    component: Component | None,
    stream: Path | None = None,
    latent: Path | None = None,
    features: Path | None = None,
) -> Any:
    """The data set that --dataset, --graph, --labels, --stream and so on ask for."""
    import attrs

    from graphol.errors import UsageError

    if not graphs:
        if labels is not None:
            raise UsageError("--labels needs --graph, the graph whose nodes it labels")
        if features is not None:
            raise UsageError("--features needs --graph, the graph whose nodes it describes")
        if stream is not None:
            raise UsageError("--stream needs --graph, the graph whose nodes it asks about")
        return _part(known, "digits" if spec is None else spec, component, latent)
    graph, *more = graphs
    if spec is not None:
        raise UsageError(f"give --dataset {spec} or --graph {graph}, not both")
    if stream is not None and labels is not None:
        raise UsageError("give --labels or --stream, not both: a stream has its own signs")
    if stream is not None and features is not None:
        raise UsageError(
            "give --features or --stream, not both: rounds of a stream have no features"
        )
    if stream is not None:
        one_graph(graphs, "--stream plays on")
    if stream is None and latent is not None:
        raise UsageError("--latent needs --stream, the rounds whose contexts it joins")
    given = {
        "graph": graph, "labels": labels, "stream": stream, "latent": latent, "features": features,
        "component": None if component is None else component.value,
    }  # fmt: skip
    params = {key: str(value) for key, value in given.items() if value is not None}
    made = known.make("dataset", "files" if stream is None else "stream", params)
    return attrs.evolve(made, more=[str(path) for path in more]) if more else made


def seeds(known: Registry, spec: str | None, *, own: bool) -> Feedback | None:
    """Which labels are known: those of --feedback, all of the user's ``own``, or some of others."""
    if spec is None and own:
        return None
    made: Feedback = known.make("feedback", "seeds:per_class=20" if spec is None else spec)
    return made


def node_task(data: Any, seed: int) -> NodeTask:
    """The task of a data set that must be a graph with classes of nodes."""
    from graphol import seeding
    from graphol.errors import UsageError
    from graphol.tasks import NodeTask

    task = data.load(seeding.data(seed))
    if not isinstance(task, NodeTask):
        raise UsageError(f"{task.name} is no graph with classes of nodes; take one that is")
    return task


def one_graph(graphs: list[Path] | None, who: str) -> Path | None:
    """The only graph that is given, if any is; ``who`` takes no second one."""
    from graphol.errors import UsageError

    if graphs and len(graphs) > 1:
        raise UsageError(f"{who} one graph, got {len(graphs)}; leave --graph {graphs[1]} out")
    return graphs[0] if graphs else None


def _part(known: Registry, spec: str, component: Component | None, latent: Path | None) -> Any:
    """A data set, or the part of it that is asked for: by a parameter of its own, if it has one."""
    import attrs

    from graphol.errors import UsageError

    made = known.make("dataset", spec)
    parameters = attrs.fields_dict(type(made))
    if latent is not None:
        if "latent" not in parameters:
            raise UsageError(f"--latent joins contexts, and {made.name} has none; leave it out")
        if made.latent is not None:
            raise UsageError(f"--latent {latent}: the data set has latent={made.latent} already")
        made = attrs.evolve(made, latent=str(latent))
    if component is None:
        return made
    if "component" in parameters:
        known.make("dataset", spec, {"component": component.value})  # refuses one that is there
        return attrs.evolve(made, component=component.value)
    from graphol.datasets.largest import Largest

    whole = made.of if isinstance(made, Largest) else made
    return Largest(of=whole) if component == Component.largest else whole


def make_graph(
    known: Registry,
    spec: str | None,
    files: list[Path] | None,
    component: Component | None,
    seed: int,
) -> tuple[Graph, dict[str, Any]]:
    """The graph alone, labels or not, and where it comes from as plain data."""
    import attrs

    from graphol import seeding
    from graphol.datasets.stream import OwnStream
    from graphol.errors import UsageError
    from graphol.params import describe

    if seed < 0:
        raise UsageError(f"--seed must be >= 0, got {seed}")
    file = one_graph(files, "this command takes")
    found: Graph
    source: dict[str, Any]
    if file is not None:
        if spec is not None:
            raise UsageError(f"give --dataset {spec} or --graph {file}, not both")
        from graphol.formats import read_graph

        found, source = read_graph(file), {"name": file.name, "graph": str(file)}
    else:
        everything = Component.all if component == Component.all else None
        made = make_dataset(known, spec, None, None, everything)
        if component == Component.largest and isinstance(made, OwnStream):
            made = attrs.evolve(made, component="largest")  # of all it plays no others
        found = made.load(seeding.data(seed)).graph
        source = describe(made)
    if component == Component.largest:
        found, source = found.largest_component(), source | {"component": "largest"}
    return found, source
