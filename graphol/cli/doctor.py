"""``graphol doctor``: what is installed, what is broken, and the one command that mends it.

Nothing of graphol but this package is imported before it is under guard, so that a broken
dependency or plugin is a line of the report and not the end of it.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import typer

from graphol.cli.options import Json
from graphol.cli.output import say, say_json
from graphol.errors import in_one_line

MODULES = {"scikit-learn": "sklearn", "scikit-sparse": "sksparse"}
PACKAGES = {module: package for package, module in MODULES.items()}
OPTIONAL = {
    "networkx": "graphs from networkx",
    "pandas": "graphs from data frames",
}
PLUGINS = {
    "graphol-cholmod": (
        "the solver cholmod, the fastest for many right-hand sides",
        "apt-get install libsuitesparse-dev libopenblas0-pthread && "
        "pip install 'scikit-sparse<0.5' plugins/graphol-cholmod, in graphol's source",
    ),
    "graphol-amg": (
        "the solver amg, for grids and meshes",
        "pip install plugins/graphol-amg, in graphol's source",
    ),
    "graphol-graphlearning": (
        "GraphLearning's Laplace and Poisson learning, as rivals",
        "pip install plugins/graphol-graphlearning, in graphol's source",
    ),
}
"""Our own plugins that are packages of their own: what for, and the command that installs them."""


class Finding(NamedTuple):
    """One line of the report."""

    what: str
    state: str
    """ok, absent (nobody needs it) or FAILED."""
    detail: str = ""
    mend: str = ""
    """The command that mends it."""
    needed: bool = True
    """Does graphol not work without it?"""


def command(json: Json = False) -> None:
    """Examine this installation.

    What is there, what is broken, and the one command that mends it. Works with every plugin
    broken. Exit code 1 if something that is needed is broken.
    """
    from graphol.report.table import table

    findings = [
        finding
        for examine in (_python, _required, _optional, _compiler, _folders, _plugins)
        for finding in _guarded(examine)
    ]
    rows = [finding._asdict() for finding in findings]
    broken = [f for f in findings if f.state == "FAILED" and f.needed]
    if json:
        say_json(rows)
    else:
        say(table(rows, ["what", "state", "detail"]) + "\n")
        for finding in findings:
            if finding.mend:
                say(f"{finding.what}: {finding.mend}")
        names = ", ".join(finding.what for finding in broken)
        say(f"broken: {names}" if broken else "everything that is needed works")
    if broken:
        raise typer.Exit(1)


def _guarded(examine: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """The findings, and as a last one that the examination itself broke down."""
    try:
        yield from examine()
    except KeyboardInterrupt:
        raise
    except BaseException as reason:
        yield Finding(
            examine.__name__.strip("_"),
            "FAILED",
            in_one_line(reason),
            "pip install --force-reinstall graphol",
        )


def _python() -> Iterator[Finding]:
    import platform

    yield Finding("python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield Finding("platform", "ok", platform.platform())


def _required() -> Iterator[Finding]:
    """Every requirement of the installed graphol: there, new enough, and importable."""
    from importlib.metadata import requires

    for requirement in requires("graphol") or []:
        if "extra ==" in requirement:
            continue
        match = re.match(r"([\w.-]+)\s*(?:>=\s*([\d.]+))?", requirement)
        assert match is not None
        name, least = match.groups()
        spec = f"'{name}>={least}'" if least else name
        version = _version(name)
        if version is None:
            yield Finding(name, "FAILED", "not installed", f"pip install {spec}")
        elif least and _numbers(version) < _numbers(least):
            yield Finding(name, "FAILED", f"{version} is too old", f"pip install --upgrade {spec}")
        else:
            reason = _import_failure(name)
            if reason:
                mend = f"pip install --force-reinstall {spec}"
                yield Finding(name, "FAILED", f"{version}: {reason}", mend)
            else:
                yield Finding(name, "ok", version)


def _optional() -> Iterator[Finding]:
    for name, use in OPTIONAL.items():
        version = _version(name)
        if version is None:
            yield Finding(name, "absent", f"optional: {use}", f"pip install {name}", needed=False)
            continue
        reason = _import_failure(name)
        mend = f"pip install --force-reinstall {name}"
        if reason:
            yield Finding(name, "FAILED", f"{version}: {reason}", mend, needed=False)
        else:
            yield Finding(name, "ok", f"{version}, optional: {use}", needed=False)
    for name, (use, mend) in PLUGINS.items():
        version = _version(name)  # whether it works is told among the plugins
        if version is None:
            yield Finding(name, "absent", f"optional: {use}", mend, needed=False)
        else:
            yield Finding(name, "ok", f"{version}, optional: {use}", needed=False)


def _compiler() -> Iterator[Finding]:
    mend = "pip install --force-reinstall numba llvmlite"
    try:
        import numba

        answer = numba.njit(lambda x: x + 1)(41)
        assert answer == 42, f"a compiled 41 + 1 gave {answer}"
    except KeyboardInterrupt:
        raise
    except BaseException as reason:
        yield Finding("compiler", "FAILED", in_one_line(reason), mend)
    else:
        yield Finding("compiler", "ok", "numba compiles")


def _folders() -> Iterator[Finding]:
    from graphol.folders import cache_folder

    cache = cache_folder()
    place = next(folder for folder in (cache, *cache.parents) if folder.exists())
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        yield Finding("cache folder", "ok", _contents(cache))
    else:
        mend = f"chmod u+rwx {place}" if place.is_dir() else f"rm {place}"
        detail = f"cannot write into {cache}"
        yield Finding("cache folder", "FAILED", detail, mend, needed=False)
    yield _embeddings()
    given = os.environ.get("GRAPHOL_DATA")
    if given and not Path(given).is_dir():
        yield Finding("GRAPHOL_DATA", "FAILED", f"{given} is not a folder", "unset GRAPHOL_DATA")
    elif given:
        yield Finding("GRAPHOL_DATA", "ok", _contents(Path(given)), needed=False)
    else:
        yield Finding("GRAPHOL_DATA", "absent", "not set; optional", needed=False)


def _embeddings() -> Finding:
    """What is kept of earlier embeddings."""
    from graphol.embeddings.store import stored_files
    from graphol.folders import embeddings_folder

    folder = embeddings_folder()
    if folder is None:
        return Finding("embeddings kept", "absent", "GRAPHOL_CACHE is off", needed=False)
    files = stored_files()
    size = sum(path.stat().st_size for path in files) / 1e6
    clear = "; `graphol embed --clear-cache` removes them" if files else ""
    detail = f"{folder}, {len(files)} file(s), {size:.1f} MB{clear}"
    return Finding("embeddings kept", "ok", detail, needed=False)


def _plugins() -> Iterator[Finding]:
    from graphol.api import KINDS
    from graphol.registry import registry

    known = registry()
    failed = known.failed()
    restricted = os.environ.get("GRAPHOL_PLUGINS")
    if restricted is not None:
        detail = f"{restricted!r} keeps all other plugins out"
        yield Finding("GRAPHOL_PLUGINS", "ok", detail, "unset GRAPHOL_PLUGINS", needed=False)
    if not any(plugin.name == "builtin" for plugin in known.plugins):
        yield Finding("plugin builtin", "FAILED", "no entry point", "pip install graphol")
    for plugin in known.plugins:
        ours = plugin.name == "builtin"
        if plugin not in failed:
            yield Finding(f"plugin {plugin.name}", "ok", plugin.owner, needed=ours)
            continue
        missing = re.search(r"No module named '([^'.]+)", plugin.failure)
        package = PACKAGES.get(missing[1], missing[1]) if missing else plugin.owner.split()[0]
        mend = f"pip install {'' if missing else '--upgrade '}{package}"
        detail = f"{plugin.owner}: {plugin.failure}"
        yield Finding(f"plugin {plugin.name}", "FAILED", detail, mend, needed=ours)
    for kind in KINDS:
        for name, offers in known.offers(kind).items():
            if len(offers) > 1:
                owners = [offer.plugin.owner for offer in offers]
                detail = f"offered by {' and '.join(owners)}"
                mend = f"pip uninstall {owners[-1].split()[0]}"
                needed = any(offer.plugin.name == "builtin" for offer in offers)
                yield Finding(f"{kind} {name}", "FAILED", detail, mend, needed=needed)


def _contents(folder: Path) -> str:
    files = sorted(path.name for path in folder.glob("*.npz"))
    count = f"{len(files)} data set(s)" + (f": {', '.join(files)}" if files else "")
    return f"{folder}, {count}"


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def _import_failure(package: str) -> str:
    """Why the package cannot be imported, or ''."""
    try:
        importlib.import_module(MODULES.get(package, package))
    except KeyboardInterrupt:
        raise
    except BaseException as reason:
        return in_one_line(reason)
    return ""
