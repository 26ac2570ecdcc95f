"""``graphol project``: make a project file, look into it, take labels in and out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from graphol.cli import options as given
from graphol.cli.output import note, note_all, say, say_doubts, say_json, say_rows

app = typer.Typer(rich_markup_mode=None)
File = Annotated[Path, typer.Argument(metavar="FILE", help="A project, NAME.graphol.")]
Name = Annotated[str, typer.Argument(metavar="CLASS", help="A class's name.")]
Annotator = Annotated[
    str, typer.Option("--annotator", metavar="NAME", help="Who does this; kept with the event.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Write it there.")]


class PolicyName(StrEnum):
    """What the answers of several annotators come to."""

    majority = "majority"
    last = "last"
    unanimous = "unanimous"


Policy = Annotated[
    PolicyName,
    typer.Option(
        "--policy",
        metavar="majority|last|unanimous",
        help="Of each annotator the last answer about a node counts. The class that most of them "
        "say; or the one that was said last; or one that nobody contradicts.",
    ),
]


@app.callback(invoke_without_command=True)
def command(context: typer.Context) -> None:
    """Keep a graph, its texts and everybody's labels in one file."""
    if context.invoked_subcommand is None:
        say(context.get_help())


@app.command("create")
def create_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make, NAME.graphol.")],
    graph: given.GraphFile = None,
    nodes: Annotated[
        Path | None,
        typer.Option(
            "--nodes",
            metavar="FILE",
            help="What is shown of its nodes: a CSV file node,title,description,link,picture,...",
        ),
    ] = None,
    labels: given.LabelsFile = None,
    features: given.FeaturesFile = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="NAME", help="A data set instead.")
    ] = None,
    component: given.ComponentName = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="NAME,...",
            help="What there is to choose among; more may come.",
            show_default="those of the labels, or of the data set",
        ),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            "--pictures", metavar="DIR", help="The folder of the files in the column picture."
        ),
    ] = None,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="What the project is about.")
    ] = "",
    take_labels: Annotated[
        bool,
        typer.Option(
            "--take-labels", help="Take in the labels that the graph or the data set comes with."
        ),
    ] = False,
    annotator: Annotator = "graphol",
    plugin: given.PluginFiles = None,
    json: given.Json = False,
    quiet: given.Quiet = False,
) -> None:
    """Make a project of a graph.

    A file that is there is never replaced. Labels that the graph comes with are left out, unless
    --take-labels is given; those of --labels are taken in.

    \b
    graphol project create tea.graphol --graph edges.csv --nodes nodes.csv --classes tea,coffee
    graphol project create cora.graphol --dataset cora
    """
    from graphol.errors import UsageError
    from graphol.formats import read_features
    from graphol.formats.labels import read_labels
    from graphol.formats.node_texts import read_texts
    from graphol.label.project import Project

    known = given.load(plugin, quiet=quiet)
    if graph is None and dataset is None:
        raise UsageError("give --graph FILE, or --dataset NAME to try it")
    if labels is not None and take_labels:
        raise UsageError("give --labels or --take-labels, not both")
    found, _ = given.make_graph(known, dataset, graph, component, 0)
    own = found.label_names
    notes = [each for each in found.notes if take_labels or "without a label" not in each]
    if features is not None:
        found = read_features(features, found.unlabelled if not take_labels else found)
        notes = list(found.notes)
    answers = {}
    if labels is not None or take_labels:
        labelled = read_labels(found if take_labels else found.unlabelled, labels)
        if labelled.labels is None:
            raise UsageError(f"{found.name} comes without labels; leave --take-labels out")
        notes += [each for each in labelled.notes if each not in notes]
        answers = {
            node: labelled.label_names[label]
            for node, label in zip(labelled.ids, labelled.labels.tolist(), strict=True)
            if label >= 0
        }
        own = labelled.label_names
    texts: Any = {}
    if nodes is not None:
        texts, said = read_texts(nodes, found)
        notes += said
    with Project.create(
        file, found, nodes=texts, classes=_listed(classes) if classes else own, title=title,
        answers=answers, pictures=pictures, annotator=annotator,
    ) as made:  # fmt: skip
        pictured = [row for row in range(found.n) if "picture" in texts.get(found.ids[row], {})]
        missing = sum(made.picture(row) is None for row in pictured)
        if missing:
            where = "there is no --pictures DIR" if pictures is None else f"not in {pictures}"
            notes.append(f"{missing} picture(s) cannot be shown: {where}, or no PNG, JPEG, GIF, "
                         "WebP")  # fmt: skip
        note_all(found.name, notes, quiet=quiet)
        _tell(made, "majority", json=json)


def _listed(classes: str) -> list[str]:
    """``a,"b, c"`` as a and b, c."""
    import csv

    return [name.strip() for name in next(csv.reader([classes], skipinitialspace=True), [])]


@app.command("info")
def info_command(
    file: File, policy: Policy = PolicyName.majority, json: given.Json = False
) -> None:
    """Tell what is in a project: classes, answers, who disagrees with whom.

    Times are those of this machine, with their offset; --json has them in UTC.
    """
    from graphol.label.project import Project

    with Project.open(file, readonly=True) as project:
        _tell(project, policy.value, json=json)


