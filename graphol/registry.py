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
import itertools
import os
import signal
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pluggy

from graphol import hookspecs
from graphol.api import API_VERSION, KINDS, plural
from graphol.errors import InputError, PluginError, UsageError, in_one_line, near, shown
from graphol.fitting import checked, misfit
from graphol.guard import Aside, belongs, by_user, guard, stoppable
from graphol.params import kinds_inside, param, read_params
from graphol.spelling import DEEPEST, entries, pairs, pieces

HOOKS = {kind: f"graphol_{plural(kind)}" for kind in KINDS}
MOST_OFFERS = 10_000
"""Classes that one hook may offer; a generator without end is cut off there."""


@attrs.define
class Plugin:
    """One entry point or file: who it is, and why it failed if it did."""

    name: str
    owner: str
    """Distribution and version, or the file."""
    failure: str = ""

    def __str__(self) -> str:
        return f"plugin {self.name} ({self.owner})"


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
        belongs(spec.name, str(plugin))
        self._load(plugin, load)
        self._offers.clear()
        if not plugin.failure:
            self.failed()  # asks it for everything it offers
        if plugin.failure:
            raise PluginError(f"--plugin {path}: {plugin.failure}")
        self.files.append(path)

    def _load(self, plugin: Plugin, load: Any) -> None:
        self.plugins.append(plugin)
        module: Any = None
        with _listed(plugin, "while it was imported"):
            module = load()
            if isinstance(module, ModuleType) and plugin.name != "builtin":
                belongs(module.__name__, str(plugin))
                belongs(module.__name__.partition(".")[0], str(plugin))
            version = getattr(module, "GRAPHOL_API", API_VERSION)
            if type(version) is not int or version != API_VERSION:
                plugin.failure = _other_version(version)
                return
            self.manager.register(module, name=str(plugin))
            plugin.failure = self._unknown_hook(module)
        if plugin.failure and self.manager.has_plugin(str(plugin)):
            self.manager.unregister(name=str(plugin))

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
        for plugin, function in self._hooks(HOOKS[kind]):
            for cls in _classes(plugin, kind, function):
                found.setdefault(cls.name, []).append(Offer(cls, plugin))
        return dict(sorted(found.items()))

    def _hooks(self, hook: str) -> Iterator[tuple[Plugin, Callable[[], Any]]]:
        by_key = {str(plugin): plugin for plugin in self.plugins}
        for impl in getattr(self.manager.hook, hook).get_hookimpls():
            yield by_key[impl.plugin_name], impl.function

    def values(self, hook: str, misfit: Callable[[Any], str]) -> list[tuple[Plugin, Any]]:
        """What every plugin gives by a hook for values, not classes, without what does not fit."""
        found: list[tuple[Plugin, Any]] = []
        with self._one_at_a_time:
            for plugin, function in self._hooks(hook):
                with _listed(plugin, f"in {hook}"):
                    for value in _given(plugin, hook, function, "values"):
                        wrong = misfit(value)
                        if wrong:
                            plugin.failure = f"{hook}: {wrong}"
                        else:
                            belongs(type(value).__module__, str(plugin))
                            found.append((plugin, value))
        return found

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
            with guard():
                return checked(kind, spec)
        where = f"{kind} {shown(spec)}"
        text, *others = entries(spec, where)
        if others:
            raise UsageError(f"{where} is a list of {len(others) + 1}; one {kind} is wanted here")
        name, _, rest = text.partition(":")
        texts = pairs(pieces(rest) if rest else [], where)
        cls = self.find(kind, name)
        twice = texts.keys() & (params or {}).keys()
        if twice:
            raise UsageError(f"{where}: {min(twice)!r} is given again with -p; drop one")
        values = read_params(cls, texts | dict(params or {}))
        with guard():
            return checked(kind, cls(**values))

    def make_all(self, kind: str, specs: Any) -> tuple[Any, ...]:
        """Some components: from ``(name:key=value)+(name)``, or a list of names and ready ones."""
        where = f"{plural(kind)} {shown(specs)}"
        how = f"write (NAME:KEY=VALUE)+(NAME), or in Python a list of {plural(kind)}"
        if isinstance(specs, str):
            specs = entries(specs, where)
        if not isinstance(specs, list | tuple):
            raise UsageError(f"{where}: this is no list; {how}")
        if not specs or "" in (each.strip() for each in specs if isinstance(each, str)):
            raise UsageError(f"{where}: {'a place in it' if specs else 'it'} is empty; {how}")
        return tuple(self.make(kind, each) for each in specs)

    def restore(self, kind: str, described: Any, depth: int = 0) -> Any:
        """The component that :func:`graphol.describe` described; a list for a list of them."""
        if depth > 2 * DEEPEST:
            raise InputError(f"a {kind} is described more than {DEEPEST} components deep")
        if isinstance(described, list):
            return [self.restore(kind, each, depth + 1) for each in described]
        if not isinstance(described, Mapping) or not isinstance(described.get("name"), str):
            raise InputError(f"what should describe a {kind} has no name: {shown(described)}")
        cls = self.find(kind, described["name"])
        inside, known = kinds_inside(cls), attrs.fields_dict(cls)
        odd = described.keys() - known.keys() - {"name"}
        if odd:
            raise UsageError(f"{kind} {cls.name} of this version has no parameter {min(odd)!r}")
        values = {
            key: self.restore(inside[key], value, depth + 1) if key in inside else value
            for key, value in described.items() if key != "name"
        }  # fmt: skip
        with guard():
            return checked(kind, cls(**values))

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
    MolgB(b=20.0, phi=5.0, precision='double', exploration=0.05)
    """
    return registry().make(kind, spec)


def component(kind: str, default: str) -> Any:
    """A hyper-parameter that is a component: by name on the command line, by value in Python."""

    def read(value: Any) -> Any:
        return registry().make(kind, value)

    return _field(default, read, {"allowed": f"a {kind}", "kind": kind})


def components(kind: str, default: str) -> Any:
    """A hyper-parameter that is a tuple of components of one kind, one or more.

    On the command line it is written ``(name:key=value)+(name)``; in Python so, or as a list of
    names and values.

    >>> @attrs.frozen
    ... class Team:
    ...     name = "team"
    ...     learners: tuple[Any, ...] = components("learner", "gpa")
    >>> Team(["molg-f", make("learner", "gpa")]) == Team("molg-f+gpa") == Team("(molg-f)+(gpa)")
    True
    """

    def read(value: Any) -> tuple[Any, ...]:
        return registry().make_all(kind, value)

    return _field(
        default, read, {"allowed": f"a list of {plural(kind)}", "kind": kind, "list": True}
    )


def _field(default: str, read: Callable[[Any], Any], metadata: Mapping[str, Any]) -> Any:
    field = param(default, type=object)
    field.converter = read
    field.metadata |= {"read": read, **metadata}
    return field


@contextlib.contextmanager
def _listed(plugin: Plugin, when: str) -> Iterator[None]:
    """Whatever a plugin does while it is loaded or asked is its failure, and nobody else's."""
    deep = sys.getrecursionlimit()
    with stoppable(signal.SIGINT), contextlib.redirect_stdout(Aside()):  # stdout is for answers
        try:
            yield
        except BaseException as reason:
            if isinstance(reason, KeyboardInterrupt) and by_user(reason):
                raise
            plugin.failure = f"{when}: {in_one_line(reason)}"
        finally:
            sys.setrecursionlimit(max(deep, sys.getrecursionlimit()))  # others go deeper


