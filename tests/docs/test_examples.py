"""Pages are programs: every example in README.md and docs/ runs, in the order it is read.

What a page may hold, each example being a fenced block:

- ``python``: executed. All blocks of a page share one namespace and one empty folder. A ``text``
  block that follows directly is what it prints.
- ``console``: lines that begin with ``$ `` are given to bash, the lines below are what it answers,
  errors included. A command must succeed, unless the next command is ``echo $?``.
- any block below ``<!-- file: NAME -->`` is written to that file.
- ``<!-- needs: data -->`` (real graphs) or ``<!-- needs: example -->`` (plugins/graphol-example)
  above a block: it is skipped, with a reason, where these are not to be had. Without the second,
  no plugin is loaded.

In what is shown, a line ``...`` stands for any lines. A number with a point may differ by 10 %
(machines round differently, and a bandit's luck depends on it), a deviation after ± by a factor of
two, and the µs/round of a table may be anything.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from graphol.registry import registry

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOT_RUN = {
    "README.md": (
        "(python3 -m venv .venv || { apt-get update && apt-get install -y python3-venv && "
        "python3 -m venv .venv; }) && .venv/bin/pip install . && "
        ".venv/bin/graphol simulate --learner molg-b",
        "bash .ci/test",
        "graphol datasets fetch cora",
    ),
    "docs/quickstart.md": ("graphol datasets fetch cora",),
    "docs/howto/label.md": ("pip install 'graphol[label]'", "graphol label drinks.graphol"),
    "docs/tutorial-plugin.md": ("pip install -e '.[test]'",),
}
"""Commands that install, download or run everything: shown, but not run."""

FENCE = re.compile(r"```(\w*)")
MARK = re.compile(r"<!-- (file|needs): (.+) -->")
END = "--- end of command ---"
NUMBER = re.compile(r"-?\d+\.\d+")


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    language: str
    lines: list[str]
    marks: dict[str, str]
    output: list[str] | None
    """What a python block is said to print."""

    @property
    def runs(self) -> bool:
        return self.language in ("python", "console") and "file" not in self.marks


def blocks(path: Path) -> list[Block]:
    found: list[Block] = []
    marks: dict[str, str] = {}
    directly = False  # is there nothing but blank lines since the last block?
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        mark, fence = MARK.fullmatch(line), FENCE.fullmatch(line)
        if mark:
            marks[mark[1]] = mark[2]
        elif fence:
            inside = []
            for _, text in lines:
                if text == "```":
                    break
                inside.append(text)
            if directly and fence[1] == "text" and found[-1].language == "python":
                found[-1] = found[-1]._replace(output=inside)
            else:
                found.append(Block(number, fence[1], inside, marks, None))
            marks = {}
        elif line.strip():
            marks = {}
        directly = bool(fence) or (directly and not line.strip())
    return found


class Page:
    """A page being played: its folder, its names, and how far it is."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.done = name, folder, 0
        self.blocks = blocks(ROOT / name)
        self.names: dict[str, Any] = {"__name__": "__page__"}

    def check(self, wanted: int) -> None:
        """Run what was not run yet, up to the wanted block."""
        while self.done <= wanted:
            block, self.done = self.blocks[self.done], self.done + 1
            missing = lacking(block.marks.get("needs"))
            if missing and self.done > wanted:
                pytest.skip(missing)
            elif missing:
                continue
            elif "file" in block.marks:
                file = self.folder / block.marks["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            elif block.language == "python" and self.name.startswith("docs/gallery/"):
                self.program(block)
            elif block.language == "python":
                self.python(block)
            elif block.language == "console":
                self.console(block)

    def program(self, block: Block) -> None:
        """A page of the gallery holds a program that is whole, and is run as one."""
        file = self.folder / Path(self.name).with_suffix(".py").name
        file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch, surroundings(patch, block):
            done = subprocess.run(
                [sys.executable, file.name], cwd=self.folder, text=True, encoding="utf-8",
                capture_output=True, check=False,
            )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert (self.folder / "picture.svg").stat().st_size > 1000
        compare(block.output, done.stdout.splitlines(), f"{self.name}:{block.line}")

    def python(self, block: Block) -> None:
        code = compile(
            "\n" * block.line + "\n".join(block.lines), str(ROOT / self.name), "exec"
        )  # a traceback then shows the page's own lines
        printed = io.StringIO()
        with contextlib.chdir(self.folder), pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(self.folder))
            with surroundings(patch, block), contextlib.redirect_stdout(printed):
                exec(code, self.names)
        self.forget_modules()
        compare(block.output, printed.getvalue().splitlines(), f"{self.name}:{block.line}")

    def forget_modules(self) -> None:
        """The page's own files are nobody else's modules."""
        for name, module in list(sys.modules.items()):
            places = [vars(module).get("__file__"), *vars(module).get("__path__", ())]
            if any(str(place).startswith(str(self.folder)) for place in places):
                del sys.modules[name]

    def console(self, block: Block) -> None:
        commands: list[tuple[str, list[str]]] = []
        for line in block.lines:
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
        commands = [each for each in commands if each[0] not in NOT_RUN.get(self.name, ())]
        script = "".join(
            f"{command}\ncode=$?; printf '\\n{END} %s\\n' $code; (exit $code)\n"
            for command, _ in commands
        )
        with pytest.MonkeyPatch.context() as patch, surroundings(patch, block):
            done = subprocess.run(
                ["bash", "-c", script], cwd=self.folder, text=True, encoding="utf-8", check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        answers = re.split(rf"\n?{END} (\d+)\n", done.stdout)
        for k, (command, shown) in enumerate(commands):
            where = f"{self.name}:{block.line} $ {command}"
            answer, code = answers[2 * k].splitlines(), int(answers[2 * k + 1])
            asked = k + 1 < len(commands) and commands[k + 1][0] == "echo $?"
            assert code == 0 or asked, f"{where}\nexit code {code}: {answers[2 * k]}"
            compare(shown or None, answer, where)


def lacking(needs: str | None) -> str:
    """Why this machine cannot run the block, or ''."""
    if needs == "data" and not os.environ.get("GRAPHOL_DATA"):
        return "GRAPHOL_DATA is not set; set it to the folder of the real graphs"
    if needs == "example":
        try:
            importlib.metadata.version("graphol-example")
        except importlib.metadata.PackageNotFoundError:
            return "graphol-example is not installed; `pip install plugins/graphol-example`"
    return ""


@contextlib.contextmanager
def surroundings(patch: pytest.MonkeyPatch, block: Block):
    """This Python's own `graphol`, no colours, and no more data and plugins than declared."""
    needs = block.marks.get("needs")
    bin_folder = Path(sys.executable).parent
    assert (bin_folder / "graphol").exists(), f"graphol is not installed in {bin_folder}"
    patch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}")
    patch.setenv("MPLBACKEND", "agg")
    if needs == "data":
        patch.setenv("GRAPHOL_DATA", str(Path(os.environ["GRAPHOL_DATA"]).resolve()))
    else:
        patch.delenv("GRAPHOL_DATA", raising=False)
    if needs == "example":
        patch.delenv("GRAPHOL_PLUGINS", raising=False)
    else:
        patch.setenv("GRAPHOL_PLUGINS", "")
    for name in ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTHONWARNINGS"):
        patch.delenv(name, raising=False)
    registry.cache_clear()
    try:
        yield
    finally:
        registry.cache_clear()


