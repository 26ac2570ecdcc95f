"""The page of `graphol report` in headless Chromium, by day and by night (needs selenium)."""

import subprocess
import sys
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import graphol

found = graphol.sweep(
    {
        "learner": ["gpa", "oslg", "molg-f", "walk"],
        "dataset": ["digits", "sbm:nodes=400,classes=4"],
        "repeats": 5,
    },
    out="games",
    executor="serial",
)
for row in found.rows():
    print(row["dataset"]["name"], row["learner"]["name"], row["done"], "of", row["cells"], "done")
report = ["report", "games", "--html", "page.html", "--quiet"]
subprocess.run([sys.executable, "-m", "graphol", *report], check=True, stdout=subprocess.DEVNULL)

options = Options()
for argument in (
    "headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
    "disable-background-networking", "disable-component-update", "disable-sync",
    f"user-data-dir={Path('profile').resolve()}",
):  # fmt: skip
    options.add_argument(f"--{argument}")
browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
size = {"width": 1100, "height": 1150, "deviceScaleFactor": 1, "mobile": False}
browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
for theme in ("light", "dark"):
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(Path("page.html").resolve().as_uri())
    browser.save_screenshot("whole.png")
    Image.open("whole.png").convert("RGB").quantize(64).save(f"{theme}.png", optimize=True)
browser.quit()
