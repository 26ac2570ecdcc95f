"""Four connected shapes in a 33 x 33 grid of noise: the truth, and what two learners found."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import graphol

SIZES = (26, 46, 92, 132)  # told to both learners
COLOURS = {"graphda": "#2f7fc1", "da-iht": "#c8641a"}

figure, panels = plt.subplots(3, 4, figsize=(7.2, 5.6))
for shape, (size, column) in enumerate(zip(SIZES, panels.T, strict=True), start=1):
    for name, axes in zip(COLOURS, column[1:], strict=True):
        learner, data = f"{name}:s={size},gamma=50", f"graphda-grid:graph={shape}"
        result = graphol.simulate(learner, data, repeats=range(100, 101))
        found = (result.weights[0]["last"][:-1] != 0).reshape(33, 33)  # the last is the intercept
        axes.imshow(found, cmap=ListedColormap(["#ffffff", COLOURS[name]]))
        f1 = result.scores[0]["f1"]
        axes.set_xlabel(f"F1 {f1:.2f}")
        print(f"shape {shape} {name} F1 {f1:.3f}")
    truth = np.zeros(33 * 33, dtype=bool)
    truth[result.task.support] = True
    column[0].imshow(truth.reshape(33, 33), cmap=ListedColormap(["#ffffff", "#5b626b"]))
    column[0].set_title(f"shape {shape}, {truth.sum()} nodes")
for label, row in zip(("truth", *COLOURS), panels, strict=True):
    row[0].set_ylabel(label)
for axes in panels.flat:
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[["top", "right"]].set_visible(True)
figure.savefig("picture.svg")