def compare(shown: list[str] | None, found: list[str], where: str) -> None:
    """What the page shows is what happened; a page that shows nothing claims nothing."""
    if shown is None:
        return
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    while found and not found[-1].strip():
        found = found[:-1]
    if not matches(shown, found):
        pytest.fail(
            f"{where}\nthe page shows:\n" + "\n".join(shown) + "\nbut it is:\n" + "\n".join(found),
            pytrace=False,
        )


def matches(shown: list[str], found: list[str], head: str = "") -> bool:
    """Line by line; ``head`` is the line above, which may be a table's."""
    if not shown:
        return not found
    if shown[0] == "...":
        return any(matches(shown[1:], found[k:]) for k in range(len(found) + 1))
    if not found or not same_line(shown[0], found[0], head):
        return False
    return matches(shown[1:], found[1:], found[0])


def same_line(shown: str, found: str, head: str) -> bool:
    one, two = shown.split(), found.split()
    if "µs/round" in head and one and two:
        _, _, after = head.partition("µs/round")
        timed = -1 - len(after.split())  # scores of signals stand behind it
        one = [word for k, word in enumerate(one) if k != len(one) + timed]
        two = [word for k, word in enumerate(two) if k != len(two) + timed]
    return len(one) == len(two) and all(
        same_word(*words, rel=1.0 if before == "±" else 0.1)
        for *words, before in zip(one, two, ["", *one], strict=False)
    )


def same_word(shown: str, found: str, rel: float) -> bool:
    if NUMBER.fullmatch(shown) and NUMBER.fullmatch(found):
        return float(shown) == pytest.approx(float(found), rel=rel, abs=0.05)
    return shown == found


EXAMPLES = [
    pytest.param(str(path.relative_to(ROOT)), k, id=f"{path.relative_to(ROOT)}:{block.line}")
    for path in PAGES
    for k, block in enumerate(blocks(path))
    if block.runs
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return {
        name: Page(name, tmp_path_factory.mktemp("page"))
        for name in (str(path.relative_to(ROOT)) for path in PAGES)
    }


@pytest.mark.parametrize(("name", "k"), EXAMPLES)
def test_example(pages, name, k):
    pages[name].check(k)


@pytest.mark.parametrize("name", NOT_RUN)
def test_commands_that_are_not_run_are_still_there(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    for command in NOT_RUN[name]:
        assert f"$ {command}" in lines, f"{name} lost a command; shorten NOT_RUN, or restore it"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_example_hides(path):
    """An indented or oddly written fence would never be run."""
    fences = [line for line in path.read_text(encoding="utf-8").splitlines() if "```" in line]
    assert all(FENCE.fullmatch(line) for line in fences)
    assert len(fences) % 2 == 0
    for block in blocks(path):
        assert block.language, f"line {block.line}: say what it is, e.g. ```text"
        if block.language == "console":
            assert block.lines[0].startswith("$ "), f"line {block.line}: begin with a command"


def test_the_tutorial_builds_the_example_plugin():
    """Every file of the plugin is a block of the tutorial, letter by letter."""
    plugin = ROOT / "plugins" / "graphol-example"
    told = {
        block.marks["file"]: "\n".join(block.lines) + "\n"
        for block in blocks(ROOT / "docs" / "tutorial-plugin.md")
        if "file" in block.marks
    }
    files = {
        str(path.relative_to(plugin)): path.read_text(encoding="utf-8")
        for path in plugin.rglob("*")
        if path.suffix in (".py", ".toml") and not path.parts[-2].startswith((".", "build"))
    }
    assert len(files) >= 5
    for name, text in files.items():
        assert told.get(name) == text, f"docs/tutorial-plugin.md shows another {name}"
