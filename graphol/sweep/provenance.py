"""What a cell depends on beside its parameters: bytes of data, versions, the code of plugins."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from graphol.api import KINDS, Located
from graphol.errors import InputError
from graphol.params import kinds_inside
from graphol.registry import registry
from graphol.simulation import installed

NUMERICS = ("graphol", "numpy", "scipy", "numba")
HERE, AWAY = "here: ", "not here: "
"""How :class:`graphol.api.Located` begins to say where its file is."""


def digest(path: Path) -> str:
    """The sha256 of a file's bytes; read once, as long as it stays as it is."""
    found = os.stat(path)
    return _digest(str(path), found.st_mtime_ns, found.st_size, found.st_ino)


@functools.lru_cache(maxsize=1024)
def _digest(path: str, *state: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parts(component: Any) -> Iterator[Any]:
    """A component and all components inside it."""
    yield component
    for key in kinds_inside(type(component)) if attrs.has(type(component)) else ():
        value = getattr(component, key)
        for inner in value if isinstance(value, list | tuple) else [value]:
            yield from parts(inner)


def data_hashes(dataset: Any) -> dict[str, str]:
    """The sha256 of every file that a data set reads, by parameter or by the data set's name.

    Generated data read no file: their parameters and the seed, which are in the recipe, together
    with the version of numpy determine every bit of them.
    """
    found: dict[str, str] = {}
    for name, cls in _located(dataset):
        said = cls.where()
        path = Path(said.removeprefix(HERE))
        if said.startswith(HERE) and path.is_file():
            found[name] = digest(path)
    for part in parts(dataset):
        for key, path in _file_parameters(part):
            found[f"{part.name}.{key} {path.name}"] = digest(path)
    return found


def _located(dataset: Any) -> Iterator[tuple[str, Located]]:
    """Data sets that are somewhere: this one, those inside it, and those that it names."""
    for part in parts(dataset):
        named = [value for value in _texts(part) if value in registry().offers("dataset")]
        known = {name: registry().find("dataset", name) for name in named}
        for name, cls in ({part.name: type(part)} | known).items():
            if isinstance(cls, Located):
                yield name, cls


def _texts(component: Any) -> list[str]:
    values = [getattr(component, field.name) for field in attrs.fields(type(component))]
    return [value for value in values if isinstance(value, str)]


def missing_data(dataset: Any) -> list[str]:
    """Names of the data sets that it may read, and of which this machine has no file."""
    return [name for name, cls in _located(dataset) if cls.where().startswith(AWAY)]


def _file_parameters(component: Any) -> Iterator[tuple[str, Path]]:
    for field in attrs.fields(type(component)):
        value = getattr(component, field.name)
        texts = value if isinstance(value, tuple) else (value,)
        for text in texts:
            if isinstance(text, str) and text and Path(text).is_file():
                yield field.name, Path(text)


def without_folders(described: Any, dataset: Any) -> Any:
    """The description of a data set with files by their names alone: where they lie is no figure.

    Their bytes are in the recipe as digests.
    """
    names = {str(path): path.name for part in parts(dataset) for _, path in _file_parameters(part)}

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [short(inner) for inner in value]
        return names.get(str(Path(value)), value) if isinstance(value, str) and value else value

    return short(described) if names else described


def versions(components: Iterable[Any]) -> dict[str, str]:
    """Versions of graphol, of the numerics, and of those plugins alone that own a component."""
    found = {package: installed(package) for package in NUMERICS}
    for component in components:
        for part in parts(component):
            whose = _owner(part.__class__)
            if whose is not None:
                found[whose[0]] = whose[1]
    return found


def known(component: Any) -> bool:
    """Does its name alone lead to its class?"""
    return _offered(type(component)) is not None


def _offered(cls: type) -> Any:
    name = vars(cls).get("name")
    for kind in KINDS:
        for offer in registry().offers(kind).get(name, ()) if isinstance(name, str) else ():
            if offer.cls is cls:
                return offer.plugin
    return None


@functools.cache
def _owner(cls: Any) -> tuple[str, str] | None:
    """Who is answerable for a class, and in which state; None for our own, which have a version."""
    plugin = _offered(cls)
    if plugin is not None and plugin.name == "builtin":
        return None
    if plugin is not None and not plugin.owner.endswith(".py"):
        return f"plugin {plugin.name}", plugin.owner
    file = plugin.owner if plugin is not None else _source(cls)
    if file is None or not Path(file).is_file():
        return f"class {cls.__qualname__}", "unknown"
    try:
        return f"file {Path(file).name}", digest(Path(file))
    except OSError as reason:
        raise InputError(f"cannot read {file}: {reason.strerror or reason}") from None


def _source(cls: type) -> str | None:
    try:
        return inspect.getsourcefile(cls)
    except TypeError:  # of a session
        return None