def _tell(project: Any, policy: str, *, json: bool) -> None:
    found = _facts(project, policy)
    if json:
        say_json(found)
        return
    from datetime import datetime

    lists = {key: found.pop(key) for key in ("classes", "annotators", "agreement")}
    for key in ("created", "last_event"):
        if found[key] is not None:
            local = datetime.fromisoformat(found[key]).astimezone()
            found[key] = local.isoformat(sep=" ", timespec="seconds")
    width = max(map(len, found))
    for key, value in found.items():
        text = ", ".join(value) if isinstance(value, list) else value
        if text not in (None, ""):
            say(f"{key.replace('_', ' '):<{width}}  {text}")
    for rows, columns in (
        (lists["classes"], ("name", "nodes")),
        (lists["annotators"], ("name", "answers")),
        (lists["agreement"], _agreement()),
    ):
        if rows:
            say("")
            say_rows(rows, columns, json=False)


def _agreement() -> tuple[Any, ...]:
    from graphol.report.columns import AGREEMENT

    return AGREEMENT


def _facts(project: Any, policy: str) -> dict[str, Any]:
    graph, progress, last = project.graph, project.progress(policy), project.last
    events = project.events(last - 1) if last else []
    return {
        "file": str(project.path),
        "title": project.title,
        "graph": graph.name,
        "edges": graph.n_edges,
        "features": 0 if graph.features is None else graph.features.shape[1],
        "hash": graph.hash,
        "columns": list(project.columns),
        "created": project.created,
        "last_event": events[0].as_dict()["time"] if events else None,
        **progress,
        "agreement": project.disagreements(),
    }


@app.command("export")
def export_command(
    file: File,
    out: Out,
    votes: Annotated[
        bool, typer.Option("--votes", help="Every annotator's answer about every node instead.")
    ] = False,
    events: Annotated[
        bool, typer.Option("--events", help="The whole log instead, as .csv or .jsonl.")
    ] = False,
    policy: Policy = PolicyName.majority,
    force: given.Force = False,
    json: given.Json = False,
) -> None:
    """Write the labels as a file `node,label`, which every command reads with --labels.

    It is what was so at one moment, whoever labels meanwhile, and is written whole or not at all.

    \b
    graphol project export tea.graphol --out labels.csv
    graphol project export tea.graphol --out votes.csv --votes
    graphol project export tea.graphol --out log.jsonl --events
    """
    from graphol.errors import UsageError
    from graphol.label.project import Project
    from graphol.label.rows import formulas_in

    if votes and events:
        raise UsageError("give --votes or --events, not both")
    what = "votes" if votes else "events" if events else "labels"
    with Project.open(file, readonly=True) as project:
        lines = project.export_labels(out, what, policy=policy.value, force=force)  # type: ignore[arg-type]
        names = [*(each.name for each in project.classes), *project.graph.ids]
    odd = formulas_in(names) if out.suffix.lower() != ".jsonl" else ()
    if json:
        report = {"file": str(file), "out": str(out), "what": what, "lines": lines}
        say_json(report | {"notes": [*odd]})
    else:
        say(f"{lines} line(s) of {what} in {out}")
        say_doubts(str(out), odd, json=False)


@app.command("import")
def import_command(
    file: File,
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="A CSV file node,label.")],
    annotator: Annotated[
        str, typer.Option("--annotator", metavar="NAME", help="Whose labels these are.")
    ],
    add_classes: Annotated[
        bool, typer.Option("--add-classes", help="Add the classes that are not there yet.")
    ] = False,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out nodes that are not in the graph.")
    ] = False,
    json: given.Json = False,
) -> None:
    """Take labels in as an annotator's answers: all of them or, if anything is wrong, none.

    What the annotator has said already is not taken in again, so that the same file may be given
    twice.
    """
    from graphol.label.project import Project

    with Project.open(file) as project:
        found = project.import_labels(
            labels, annotator=annotator, add_classes=add_classes, skip_unknown=skip_unknown
        )
    if json:
        say_json({"file": str(file), **found._asdict(), "classes": list(found.classes)})
        return
    say(f"{found.new} new, {found.changed} changed, {found.known} known")
    if found.unknown:
        note(f"{found.unknown} node(s) are not in the graph, their labels left out")
    if found.classes:
        note(f"class(es) added: {', '.join(found.classes)}")


@app.command("add-class")
def add_class_command(
    file: File, name: Name, annotator: Annotator = "graphol", json: given.Json = False
) -> None:
    """Add a class."""
    _change(file, "add_class", name, annotator=annotator, json=json)


@app.command("rename-class")
def rename_class_command(
    file: File,
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
    annotator: Annotator = "graphol",
    json: given.Json = False,
) -> None:
    """Give a class another name; labels are not touched, and the old name still finds it."""
    _change(file, "rename_class", name, new, annotator=annotator, json=json)


@app.command("merge-class")
def merge_class_command(
    file: File,
    name: Name,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The class it counts as.")],
    annotator: Annotator = "graphol",
    json: given.Json = False,
) -> None:
    """Let a class count as another, in all answers given and to come."""
    _change(file, "merge_class", name, into, annotator=annotator, json=json)


def _change(file: Path, how: str, *names: str, annotator: str, json: bool) -> None:
    from graphol.label.project import Project

    with Project.open(file) as project:
        event = getattr(project, how)(*names, annotator=annotator)
        live = [each._asdict() for each in project.classes]
    if json:
        say_json({"file": str(file), "event": event.number, "classes": live})
    else:
        say_rows(live, json=False)
