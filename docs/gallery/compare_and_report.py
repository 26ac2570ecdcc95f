"""Two learners to a figure and a table for a paper."""

from pathlib import Path

import graphol
from graphol.report.export import export

compared = graphol.compare(
    ["molg-f", "oslg", "gpa"], "digits", against="molg-f", repeats=range(100, 105)
)
for row in compared.rows():
    print(f"{row['label']}: {100 * row['error_rate_mean']:.2f} % wrong", end="")
    low, high = 100 * row["difference_low"], 100 * row["difference_high"]
    print("" if row["label"] == row["against"] else f", {low:.2f} to {high:.2f} points more")

export(compared.rows(), compared.columns, "table.tex")
print(Path("table.tex").read_text().splitlines()[0])
compared.save("results")  # traces and recipes; `graphol report results` reads them again

axes = graphol.plot(compared)
axes.set_title("handwritten digits")
axes.figure.set_size_inches(6, 3.4)
axes.figure.savefig("picture.svg")