def _given(plugin: Plugin, hook: str, function: Callable[[], Any], what: str) -> list[Any]:
    """What a hook gives, if it is a list with an end."""
    offered = function()
    if isinstance(offered, str) or not isinstance(offered, Iterable):
        plugin.failure = f"{hook} gave {type(offered).__name__}, not a list of {what}"
        return []
    found = list(itertools.islice(offered, MOST_OFFERS + 1))
    if len(found) > MOST_OFFERS:
        plugin.failure = f"{hook} offers more than {MOST_OFFERS} {what}"
        return []
    return found


def _classes(plugin: Plugin, kind: str, function: Any) -> list[Any]:
    """What a hook offers, without what cannot be used."""
    found: list[Any] = []
    with _listed(plugin, f"in {HOOKS[kind]}"):
        for cls in _given(plugin, HOOKS[kind], function, "classes"):
            wrong = misfit(kind, cls)
            if wrong:
                plugin.failure = f"its {kind} {getattr(cls, '__name__', cls)!s}: {wrong}"
            else:
                belongs(cls.__module__, str(plugin))
                found.append(cls)
    return found


def _other_version(version: Any) -> str:
    todo = f"change it as graphol's changelog says and set GRAPHOL_API = {API_VERSION}"
    if isinstance(version, int) and version > API_VERSION:
        todo = "install a newer graphol"
    return (
        f"written for version {version!r} of the plugin interface, this graphol has version "
        f"{API_VERSION}; {todo}"
    )
