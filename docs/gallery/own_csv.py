"""Two CSV files of your own to a label for every node, with how sure it is."""

import random
from pathlib import Path

import matplotlib.pyplot as plt

import graphol
from graphol.formats import read_graph

# Your files would be here already: who knows whom, and what 20 of 120 people drink.
random.seed(4)
drinks = {f"p{i:03}": random.choice(["tea", "coffee", "mate"]) for i in range(120)}
people = list(drinks)
edges = [
    f"{a},{b}"
    for i, a in enumerate(people)
    for b in people[:i]
    if random.random() < (0.16 if drinks[a] == drinks[b] else 0.01)
]
Path("edges.csv").write_text("\n".join(["source,target", *edges]))
Path("labels.csv").write_text("\n".join(["node,label", *(f"{p},{drinks[p]}" for p in people[:20])]))

graph = read_graph("edges.csv", "labels.csv")
found = graphol.predict(graph)
for line in found.told():
    print(line)
right = [drinks[row["node"]] == row["predicted"] for row in found.rows() if not row["given"]]
print(f"in truth {sum(right)} of {len(right)} are right")

sure = found.probabilities.max(axis=1)
axes = plt.subplots(figsize=(6, 3))[1]
of_class = [sure[(found.predicted == k) & (found.given < 0)] for k in range(len(found.classes))]
axes.hist(of_class, range=(0.3, 1), bins=14, stacked=True, label=found.classes)
axes.set(xlabel="probability of the class that is predicted", ylabel="nodes")
axes.legend(title="predicted")
axes.figure.savefig("picture.svg")
