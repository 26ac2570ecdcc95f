"""From a name to a component: every plugin, ours included, comes in by the same door.

Entry points of the group ``graphol`` are loaded one by one under guard, so that a plugin that
raises, exits or was written for another version of the interfaces is listed with its reason and
hurts nothing else. ``GRAPHOL_PLUGINS`` restricts loading to a comma-separated list of entry-point
names (empty: none but the built-ins), which is how one bisects.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import os
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pluggy

from graphol import hookspecs
from graphol.api import API_VERSION, KINDS, feedback_interface
from graphol.errors import GrapholError, UsageError, in_one_line, near
from graphol.params import param, read_params

HOOKS = {kind: f"graphol_{kind}s" for kind in KINDS}


@attrs.define
class Plugin:
    """One entry point or file: who it is, and why it failed if it did."""

    name: str
    owner: str
    """Distribution and version, or the file."""
    failure: str = ""


@attrs.frozen
class Offer:
    """A component class and the plugin it comes from."""

    cls: Any
    plugin: Plugin


class Registry:
    """All plugins found on this machine, and what they offer."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager("graphol")
        self.manager.add_hookspecs(hookspecs)
        self._one_at_a_time = threading.RLock()  # while a plugin is asked, stdout is turned away
        self.plugins: list[Plugin] = []
        self.files: list[Path] = []
        self._offers: dict[str, dict[str, list[Offer]]] = {}
        wanted = os.environ.get("GRAPHOL_PLUGINS")
        names = None if wanted is None else {name.strip() for name in wanted.split(",")}
        entry_points = importlib.metadata.entry_points(group="graphol")
        for missing in sorted((names or set()) - {point.name for point in entry_points} - {""}):
            failure = (
                f"GRAPHOL_PLUGINS names it, but {near(missing, (p.name for p in entry_points))}"
            )
            self.plugins.append(Plugin(missing, "not installed", failure))
        for point in sorted(entry_points, key=lambda p: (p.name != "builtin", p.name)):
            if names is None or point.name == "builtin" or point.name in names:
                owner = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
                self._load(Plugin(point.name, owner), point.load)

    def load_file(self, path: Path) -> None:
        """A plugin that is one Python file, not a package."""
        if path in self.files:
            return
        if not path.is_file():
            raise UsageError(f"--plugin {path}: there is no such file")
        unique = zlib.crc32(str(path.resolve()).encode())  # two files may have one stem
        spec = importlib.util.spec_from_file_location(f"graphol_file_{path.stem}_{unique}", path)
        if spec is None or spec.loader is None:
            raise UsageError(f"--plugin {path}: not a Python file; its name must end in .py")
        module = importlib.util.module_from_spec(spec)

        def load() -> Any:
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)  # type: ignore[union-attr]
            return module

        plugin = Plugin(path.stem, str(path))
        self._load(plugin, load)
        self._offers.clear()
        if not plugin.failure:
            self.failed()  # asks it for everything it offers
        if plugin.failure:
            raise UsageError(f"--plugin {path}: {plugin.failure}")
        self.files.append(path)

    def _load(self, plugin: Plugin, load: Any) -> None:
        self.plugins.append(plugin)
        module: Any = None
        try:
            with contextlib.redirect_stdout(sys.stderr):  # stdout is for answers
                module = load()
            version = getattr(module, "GRAPHOL_API", API_VERSION)
            if version != API_VERSION:
                plugin.failure = _other_version(version)
                return
            self.manager.register(module, name=f"{plugin.name} ({plugin.owner})")
            plugin.failure = self._unknown_hook(module)
            if plugin.failure:
                self.manager.unregister(module)
        except KeyboardInterrupt:
            raise
        except BaseException as reason:  # a plugin may call sys.exit(); that must stay its affair
            plugin.failure = _one_line(reason)
            if module is not None and self.manager.is_registered(module):
                self.manager.unregister(module)

    def _unknown_hook(self, module: Any) -> str:
        """What pluggy's check_pending looks for, said with the nearest match; '' if all is well."""
        for caller in self.manager.get_hookcallers(module) or []:
            if not caller.has_spec():
                return f"unknown hook {caller.name!r}: {near(caller.name, HOOKS.values())}"
        return ""

    def offers(self, kind: str) -> dict[str, list[Offer]]:
        """Everything of one kind, by name; more than one offer of a name is a conflict."""
        if kind not in HOOKS:
            raise UsageError(f"there is no kind {kind!r} of component; {near(kind, HOOKS)}")
        with self._one_at_a_time:
            if kind not in self._offers:
                self._offers[kind] = self._ask(kind)
            return self._offers[kind]

    def _ask(self, kind: str) -> dict[str, list[Offer]]:
        found: dict[str, list[Offer]] = {}
        by_key = {f"{p.name} ({p.owner})": p for p in self.plugins}
        for impl in getattr(self.manager.hook, HOOKS[kind]).get_hookimpls():
            plugin = by_key[impl.plugin_name]
            for cls in self._call(plugin, kind, impl.function):
                found.setdefault(cls.name, []).append(Offer(cls, plugin))
        return dict(sorted(found.items()))

    def _call(self, plugin: Plugin, kind: str, function: Any) -> Iterator[Any]:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                classes = list(function())
        except KeyboardInterrupt:
            raise
        except BaseException as reason:
            plugin.failure = f"its {kind}s: {_one_line(reason)}"
            return
        for cls in classes:
            wrong = misfit(kind, cls)
            if wrong:
                plugin.failure = f"its {kind} {getattr(cls, '__name__', cls)!s}: {wrong}"
            else:
                yield cls

    def find(self, kind: str, name: str) -> Any:
        """The class called ``name``."""
        offers = self.offers(kind)
        if name not in offers:
            failed = [p.name for p in self.plugins if p.failure]
            more = f" (plugin {', '.join(failed)} failed: see `graphol plugins`)" if failed else ""
            raise UsageError(f"unknown {kind} {name!r}: {near(name, offers)}{more}")
        if len(offers[name]) > 1:
            owners = " and ".join(offer.plugin.owner for offer in offers[name])
            raise UsageError(
                f"{kind} {name!r} is offered by both {owners}; uninstall one of them, "
                "or leave one out with GRAPHOL_PLUGINS=name,..."
            )
        return offers[name][0].cls

    def make(self, kind: str, spec: Any, params: Mapping[str, str] | None = None) -> Any:
        """A component from ``name`` or ``name:key=value,key=value``; a ready one passes through."""
        if not isinstance(spec, str):
            wrong = misfit(kind, type(spec))
            if wrong:
                raise UsageError(f"{type(spec).__name__} is not a {kind}: {wrong}")
            return spec
        if spec.startswith("(") and spec.endswith(")"):
            spec = spec[1:-1]
        name, _, rest = spec.partition(":")
        texts = pairs(pieces(rest) if rest else [], f"{kind} {spec!r}")
        cls = self.find(kind, name)
        twice = texts.keys() & (params or {}).keys()
        if twice:
            raise UsageError(f"{kind} {spec!r}: {min(twice)!r} is given again with -p; drop one")
        return cls(**read_params(cls, texts | dict(params or {})))

    def restore(self, kind: str, described: Mapping[str, Any]) -> Any:
        """The component that :func:`graphol.describe` described."""
        cls = self.find(kind, described["name"])
        inside = {f.name: f.metadata["kind"] for f in attrs.fields(cls) if "kind" in f.metadata}
        known = {field.name for field in attrs.fields(cls)}
        odd = described.keys() - known - {"name"}
        if odd:
            raise UsageError(f"{kind} {cls.name} of this version has no parameter {min(odd)!r}")
        return cls(**{
            key: self.restore(inside[key], value) if key in inside else value
            for key, value in described.items() if key != "name"
        })  # fmt: skip

    def failed(self) -> list[Plugin]:
        """The plugins that could not be used, after asking every one for everything."""
        for kind in KINDS:
            self.offers(kind)
        return [plugin for plugin in self.plugins if plugin.failure]


