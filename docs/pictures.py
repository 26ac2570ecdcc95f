"""Draw the pictures of these pages: `python docs/pictures.py [NAME ...]`, all or those named.

Every program in docs/pictures/ and docs/gallery/ saves one picture, `picture.svg` or, of a page in
a browser, `light.png` and `dark.png`; what it prints are the figures that the picture shows. Both
are kept: docs/pictures/NAME.svg with NAME.dark.svg, and NAME.txt. A picture is current if the
program and the text are those that it was drawn with; docs/pictures/drawn.json has their digest
beside the pictures' own. `python docs/pictures.py --check` draws nothing and names those that are
not.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import runpy
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
DRAWN = PICTURES / "drawn.json"
INK = {"#1b1f24": "#e4e6ea", "#ffffff": "#1e2129", "#d5d9de": "#3d424c", "#5b626b": "#aab0ba"}
"""Text, ground, grid and whatever steps back: in the light, and in the dark."""
COLOURS = ("#2f7fc1", "#c8641a", "#2a9257", "#9a5fc0", "#d0455a", "#16898f", "#8a7a1f")
"""Of curves: told apart on both grounds."""
STYLE = {
    "axes.axisbelow": True, "axes.edgecolor": "#5b626b", "axes.grid": True,
    "axes.labelcolor": "#1b1f24",
    "axes.spines.right": False, "axes.spines.top": False, "axes.titlecolor": "#1b1f24",
    "axes.titlesize": "medium", "figure.facecolor": "#ffffff", "axes.facecolor": "#ffffff",
    "savefig.facecolor": "#ffffff", "font.family": "sans-serif", "font.size": 10,
    "grid.color": "#d5d9de", "grid.linewidth": 0.6, "legend.frameon": False,
    "text.color": "#1b1f24", "xtick.color": "#5b626b", "ytick.color": "#5b626b",
    "xtick.labelcolor": "#1b1f24", "ytick.labelcolor": "#1b1f24", "lines.linewidth": 1.8,
    "boxplot.boxprops.color": "#5b626b", "boxplot.capprops.color": "#5b626b",
    "boxplot.flierprops.color": "#5b626b", "boxplot.flierprops.markeredgecolor": "#5b626b",
    "boxplot.medianprops.color": "#c8641a", "boxplot.whiskerprops.color": "#5b626b",
    "svg.fonttype": "none", "svg.hashsalt": "graphol", "figure.constrained_layout.use": True,
}  # fmt: skip


def programs() -> dict[str, Path]:
    """By name."""
    found = [*PICTURES.glob("*.py"), *(DOCS / "gallery").glob("*.py")]
    return {path.stem: path for path in sorted(found)}


def digest(*parts: bytes) -> str:
    """Of several contents, one after the other."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:16]


def state(name: str, program: Path) -> dict[str, str]:
    """Digests of what a picture is made of, and of what was drawn; '' for what is not there."""

    def content(path: Path) -> bytes:
        return path.read_bytes() if path.is_file() else b""

    pictures = files(name)
    others = re.findall(rb'with_name\("(\w+\.py)"\)', content(program))
    parts = [program, PICTURES / f"{name}.txt", *(PICTURES / other.decode() for other in others)]
    return {
        "from": digest(*map(content, parts)),
        "drawn": digest(*map(content, pictures)) if len(pictures) == 2 else "",
    }


def files(name: str) -> list[Path]:
    """The two pictures of a program, for the light and for the dark."""
    endings = (".svg", ".dark.svg", ".png", ".dark.png")
    return [path for path in (PICTURES / f"{name}{x}" for x in endings) if path.is_file()]


def stale() -> list[str]:
    """Pictures that were not drawn with what is there now, and those without a program."""
    known, found = programs(), json.loads(DRAWN.read_text(encoding="utf-8"))
    return sorted(
        {name for name, path in known.items() if found.get(name) != state(name, path)}
        | (found.keys() - known.keys())
    )


def draw(name: str, program: Path) -> None:
    """Run the program in an empty folder; keep its picture and what it printed."""
    import matplotlib

    matplotlib.use("agg")
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(said),
        matplotlib.rc_context({**STYLE, "axes.prop_cycle": matplotlib.cycler(color=COLOURS)}),
    ):
        runpy.run_path(str(program), run_name="__main__")
        if Path("picture.svg").exists():
            light = clean(Path("picture.svg").read_text(encoding="utf-8"))
            pictures = {".svg": light.encode(), ".dark.svg": recoloured(light).encode()}
        else:
            shots = {".png": "light.png", ".dark.png": "dark.png"}
            pictures = {ending: Path(shot).read_bytes() for ending, shot in shots.items()}
    for ending, content in pictures.items():
        (PICTURES / f"{name}{ending}").write_bytes(content)
    (PICTURES / f"{name}.txt").write_text(said.getvalue(), encoding="utf-8")


def clean(svg: str) -> str:
    """Without the date, the program that wrote it, and what no browser needs."""
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<\?xml.*?\?>\s*<!DOCTYPE.*?>\s*", "", svg, flags=re.S)
    svg = svg.replace("font: ", "font-family: sans-serif; font: ")
    return re.sub(r"(\d+\.\d\d)\d+", r"\1", svg)


def recoloured(svg: str) -> str:
    """The same picture for a dark page."""
    for light, dark in INK.items():
        svg = svg.replace(light, dark)
    return svg


def main(arguments: list[str]) -> int:
    """Draw, or say what is not current."""
    if "--check" in arguments:
        names = stale()
        if names:
            print(f"not current: run `python docs/pictures.py {' '.join(names)}`")
        return bool(names)
    known = programs()
    for name in arguments or known:
        print(f"{name} ...", file=sys.stderr, flush=True)
        draw(name, known[name])
        found = json.loads(DRAWN.read_text(encoding="utf-8")) if DRAWN.exists() else {}
        found = {key: found[key] for key in sorted(found) if key in known}
        found[name] = state(name, known[name])
        text = json.dumps(dict(sorted(found.items())), indent=1)
        DRAWN.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["GRAPHOL_PLUGINS"] = ""
    sys.exit(main(sys.argv[1:]))
