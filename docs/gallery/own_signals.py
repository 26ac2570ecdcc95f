"""Structured sparsity on signals of your own: which connected sensors matter?"""

import matplotlib.pyplot as plt
import numpy as np

import graphol

rng = np.random.default_rng(3)
side = 12
name = [f"s{i // side}x{i % side}" for i in range(side * side)]
edges = [(i, i + 1) for i in range(side * side) if (i + 1) % side] + [
    (i, i + side) for i in range(side * (side - 1))
]
with open("edges.csv", "w") as file:
    print("source,target", *(f"{name[i]},{name[j]}" for i, j in edges), sep="\n", file=file)
shape = [side * r + c for r in range(3, 8) for c in (4, 5)] + [side * 7 + c for c in (6, 7, 8)]
labels = rng.choice([-1, 1], 300)
samples = rng.standard_normal((300, side * side))
samples[np.ix_(labels > 0, shape)] += 0.4
with open("samples.csv", "w") as file:
    print(*name, "target", sep=",", file=file)
    for x, y in zip(samples, labels, strict=True):
        print(*(f"{value:.3f}" for value in x), y, sep=",", file=file)

panels = plt.subplots(1, 3, figsize=(7, 2.6))[1]
truth = np.zeros(side * side)
truth[shape] = 1
panels[0].imshow(truth.reshape(side, side), cmap="Greys", vmax=1.5)
panels[0].set_title("truth")
for axes, learner in zip(panels[1:], ("graphda", "da-iht"), strict=True):
    data = "signals:graph=edges.csv,samples=samples.csv"
    result = graphol.simulate(f"{learner}:s={len(shape)}", data, repeats=1)
    weights = result.weights[0]["last"][:-1]  # without the intercept
    found = np.flatnonzero(weights)
    right = len(np.intersect1d(found, shape))
    print(
        f"{learner}: {right} of the {len(shape)} sensors that matter, {len(found) - right} others"
    )
    axes.imshow(np.abs(weights).reshape(side, side), cmap="Greys")
    axes.set_title(learner)
for axes in panels:
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
panels[0].figure.savefig("picture.svg")
