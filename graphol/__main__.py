"""``python -m graphol`` is ``graphol``, where the command is not on the path."""

import sys

from graphol.cli import main

if __name__ == "__main__":
    sys.exit(main())
