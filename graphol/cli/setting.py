"""The options that the commands which play have in common, written once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from graphol.cli import options as given
from graphol.cli.tables import Tables

if TYPE_CHECKING:
    from graphol.api import Embedding
    from graphol.plan import Plan
    from graphol.registry import Registry


class Setting(NamedTuple):
    """What the commands that play have in common: on what, by which rules, where results go."""

    dataset: given.DatasetName = None
    graph: given.GraphFiles = None
    labels: given.LabelsFile = None
    features: given.FeaturesFile = None
    stream: given.StreamFile = None
    latent: given.LatentFile = None
    component: given.ComponentName = None
    feedback: given.FeedbackName = None
    embedding: given.EmbeddingName = None
    repeats: given.Repeats = 10
    rounds: given.Rounds = None
    seed: given.Seed = 0
    noise: given.Noise = 0.0
    delay: given.Delay = 0
    fuse: given.Fuse = None
    fuser: given.Fuser = None
    jobs: given.Jobs = 1
    keep: given.Keep = None
    fresh_data: given.FreshData = False
    one_vs_rest: given.OneVsRest = False
    plugin: given.PluginFiles = None
    out: given.Out = None
    plot: given.Plot = None
    csv: given.Csv = None
    tex: given.Tex = None
    markdown: given.Markdown = None
    parquet: given.Parquet = None
    force: given.Force = False
    json: given.Json = False
    quiet: given.Quiet = False

    def begin(self) -> Registry:
        """The registry with the plugin files in it; from here on warnings are notes, or nothing."""
        return given.load(self.plugin, quiet=self.quiet)

    def data(self, known: Registry) -> Any:
        """The data set."""
        return given.make_dataset(
            known, self.dataset, self.graph, self.labels, self.component, self.stream, self.latent,
            self.features,
        )  # fmt: skip

    def vectors(self, known: Registry) -> Embedding | None:
        """The embedding, if one was asked for."""
        return None if self.embedding is None else known.make("embedding", self.embedding)

    def plan(self) -> Plan:
        """How the games are played."""
        import attrs

        from graphol.plan import Plan

        planned = {field.name for field in attrs.fields(Plan)}
        return Plan(**{name: value for name, value in self._asdict().items() if name in planned})

    @property
    def tables(self) -> Tables:
        """Where the table goes beside stdout."""
        return Tables(self.csv, self.tex, self.markdown, self.parquet)

    def check_files(self) -> None:
        """Refuse a picture or a table that could not be written, before anything is computed."""
        self.tables.check(force=self.force)
        if self.plot is not None:
            from graphol.report.picture import check_plot

            check_plot(self.plot, force=self.force)


def with_setting(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for every field of a Setting, in place of ``setting``.

    An option that the command has itself takes the place of the field, which keeps its default.
    """
    fields = [name for name in Setting._fields if name not in signature(command).parameters]

    @functools.wraps(command)
    def run(**options: Any) -> None:
        shared = {name: options.pop(name) for name in fields}
        command(setting=Setting(**shared), **options)

    def option(name: str, kind: Any, default: Any) -> Parameter:
        return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)

    own, shared = (
        get_type_hints(command, include_extras=True),
        get_type_hints(Setting, include_extras=True),
    )
    options = [
        option(name, own[name], each.default)
        for name, each in signature(command).parameters.items()
        if name != "setting"
    ]
    options += [option(n, shared[n], Setting._field_defaults[n]) for n in fields]
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in options}
    return run
