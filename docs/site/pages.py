"""What the site has beyond the pages in docs/: hooks of mkdocs.

The navigation is the list of pages in docs/README.md, so there is one list. README.md at the top
and those of the plugins are pages too, and a link to one of them leads there.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

import formulas
from mkdocs.structure.files import File

DOCS = Path(__file__).parents[1]
TOP = DOCS.parent
INDEX = "README.md"
ITEM = re.compile(r"^- \[([^]]+)\]\(([^)#]+\.md)\)")
HEADING = re.compile(r"^(#{2,3}) (.+)$")
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
PICTURE = re.compile(r"!\[([^]]*)\]\(([^)\s]+)\.(svg|png)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.M | re.S)
FORMULA = re.compile(r"^\$\$(.+?)\$\$$|\$(?! )((?:[^$`\n]|\n(?!\n))+?)(?<! )\$(?!\d)", re.M | re.S)
FILE = re.compile(r"^<!-- file: (.+) -->\n```(\w+)$", re.M)


def outside() -> dict[str, str]:
    """Files of the project that are pages of the site: from their place to their name there."""
    plugins = sorted((TOP / "plugins").glob("*/README.md"))
    return {"README.md": "about.md", "LICENSE": "license.md"} | {
        path.relative_to(TOP).as_posix(): f"plugins/{path.parent.name}.md" for path in plugins
    }


def navigation(index: str) -> list[Any]:
    """Sections and pages, as headings and lists of docs/README.md have them.

    >>> navigation("## One\\n- [a](a.md)\\n### Two\\n- [b](x/b.md): more\\n## Three\\n- [c](c.md)")
    [{'One': [{'a': 'a.md'}, {'Two': [{'b': 'x/b.md'}]}]}, {'Three': [{'c': 'c.md'}]}]
    """
    top: list[Any] = []
    places = [top]
    for line in index.splitlines():
        heading, item = HEADING.match(line), ITEM.match(line)
        if heading:
            depth = len(heading[1]) - 1
            del places[depth:]
            section: list[Any] = []
            places[-1].append({heading[2]: section})
            places.append(section)
        elif item:
            places[-1].append({item[1]: item[2]})
    return _pruned(top)


def _pruned(entries: list[Any]) -> list[Any]:
    """Without sections that list no page."""
    kept = []
    for entry in entries:
        ((title, inside),) = entry.items()
        inside = _pruned(inside) if isinstance(inside, list) else inside
        if inside:
            kept.append({title: inside})
    return kept


def on_config(config: Any) -> Any:
    """The navigation, whose front page is docs/README.md itself; and how formulas are shown."""
    for extension, key, show in (
        ("pymdownx.inlinehilite", "custom_inline", formulas.inline),
        ("pymdownx.superfences", "custom_fences", formulas.block),
    ):
        config.mdx_configs[extension] = {key: [{"name": "math", "class": "math", "format": show}]}
    listed = navigation((DOCS / INDEX).read_text(encoding="utf-8"))
    plugins = [{PurePosixPath(p).stem: p} for p in outside().values() if p.startswith("plugins/")]
    config.nav = [{"Home": INDEX}, *listed, {"Plugins": plugins}]
    next(iter(listed[0].values())).insert(0, {"In five minutes": "about.md"})
    next(iter(listed[-1].values())).append({"Licence": "license.md"})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Pages that lie outside docs/."""
    for source, name in outside().items():
        text = (TOP / source).read_text(encoding="utf-8")
        if not source.endswith(".md"):
            text = f"# {source.capitalize()}\n\n```text\n{text}```\n"
        files.append(File.generated(config, name, content=moved(text, source, name)))
    return files


def on_page_markdown(markdown: str, page: Any, **rest: Any) -> str:
    """Links out of docs/ lead to their pages; a block that is a file shows its name."""
    name = page.file.src_uri
    if name not in outside().values():
        markdown = moved(markdown, f"docs/{name}", name)
    markdown = PICTURE.sub(lambda found: in_both_themes(found, f"docs/{name}"), markdown)
    return with_formulas(FILE.sub(r'```\2 title="\1"', markdown))


def in_both_themes(found: re.Match[str], source: str) -> str:
    """A picture that was drawn for the dark as well is shown there in that form."""
    words, path, kind = found.groups()
    dark = f"{path}.dark.{kind}"
    if not (TOP / normpath(PurePosixPath(source).parent / dark)).is_file():
        return found[0]
    return f"![{words}]({path}.{kind}){{ .only-light }}![{words}]({dark}){{ .only-dark }}"


def with_formulas(text: str) -> str:
    r"""Formulas between dollars as formulas.py wants them; what is code stays as it is.

    >>> with_formulas("so $x^2$ and `$HOME$`")
    'so `:::math x^2` and `$HOME$`'
    """

    def formula(found: re.Match[str]) -> str:
        block, within = (" ".join((part or "").split()) for part in found.groups())
        return f"```math\n{block}\n```" if block else f"`:::math {within}`"

    parts, at = [], 0
    for code in CODE.finditer(text):
        parts += [FORMULA.sub(formula, text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*parts, FORMULA.sub(formula, text[at:])])


def moved(text: str, source: str, name: str) -> str:
    """The text of a file at ``source`` in the project, with its links as page ``name`` has them."""
    known = outside() | {place.removesuffix("/README.md"): to for place, to in outside().items()}

    def link(found: re.Match[str]) -> str:
        if "://" in found[2]:
            return found[0]
        goal = normpath(PurePosixPath(source).parent / found[2])
        there = known.get(goal, goal.removeprefix("docs/") if goal.startswith("docs/") else None)
        if there is None:
            return found[0]  # mkdocs says that it leads nowhere
        return f"{found[1]}{relpath(there, PurePosixPath(name).parent)}{found[3]}"

    return LINK.sub(link, text)
