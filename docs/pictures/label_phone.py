"""The page of `graphol label` as a phone shows it (needs selenium)."""

import runpy
from pathlib import Path

page = Path(__file__).with_name("label_page.py")
runpy.run_path(str(page), init_globals={"SIZE": (390, 780)})
