"""Install every plugin under plugins/ into this Python, for tox.

graphol-cholmod needs scikit-sparse, which is built against the SuiteSparse of the system: 0.5 where
that is 7.4 or newer, else 0.4. Where it cannot be built, graphol-cholmod is left out and that is
said. So is graphol-graphlearning, whose graphlearning is built with a C compiler.
"""

import re
import subprocess
import sys
from pathlib import Path

PLUGINS = Path(__file__).parents[1] / "plugins"
HEADERS = ("/usr/include/suitesparse", "/usr/include", "/usr/local/include/suitesparse")


def pip(*arguments: str) -> bool:
    """Whether `pip install` succeeded."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *arguments]
    return subprocess.run(command, check=False).returncode == 0


def suitesparse() -> tuple[int, ...] | None:
    """The version of SuiteSparse's headers."""
    for folder in map(Path, HEADERS):
        config = folder / "SuiteSparse_config.h"
        if config.exists() and (folder / "cholmod.h").exists():
            text = config.read_text(errors="replace")
            parts = (
                re.search(rf"SUITESPARSE_{name}_VERSION\s+(\d+)", text) for name in ("MAIN", "SUB")
            )
            return tuple(int(part[1]) for part in parts if part)
    return None


def main() -> int:
    """Install them; 1 if one that should work does not."""
    left_out = []
    version = suitesparse()
    scikit_sparse = "scikit-sparse>=0.5" if version and version >= (7, 4) else "scikit-sparse<0.5"
    if version is None or not pip(scikit_sparse):
        left_out.append("graphol-cholmod")
        reason = "scikit-sparse cannot be built" if version else "there is no SuiteSparse"
        print(f"graphol-cholmod is NOT tested: {reason}; apt-get install libsuitesparse-dev")
    if not pip("graphlearning>=1.7"):
        left_out.append("graphol-graphlearning")
        reason = "graphlearning cannot be built; it needs a C compiler"
        print(f"graphol-graphlearning is NOT tested: {reason}")
    folders = [str(path) for path in sorted(PLUGINS.iterdir()) if path.name not in left_out]
    return 0 if pip(*folders) else 1


if __name__ == "__main__":
    sys.exit(main())