@functools.cache
def registry() -> Registry:
    """The registry of this process; plugins are loaded at the first call."""
    return Registry()


def make(kind: str, spec: Any) -> Any:
    """A component from its name, ``name:key=value,key=value`` included.

    >>> make("learner", "molg-b:b=20,phi=5")
    MolgB(b=20.0, phi=5.0, exploration=0.05, precision='double')
    """
    return registry().make(kind, spec)


def component(kind: str, default: str) -> Any:
    """A hyper-parameter that is a component: by name on the command line, by value in Python."""

    def read(value: Any) -> Any:
        return registry().make(kind, value)

    field = param(default, type=object)
    field.converter = read
    field.metadata |= {"allowed": f"a {kind}", "read": read, "kind": kind}
    return field


def pieces(text: str) -> list[str]:
    """What stands between commas; those in brackets belong to a component inside.

    >>> pieces("dim=5,solver=(cg:tol=1e-8,scale=none)")
    ['dim=5', 'solver=(cg:tol=1e-8,scale=none)']
    """
    found: list[str] = []
    for piece in text.split(","):
        if found and found[-1].count("(") > found[-1].count(")"):
            found[-1] += f",{piece}"
        else:
            found.append(piece)
    return found


def pairs(texts: list[str], where: str) -> dict[str, str]:
    """``["b=1", "phi=2"]`` as a dict."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise UsageError(f"{where}: {text!r} is not of the form key=value")
        key = key.strip().replace("-", "_")
        if key in found:
            raise UsageError(f"{where}: {key!r} is given twice")
        found[key] = value.strip()
    return found


def misfit(kind: str, cls: Any) -> str:
    """What keeps ``cls`` from being a component of this kind, or ''."""
    if not isinstance(cls, type):
        return "hooks return classes, not instances"
    if not isinstance(getattr(cls, "name", None), str):
        return "it needs a class attribute `name`, a text"
    if not attrs.has(cls):
        return "it must be an attrs class: decorate it with @attrs.frozen"
    declared = [*KINDS[kind].__annotations__]
    interface = KINDS[kind]
    if kind == "feedback":
        interface = feedback_interface(getattr(cls, "reveals", None) or "label")
    wanted = [a for a in dir(interface) if not a.startswith("_")] + declared
    missing = [name for name in dict.fromkeys(wanted) if not hasattr(cls, name)]
    return f"it lacks {', '.join(missing)}" if missing else ""


def _other_version(version: Any) -> str:
    todo = f"change it as graphol's changelog says and set GRAPHOL_API = {API_VERSION}"
    if isinstance(version, int) and version > API_VERSION:
        todo = "install a newer graphol"
    return (
        f"written for version {version!r} of the plugin interface, this graphol has version "
        f"{API_VERSION}; {todo}"
    )


def _one_line(reason: BaseException) -> str:
    if isinstance(reason, SystemExit):
        return f"it called sys.exit({reason.code!r})"
    if isinstance(reason, GrapholError):
        return " ".join(str(reason).split())
    return in_one_line(reason)
